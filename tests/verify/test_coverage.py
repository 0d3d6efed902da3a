"""Coverage: what an answer states and no claim holds is found by code, whoever found the claims."""

from __future__ import annotations

import asyncio
import re

import pytest

from trail_callbacks import LLMJudge, Report, SupportClass, acheck, check
from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.verify.coverage import coverage
from trail_callbacks.verify.threshold import counted_score, is_complete

TRUE = "The ferry takes 40 minutes."
FALSE = "It costs 12 euros."
SOURCE = "The ferry takes 40 minutes. A ticket costs 9 euros."


def claimed(answer, *quotes):
    """Claims as a judge found them: quotes, or pairs of a quote and what the claim says."""
    pairs = [(each, each) if isinstance(each, str) else each for each in quotes]
    return [
        Claim(id=f"c{n}", text=text, quote=quote, start=answer.index(quote), end=answer.index(quote) + len(quote))
        for n, (quote, text) in enumerate(pairs, 1)
    ]


def left(answer, *quotes, question=None, abstained=False):
    found = coverage(answer, claimed(answer, *quotes), question, abstained=abstained)
    return [answer[start:end] for start, end, _ in found.uncovered]


def hostile(*claims, abstained=False, checkable=True, **settings):
    """A judge whose model lists these quotes and supports whatever it is asked about."""

    def reply(call):
        if call.purpose == "claims":
            return {"claims": [{"quote": quote, "checkable": checkable} for quote in claims], "abstained": abstained}
        if call.purpose == "onepass":
            judged = {"supporting": ["s1"], "support": "supported"} if checkable else {"support": "unevaluatable"}
            return {"claims": [{"quote": quote, **judged} for quote in claims], "abstained": abstained}
        ids = dict.fromkeys(re.findall(r"\bc\d+\b", call.messages[-1].content))
        return {"verdicts": [{"claim": id_, "supporting": ["s1"], "support": "supported"} for id_ in ids]}

    return LLMJudge(ScriptedModel(reply), **settings)


@pytest.mark.parametrize(
    ("answer", "quotes", "expected"),
    [
        (f"{TRUE} {FALSE}", [TRUE], [FALSE]),
        (f"{TRUE} {FALSE}", [], [TRUE, FALSE]),
        (f"{TRUE} {FALSE}", [(f"{TRUE} {FALSE}", TRUE)], ["costs 12 euros"]),  # a wide quote, half a claim
        (f"Based on the passages, {TRUE}", ["Based on the passages,"], ["ferry takes 40 minutes"]),
        ("The ferry is cheap and dangerous.", ["The ferry is cheap"], ["dangerous"]),
        (
            "The ferry is cheap and its pilots drink.",
            [("The ferry is cheap and its pilots drink.", "The ferry is cheap.")],
            ["pilots drink"],
        ),
        ("It never opened in 1990.", [("opened in 1990", "It opened in 1990.")], ["never"]),
        ("It opened in 1990.", [("It opened in 1990.", "It opened.")], ["1990"]),
        ("Die F\u00e4hre ist neu. Sie ist gratis.", ["Die F\u00e4hre ist neu."], ["Sie ist gratis."]),
        ("\u6e21\u8239\u97001\u5c0f\u65f6\u3002\u7968\u4ef712\u6b27\u5143\u3002", ["\u6e21\u8239\u97001\u5c0f\u65f6\u3002"], ["\u7968\u4ef712\u6b27\u5143\u3002"]),
        ("- Runs daily\n- Takes an hour\n", ["Runs daily"], ["- Takes an hour"]),
        ("| Ferry | Hours |\n|---|---|\n| A | 40 |\n| B | 60 |", ["| A | 40 |"], ["| Ferry | Hours |", "| B | 60 |"]),
        ('{"answer": "The ferry is new. It takes an hour."}', ["The ferry is new."], ["It takes an hour."]),
        ('{"answer": "The caf\\u00e9 is new. It is free."}', [("The caf\\u00e9 is new.", "The caf\u00e9 is new.")], ["It is free."]),
    ],
)  # fmt: skip
def test_words_in_no_claim_are_found(answer, quotes, expected):
    assert left(answer, *quotes) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "Did you know that the ferry takes an hour?",
        "# The ferry takes an hour",
        "**Ferry: free**",
        "Ferry: one hour",
        "Let me know if you want the ferry that takes an hour.",
        "I hope this helps the deadly ferry.",
        "Thanks, the pilots drink!",
        "Here's how the ferry kills:",
        "(Source: the ferry takes an hour)",
        "[The ferry takes an hour](https://a.example)",
        "<b>The ferry takes an hour</b>",
        "```\nThe ferry takes an hour.\n```",
        "There is no information that contradicts that the ferry is safe.",
        "I do not know, but the ferry takes an hour.",
        "12",
    ],
)
def test_nothing_that_an_answer_writes_around_a_statement_hides_it(answer):
    assert left(answer, abstained=True)


