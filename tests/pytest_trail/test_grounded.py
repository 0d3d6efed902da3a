from dataclasses import replace

import pytest
from pytest_trail import assert_grounded
from pytest_trail.grounded import findings

from trail_callbacks import check
from trail_callbacks.errors import InputError

SOURCES = ["The fleet has 12 ships. It sails in May."]
GOOD = check("The fleet has 12 ships. It sails in May.", SOURCES)
BAD = check("The fleet has 14 ships. It sails in May.", SOURCES)


def with_first(report, **changes):
    first, *others = report.verdicts
    return replace(report, verdicts=(replace(first, support=None, error_type=None, **changes), *others))


@pytest.mark.parametrize("field", ["text", "quote", "error_type", "outcome"])
def test_a_claim_is_accepted_by_each_of_its_fields(field):
    claim, verdict = BAD.claims[0], BAD.verdicts[0]
    value = {
        "text": claim.text,
        "quote": claim.quote,
        "error_type": str(verdict.error_type),
        "outcome": verdict.outcome,
    }
    assert_grounded(BAD, allow=[{field: value[field]}])
    with pytest.raises(AssertionError):
        assert_grounded(BAD, allow=[{**value, field: "other"}])


def test_a_claim_that_was_not_judged_never_passes_unless_it_is_accepted():
    report = replace(with_first(GOOD, error="the judge failed"), state="partial")
    with pytest.raises(AssertionError, match="some claims were not judged"):
        assert_grounded(report, max_score=1.0, on_undecided="pass")
    assert_grounded(report, allow=[{"outcome": "not_judged"}])


def test_an_undecided_claim_counts_as_unsupported_unless_it_is_to_pass_or_accepted():
    report = replace(with_first(GOOD, undecided="too close"), state="partial")
    with pytest.raises(AssertionError, match=r"1 undecided claim counted as unsupported\) 0\.50 is over 0\.00"):
        assert_grounded(report)
    assert_grounded(report, max_score=0.5)
    assert_grounded(report, on_undecided="pass")
    assert_grounded(report, allow=[{"outcome": "undecided"}])


@pytest.mark.parametrize("state", ["no_evidence", "error", "interrupted", "unverified"])
def test_an_answer_that_was_not_judged_never_passes(state):
    report = replace(GOOD, state=state, claims=(), verdicts=())
    with pytest.raises(AssertionError):
        assert_grounded(report, max_score=1.0)


@pytest.mark.parametrize(
    "changes",
    [{"max_score": 1.1}, {"max_score": float("nan")}, {"allow": "text"}, {"allow": [{"claim": "x"}]}, {"allow": [{}]}],
)
def test_bad_arguments_are_refused(changes):
    with pytest.raises(InputError):
        assert_grounded(GOOD, **changes)


def test_a_finding_is_a_claim_that_counts_and_is_not_accepted():
    quote = BAD.claims[0].quote
    assert list(findings(GOOD)) == []
    assert list(findings(BAD)) == [(quote, "contradicted")]
    assert list(findings(BAD, [quote])) == []
    assert list(findings(with_first(GOOD, undecided="too close"))) == [(quote.replace("14", "12"), "undecided")]
    assert list(findings(with_first(GOOD, error="the judge failed"))) == []
