# ruff: noqa: RUF001 - signs that look like others are what is tested
"""Odd and hostile input through `check`: no exception, a sensible state, time that grows as the text does."""

import json
import random

import pytest

from trail_callbacks import check

TOWER = "The tower has 330 steps. It was opened in 1889. Nobody fell."
STATES = {"assessed", "partial", "no_checkable_claims", "unverified", "no_evidence", "abstained"}
WORDS = [
    "tower", "bridge", "river", "council", "plan", "budget", "water", "metre", "report", "minister", "opened", "closed",
    "large", "old", "in", "of", "and", "the",
]  # fmt: skip


def prose(size):
    dice = random.Random(1)  # noqa: S311 - the same text in every run
    out, length = [], 0
    while length < size:
        sentence = " ".join(dice.choices(WORDS, k=dice.randint(5, 18))).capitalize() + f" {dice.randint(1, 3000)}. "
        out.append(sentence)
        length += len(sentence)
    return "".join(out)


SMALL = {
    "empty": "",
    "blanks": " \t\r\n\u3000\u200b ",
    "punctuation": "?!.,;:-–—…\"'()[]{}",
    "right to left": "ارتفاع البرج ٣٣٠ مترًا. \u202eevil\u202c הגשר נפתח בשנת 1932.",
    "mixed": "Der Turm ist 330 m hoch, la tour est belle, 塔高330米, башня 330 м.",
    "zero width": "The to\u200bwer has 3\u200b3\u200d0 steps\ufeff.",
    "homoglyphs": "The tоwer has 33О steps.",
    "code": "def f(x):\n    return x[0] if x else {'a': 1}\n\nprint(f([1, 2]))  # 330",
    "html": "<script>alert('330')</script><p>The tower has <b>330</b> steps.</p><!-- 331 -->",
    "surrogates": "\ud800The tower has 330 steps\udfff.",
    "nul": "The tower\0has\0330 steps.\0",
    "controls": "".join(map(chr, range(32))) + "The tower has 330 steps.",
    "digits": "1" * 5000,
    "a number in parts": "1,000 and 1.000 and 1 000 and 1'000 and 1,00,000 of 150 % and 1/3, IV, 10⁵, ½, −5",
    "json": json.dumps({"tower": {"steps": 330, "é": ["\ud83d\ude00", None, True, 1e400]}}),
    "broken json": '{"tower": {"steps": 330, "x": [1, 2',
    "table": "| tower | steps |\n|--|--|\n| a | 330 |\n| b |\n||||||\n",
}


@pytest.mark.parametrize("text", SMALL.values(), ids=SMALL)
def test_any_text_is_an_answer_and_a_source(text):
    for answer, source in ((text, TOWER), (TOWER, text), (text, text)):
        sound(answer, source)


def sound(answer, source):
    report = check(answer, [source, TOWER], question=answer[:50] or None)
    assert report.state in STATES
    assert all(verdict.error is None for verdict in report.verdicts)
    for verdict in report.verdicts:
        for item in verdict.evidence:
            assert report.graph.node(item.node_id).text[item.start : item.end] == item.quote
    text = report.graph.answer.text  # halves of surrogate pairs are replaced there
    assert all(text[claim.start : claim.end] == claim.quote for claim in report.claims)
    assert len(text) == len(answer)


@pytest.mark.parametrize("answer", ["The tower has 3\u200b30 steps.", "The tower has ３３０ steps."])
def test_digits_in_disguise_are_the_digits_they_look_like(answer):
    assert [str(verdict.support) for verdict in check(answer, "The tower has 330 steps.").verdicts] == ["supported"]
    wrong = check(answer, "The tower has 340 steps.").verdicts
    assert [(str(v.support), str(v.error_type)) for v in wrong] == [("contradicted", "number")]


def test_the_one_sentence_in_half_a_megabyte_is_found():
    half = prose(250_000)
    report = check(
        "The Kelder lighthouse was painted in 1904.", f"{half} The Kelder lighthouse was painted in 1905. {half}"
    )
    (verdict,) = report.verdicts
    assert str(verdict.support) == "contradicted"
    assert [item.quote for item in verdict.evidence] == ["The Kelder lighthouse was painted in 1905."]
