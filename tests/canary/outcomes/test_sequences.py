"""The order of two things as a value, however an answer puts it."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify

SIGNING = Probe(
    id="s",
    kind="order",
    question="In which order do the tenant and the landlord sign?",
    real="tenant first, then landlord",
    fictive="landlord first, then tenant",
)
CARE = Probe(
    id="c",
    kind="order",
    question="What has to be done first, rinsing the filter or emptying the tray?",
    real="rinsing the filter",
    fictive="emptying the tray",
)


@pytest.mark.parametrize(
    ("probe", "answer", "states"),
    [
        (SIGNING, "The tenant signs before the landlord.", ("real",)),
        (SIGNING, "The tenant, followed by the landlord.", ("real",)),
        (SIGNING, "The landlord signs after the tenant.", ("real",)),
        (SIGNING, "After the tenant, the landlord signs.", ("real",)),
        (SIGNING, "Landlord, tenant.", ("fictive",)),
        (SIGNING, "Before the tenant signs, the landlord does.", ("fictive",)),
        (SIGNING, "The tenant signs only once the landlord has signed.", ("fictive",)),
        (SIGNING, "1. Landlord\n2. Tenant", ("fictive",)),
        (SIGNING, "The landlord signs; after that the tenant signs.", ("fictive",)),
        (SIGNING, "Tenant then landlord, or landlord then tenant.", ("real", "fictive")),
        (CARE, "Rinse the filter, then empty the tray.", ("real",)),
        (CARE, "The filter first.", ("real",)),
        (CARE, "Emptying the tray comes first.", ("fictive",)),
        (CARE, "The filter is rinsed after the tray has been emptied.", ("fictive",)),
        (CARE, "The tray is emptied before the filter is rinsed.", ("fictive",)),
    ],
)
def test_which_comes_first_is_read(probe, answer, states):
    assert classify(probe, "fictive", answer).states == states


@pytest.mark.parametrize(
    "answer",
    [
        "The contract names the tenant and the landlord but does not say in which order they sign.",
        "I don't know who signs first.",
    ],
)
def test_naming_both_in_a_refusal_gives_no_order(answer):
    assert classify(SIGNING, "fictive", answer).outcome == "abstains"


@pytest.mark.parametrize("answer", ["They sign at the same time.", "The filter is blue.", "Die Schale zuerst."])
def test_what_gives_no_order_is_left_open(answer):
    for probe in (SIGNING, CARE):
        assert classify(probe, "fictive", answer).how == "undecided"


def test_a_first_that_is_a_part_of_a_value_asks_for_no_order():
    probe = Probe(
        id="r", question="Who is on watch, the first officer or the cook?", real="the first officer", fictive="the cook"
    )
    assert (
        classify(probe, "fictive", "The cook relieves nobody; the first officer is on watch.").outcome
        != "follows_context"
    )
