"""The app's own LLM as a judge's model."""

import asyncio
from types import SimpleNamespace

import pytest
from llama_index.core.llms import ChatMessage, ChatResponse
from llama_index_trail import as_model, status, trail
from pydantic import BaseModel

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Message, Model


class Verdict(BaseModel):
    label: str
    sure: int


CALL = Call(
    messages=(Message("system", "You judge."), Message("user", "Is the sea wet?")), schema=Verdict, purpose="verdicts"
)
JSON = '{"label": "yes", "sure": 3}'


@pytest.fixture
def asked(models):
    """Asks a model that writes a text; sync and async answers must agree."""

    def ask(reply, call=CALL):
        llm = models.Rules(rules=[("", reply)])
        model = as_model(llm)
        here = model.ask(call)
        there = asyncio.run(model.aask(call))
        assert (here.value, here.failure, here.text) == (there.value, there.failure, there.text)
        assert here.usage.calls == 1
        return here, llm.asked[0]

    return ask


def test_the_schema_is_asked_for_in_the_system_message(asked):
    reply, prompt = asked(JSON)
    assert reply.value == Verdict(label="yes", sure=3)
    assert reply.failure is None
    assert prompt.index("You judge.") < prompt.index('"sure"') < prompt.index("Is the sea wet?")


def test_an_exception_is_an_unreachable_reply(asked):
    reply, _ = asked(ConnectionError("no route"))
    assert str(reply.failure) == "unreachable: ConnectionError: no route"


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ({"choices": [{"finish_reason": "length"}]}, "length: "),
        (SimpleNamespace(choices=[SimpleNamespace(finish_reason="content_filter", message=None)]), "refused: "),
        ({"stop_reason": "max_tokens"}, "length: "),
        ({"choices": [{"message": {"refusal": "I will not."}}]}, "refused: I will not."),
        ({"choices": [{"finish_reason": "stop"}]}, None),
        (None, None),
        (object(), None),
    ],
)
def test_why_the_model_stopped_is_read_from_the_providers_object(models, raw, error):
    class Provider(models.Rules):
        def chat(self, messages, **kwargs):
            return ChatResponse(message=ChatMessage(role="assistant", content=JSON), raw=raw)

    reply = as_model(Provider(rules=[])).ask(CALL)
    assert str(reply.failure).startswith(error or "None")
    assert (reply.value is None) == bool(error)
    assert reply.text == JSON


def test_tokens_are_counted_as_the_provider_counted_them(models):
    class Provider(models.Rules):
        def chat(self, messages, **kwargs):
            details = SimpleNamespace(cached_tokens=8)
            usage = SimpleNamespace(prompt_tokens=11, completion_tokens=5, prompt_tokens_details=details)
            return ChatResponse(
                message=ChatMessage(role="assistant", content=JSON), raw=SimpleNamespace(usage=usage, choices=[])
            )

    usage = as_model(Provider(rules=[])).ask(CALL).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (11, 5, 8)
    assert usage.seconds > 0


def test_the_name_tells_class_and_model(models):
    class Named(models.Rules):
        model: str = "small-1"

    assert as_model(Named(rules=[])).name == "Named/small-1"
    assert as_model(models.Rules(rules=[])).name == "Rules"
    assert isinstance(as_model(models.Rules(rules=[])), Model)


def test_what_is_no_llm_is_refused():
    with pytest.raises(InputError, match="takes a LlamaIndex LLM, got str"):
        as_model("gpt")


def test_judging_inside_a_block_is_no_part_of_the_trace(models):
    llm = models.Rules(rules=[("", JSON)])
    with trail(evaluate="never") as t:
        as_model(llm).ask(CALL)
        asyncio.run(as_model(llm).aask(CALL))
        llm.complete("And this is.")
    assert t.graph.question.text == "And this is."
    assert len(t.graph.nodes) == 2
    assert status().open_runs == 0


def test_settings_are_told_without_secrets_so_that_a_cache_does_not_mix_them():
    from llama_index.core.llms import MockLLM

    class Tuned(MockLLM):
        api_key: str = "sk-0123456789SECRET"

    cold, hot = as_model(Tuned(max_tokens=9)), as_model(Tuned(max_tokens=10))
    assert cold.parameters == as_model(Tuned(max_tokens=9)).parameters != hot.parameters
    assert "SECRET" not in str(hot.parameters)
