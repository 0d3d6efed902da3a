from dataclasses import replace

import pytest
from pytest_trail import assert_grounded
from pytest_trail.repeated import majority

from trail_callbacks import SupportClass, check
from trail_callbacks.models.call import Usage
from trail_callbacks.taxonomy import ErrorType

ANSWER = "The fleet has 12 ships. It sails in May."
GOOD = check(ANSWER, [ANSWER])


def judged(*said):
    """The report with these outcomes of its claims."""
    verdicts = []
    for verdict, each in zip(GOOD.verdicts, said, strict=False):
        decided = each not in {"undecided", "not_judged"}
        wrong = ErrorType.OTHER if each in {"absent", "contradicted", "partially_supported"} else None
        changes = {"undecided": "unclear"} if each == "undecided" else {}
        changes |= {"error": "timeout"} if each == "not_judged" else {}
        support = SupportClass(each) if decided else None
        verdicts.append(replace(verdict, support=support, error_type=wrong, evidence=(), **changes))
    verdicts += GOOD.verdicts[len(verdicts) :]
    return replace(GOOD, state="partial", verdicts=tuple(verdicts), usage=Usage(calls=2))


def outcomes(report):
    return [verdict.outcome for verdict in report.verdicts]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["supported", "supported", "absent"], "supported"),
        (["supported", "absent", "contradicted"], "contradicted"),  # the side has the majority, then the severer class
        (["absent", "absent", "contradicted"], "absent"),
        (["supported", "absent", "undecided"], "undecided"),
        (["supported", "supported", "absent", "absent"], "undecided"),
        (["supported", "not_judged", "not_judged"], "not_judged"),
        (["unevaluatable", "unevaluatable", "absent"], "unevaluatable"),
    ],
)
def test_the_side_of_more_than_half_decides(said, expected):
    for order in (said, said[::-1]):
        report = majority([judged(each) for each in order])
        assert outcomes(report) == [expected, "supported"], order
        assert report.state == ("partial" if expected in {"undecided", "not_judged"} else "assessed")
        assert report.usage.calls == 2 * len(said)


def test_a_tie_fails_and_says_the_votes():
    with pytest.raises(AssertionError, match="no majority in 2 checks: 1 supported, 1 absent"):
        assert_grounded(majority([judged("supported"), judged("absent")]))


def test_a_claim_that_few_found_is_undecided_where_no_other_holds_its_words():
    first_only = replace(GOOD, claims=GOOD.claims[:1], verdicts=GOOD.verdicts[:1])
    report = majority([first_only, GOOD, first_only])
    assert outcomes(report) == ["supported", "undecided"]
    assert report.verdicts[1].undecided == "no majority in 3 checks: 1 supported, 2 without this claim"


def test_the_state_is_that_of_the_verdicts():
    s, f, u = "supported", "not_judged", "unevaluatable"
    assert majority([judged(f, s), judged(f, f), judged(s, f)]).state == "error"
    assert majority([judged(u, s), judged(u, u), judged(s, u)]).state == "no_checkable_claims"
    assert majority([judged(u, s), judged(s, u)]).state == "unverified"
    assert majority([judged(u, s), judged(u, s), judged(s, s)]).state == "assessed"
