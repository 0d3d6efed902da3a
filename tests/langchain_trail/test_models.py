"""The app's own chat model as a judge: asked properly, read carefully, never traced."""

import asyncio
import json

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_trail import TrailCallbackHandler, as_model, trail
from pydantic import BaseModel

from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.call import Call, Message, Model

SOURCE = "The lighthouse of Genoa was rebuilt in 1543."


class Verdict(BaseModel):
    """A verdict."""

    label: str
    score: int = 0


CALL = Call(messages=(Message("system", "Judge."), Message("user", "Is it so?")), schema=Verdict, purpose="verdicts")


@pytest.fixture(params=["sync", "async"])
def ask(request):
    def run(model, call=CALL):
        return model.ask(call) if request.param == "sync" else asyncio.run(model.aask(call))

    return run


def calls_verdict(**arguments):
    return AIMessage("", tool_calls=[{"name": "Verdict", "args": arguments, "id": "v"}])


def test_it_is_a_model():
    model = as_model(FakeListChatModel(responses=["{}"]))
    assert isinstance(model, Model)
    assert model.name.endswith("FakeListChatModel") or "fake" in model.name
    with pytest.raises(InputError, match="takes a LangChain chat model, got str"):
        as_model("openai/gpt-5-mini")


def test_a_handler_takes_it_as_its_judge_and_says_so_of_a_bare_chat_model(says):
    assert TrailCallbackHandler(judge=as_model(says("{}")))
    with pytest.raises(JudgeError, match="as_model"):
        TrailCallbackHandler(judge=says("{}"))


def test_structured_output_where_the_model_has_it(says, ask):
    reply = ask(as_model(says(calls_verdict(label="supported", score=3), tools=True)))
    assert reply.value == Verdict(label="supported", score=3)
    assert reply.failure is None


def test_tokens_from_the_providers_cache_are_counted_apart(says, ask):
    counted = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10, "input_token_details": {"cache_read": 5}}
    usage = ask(as_model(says(AIMessage('{"label": "absent", "score": 1}', usage_metadata=counted)))).usage
    assert (usage.prompt_tokens, usage.cached_tokens) == (7, 5)


def test_a_prompt_with_the_schema_where_it_has_not(says, ask):
    model = says('Sure:\n```json\n{"label": "absent", "score": 1}\n```')
    reply = ask(as_model(model))
    assert reply.value == Verdict(label="absent", score=1)
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 7, 3)
    assert reply.usage.seconds > 0
    (prompt,) = model.asked
    assert prompt.startswith("Judge.")
    assert '"label"' in prompt
    assert prompt.endswith("Is it so?")


@pytest.mark.parametrize(
    ("answer", "prefix", "salvaged"),
    [
        ("no json at all", "invalid: ", "no json at all"),
        ('{"score": 3}', "invalid: ", '{"score": 3}'),
        (AIMessage('{"label": "sup', response_metadata={"finish_reason": "length"}), "length: ", '{"label": "sup'),
        (
            AIMessage("", additional_kwargs={"refusal": "I will not judge."}),
            "refused: I will not judge.",
            "I will not judge.",
        ),
        (AIMessage([{"type": "refusal", "refusal": "No."}]), "refused: No.", "No."),
        (AIMessage("", response_metadata={"stop_reason": "content_filter"}), "refused: ", ""),
        (ConnectionError("no route to host"), "unreachable: ConnectionError: no route", None),
    ],
)
def test_failures_are_replies(says, ask, answer, prefix, salvaged):
    reply = ask(as_model(says(answer)))
    assert reply.value is None
    assert str(reply.failure).startswith(prefix)
    assert reply.text == salvaged
    assert reply.usage.calls == 1


def test_arguments_that_do_not_fit_are_kept_for_salvage(says, ask):
    reply = ask(as_model(says(calls_verdict(score="many"), tools=True)))
    assert reply.failure.kind == "invalid"
    assert json.loads(reply.text) == {"score": "many"}


CLAIMS = json.dumps(
    {
        "abstained": False,
        "claims": [
            {
                "quote": "It was rebuilt in 1543.",
                "claim": "The lighthouse of Genoa was rebuilt in 1543.",
                "checkable": True,
            }
        ],
    }
)


@pytest.mark.parametrize("evaluate", ["inline", "background", "never"])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_judge_s_own_calls_are_never_traced(says, evaluate, asynchronous):
    """The judge runs inside the app's callback, on a worker thread, or in the block around the app."""
    judge = says(("json", "not what was asked for"), ("", CLAIMS))
    chain = ChatPromptTemplate.from_template("{context} When?") | says("It was rebuilt in 1543.") | StrOutputParser()
    with trail(judge=LLMJudge(as_model(judge)), evaluate=evaluate) as t:
        if asynchronous:
            asyncio.run(chain.ainvoke({"context": SOURCE}))
        else:
            chain.invoke({"context": SOURCE})
        report = t.report
    assert judge.asked, "the judge was asked"
    assert report.judge.startswith("llm/")
    assert list(t.reports) == [report.run_id], "no run of the judge's own"
    assert not any("not what was asked" in node.text or "quote" in node.text for node in t.graph.nodes)
    assert t.errors == []


def test_settings_are_told_apart_so_that_a_cache_does_not_mix_them():
    class Tuned(FakeListChatModel):
        @property
        def _identifying_params(self):
            return {"sleep": self.sleep}

    same, other = (
        [as_model(Tuned(responses=["x"], sleep=0.0)) for _ in range(2)],
        as_model(Tuned(responses=["x"], sleep=1.0)),
    )
    assert same[0].parameters == same[1].parameters != other.parameters


def test_a_model_that_cannot_be_described_shares_no_answers():
    class Odd(FakeListChatModel):
        def _get_llm_string(self, *args, **kwargs):
            raise TypeError("no")

    one, two = as_model(Odd(responses=["x"])), as_model(Odd(responses=["x"]))
    assert one.parameters != two.parameters
    assert one.parameters == one.parameters
