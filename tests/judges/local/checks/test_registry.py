"""Every check on pairs: an error that it must find, and a harmless wording of the same source that it must leave alone.

The folder `pairs` has a table a check: what the passages say (`//` between them), a claim with the error, a harmless one.
"""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.checks.registry import ANY_LANGUAGE, CHECKS

PAIRS = Path(__file__).parent / "pairs"
UNRELATED = "Glass is melted from sand in large furnaces. Most snails can close their shells for the winter."
HOSTILE = ["A-1 " * 700, "according to " * 240, "not " * 750, "Ab " * 900, "7 " * 1500, "most likely " * 240, "a" * 3000, "\u202e\u200f12 \u0661\u0662 " * 300]  # fmt: skip


def rows():
    for name in CHECKS:
        for line in (PAIRS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            passage, error, harmless = line.split(" | ")
            yield name, passage, error, harmless


ROWS = tuple(rows())


def found(name, claim, passage):
    finding = CHECKS[name](Reading(claim), Reading(passage))
    if finding is not None:
        assert claim[slice(*finding.claim_span)] == finding.claim_words
        assert passage[slice(*finding.span)] == finding.evidence_words
    return finding is not None


@pytest.mark.parametrize("name", CHECKS)
def test_the_error_is_found_and_the_harmless_wording_left_alone(name):
    mine = [row for row in ROWS if row[0] == name]
    assert len(mine) >= 7
    assert [error for _, passage, error, _ in mine if not found(name, error, passage)] == []
    assert [harmless for _, passage, _, harmless in mine if found(name, harmless, passage)] == []


@pytest.mark.parametrize("name", CHECKS)
def test_no_check_fires_where_nothing_is_wrong(name):
    texts = sorted({text for _, *row in ROWS for text in row})
    assert [row for row in ROWS if found(name, row[3], row[1])] == [], "the harmless wording of another check"
    assert [text for text in texts if found(name, text, text)] == [], "a claim that is its passage"
    assert [text for text in texts if found(name, text, UNRELATED)] == [], "a passage on something else"


@pytest.mark.parametrize("name", CHECKS)
def test_hostile_texts_are_checked_like_any_other(name):
    assert [text for text in HOSTILE if found(name, text, text[:2000] + " end")] == []


@settings(max_examples=60, deadline=None)
@given(claim=st.text(max_size=120), passage=st.text(max_size=120))
def test_any_text_can_be_checked(claim, passage):
    for name in CHECKS:
        found(name, claim, passage)
        assert not found(name, claim, claim)


def test_words_in_any_order_can_be_checked():
    words = [word for _, passage, error, _ in ROWS for word in (*passage.split(), *error.split())]
    chance = random.Random(7)  # noqa: S311 - a shuffle, not a secret
    for _ in range(40):
        claim, passage = " ".join(chance.choices(words, k=14)), " ".join(chance.choices(words, k=18))
        for name in CHECKS:
            found(name, claim, passage)


def test_checks_without_english_grammar_are_checks():
    assert set(ANY_LANGUAGE) < set(CHECKS)
