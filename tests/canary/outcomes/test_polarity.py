"""What a yes-or-no question and an answer without a yes or no come to."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.outcomes import classify

CASES = {
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
