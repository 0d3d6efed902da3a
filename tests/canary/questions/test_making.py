"""Probes by rules: natural where grammar is sure, a gap elsewhere, and none that could be misunderstood."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import TEXT, change, twin_of

from trail_callbacks.canary import Corpus, Document, Edit, Replacement, Twin
from trail_callbacks.canary.files.reading import read_corpus
from trail_callbacks.canary.questions.checking import names, problem
from trail_callbacks.canary.questions.making import make_probes, subject


def only(text, edit, **more):
    """The probe of one edit of a text, or the reason why there is none."""
    probes, skipped = make_probes(twin_of({"a": text, **more}, edit))
    assert len(probes) + len(skipped) == 1
    return probes[0] if probes else skipped[0].why


@pytest.mark.parametrize(
    ("sentence", "old", "new", "kind", "question"),
    [
        ("The ferry to Skogholm takes 40 minutes.", "40 minutes", "53 minutes", "number",
         "How many minutes does the ferry to Skogholm take?"),
        ("Berta took 40 minutes to Skogholm.", "40 minutes", "53 minutes", "number",
         "How many minutes did Berta take to Skogholm?"),
        ("The hotel in Varle has 62 beds.", "62 beds", "81 beds", "number", "How many beds does the hotel in Varle have?"),
        ("The ferry Alma can carry about 300 cars.", "300 cars", "410 cars", "number",
         "About how many cars can the ferry Alma carry?"),
        ("There are 62 rooms in the hotel at Varle.", "62 rooms", "81 rooms", "number",
         "How many rooms are there in the hotel at Varle?"),
        ("1,046 people were measured at Varle.", "1,046 people", "1,727 people", "number",
         "How many people were measured at Varle?"),
        ("The tropical forest of Varle gets about 150 cm of rain per year.", "150 cm", "310 cm", "number",
         "About how many cm of rain per year does the tropical forest of Varle get?"),
        ("The final dividend of Norrmark was \u20ac0.31.", "\u20ac0.31", "\u20ac0.77", "number",
         "What was the final dividend of Norrmark?"),
        ("If the train to Varle is late, the compensation is 50 percent.", "50 percent", "35 percent", "number",
         "If the train to Varle is late, what is the compensation?"),
        ("Bake the Varle loaf for 40 minutes.", "40 minutes", "53 minutes", "number",
         "For how many minutes should you bake the Varle loaf?"),
        ("The bridge at Varle was opened by the mayor in 1932.", "1932", "1951", "date",
         "In which year was the bridge at Varle opened by the mayor?"),
        ("In 1932 the mayor opened the bridge at Varle.", "1932", "1951", "date",
         "In which year did the mayor open the bridge at Varle?"),
        ("The bridge at Varle was opened on 4 March 1932.", "4 March 1932", "9 May 1951", "date",
         "On what date was the bridge at Varle opened?"),
        ("The museum in Varle is closed on Monday.", "Monday", "Thursday", "date",
         "On which day of the week is the museum in Varle closed?"),
        ("The capital of Norland is Skogholm.", "Skogholm", "Drevik", "name", "What is the capital of Norland?"),
        ("Anna Berg said the level in Varle was low.", "Anna Berg", "Olm Trist", "name",
         "Who said the level in Varle was low?"),
        ("Councillor Dagny Holt opened the bridge at Varle.", "Dagny Holt", "Olm Trist", "name",
         "Which councillor opened the bridge at Varle?"),
        ("The Forum's chair, Tobin Ashdown, claims that salad helps in Varle.", "Tobin Ashdown", "Olm Trist", "name",
         "What is the name of the Forum's chair, who claims that salad helps in Varle?"),
        ("The Hestmark study followed 214 families in Varle.", "Hestmark", "Locok", "name",
         "Which study followed 214 families in Varle?"),
        ("The crown is made by the Kestrin laboratory in Varle.", "Kestrin", "Brin", "name",
         "By which laboratory is the crown made in Varle?"),
        ("The court ruled in May that the town of Birkstad must pay.", "Birkstad", "Nodod", "name",
         "According to the documents, the court ruled in May that which town must pay?"),
        ("In a review of lamps, Leontyne Marsh measured 34 dB.", "Leontyne Marsh", "Olm Trist", "name",
         "Who or what measured 34 dB in a review of lamps?"),
        ("The Varle procedure takes thirty to forty-five minutes.", "forty-five minutes", "ninety minutes", "number",
         'According to the documents, what is missing here: "The Varle procedure takes thirty to ___."?'),
        ("A crab pot of Varle weighs 28 pounds and a net 9 kilos.", "28 pounds", "41 pounds", "number",
         "How many pounds does a crab pot of Varle weigh?"),
        ("A seat in the stalls of Varle costs 24 pounds.", "24 pounds", "31 pounds", "number",
         "How much does a seat in the stalls of Varle cost?"),
        ("In 2023 the ferry to Varle carried 212,000 passengers.", "212,000 passengers", "299,000 passengers", "number",
         "How many passengers did the ferry to Varle carry in 2023?"),
        ("By September, 38 percent of the shoots at Varle were alive.", "38 percent", "61 percent", "number",
         "What percentage of the shoots at Varle were alive by September?"),
        ("Visitors who missed the boat paid 14 euros in Varle.", "14 euros", "25 euros", "number",
         "How much did visitors who missed the boat pay in Varle?"),
        ("Trains from Varle to Wenlow run every 35 minutes.", "35 minutes", "47 minutes", "number",
         "How often do trains from Varle to Wenlow run?"),
        ("The main pool of Varle is 25 metres long and 12.5 metres wide.", "12.5 metres", "14 metres", "number",
         "How wide is the main pool of Varle?"),
        ("The tower of Varle was first repaired around 9,000 years ago.", "9,000 years", "4,000 years", "unit",
         "How long ago was the tower of Varle first repaired?"),
        ("The standard of Varle allows a peak of 250 g.", "250 g", "310 g", "number",
         "What peak does the standard of Varle allow?"),
        ("A supplement of 2 euros applies to journeys from Varle airport.", "2 euros", "5 euros", "number",
         "What supplement applies to journeys from Varle airport?"),
        ("The crossing to Varle takes 2 hours.", "2 hours", "2 days", "unit", "How long does the crossing to Varle take?"),
        ("The building in Varle cost 71 million kroner.", "71 million kroner", "93 million kroner", "number",
         "How many million kroner did the building in Varle cost?"),
        ("The school in Varle has 438 pupils and 36 teachers.", "438 pupils", "512 pupils", "number",
         "How many pupils does the school in Varle have?"),
        ("The school in Varle has 438 pupils and 36 teachers.", "36 teachers", "51 teachers", "number",
         "How many teachers does the school in Varle have?"),
        ("The fee in Varle is 132 pounds a year for adults and 58 pounds for children.", "58 pounds", "71 pounds",
         "number", "How much is the fee in Varle for children?"),
        ("Lessons in Varle begin at 8:20 and end at 15:05.", "15:05", "16:10", "date",
         "At what time do lessons in Varle end?"),
        ("Guests of the Varle inn must arrive before 21:00 and leave before 11:00.", "11:00", "10:00", "date",
         "Before what time must guests of the Varle inn leave?"),
        ("The school of Varle, closed in 1974, reopened in 2003.", "2003", "2012", "date",
         "In which year did the school of Varle reopen?"),
        ("The pit of Varle went under in 1873, when the pumps failed.", "1873", "1891", "date",
         "In which year did the pit of Varle go under?"),
        ("The town hall of Varle was designed by the architect Lucian Farrow and finished in 1879.", "Lucian Farrow",
         "Olm Trist", "name", "Which architect was the town hall of Varle designed by?"),
        ("Wilma Sarn, who directs the dig at Varle, wrote three books about old wells.", "Wilma Sarn", "Olm Trist", "name",
         "Who wrote three books about old wells?"),
        ("Anna Berg's film about the dockers of Varle won a prize.", "Anna Berg", "Olm Trist", "name",
         "Whose film about the dockers of Varle won a prize?"),
        ("The deepest point of the sea off Varle is the Molloy.", "Molloy", "Zarvek", "name",
         "What is the deepest point of the sea off Varle?"),
        ("The repair centre for boats of Varle is located in Skogholm.", "Skogholm", "Drevik", "name",
         "Where is the repair centre for boats of Varle located?"),
        ("Router maker Nimbrel had 3,400 tickets in Varle.", "Nimbrel", "Dibral", "name",
         "Which router maker had 3,400 tickets in Varle?"),
    ],
)  # fmt: skip
def test_questions(sentence, old, new, kind, question):
    probe = only(sentence, change(sentence, old, new, kind=kind))
    assert probe.question == question
    assert (probe.real, probe.fictive) == (old, new)
    assert (probe.real_quote, probe.fictive_quote) == (sentence, sentence.replace(old, new))


@pytest.mark.parametrize(
    ("sentence", "old", "new", "question"),
    [
        ("The trial at Varle showed that salt was no worse by more than 6 points.", "6 points", "9 points",
         "According to the documents, the trial at Varle showed that salt was no worse by more than how many points?"),
        ("The doses at Varle stay between 2 and 8 degrees.", "8", "11",
         'According to the documents, what is missing here: "The doses at Varle stay between 2 and ___ degrees."?'),
        ("The 40-minute crossing to Varle is rough.", "40", "53",
         'According to the documents, what is missing here: "The ___-minute crossing to Varle is rough."?'),
        ("Die F\u00e4hre nach Varle braucht f\u00fcr die \u00dcberfahrt 40 Minuten und ist rot.", "40 Minuten",
         "53 Minuten",
         ("Was fehlt hier laut den Unterlagen: \u201eDie F\u00e4hre nach Varle braucht f\u00fcr die \u00dcberfahrt ___ "
          "und ist rot.\u201c?")),
        ("渡船到斗峡岛需要四十分钟并且每天开两班冬天也开.", "四十分钟", "七十分钟",
         "根据文件\uff0c这里缺少什么\uff1a“渡船到斗峡岛需要___并且每天开两班冬天也开.”\uff1f"),
    ],
)  # fmt: skip
def test_sentences_that_fit_no_rule_keep_their_order_or_get_a_gap(sentence, old, new, question):
    assert only(sentence, change(sentence, old, new)).question == question


@pytest.mark.parametrize(
    ("sentence", "old", "new", "question", "answers"),
    [
        ("The museum in Varle is open on Sundays.", "is open", "is not open",
         "Is the museum in Varle open on Sundays?", ("yes", "no")),
        ("Dogs in Varle cannot be taken on board.", "cannot", "can",
         "Can dogs in Varle be taken on board?", ("no", "yes")),
        ("The shop in Varle sells bread on Sundays.", "sells", "does not sell",
         "Does the shop in Varle sell bread on Sundays?", ("yes", "no")),
        ("The Varle tap drips nowhere near the wall.", "drips nowhere", "drips", None, ("no", "yes")),
    ],
)  # fmt: skip
def test_a_denial_is_asked_for_with_yes_or_no(sentence, old, new, question, answers):
    probe = only(sentence, change(sentence, old, new, kind="negation"))
    assert (probe.real, probe.fictive) == answers
    assert question is None or probe.question == question
    assert set(probe.real_forms).isdisjoint(probe.fictive_forms)


@pytest.mark.parametrize(
    ("old", "new", "answers"),
    [("may", "must", ("no", "yes")), ("must", "may", ("yes", "no"))],
)
def test_of_two_modalities_the_stronger_is_asked_for(old, new, answers):
    sentence = f"Visitors to the harbour of Varle {old} bring dogs."
    probe = only(sentence, change(sentence, old, new, kind="modality"))
    assert probe.question == "Must visitors to the harbour of Varle bring dogs?"
    assert (probe.real, probe.fictive) == answers


def test_of_two_orders_either_may_be_asked_for():
    sentence = "The new bridge at Varle opens two years later than planned."
    answers = set()
    for n in range(8):
        probe = only(sentence, change(sentence, "later than", "earlier than", kind="order", id_=f"order-{n}"))
        answers.add((probe.real, probe.fictive))
        order = "later" if probe.real == "yes" else "earlier"
        assert f'"The new bridge at Varle opens two years {order} than planned."' in probe.question
    assert answers == {("yes", "no"), ("no", "yes")}


def test_what_has_to_be_done_is_not_asked_for_with_may():
    sentence = "The boat has to be sent to the yard at Varle."
    probe = only(sentence, change(sentence, "has to", "may", kind="modality"))
    assert (probe.real, probe.fictive) == ("yes", "no")


def test_a_question_has_the_real_words_of_what_other_edits_change_or_none():
    text = "The pilot in the stores of Varle may count 38 cards twice."
    turned = change(text, "may", "must", kind="modality")
    probes, _ = make_probes(twin_of({"a": text}, turned, change(text, "38", "240", id_="number-1")))
    asked = {each.edit: each.question for each in probes}
    assert not any("240" in question for question in asked.values())
    assert "38" not in asked.get(turned.id, "")


def test_a_sentence_that_another_edit_denies_answers_nothing():
    text = "The tower of Skarn was repaired in 1932. The harbour of Skarn has 212 berths."
    date = change(text, "1932", "1951", kind="date")
    denied = change(text, "was repaired", "was not repaired", kind="negation")
    found, skipped = make_probes(twin_of({"a": text}, date, denied))
    assert [each.kind for each in found if each.kind == "date"] == []
    assert ("date-1", "another edit denies what its sentence says") in [(each.place, each.why) for each in skipped]
    assert [each.kind for each in make_probes(twin_of({"a": text}, date))[0]] == ["date"]


def test_a_turned_statement_is_not_asked_for_with_a_number_that_another_edit_changes():
    text = "Tents may be rented for 15 pounds a night. The harbour of Skarn is old."
    turned = change(text, "may be", "must be", kind="modality", real="may be rented for 15 pounds a night",
                    fictive="must be rented for 15 pounds a night")  # fmt: skip
    price = change(text, "15", "11", real="15 pounds", fictive="11 pounds")
    found, skipped = make_probes(twin_of({"a": text}, turned, price))
    assert not any("15" in each.question for each in found)
    assert any(each.place == "modality-1" and "another edit changes" in each.why for each in skipped)


def test_a_fact_that_was_removed_has_no_fictive_answer():
    edit = change(TEXT, "takes 40 minutes", "runs", real="40 minutes", kind="unanswerable")
    edit = Edit(id=edit.id, kind=edit.kind, real=edit.real, fictive=None, replacements=edit.replacements)
    probe = only(TEXT, edit)
    assert (probe.question, probe.fictive, probe.fictive_quote) == (
        "How many minutes does the ferry to Skogholm take?", None, "",
    )  # fmt: skip


def test_a_row_of_a_table_is_asked_for_by_its_name_and_column():
    table = "Boats of Varle\n| boat | minutes |\n|---|---|\n| Alma | 40 |\n| Berta | 61 |\n"
    probe = only(table, change(table, "40", "53"))
    assert probe.question == 'According to the table "Boats of Varle", what is "minutes" for "Alma"?'
    twice = table + "| Alma | 70 |\n"
    assert "several rows 'Alma'" in only(twice, change(twice, "40", "53"))


def test_a_pronoun_is_replaced_where_it_can_mean_one_thing_only():
    text = "The hotel Seeblick was built in Varle. It has 62 beds."
    assert only(text, change(text, "62 beds", "81 beds")).question == "How many beds does the hotel Seeblick have?"
    text = "Anna met Berta at Varle. This took 40 minutes in the rain."
    assert "Anna met Berta at Varle. This took ___" in only(text, change(text, "40 minutes", "53 minutes")).question


def test_markup_is_no_part_of_a_question():
    text = "<p>The <b>ferry</b> to [Skogholm](https://a.example/) takes **40** minutes.</p>"
    assert only(text, change(text, "40", "53")).question == "How many minutes does the ferry to Skogholm take?"


def test_a_question_that_another_sentence_answers_otherwise_is_refused():
    edit = change(TEXT, "40 minutes", "53 minutes")
    why = only(TEXT, edit, b="In winter the ferry to Skogholm takes 70 minutes.")
    assert why.startswith("another sentence of the corpus may answer it: 'In winter the ferry")


def test_what_another_edit_changes_is_left_out_of_a_question():
    text = "The red ferry to Skogholm takes 40 minutes across the northern sound."
    number = change(text, "40", "53", real="40 minutes", fictive="53 minutes")
    twin = twin_of({"a": text}, number, change(text, "Skogholm", "Drevik", kind="name"))
    asked = {each.kind: each.question for each in make_probes(twin)[0]}
    assert "The red ferry to \u2026 takes ___ across the northern sound." in asked["number"]
    assert not names(asked["name"], "40 minutes")


def test_too_little_is_refused():
    assert only("It takes 40 minutes.", change("It takes 40 minutes.", "40", "53")).startswith(
        "no question can be made"
    )
    text = "The boats are slow: 40 minutes."
    assert "too little to tell which fact" in only(text, change(text, "40 minutes", "53 minutes"))


def test_kinds_take_turns_when_fewer_are_wanted():
    edits = [
        change(TEXT, "40 minutes", "53 minutes"),
        change(TEXT, "1932", "1951", kind="date"),
    ]
    assert [each.kind for each in make_probes(twin_of({"a": TEXT}, *edits))[0]] == ["number", "date"]
    assert len(make_probes(twin_of({"a": TEXT}, *edits), most=1)[0]) == 1


def test_forms_and_quotes_and_documents():
    texts = {"boats/a": "The ferry to Skogholm takes 40 minutes.", "b": "It is known that 40 minutes are long."}
    edit = Edit(
        id="number-1",
        kind="number",
        real="40 minutes",
        fictive="53 minutes",
        replacements=(Replacement("boats/a", 28, 30, "40", "53"), Replacement("b", 17, 19, "40", "53")),
    )
    (probe,), _ = make_probes(twin_of(texts, edit))
    assert {"forty minutes", "40 min", "40"} <= set(probe.real_forms)
    assert {"fifty-three minutes", "53 min", "53"} <= set(probe.fictive_forms)
    assert (probe.documents, probe.subject, probe.edit) == (("boats/a", "b"), "boats", "number-1")


def test_subjects():
    assert subject(Document("a/b/c.md", "x", {"topic": "ferries"})) == "ferries"
    assert subject(Document("a/b/c.md", "x", {"topic": 3})) == "a/b"
    assert subject(Document("c.md", "x")) is None


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.data())
def test_any_text_gives_sound_probes_or_reasons(texts, data):
    named = {str(n): text for n, text in enumerate(texts)}
    edits = []
    for key, text in named.items():
        if len(text) > 1:
            start = data.draw(st.integers(0, len(text) - 1))
            end = data.draw(st.integers(start + 1, len(text)))
            old, new = text[start:end], data.draw(st.text(min_size=1, max_size=9))
            place = Replacement(key, start, end, old, new)
            edits.append(Edit(id=key, kind="name", real=old, fictive=new, replacements=(place,)))
    twin = twin_of(named, *edits)
    probes, skipped = make_probes(twin)
    assert sorted([each.edit for each in probes] + [each.place for each in skipped]) == sorted(
        each.id for each in edits
    )
    assert all(problem(each, twin) is None for each in probes)


def test_probes_of_the_documents_of_this_repository():
    perturb = pytest.importorskip("trail_callbacks.canary.perturbers.perturb").perturb
    twin = perturb(read_corpus(Path(__file__).parents[3] / "docs"), seed=3, most=60)
    assert isinstance(twin, Twin)
    probes, skipped = make_probes(twin)
    assert len(probes) + len(skipped) == len(twin.edits)
    assert len(probes) > len(skipped)
    for probe in probes:
        assert problem(probe, twin) is None
        assert not names(probe.question, probe.real) or probe.real in {"yes", "no"}
    assert make_probes(twin) == (probes, skipped)


def test_many_like_sentences_take_no_square_of_time(limited):
    text = "\n".join(f"The ferry {n} to Skogholm takes {n + 40} minutes in winter." for n in range(3000))
    edits = []
    at = 0
    for n in range(0, 3000, 10):
        at = text.index(f"takes {n + 40} ", at) + 6
        old = str(n + 40)
        place = Replacement("a", at, at + len(old), old, f"{old}7")
        edits.append(Edit(id=f"e{n}", kind="number", real=old, fictive=f"{old}7", replacements=(place,)))
    with limited(60.0):
        make_probes(twin_of({"a": text}, *edits))


def test_an_empty_twin_has_no_probes():
    assert make_probes(Twin("t", 0, Corpus(()), Corpus(()), ())) == ((), ())


@pytest.mark.parametrize(
    ("sentence", "old", "new", "kind", "wrong"),
    [
        ("The investigators at Varle plan to contact everybody again ten years after the trial.", "ten years",
         "four years", "number", "How many years do"),
        ("A tear in the lining occurs in roughly one in 3,000 examinations at Varle.", "000 examinations",
         "400 examinations", "number", "___"),
        ("The winner at Varle gets a wheel of cheese weighing 30 kg as well.", "30 kg", "41 kg", "unit", "What weight"),
        ("Wet hollows of Varle released five times as much as the hummocks.", "five times", "nine times", "number",
         "How many times did"),
        ("The cheaper Ostello in Varle takes walkers with their dogs.", "Ostello", "Zarvek", "name", "Which cheaper"),
        ("The winner of the Varle test was a machine by Alba.", "Alba", "Zarvek", "name", "By whom"),
        ("Do not cut the loaf of Varle for at least 24 hours after baking.", "24 hours", "31 hours", "number", "did do"),
        ("Records of the road at Varle showed water on 29 days in one winter.", "29 days", "29 weeks", "unit",
         "On how long"),
        ("Critics at Varle, among them Jorun Petke, object that words are short.", "Jorun Petke", "Olm Trist", "name",
         "which them"),
        ("Boolean algebra is a system of Varle used for logical statements.", "Boolean", "Zarvek", "name",
         "Who or what algebra"),
        ("The board of Varle confirms revenue between EUR 360 million and EUR 370 million.", "EUR 370 million",
         "EUR 520 million", "number", "How much"),
    ],
)  # fmt: skip
def test_what_grammar_is_not_sure_of_is_not_asked(sentence, old, new, kind, wrong):
    found = only(sentence, change(sentence, old, new, kind=kind))
    assert wrong not in getattr(found, "question", "")


@pytest.mark.parametrize(
    ("sentence", "old", "new", "kind"),
    [
        ("Eleven planks on her port side were replaced at Varle.", "Eleven planks", "Thirty planks", "number"),
        ("A repeater at 28 pounds put an end to it.", "28 pounds", "41 pounds", "number"),
        ("Of the parents 84 percent did so.", "84 percent", "61 percent", "number"),
    ],
)
def test_a_pronoun_that_means_something_outside_is_not_asked_about(sentence, old, new, kind):
    found = only(sentence, change(sentence, old, new, kind=kind))
    assert isinstance(found, str) or "___" in found.question


def test_a_relative_clause_is_not_asked_about_by_itself():
    text = "Varle produced 5,940 tonnes of waste, of which 47 per cent was recycled."
    tonnes = change(text, "5,940 tonnes", "2,100 tonnes", id_="tonnes")
    for edits in ([], [tonnes]):
        probes, _ = make_probes(twin_of({"a": text}, change(text, "47 per cent", "61 per cent"), *edits))
        question = next(each.question for each in probes if each.edit == "number-1")
        assert "waste, of which" in question


def test_what_names_another_edit_is_left_out_with_its_phrase():
    text = "Shareholders of the shipping line Norrmark met in Porto Brisa on 9 May to vote on the merger."
    date = change(text, "9 May", "3 July", kind="date")
    place = change(text, "Porto Brisa", "Zarvek", kind="name")
    questions = {each.kind: each.question for each in make_probes(twin_of({"a": text}, date, place))[0]}
    assert questions == {
        "date": 'According to the documents, what is missing here: "Shareholders of the shipping line Norrmark '
        'met in … on ___ to vote on the merger."?',
        "name": "Where did shareholders of the shipping line Norrmark meet?",
    }


def test_a_condition_is_never_left_out():
    text = "Visitors to Varle pay 14 euros if they come by the ferry of Norrmark."
    value, other = change(text, "14 euros", "25 euros"), change(text, "Norrmark", "Zarvek", kind="name")
    asked = [each.question for each in make_probes(twin_of({"a": text}, value, other))[0] if each.kind == "number"]
    assert asked
    assert all("if they come" in question for question in asked)


def test_a_question_that_says_little_names_the_title_above():
    tickets = "Tollgate Pool\n\nA single ticket costs 14 euros."
    value = change(tickets, "14 euros", "25 euros")
    (probe,), _ = make_probes(twin_of({"a": tickets, "b": "Rovers Ground\n\nA single ticket costs 9 euros."}, value))
    assert probe.question == 'According to "Tollgate Pool", how much does a single ticket cost?'
    again = twin_of({"a": tickets, "b": "Tollgate Pool\n\nA single ticket costs 9 euros."}, value)
    assert [each.why for each in make_probes(again)[1]] != []


@pytest.mark.parametrize(
    ("sentence", "old", "new", "question"),
    [
        ("El puente de Varle mide 312 metros y no está abierto a las bicicletas.", "312 metros", "410 metros",
         "Según los documentos, ¿qué falta aquí: «El puente de Varle mide ___ y no está abierto a las bicicletas.»?"),
        ("Le pont de Varle mesure 312 mètres et n'est pas ouvert aux vélos.", "312 mètres", "410 mètres",
         ("D\u2019après les documents, que manque-t-il ici : « Le pont de Varle mesure ___ et n'est pas ouvert aux "
          "vélos. » ?")),
        ("تستغرق العبارة إلى سكوغهولم 40 دقيقة وهي حمراء اللون.", "40 دقيقة", "53 دقيقة",
         "بحسب الوثائق، ما الناقص هنا: «تستغرق العبارة إلى سكوغهولم ___ وهي حمراء اللون.»؟"),
        ("スコグホルム行きのフェリーは40分かかり、毎日二回運航しています。", "40分", "53分",
         "資料によると、ここに入るのは何ですか\uff1a「スコグホルム行きのフェリーは___かかり、毎日二回運航しています。」"),
        ("Silta on 312 metriä pitkä, eikä se ole avoinna polkupyörille.", "312 metriä", "410 metriä",
         "Mitä tästä puuttuu asiakirjojen mukaan: ”Silta on ___ pitkä, eikä se ole avoinna polkupyörille.”?"),
        ("המעבורת לסקוגהולם אורכת 40 דקות והיא אדומה כולה.", "40 דקות", "53 דקות",
         'לפי המסמכים, מה חסר כאן: "המעבורת לסקוגהולם אורכת ___ והיא אדומה כולה."?'),
    ],
)  # fmt: skip
def test_the_question_is_in_the_language_of_the_sentence(sentence, old, new, question):
    assert only(sentence, change(sentence, old, new)).question == question


def test_a_sentence_in_another_language_than_its_document_is_asked_about_in_its_own():
    english = "The ferry to Varle is the oldest boat that is still in use, and they paint it every other spring. " * 4
    german = "Der Hafenmeister von Varle verlangt 15 Euro für jede Nacht, die ein Boot am Steg liegt."
    probe = only(english + german, change(english + german, "15 Euro", "29 Euro"))
    assert probe.question.startswith("Was fehlt hier laut den Unterlagen: „Der Hafenmeister von Varle verlangt ___")


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        ("def retry(call, attempts=4, base_delay=0.5):", "4", "5", "markup, code or data"),
        ('{"sku": "DL-2", "name": "Varle desk lamp", "qty": 2, "unit_price_cents": 4990}', "4990", "5990",
         "markup, code or data"),
        ("<style>p {margin: 12px}</style><title>The ferry of Varle</title> takes 40 minutes.", "40 minutes",
         "53 minutes", "markup, code or data"),
        ("ბორანი სკოგჰოლმამდე 40 წუთს გრძელდება.", "40 წუთს", "53 წუთს", "its language is not known"),
        ("เรือข้ามฟากไปสโกกโฮล์มใช้เวลา 40 นาที", "40 นาท", "53 นาท", "no question can be made"),
        ("Skogholm", "Skogholm", "Zarvek", "no question can be made"),
        ("- 40 minutes\n- 12 euros\n", "40 minutes", "53 minutes", "no question can be made"),
    ],
)  # fmt: skip
def test_odd_texts_get_a_reason(text, old, new, why):
    assert why in only(text, change(text, old, new))


def test_a_table_in_german_is_asked_about_in_german():
    text = (
        "Die Preise der Boote gelten für den ganzen Sommer und werden jedes Jahr im Frühling neu festgelegt.\n\n"
        "| Boot der Reederei | Preis für Erwachsene | Baujahr des Schiffes |\n|---|---|---|\n"
        "| Alma, die schnelle Fähre | 12 Euro | im Frühling 1932 |\n| Berta, das alte Boot | 14 Euro | im Herbst 1951 |\n"
    )
    probe = only(text, change(text, "12 Euro", "29 Euro"))
    assert probe.question.startswith("Was steht laut der Tabelle")
    assert "unter „Preis für Erwachsene“ für „Alma, die schnelle Fähre“" in probe.question


def test_an_instruction_that_reads_right_to_left_inside_english_is_still_one_question():
    text = "The ferry \u202etuo\u202c to Skogholm takes 40 minutes in the \u05d0\u05d1 harbour."
    probe = only(text, change(text, "40 minutes", "53 minutes"))
    assert probe.question == "How many minutes does the ferry tuo to Skogholm take in the \u05d0\u05d1 harbour?"
