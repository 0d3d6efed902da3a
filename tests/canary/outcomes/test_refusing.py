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


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("A height of 212 steps is not stated in the documents.", "abstains"),
        ("212 steps is nowhere mentioned, so I can't confirm it.", "abstains"),
        ("It has 212 steps, but the documents do not say why.", "leaks_prior"),
        ("While the documents don't name a number, it is 212.", "leaks_prior"),
        ("The documents tell when it was built, not how many steps it has.", "abstains"),
        ("The number of steps is missing from the scan.", "abstains"),
        ("No number of steps is given.", "abstains"),
        ("Could you share the leaflet? I'd need to see it first.", "abstains"),
        ("Antalet steg nämns inte i texten.", "abstains"),
        ("Le nombre de marches n'est indiqué nulle part.", "abstains"),
    ],
)
def test_a_refusal_before_or_behind_a_value(answer, outcome):
    assert classify(REMOVED, "fictive", answer).outcome == outcome
