"""What a model behind instructor tells about itself; what it asks is tested over HTTP, in tests/e2e."""

import json
import logging

import pytest

from trail_callbacks.errors import JudgeError
from trail_callbacks.models.client import connect, unlogged
from trail_callbacks.models.instructor import InstructorModel

instructor = pytest.importorskip("instructor")
openai = pytest.importorskip("openai")
HERE = "http://127.0.0.1:9/v1"
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


@pytest.mark.parametrize("model", ["gpt-5-mini", "/m", "openai/", ""])
def test_a_model_is_named_with_its_provider(model):
    with pytest.raises(JudgeError, match='expected "provider/name"'):
        connect(model, HERE, None, None)


def test_a_mode_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(JudgeError, match=r"mode is 'yaml', expected one of .*json_schema"):
        connect("openai/m", HERE, None, "yaml")


def test_a_provider_that_ignores_the_endpoint_is_refused(monkeypatch):
    elsewhere = connect("openai/m", "http://127.0.0.1:8/v1", None, None)
    monkeypatch.setattr(instructor, "from_provider", lambda *args, **kwargs: elsewhere)
    with pytest.raises(JudgeError, match=r"ignores base_url for .acme.*openai/m"):
        connect("acme/m", HERE, None, None)


def test_only_what_instructor_logs_of_our_requests_is_kept_quiet(caplog):
    logger = logging.getLogger("instructor")
    with unlogged():
        logger.error("of ours")
    logger.error("of the app's")
    assert [record.message for record in caplog.records] == ["of the app's"]
