from dataclasses import replace

import pytest
from pytest_trail import assert_grounded
from pytest_trail.repeated import majority

from trail_callbacks import SupportClass, check
from trail_callbacks.models.call import Usage
from trail_callbacks.taxonomy import ErrorType

ANSWER = "The fleet has 12 ships. It sails in May."
GOOD = check(ANSWER, [ANSWER])
ABSTAINED = replace(GOOD, state="abstained", claims=(), verdicts=())
FAILED = replace(GOOD, state="error", claims=(), verdicts=(), warnings=("timeout",))
BARE = replace(check(ANSWER, []), usage=Usage(calls=1))


def judged(first, **changes):
    """The report with another outcome of its first claim."""
    head, *rest = GOOD.verdicts
    support = None if first in {"undecided", "not_judged"} else SupportClass(first)
    wrong = ErrorType.OTHER if first in {"absent", "contradicted", "partially_supported"} else None
    head = replace(head, support=support, error_type=wrong, evidence=())
    if first == "undecided":
        head = replace(head, undecided="unclear")
    if first == "not_judged":
        head = replace(head, error="timeout")
    state = "partial" if support is None else "assessed"
    return replace(GOOD, state=state, verdicts=(head, *rest), usage=Usage(calls=2), **changes)


def outcomes(report):
    return [verdict.outcome for verdict in report.verdicts]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["supported", "supported", "absent"], "supported"),
        (["absent", "supported", "absent"], "absent"),
        (["supported", "absent", "contradicted"], "contradicted"),  # the side has the majority, then the severer class
        (["partially_supported", "absent", "supported"], "absent"),
        (["absent", "absent", "contradicted"], "absent"),
        (["supported", "absent", "undecided"], "undecided"),
        (["supported", "absent"], "undecided"),
        (["supported", "supported", "absent", "absent"], "undecided"),
        (["supported", "not_judged", "not_judged"], "not_judged"),
        (["supported", "not_judged"], "undecided"),
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


def all_judged(*said):
    """The report with these outcomes of its claims, each `supported`, `not_judged` or `unevaluatable`."""
    verdicts = tuple(
        replace(
            verdict,
            support=None if each == "not_judged" else SupportClass(each),
            error="timeout" if each == "not_judged" else None,
            evidence=(),
        )
        for verdict, each in zip(GOOD.verdicts, said, strict=True)
    )
    return replace(GOOD, state="partial", verdicts=verdicts)


def test_the_state_is_that_of_the_verdicts():
    s, f, u = "supported", "not_judged", "unevaluatable"
    assert majority([all_judged(f, s), all_judged(f, f), all_judged(s, f)]).state == "error"
    assert majority([all_judged(u, s), all_judged(u, u), all_judged(s, u)]).state == "no_checkable_claims"
    assert majority([all_judged(u, s), all_judged(s, u)]).state == "unverified"
    assert majority([all_judged(u, s), all_judged(u, s), all_judged(s, s)]).state == "assessed"