@pytest.mark.parametrize("answer", ["Yes.", "No", "It is.", "It isn't.", "It is included.", "Yes, it does."])
def test_short_answers_state_something(answer):
    assert left(answer, question="Is breakfast included?")
    assert left(f"The sky is blue. {answer}", "The sky is blue.", question="Is breakfast included?") == [answer]


@pytest.mark.parametrize(
    "answer",
    [
        "Hello!", "Sure!", "You're welcome!", "Thank you for your question.", "Vielen Dank!", "Best regards,",
        "Let me know if you have any further questions.", "I hope this helps!", "How can I help you today?",
        "Would you like more details?", "Here's my answer based on the given passages:", "Passage 2:", "[1] [2]",
        "Source: https://a.example/b.html", "---", "\U0001f600", "", "How old is it?",
        "```python\nprint(fares.total + 12)\n```",
    ],
)  # fmt: skip
def test_what_states_nothing_is_left_out(answer):
    found = coverage(answer, [], "How old is it?")
    assert (found.share, found.uncovered) == (None, ())


@pytest.mark.parametrize(
    "answer",
    [
        "I do not know.", "I'm sorry, but I cannot answer this question based on the provided passages.",
        "The passages do not say how old it is.", "Ich wei\u00df es nicht.",
    ],
)  # fmt: skip
def test_a_refusal_needs_no_claim_only_if_the_judge_says_that_the_answer_declines(answer):
    assert left(answer, abstained=True) == []
    assert left(answer) == [answer]
    assert left(f"{answer} {TRUE}", abstained=True) == [TRUE]


def test_a_restatement_of_one_claim_is_left_out_but_no_mixture_of_several():
    fish, mushrooms = "Fish is safe to eat.", "Mushrooms are poisonous to eat."
    answer = f"{fish} {mushrooms} "
    assert left(f"{answer}Therefore, fish is safe.", fish, mushrooms) == []
    assert left(f"{answer}Mushrooms are safe.", fish, mushrooms) == ["Mushrooms are safe."]
    assert left(f"{answer}Fish is not safe.", fish, mushrooms) == ["Fish is not safe."]


def test_a_lead_in_without_a_new_word_is_left_out():
    claim = "Wash the glass with soap."
    asked = "How do I clean a wine glass?"
    for lead in ("To clean a wine glass, follow these steps:", "Here is how to clean a wine glass:", "## Wine glass"):
        assert left(f"{lead}\n\n1. {claim}", claim, question=asked) == []
    assert left(f"Soap kills in several ways:\n\n1. {claim}", claim) == ["Soap kills in several ways:"]


def test_a_restatement_keeps_who_did_it_to_whom():
    (found,) = coverage("Bob sued Alice.", [Claim(id="c1", text="Alice sued Bob.", quote="", start=0, end=0)]).uncovered
    assert found[2] == "Bob sued Alice."


def test_names_of_sources_in_marks_are_no_content():
    answer = f"{TRUE} (Source: harbour timetable)"
    report = check(answer, [SOURCE], judge=hostile(TRUE))
    assert [claim.quote for claim in report.uncovered] == [f"{answer[len(TRUE) + 1 :]}"]
    from langchain_core.documents import Document

    named = Document(SOURCE, metadata={"source": "harbour_timetable.pdf"})
    assert check(answer, [named], judge=hostile(TRUE)).uncovered == ()


@pytest.mark.parametrize(
    ("claims", "abstained", "state"),
    [
        ((), False, "unverified"),
        ((), True, "unverified"),
        ((TRUE,), False, "partial"),
        ((TRUE,), True, "partial"),
        (("The ferry", "ferry takes"), False, "partial"),
        (("The",), False, "partial"),
    ],
)
def test_a_judge_that_leaves_out_a_statement_completes_no_report(claims, abstained, state):
    answer = f"{TRUE} {FALSE}"
    for report in (
        check(answer, [SOURCE], judge=hostile(*claims, abstained=abstained)),
        asyncio.run(acheck(answer, [SOURCE], judge=hostile(*claims, abstained=abstained))),
    ):
        assert report.state == state
        assert FALSE in [claim.quote for claim in report.uncovered]
        assert set(report.uncovered) <= set(report.undecided)
        for claim in report.uncovered:
            assert answer[claim.start : claim.end] == claim.quote
            assert report.verdict(claim.id).support is None
            assert report.verdict(claim.id).evidence == ()
        assert report.coverage < 1
        assert not is_complete(report)
        # Neither side of the score, and no undecided claim that a setting could let pass or fail.
        judged = [v.support for v in report.verdicts if v.support is not None]
        assert report.hallucination_score == (0.0 if SupportClass.SUPPORTED in judged else None)
        assert counted_score(report, "fail") == counted_score(report, "pass")


