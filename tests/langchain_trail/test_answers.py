"""Answers with a summary on them are data like those without: apps copy, store and send them."""

import copy
import dataclasses
import json
import pickle
from functools import partial, reduce
from operator import add

import pytest
from langchain_core.load import dumps, loads
from langchain_core.messages import message_to_dict, messages_from_dict
from langchain_trail import guarded, traced

ASKED = "The lighthouse of Genoa is 77 metres tall, I read. How high is it?"
BAD = "The lighthouse of Genoa is 97 metres tall."


def sent(value):
    return loads(dumps(value), allowed_objects="messages")


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")  # `loads` is new
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    "wrap",
    [
        traced,
        partial(guarded, judge="local", on_fail="annotate", stream="buffer"),
        partial(guarded, judge="local", on_fail="block"),
    ],
)
def test_a_message_with_a_summary_is_data(says, wrap, streaming):
    app = wrap(says(BAD))
    if streaming:
        stream = app.stream(ASKED)
        message = reduce(add, list(stream))
    else:
        message = app.invoke(ASKED)
        message = getattr(message, "output", message)
    summary = message.response_metadata["trail"]
    assert summary["state"] == "assessed"
    assert json.loads(json.dumps(summary)) == summary
    assert json.loads(message.model_dump_json())["response_metadata"]["trail"] == summary
    for same in (
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),  # noqa: S301 - our own bytes
        message.model_copy(deep=True),
        type(message).model_validate(message.model_dump()),
        sent(message),
        messages_from_dict([message_to_dict(message)])[0],
    ):
        assert same.response_metadata["trail"] == summary
        assert same.text == message.text


def test_a_result_is_data(says):
    result = traced(says(BAD)).invoke(ASKED)
    for same in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301 - our own bytes
        assert same.output == result.output
        assert same.report.summary() == result.report.summary()
    assert dataclasses.asdict(result)["report"]["state"] == "assessed"


def test_a_state_with_a_summary_goes_through_a_checkpoint(says):
    pytest.importorskip("langchain", minversion="1.2.9")
    from langchain.agents import create_agent
    from langchain_trail import TrailGuard
    from langgraph.checkpoint.memory import InMemorySaver

    config = {"configurable": {"thread_id": "t"}}
    agent = create_agent(
        says(BAD), [], middleware=[TrailGuard(judge="local", on_fail="annotate")], checkpointer=InMemorySaver()
    )
    out = agent.invoke({"messages": [("user", ASKED)]}, config)
    kept = agent.get_state(config).values
    assert kept["trail"] == out["trail"]
    assert kept["messages"][-1].response_metadata["trail"] == out["trail"]
    assert json.loads(json.dumps(kept["trail"])) == kept["trail"]
