import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.encoder.profiles import PROFILES, checked_labels, profile_of, read_labels
from trail_callbacks.taxonomy import SupportClass

FACTCG = "yaxili96/FactCG-DeBERTa-v3-Large"


@pytest.mark.parametrize(
    "model",
    [
        FACTCG,
        "/srv/models/FactCG-DeBERTa-v3-Large",
        "/root/.cache/huggingface/hub/models--yaxili96--FactCG-DeBERTa-v3-Large/snapshots/0123abc",
    ],
)
def test_a_copy_of_a_known_model_is_asked_as_that_model_is(model):
    assert profile_of(model) is PROFILES[FACTCG]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_profile_is_complete(profile):
    assert 0 < profile.chunk <= profile.window
    assert 0.0 < profile.threshold < 1.0
    assert profile.licence
    slots = {"text": 2, "tokens": 1, "pair": 0}[profile.head]
    assert profile.template.count("{evidence}") + profile.template.count("{claim}") == slots
    if profile.head == "text":
        assert profile.template.rindex("{claim}") > profile.template.index("{evidence}")
        assert profile.labels, "their label names say nothing"


S, C, A = SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT


@pytest.mark.parametrize(
    ("names", "meanings"),
    [
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], (S, A, C)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], (S, C, A)),
        (["not_grounded", "grounded"], (A, S)),
        (["hallucinated", "consistent"], (A, S)),
        (["Unsupported", "Supported"], (A, S)),
    ],
)
def test_other_names_are_read_by_how_they_begin(names, meanings):
    assert read_labels("m", dict(enumerate(names))) == meanings


@pytest.mark.parametrize(
    "names",
    [["LABEL_0", "LABEL_1"], ["entailment", "not_entailment"], ["positive", "negative"], ["supported", "supports"]],
)
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
        (["supported"], None, "and another"),
    ],
)
def test_labels_that_were_given_are_checked(labels, outputs, why):
    with pytest.raises(JudgeError, match=why):
        checked_labels("m", labels, outputs)
