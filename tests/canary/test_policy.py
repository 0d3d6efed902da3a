"""What is right: following, or verifying; the two are never one figure."""

import pytest

from trail_callbacks.canary import ARMS, OUTCOMES, Finding, Probe
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.statistics.rates import right

FERRY = Probe(id="f", question="How long does it take?", real="40 minutes", fictive="63 minutes")
REMOVED = Probe(id="r", question="How long does it take?", real="40 minutes", fictive=None)
TWO = Probe(id="t", question="How long does it take?", real="40 minutes", fictive="63 minutes", also="90 minutes")
POLICIES = ("context_is_authoritative", "verify_the_context")


@pytest.mark.parametrize(
    ("probe", "arm", "answer", "authoritative", "verified"),
    [
        (FERRY, "fictive", "63 minutes", True, False),
        (FERRY, "fictive", "40 minutes", False, True),
        (FERRY, "fictive", "The document says 63 minutes, but that is wrong.", False, True),
        (FERRY, "fictive", "The document says 63 minutes, but that is wrong; it takes 40 minutes.", False, True),
        (FERRY, "fictive", "40 or 63 minutes", False, False),
        (FERRY, "fictive", "I don't know.", False, False),
        (FERRY, "fictive", "50 minutes", False, False),
        (FERRY, "real", "40 minutes", True, True),
        (FERRY, "real", "63 minutes", False, False),
        (FERRY, "real", "I don't know.", False, False),
        (FERRY, "empty", "I don't know.", True, True),
        (FERRY, "empty", "40 minutes", False, False),
        (FERRY, "closed_book", "40 minutes", None, None),
        (REMOVED, "fictive", "The documents do not say.", True, True),
        (REMOVED, "fictive", "40 minutes", False, False),
        (REMOVED, "fictive", "50 minutes", False, False),
        (REMOVED, "real", "40 minutes", True, True),
        (TWO, "fictive", "63 minutes", False, False),
        (TWO, "fictive", "63 or 90 minutes", True, False),
        (TWO, "fictive", "The documents contradict each other: one says 63 minutes, the other 90.", True, True),
        (TWO, "fictive", "The documents contradict each other, so I cannot say.", True, True),
        (TWO, "fictive", "40 or 63 minutes", False, False),
        (TWO, "fictive", "40 minutes", False, True),
    ],
)
def test_each_policy_wants_its_own(probe, arm, answer, authoritative, verified):
    found = classify(probe, arm, answer)
    assert [right(probe, arm, found, policy) for policy in POLICIES] == [authoritative, verified], found


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("arm", ARMS)
def test_what_does_not_count_is_neither_right_nor_wrong(arm, policy):
    for outcome in OUTCOMES:
        says = right(FERRY, arm, Finding(outcome=outcome, how="value"), policy)
        assert (says is None) == (outcome in {"unscorable", "retrieval_miss"} or arm == "closed_book")
