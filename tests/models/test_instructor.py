"""What a model behind instructor tells about itself; what it asks is tested over HTTP, in tests/e2e."""

import json

import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.models.instructor import InstructorModel

instructor = pytest.importorskip("instructor")
openai = pytest.importorskip("openai")
SECRET = "sk-proj-0123456789abcdefSECRET"


def client(name):
    return instructor.from_openai(openai.OpenAI(api_key="x", base_url="http://127.0.0.1:9/v1"), model=name)


def test_parameters_say_where_and_how_it_is_asked_and_hold_no_key():
    model = InstructorModel(
        "openai/m",
        base_url=f"http://user:{SECRET}@127.0.0.1:9/v1",
        api_key=SECRET,
        temperature=0,
        extra_headers={"Authorization": SECRET},
    )
    assert model.parameters["temperature"] == 0
    assert "127.0.0.1:9" in model.parameters["base_url"]
    assert SECRET not in json.dumps(model.parameters) + repr(model) + model.name


def test_clients_that_hide_their_model_have_nothing_in_common():
    hidden = [InstructorModel(client=client(name)) for name in ("small", "large")]
    assert hidden[0].name == hidden[1].name
    assert hidden[0].parameters != hidden[1].parameters
    named = [InstructorModel("small", client=client("small"), seed=seed) for seed in (1, 1, 2)]
    assert named[0].parameters == named[1].parameters != named[2].parameters


@pytest.mark.parametrize(
    "settings",
    [
        {"stream": True},
        {"timeout": 0},
        {"http_retries": -1},
        {"client": object()},
        {"client": client("m"), "base_url": "http://127.0.0.1:9/v1"},
        {"client": client("m"), "api_key": "x"},
    ],
)
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(JudgeError):
        InstructorModel("openai/m", **settings)