@pytest.mark.parametrize("statement", [FALSE, f"**{FALSE}**", f"Note: {FALSE}", "Die F\u00e4hre kostet 12 Euro."])
def test_a_judge_that_calls_statements_unfit_to_be_checked_completes_no_report(statement):
    for claims_per_call in (None, 8):
        judge = hostile(statement, checkable=False, claims_per_call=claims_per_call)
        report = check(statement, [SOURCE], judge=judge)
        assert report.state == "unverified"
        assert report.uncovered
        assert not is_complete(report)


def test_a_refusal_hides_no_other_sentence():
    report = check(f"I do not know. {FALSE}", [SOURCE], "How much is it?", hostile(abstained=True))
    assert (report.state, [claim.quote for claim in report.uncovered]) == ("unverified", [FALSE])
    assert check("I do not know.", [SOURCE], "How much is it?", hostile(abstained=True)).state == "abstained"


def test_the_report_keeps_coverage_in_json_and_tells_it_everywhere():
    report = check(f"{TRUE} {FALSE}", [SOURCE], judge=hostile(TRUE))
    back = Report.from_json(report.to_json())
    assert (back, back.uncovered, back.coverage) == (report, report.uncovered, pytest.approx(4 / 7))
    assert Report.from_json(report.to_json(), lenient=True).coverage == report.coverage
    summary = report.summary()
    assert (summary["coverage"], summary["uncovered"]) == (report.coverage, 1)
    assert "57 % of the answer covered; the judge left out 1 statement" in str(report)
    assert "u1 not covered" in str(report)
    page = report.to_html()
    assert re.search(r'<mark [^>]*data-uncovered[^>]*title="u1 not covered"[^>]*>It costs 12 euros\.</mark>', page)
    assert "the judge left out 1 statement" in page
    assert "not covered" in report._repr_html_()


def test_code_is_listed_as_not_checked():
    answer = f"{TRUE}\n\n```python\nprint(fares.total + 12)\n```\n"
    report = check(answer, [SOURCE], judge=hostile(TRUE))
    assert report.uncovered == ()
    assert any(warning.startswith("not checked: ") and "code" in warning for warning in report.warnings)


def test_the_offline_judge_leaves_out_nothing_of_plain_prose():
    answer = (
        "Hello! The ferry takes 40 minutes, and a ticket costs 9 euros. However, dogs ride for free. Anything else?"
    )
    found = coverage(answer, split(answer), "How long does it take?", abstained=abstains(answer))
    assert found.share == 1.0


OPPOSITES = {
    "en": ("The bridge is open to lorries.", "The bridge is not open to lorries."),
    "en2": ("Children may take the tablets.", "Children may never take the tablets."),
    "de": ("Die Br\u00fccke ist f\u00fcr Lastwagen ge\u00f6ffnet.", "Die Br\u00fccke ist nicht f\u00fcr Lastwagen ge\u00f6ffnet."),
    "de2": ("Der Turm hat eine Treppe.", "Der Turm hat keine Treppe."),
    "fr": ("Le pont est ouvert aux camions.", "Le pont n'est pas ouvert aux camions."),
    "es": ("El puente est\u00e1 abierto a los camiones.", "El puente no est\u00e1 abierto a los camiones."),
    "it": ("Il ponte \u00e8 aperto ai camion.", "Il ponte non \u00e8 aperto ai camion."),
    "zh": ("\u8fd9\u5ea7\u6865\u5bf9\u5361\u8f66\u5f00\u653e\u3002", "\u8fd9\u5ea7\u6865\u4e0d\u5bf9\u5361\u8f66\u5f00\u653e\u3002"),
    "ja": ("\u3053\u306e\u6a4b\u306f\u30c8\u30e9\u30c3\u30af\u304c\u901a\u308c\u307e\u3059\u3002", "\u3053\u306e\u6a4b\u306f\u30c8\u30e9\u30c3\u30af\u304c\u901a\u308c\u307e\u305b\u3093\u3002"),
    "ru": ("\u041c\u043e\u0441\u0442 \u043e\u0442\u043a\u0440\u044b\u0442 \u0434\u043b\u044f \u0433\u0440\u0443\u0437\u043e\u0432\u0438\u043a\u043e\u0432.", "\u041c\u043e\u0441\u0442 \u043d\u0435 \u043e\u0442\u043a\u0440\u044b\u0442 \u0434\u043b\u044f \u0433\u0440\u0443\u0437\u043e\u0432\u0438\u043a\u043e\u0432."),
    "ko": ("\uadf8 \ub2e4\ub9ac\ub294 \ud2b8\ub7ed\uc5d0 \uac1c\ubc29\ub418\uc5b4 \uc788\ub2e4.", "\uadf8 \ub2e4\ub9ac\ub294 \ud2b8\ub7ed\uc5d0 \uac1c\ubc29\ub418\uc5b4 \uc788\uc9c0 \uc54a\ub2e4."),
    "ar": ("\u0627\u0644\u062c\u0633\u0631 \u0645\u0641\u062a\u0648\u062d \u0644\u0644\u0634\u0627\u062d\u0646\u0627\u062a.", "\u0627\u0644\u062c\u0633\u0631 \u063a\u064a\u0631 \u0645\u0641\u062a\u0648\u062d \u0644\u0644\u0634\u0627\u062d\u0646\u0627\u062a."),
    "en4": ("The bridge carries lorries.", "The bridge doesn't carry lorries."),
}  # fmt: skip
"""A sentence and its denial, by language."""


