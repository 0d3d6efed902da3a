"""Probes by rules: a gap, a cell, yes or no, and none that could be misunderstood."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import TEXT, change, twin_of

from trail_callbacks.canary import Edit, Replacement, Twin
from trail_callbacks.canary.files.corpora import read_corpus
from trail_callbacks.canary.questions.checking import names, problem
from trail_callbacks.canary.questions.making import make_probes


def only(text, edit, **more):
    """The probe of one edit of a text, or the reason why there is none."""
    probes, skipped = make_probes(twin_of({"a": text, **more}, edit))
    assert len(probes) + len(skipped) == 1
    return probes[0] if probes else skipped[0].why


def test_a_probe_has_the_values_and_the_sentences_that_state_them():
    sentence = "The bridge at Varle was opened by the mayor in 1932."
    probe = only(sentence, change(sentence, "1932", "1951", kind="date"))
    assert "opened by the mayor in ___" in probe.question
    assert (probe.real, probe.fictive) == ("1932", "1951")
    assert (probe.real_quote, probe.fictive_quote) == (sentence, sentence.replace("1932", "1951"))


def test_what_is_missing_is_asked_for():
    sentence = "The doses at Varle stay between 2 and 8 degrees."
    assert only(sentence, change(sentence, "8", "11")).question == (
        'According to the documents, what is missing here: "The doses at Varle stay between 2 and ___ degrees."?'
    )


RIGHT = 'According to the documents, is this right: "{}" Answer yes or no.'


@pytest.mark.parametrize(
    ("sentence", "old", "new", "asked", "answers"),
    [
        ("The museum in Varle is open on Sundays.", "is open", "is not open", "is open", ("yes", "no")),
        ("Dogs in Varle cannot be taken on board.", "cannot", "can", "can", ("no", "yes")),
        ("Visitors to the harbour of Varle must bring dogs.", "must", "may", "must", ("yes", "no")),
    ],
)
def test_what_denies_less_or_demands_more_is_asked_for_with_yes_or_no(sentence, old, new, asked, answers):
    probe = only(sentence, change(sentence, old, new, kind="modality" if "must" in {old, new} else "negation"))
    assert probe.question == RIGHT.format(sentence.replace(old, asked))
    assert (probe.real, probe.fictive) == answers
    assert set(probe.real_forms).isdisjoint(probe.fictive_forms)


def test_of_two_orders_either_may_be_asked_for():
    sentence = "The new bridge at Varle opens two years later than planned."
    answers = set()
    for n in range(8):
        probe = only(sentence, change(sentence, "later than", "earlier than", kind="order", id_=f"order-{n}"))
        answers.add((probe.real, probe.fictive))
        order = "later" if probe.real == "yes" else "earlier"
        assert f'"The new bridge at Varle opens two years {order} than planned."' in probe.question
    assert answers == {("yes", "no"), ("no", "yes")}


def test_a_sentence_that_another_edit_denies_answers_nothing():
    text = "The tower of Skarn was repaired in 1932. The harbour of Skarn has 212 berths."
    date = change(text, "1932", "1951", kind="date")
    denied = change(text, "was repaired", "was not repaired", kind="negation")
    found, skipped = make_probes(twin_of({"a": text}, date, denied))
    assert [each.kind for each in found if each.kind == "date"] == []
    assert ("date-1", "another edit denies what its sentence says") in [(each.place, each.why) for each in skipped]
    assert [each.kind for each in make_probes(twin_of({"a": text}, date))[0]] == ["date"]


def test_a_fact_that_was_removed_has_no_fictive_answer():
    edit = change(TEXT, "takes 40 minutes", "runs", real="40 minutes", kind="unanswerable")
    edit = Edit(id=edit.id, kind=edit.kind, real=edit.real, fictive=None, replacements=edit.replacements)
    probe = only(TEXT, edit)
    assert "The ferry to Skogholm takes ___" in probe.question
    assert (probe.fictive, probe.fictive_quote) == (None, "")


def test_a_row_of_a_table_is_asked_for_by_its_name_and_column():
    table = "Boats of Varle\n| boat | minutes |\n|---|---|\n| Alma | 40 |\n| Berta | 61 |\n"
    probe = only(table, change(table, "40", "53"))
    assert probe.question == ('According to the documents, what is missing here: "Boats of Varle: Alma, minutes: ___"?')
    twice = table + "| Alma | 70 |\n"
    assert "several rows 'Alma'" in only(twice, change(twice, "40", "53"))


def test_a_sentence_that_points_back_is_asked_for_behind_the_one_before():
    text = "The hotel Seeblick was built in Varle. It has 62 beds in all."
    asked = only(text, change(text, "62 beds", "81 beds")).question
    assert '"The hotel Seeblick was built in Varle. It has ___ in all."' in asked


def test_a_question_that_says_little_names_the_title_above():
    tickets = "Tollgate Pool\n\nA single ticket costs 14 euros."
    value = change(tickets, "14 euros", "25 euros")
    (probe,), _ = make_probes(twin_of({"a": tickets, "b": "Rovers Ground\n\nA single ticket costs 9 euros."}, value))
    assert '"Tollgate Pool: A single ticket costs ___."' in probe.question
    again = twin_of({"a": tickets, "b": "Tollgate Pool\n\nA single ticket costs 9 euros."}, value)
    assert [each.why for each in make_probes(again)[1]] != []


def test_markup_is_no_part_of_a_question():
    text = "<p>The <b>ferry</b> to [Skogholm](https://a.example/) takes **40** minutes.</p>"
    assert '"The ferry to Skogholm takes ___ minutes."' in only(text, change(text, "40", "53")).question


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
    assert (probe.real_forms, probe.fictive_forms) == (("40",), ("53",))
    assert (probe.documents, probe.subject, probe.edit) == (("boats/a", "b"), "boats", "number-1")


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


def test_a_sentence_of_another_language_is_asked_for_without_words_of_a_second_one():
    sentence = "スコグホルム行きのフェリーは40分かかり、毎日二回運航しています。"
    asked = only(sentence, change(sentence, "40分", "53分")).question
    assert asked == '"スコグホルム行きのフェリーは___かかり、毎日二回運航しています。" ___ = ?'


@pytest.mark.parametrize(
    ("text", "old", "new", "why"),
    [
        ("def retry(call, attempts=4, base_delay=0.5):", "4", "5", "markup, code or data"),
        ("Skogholm", "Skogholm", "Zarvek", "no question can be made"),
        ("- 40 minutes\n- 12 euros\n", "40 minutes", "53 minutes", "no question can be made"),
    ],
)  # fmt: skip
def test_odd_texts_get_a_reason(text, old, new, why):
    assert why in only(text, change(text, old, new))
