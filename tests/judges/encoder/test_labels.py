from itertools import permutations

import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.encoder.labels import checked, read
from trail_callbacks.taxonomy import SupportClass

S, C, A = SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT


@pytest.mark.parametrize("order", list(permutations([("entailment", S), ("neutral", A), ("contradiction", C)])))
def test_every_order_of_the_three_is_read_by_name(order):
    assert read("m", {i: name for i, (name, _) in enumerate(order)}) == tuple(meaning for _, meaning in order)


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
    assert read("m", dict(enumerate(names))) == meanings


def test_labels_come_by_their_index_and_not_as_they_are_listed():
    assert read("m", {2: "neutral", 0: "contradiction", 1: "entailment"}) == (C, S, A)


@pytest.mark.parametrize(
    "names",
    [["LABEL_0", "LABEL_1"], ["LABEL_0", "LABEL_1", "LABEL_2"], ["0", "1"], ["O", "B-HALL"], ["positive", "negative"],
     ["supported", "supports"]],
)  # fmt: skip
def test_names_that_say_nothing_are_refused_with_the_options_that_help(names):
    with pytest.raises(JudgeError, match=r"some/model.*labels=\(.*profile="):
        read("some/model", dict(enumerate(names)))


@pytest.mark.parametrize("other", ["not_entailment", "not-entailment", "NON_ENTAILMENT"])
def test_a_topic_classifier_is_refused(other):
    with pytest.raises(JudgeError, match="on a topic"):
        read("m", {0: "entailment", 1: other})


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
        checked("m", labels, outputs)