@pytest.mark.parametrize("pair", OPPOSITES.values(), ids=OPPOSITES)
def test_a_claim_that_says_the_opposite_covers_nothing(pair):
    for said, opposite in (pair, pair[::-1]):
        assert left(said, (said, opposite))  # it quotes the sentence
        assert left(f"{opposite}\n\n{said}", opposite)  # it quotes another
        assert left(said, said) == []
        assert left(f"{said}\n\n{opposite}", said, opposite) == []
        assert left(f"{said}\n\n{opposite}", (said, opposite), opposite)


@pytest.mark.parametrize(
    ("said", "claims"),
    [
        ("The ferry is not red but blue.", ["The ferry is not red.", "The ferry is blue."]),
        ("The ferry is not only cheap, but also new.", ["The ferry is cheap.", "The ferry is new."]),
        ("Die F\u00e4hre ist nicht rot, sondern blau.", ["Die F\u00e4hre ist nicht rot.", "Die F\u00e4hre ist blau, sondern."]),
        ("It says so: no dogs.", ["It says so: dogs are not allowed."]),
        ("The same is true of cats.", ["Cats are not allowed on the ferry."]),
    ],
)  # fmt: skip
def test_a_denial_may_be_put_in_other_words(said, claims):
    answer = f"Dogs may not travel. {said}"
    assert not [each for each in left(answer, *((said, each) for each in claims)) if each in said and each != said]


@pytest.mark.parametrize(
    ("said", "put_in"),
    [
        ("From May on the two may illegally race.", "From May on the two [Alma and Berta] may illegally race."),
        ("Am Wochenende ist es allerdings zu.", "Am Wochenende ist es [das Bad am Anger] allerdings zu."),
        (
            "La concejala quiere llevarlo a los dem\u00e1s.",
            "La concejala quiere llevarlo [el desayuno] a los dem\u00e1s.",
        ),
        (
            "\u305d\u308c\u306f\u6bce\u65e5\u51fa\u308b\u3002",
            "\u305d\u308c[\u6e21\u8f2a]\u306f\u6bce\u65e5\u51fa\u308b\u3002",
        ),
    ],
)
def test_what_a_claim_puts_in_takes_no_word_of_the_answer_away(said, put_in):
    assert left(f"{TRUE} {said}", TRUE, (said, put_in)) == []
    assert left(f"{TRUE} {said}", TRUE, (said, put_in.replace("illegally ", ""))) == ["illegally"] * (
        "illegally" in said
    )


@pytest.mark.parametrize(
    ("said", "opposite"),
    [
        ("The ferry is cheap, isn't it?", "The ferry is not cheap."),
        ("Die F\u00e4hre ist billig, nicht wahr?", "Die F\u00e4hre ist nicht billig."),
        ("Le ferry part en hiver, n'est-ce pas ?", "Le ferry ne part pas en hiver."),
    ],
)
def test_a_tag_question_denies_nothing(said, opposite):
    assert left(f"{TRUE} {said}", TRUE, (said, opposite))


def test_a_word_that_denies_in_one_language_does_so_in_no_other():
    said = "A balsa parte no inverno e chega no ver\u00e3o, quando a ponte est\u00e1 fechada."
    assert left(said, (said, "A balsa parte em inverno e chega em ver\u00e3o, quando a ponte est\u00e1 fechada.")) == []
