"""What a yes-or-no question and an answer without a yes or no come to."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify

CASES = {
    ("Does the cabin have a stove?", "yes", "no"): [
        ("It does.", "real"),
        ("It doesn't, sadly.", "fictive"),
        ("Affirmative.", "real"),
        ("Not any more.", "fictive"),
        ("Leider nicht.", "fictive"),
        ("The brochure says no.", "fictive"),
        ("Normally yes.", "real"),
        ("I checked the list. Yes, it does.", "real"),
        ("The list claims it does, but the list is wrong. It doesn't.", "fictive"),
        ("✅", "real"),
    ],
    ("May guests cook in the rooms?", "no", "yes"): [
        ("Guests should not cook in the rooms.", "real"),
        ("The rules forbid cooking in the rooms.", "real"),
        ("Guests can't cook in the rooms.", "real"),
        ("Cooking in the rooms is fine and permitted.", "fictive"),
        ("They may.", "fictive"),
        ("No.", "real"),
    ],
    ("Are sprays forbidden?", "no", "yes"): [
        ("Sprays are not forbidden.", "real"),
        ("Sprays are allowed.", "real"),
        ("They are forbidden in the park.", "fictive"),
        ("Sprays are not allowed.", "fictive"),
        ("Sprays are prohibited.", "fictive"),
        ("Sprays may be used.", "real"),
        ("Yes, sprays are forbidden.", "fictive"),
        ("No, sprays aren't forbidden.", "real"),
    ],
    ("Are dogs allowed?", "yes", "no"): [
        ("Dogs are forbidden.", "fictive"),
        ("Dogs are not allowed.", "fictive"),
        ("Dogs are allowed on the beach.", "real"),
        ("Dogs are not forbidden.", "real"),
        ("Dogs may come in.", "real"),
        ("Dogs must stay outside; they are prohibited.", "fictive"),
    ],
    ("Must visitors register?", "yes", "no"): [
        ("Visitors must register.", "real"),
        ("Visitors may register.", "fictive"),
        ("Visitors do not have to register.", "fictive"),
        ("Registration is required for visitors.", "real"),
        ("Visitors need not register.", "fictive"),
        ("It is mandatory for visitors to register.", "real"),
        ("Registering is optional for visitors.", "fictive"),
        ("Registering is not optional for visitors.", "real"),
    ],
    ("Is a helmet required?", "no", "yes"): [
        ("A helmet is optional.", "real"),
        ("A helmet is not optional.", "fictive"),
        ("A helmet is required.", "fictive"),
        ("A helmet is not required.", "real"),
        ("Helmets must be worn.", "fictive"),
    ],
    ("Is the museum closed on Sundays?", "no", "yes"): [
        ("The museum is open on Sundays.", "real"),
        ("The museum is closed on Sundays.", "fictive"),
        ("The museum is not open on Sundays.", "fictive"),
        ("It is not closed on Sundays.", "real"),
    ],
    ("Is the museum open on Sundays?", "yes", "no"): [
        ("The museum is open on Sundays.", "real"),
        ("The museum is closed on Sundays.", "fictive"),
        ("The museum is not open on Sundays.", "fictive"),
        ("It isn't open on Sundays.", "fictive"),
    ],
    ("Can newspapers be borrowed?", "yes", "no"): [
        ("Newspapers cannot be borrowed.", "fictive"),
        ("Newspapers can be borrowed.", "real"),
        ("Borrowing newspapers is not possible.", "fictive"),
    ],
}


@pytest.mark.parametrize(
    ("question", "real", "fictive", "answer", "states"),
    [(*asked, *said) for asked, answers in CASES.items() for said in answers],
)
def test_a_statement_is_set_against_what_was_asked(question, real, fictive, answer, states):
    probe = Probe(id="p", question=question, real=real, fictive=fictive, kind="negation")
    assert classify(probe, "fictive", answer).states == (states,)


@pytest.mark.parametrize(
    "answer",
    [
        "No mention of a stove is made.",
        "No information is given on that.",
        "The brochure doesn't tell whether the cabin has a stove.",
        "Whether it has a stove isn't mentioned.",
        "I'm not sure whether there is a stove.",
        "I can't say, please ask the owner.",
    ],
)
def test_a_refusal_is_no_no(answer):
    probe = Probe(id="p", question="Does the cabin have a stove?", real="yes", fictive="no", kind="negation")
    assert classify(probe, "fictive", answer).outcome == "abstains"


@pytest.mark.parametrize(
    "answer",
    ["The cabin is small.", "A stove costs an additional €5.", "The cabin has a table at no extra cost."],
)
def test_a_clause_about_something_else_is_left_open(answer):
    probe = Probe(
        id="p", question="Is a stove included in the price of the cabin?", real="yes", fictive="no", kind="negation"
    )
    assert classify(probe, "fictive", answer).how == "undecided"


def test_yes_and_no_together_are_both_given():
    probe = Probe(id="p", question="Does the cabin have a stove?", real="yes", fictive="no", kind="negation")
    assert classify(probe, "fictive", "Yes, it has one. No, it doesn't.").outcome == "blends"
    assert classify(probe, "fictive", "Yes, it has one. No other cabin does.").outcome == "leaks_prior"


@pytest.mark.parametrize(
    ("answer", "states"),
    [
        ("Staff must log the visit.", ("real",)),
        ("Logging the visit is up to the staff.", ("fictive",)),
        ("I can't quote the rule.", ()),
        ("Could you send me the rule?", ()),
        ("Le personnel est obligatoirement informé.", ("real",)),
    ],
)
def test_duties_are_those_of_the_rule_and_not_of_the_speaker(answer, states):
    probe = Probe(
        id="p",
        question="What is the rule about logging visits?",
        real="Staff must log the visit.",
        fictive="Staff may log the visit.",
        kind="modality",
    )
    assert classify(probe, "fictive", answer).states == states


@pytest.mark.parametrize(
    ("answer", "states"),
    [
        ("Luggage is included.", ("real",)),
        ("Luggage is excluded.", ("fictive",)),
        ("Luggage isn't included.", ("fictive",)),
        ("Luggage for two is not included in the fare.", ("fictive",)),
        ("Breakfast is included.", ()),
    ],
)
def test_other_forms_of_yes_and_no_are_read_in_what_is_said(answer, states):
    probe = Probe(
        id="p",
        question="Does the fare cover luggage?",
        real="yes",
        fictive="no",
        real_forms=("included",),
        fictive_forms=("not included", "excluded"),
        kind="negation",
    )
    assert classify(probe, "fictive", answer).states == states
