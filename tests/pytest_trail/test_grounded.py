from dataclasses import replace

import pytest
from pytest_trail import assert_grounded

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
