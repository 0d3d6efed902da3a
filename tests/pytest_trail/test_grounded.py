from dataclasses import replace

import pytest
from pytest_trail import assert_grounded
from pytest_trail.grounded import findings

from trail_callbacks import SupportClass, check
from trail_callbacks.errors import InputError

SOURCES = ["The fleet has 12 ships. It sails in May."]
GOOD = check("The fleet has 12 ships. It sails in May.", SOURCES)
BAD = check("The fleet has 14 ships. It sails in May.", SOURCES)


def with_first(report, **changes):
    first, *others = report.verdicts
    return replace(report, verdicts=(replace(first, support=None, error_type=None, **changes), *others))


def test_the_reports_are_what_the_tests_take_them_for():
    assert GOOD.hallucination_score == 0.0
    assert BAD.hallucination_score == 0.5
    assert BAD.verdicts[0].support is SupportClass.CONTRADICTED


def test_the_threshold_itself_passes():
    assert_grounded(GOOD)
    assert_grounded(BAD, max_score=0.5)
    with pytest.raises(AssertionError, match=r"score 0\.50 is over 0\.49[\s\S]*14 ships"):
        assert_grounded(BAD, max_score=0.49)


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


def test_a_claim_is_accepted_by_its_words():
    assert_grounded(BAD, allow=[BAD.claims[0].quote])
    with pytest.raises(AssertionError):
        assert_grounded(BAD, allow=[BAD.claims[1].quote])


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


def test_where_nothing_was_decided_nothing_passes_unless_all_is_accepted():
    report = replace(with_first(GOOD, undecided="too close"), state="unverified")
    report = replace(report, claims=report.claims[:1], verdicts=report.verdicts[:1])
    with pytest.raises(AssertionError, match="nothing that the answer states could be checked"):
        assert_grounded(report, max_score=1.0, on_undecided="pass")
    assert_grounded(report, allow=[{"outcome": "undecided"}])


@pytest.mark.parametrize("state", ["no_evidence", "error", "interrupted", "unverified"])
def test_an_answer_that_was_not_judged_never_passes(state):
    report = replace(GOOD, state=state, claims=(), verdicts=())
    with pytest.raises(AssertionError):
        assert_grounded(report, max_score=1.0)


def test_no_sources_never_pass():
    with pytest.raises(AssertionError, match="no source reached the answer"):
        assert_grounded(check("The fleet has 12 ships.", []), max_score=1.0)


def test_claims_that_could_not_be_found_never_pass():
    with pytest.raises(AssertionError, match="claims are missing"):
        assert_grounded(replace(GOOD, claims_error="timeout"), max_score=1.0)


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
