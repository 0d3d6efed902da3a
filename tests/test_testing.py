import asyncio

import pytest
from pydantic import BaseModel

from trail_callbacks.models.call import Call, Message, Model, Reply, Usage
from trail_callbacks.testing import ScriptedModel


class Echo(BaseModel):
    text: str


def call(purpose="claims"):
    return Call(messages=(Message("user", "hi"),), schema=Echo, purpose=purpose)


@pytest.fixture(params=["ask", "aask"])
def ask(request):
    return lambda model, call: model.ask(call) if request.param == "ask" else asyncio.run(model.aask(call))


@pytest.mark.parametrize(
    "line",
    [{"text": "x"}, '{"text": "x"}', Echo(text="x"), Reply(value=Echo(text="x")), lambda call: {"text": "x"}],
    ids=["fields", "json", "value", "reply", "function"],
)
def test_a_line_may_be_written_in_several_ways(ask, line):
    model = ScriptedModel([line], usage=Usage(calls=1, prompt_tokens=3))
    reply = ask(model, call())
    assert isinstance(model, Model)
    assert reply.value == Echo(text="x")
    assert reply.usage == Usage(calls=1, prompt_tokens=3)
    assert [asked.purpose for asked in model.calls] == ["claims"]


def test_a_mapping_answers_by_purpose(ask):
    model = ScriptedModel({"claims": [{"text": "a"}, {"text": "b"}], "verdicts": lambda call: {"text": call.purpose}})
    said = [ask(model, call(purpose)).value.text for purpose in ("claims", "verdicts", "claims", "verdicts")]
    assert said == ["a", "verdicts", "b", "verdicts"]
    assert str(ask(model, call("localize")).failure).startswith(
        "failed: the script has no further reply to a 'localize'"
    )


def test_an_empty_script_is_an_error_as_data(ask):
    assert str(ask(ScriptedModel([]), call()).failure).startswith("failed: the script has no further reply")


def test_what_does_not_fit_is_invalid_with_its_text(ask):
    reply = ask(ScriptedModel(["nonsense"]), call())
    assert reply.failure.kind == "invalid"
    assert reply.text == "nonsense"
