import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.encoder.profiles import checked_labels, read_labels
from trail_callbacks.taxonomy import SupportClass

S, C, A = SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT


@pytest.mark.parametrize(
    ("names", "meanings"),
    [
        (["Contradict", "Entailed", "Neutral"], (C, S, A)),
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], (S, A, C)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], (S, C, A)),
        (["grounded", "ungrounded"], (S, A)),
        (["not_grounded", "grounded"], (A, S)),
        (["hallucinated", "consistent"], (A, S)),
        (["supported", "hallucinated"], (S, A)),
        (["Unsupported", "Supported"], (A, S)),
        (["inconsistent", "consistent"], (A, S)),
    ],
)
def test_other_names_are_read_by_how_they_begin(names, meanings):
    assert read_labels("m", dict(enumerate(names))) == meanings


@pytest.mark.parametrize(
    "names",
    [["LABEL_0", "LABEL_1"], ["LABEL_0", "LABEL_1", "LABEL_2"], ["0", "1"], ["O", "B-HALL"], ["positive", "negative"],
     ["supported", "supports"]],
)  # fmt: skip
def test_names_that_say_nothing_are_refused_with_the_options_that_help(names):
    with pytest.raises(JudgeError, match=r"some/model.*labels=\(.*profile="):
        read_labels("some/model", dict(enumerate(names)))


@pytest.mark.parametrize(
    ("labels", "outputs", "why"),
    [
        (["supported", "absent"], 3, "3 outputs"),
        (["supported", "yes"], None, "supported, contradicted, absent"),
        ("supported", None, "expected by index"),
        (["absent", "contradicted"], None, "expected supported once"),
        (["supported", "supported"], None, "expected supported once"),
        (["supported"], None, "and another"),
    ],
)
def test_labels_that_were_given_are_checked(labels, outputs, why):
    with pytest.raises(JudgeError, match=why):
        checked_labels("m", labels, outputs)
