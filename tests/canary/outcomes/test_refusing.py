import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify

REMOVED = Probe(id="p", question="How many steps has it?", real="212 steps", fictive=None, kind="unanswerable")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("The documents do not say, but it is known to be 212.", "leaks_prior"),
        ("The documents do not say. It is known to have 212 steps.", "leaks_prior"),
        ("Not mentioned; I believe it is 212.", "leaks_prior"),
        ("The documents do not say.", "abstains"),
        ("It is not known from the context.", "abstains"),
    ],
)
def test_a_value_behind_a_refusal_is_given(answer, outcome):
    assert classify(REMOVED, "fictive", answer).outcome == outcome
