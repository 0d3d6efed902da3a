import pytest

from trail_callbacks.judges.encoder.profiles import PROFILES, profile_of

FACTCG = "yaxili96/FactCG-DeBERTa-v3-Large"


@pytest.mark.parametrize(
    "model",
    [
        FACTCG,
        FACTCG.lower(),
        "./FactCG-DeBERTa-v3-Large",
        "/srv/models/FactCG-DeBERTa-v3-Large",
        "/root/.cache/huggingface/hub/models--yaxili96--FactCG-DeBERTa-v3-Large/snapshots/0123abc",
    ],
)
def test_a_copy_of_a_known_model_is_asked_as_that_model_is(model):
    assert profile_of(model) is PROFILES[FACTCG]


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_complete(name):
    profile = PROFILES[name]
    assert 0 < profile.chunk <= profile.window
    assert 0.0 < profile.threshold < 1.0
    assert profile.licence
    slots = {"text": 2, "decoder": 2, "first_token": 2, "tokens": 1, "pair": 0}[profile.head]
    assert profile.template.count("{evidence}") + profile.template.count("{claim}") == slots
    if profile.head in {"text", "decoder", "first_token"}:
        assert profile.template.rindex("{claim}") > profile.template.index("{evidence}")
        assert profile.labels, "their label names say nothing"
    assert (profile.head == "first_token") == bool(profile.backbone)
    assert len(profile.outputs) in {0, len(profile.labels)}
