"""Every check on pairs: an error it must find, and a harmless wording of the same source that it must leave alone.

The folder `pairs` holds a table a check: what the passages say (`//` parts them), a claim with the error, a harmless one.
"""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.checks.register import CHECKS, WIDE, settled
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.taxonomy import UNSUPPORTED

PAIRS = Path(__file__).parent / "pairs"
UNRELATED = (
    "Glass is melted from sand in large furnaces.",
    "The violin has four strings, which are tuned in fifths.",
    "Most snails can close their shells for the winter.",
)


def rows():
    for path in sorted(PAIRS.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            told, error, harmless = line.split(" | ")
            yield path.stem, tuple(told.split(" // ")), error, harmless


ROWS = tuple(rows())


def found(name, claim, passages):
    reading, told = Reading(claim), [Reading(passage) for passage in passages]
    finding = WIDE[name](reading, told) if name in WIDE else settled(CHECKS[name], reading, told)
    if finding is not None:
        assert claim[slice(*finding.claim_span)] == finding.claim_words
        assert any(passage[slice(*finding.span)] == finding.evidence_words for passage in passages)
    return finding


def test_every_check_has_twenty_pairs():
    counts = {name: sum(row[0] == name for row in ROWS) for name in (*CHECKS, *WIDE)}
    assert min(counts.values()) >= 20, counts


@pytest.mark.parametrize(("name", "passages", "error", "harmless"), ROWS)
def test_the_error_is_found_and_the_harmless_wording_left_alone(name, passages, error, harmless):
    assert found(name, error, passages) is not None
    assert found(name, harmless, passages) is None


@pytest.mark.parametrize("name", [*CHECKS, *WIDE])
def test_no_check_fires_on_the_harmless_wording_of_another(name):
    fired = [(passages, harmless) for _, passages, _, harmless in ROWS if found(name, harmless, passages)]
    assert fired == []


@pytest.mark.parametrize("name", [*CHECKS, *WIDE])
def test_a_claim_that_is_its_passage_is_never_disputed(name):
    texts = {text for _, passages, error, harmless in ROWS for text in (*passages, error, harmless)}
    assert [text for text in sorted(texts) if found(name, text, [text])] == []


@pytest.mark.parametrize("name", [*CHECKS, *WIDE])
def test_an_unrelated_passage_creates_no_finding(name):
    for _, passages, error, harmless in ROWS:
        for claim in (error, harmless):
            if found(name, claim, passages) is None:
                assert found(name, claim, (*passages, *UNRELATED)) is None, (claim, passages)


@pytest.mark.parametrize("name", [*CHECKS, *WIDE])
@settings(max_examples=40, deadline=None)
@given(claim=st.text(max_size=120), passage=st.text(max_size=120))
def test_any_text_can_be_checked(name, claim, passage):
    found(name, claim, [passage])
    assert found(name, claim, [claim]) is None


@pytest.mark.parametrize("name", [*CHECKS, *WIDE])
@pytest.mark.parametrize(
    "text",
    [
        "A-1 " * 4000,
        "if " * 6000,
        "according to " * 2000,
        "because, " * 2000,
        "not " * 5000,
        "Ab " * 6000,
        "7 " * 4000,
        "most likely " * 2000,
        "a" * 100_000,
        "larger than " * 2000,
        "\u202e\u200f12 \u0661\u0662 " * 800,
    ],
)
def test_hostile_texts_are_checked_like_any_other(name, text):
    assert found(name, text[:3000], [text[:2000] + " end", text[:3000]]) is None


def test_words_in_any_order_are_safe():
    words = [word for _, passages, error, _ in ROWS for word in (*passages[0].split(), *error.split())]
    chance = random.Random(7)  # noqa: S311 - a shuffle, not a secret
    for _ in range(60):
        claim, passage = " ".join(chance.choices(words, k=14)), " ".join(chance.choices(words, k=18))
        for name in (*CHECKS, *WIDE):
            found(name, claim, [passage])


@pytest.mark.parametrize("name", WIDE)
def test_the_judge_heeds_what_passages_together_speak_against(name):
    """Their words all stand there: by words alone such claims would be supported."""
    mine = [row for row in ROWS if row[0] == name]
    found = [error for _, told, error, _ in mine if unsupported(error, told, LocalJudge())]
    missed = [error for _, told, error, _ in mine if unsupported(error, told, LocalJudge(without=(name,)))]
    assert len(found) >= 0.85 * len(mine)
    assert len(missed) < len(found)
    assert not [harmless for _, told, _, harmless in mine if unsupported(harmless, told, LocalJudge())]


def unsupported(text, told, judge):
    nodes = [Node(id="d1", kind="document", text=" ".join(told))]
    claim = Claim(id="c1", text=text, quote=text, start=0, end=len(text))
    question = Question(claim=claim, passages=candidates([claim], nodes, 8)["c1"])
    pipeline = judge.assess([question])
    with pytest.raises(StopIteration) as stop:
        next(pipeline)
    return stop.value.value.judgements[0].support in UNSUPPORTED
