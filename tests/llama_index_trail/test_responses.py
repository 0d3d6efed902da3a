"""Responses with a report on them are data like those without: apps copy, store and send them."""

import asyncio
import copy
import dataclasses
import json
import pickle

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import ContextChatEngine
from llama_index_trail import GuardedQueryEngine, guard_agent, instrument

HIVE = "The hive under the lime tree gave thirty pounds of honey in 1923."
HOW = "How much honey did the hive give?"
POUNDS = "The hive under the lime tree gave thirty pounds of honey."
WRONG = "The hive under the lime tree gave ninety pounds of honey."
pytestmark = pytest.mark.filterwarnings(  # chat memories leave databases open
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::DeprecationWarning",  # pydantic's: agents look at all of their own attributes
)


def pickled(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes


@pytest.mark.parametrize("end", [POUNDS, WRONG])
@pytest.mark.parametrize("guarding", [False, True])
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_response_can_be_copied_and_sent(ask, guarding, asynchronous, end):
    engine = ask([HIVE], end)
    if guarding:
        engine = GuardedQueryEngine(engine, judge="local", on_fail="block")
    else:
        instrument()
    response = await engine.aquery(HOW) if asynchronous else await asyncio.to_thread(engine.query, HOW)
    summary = json.loads(json.dumps(response.metadata))["trail"]
    assert summary["state"] in {"assessed", "pending"}
    assert dataclasses.asdict(response)["metadata"]["trail"]["state"] == summary["state"]
    for same in (copy.deepcopy(response), copy.copy(response), pickled(response), dataclasses.replace(response)):
        assert same.response == response.response
        assert same.metadata["trail"]["state"] == summary["state"]


@pytest.mark.parametrize("end", [POUNDS, WRONG])
async def test_a_guarded_stream_can_be_copied_before_it_is_read(ask, end):
    engine = GuardedQueryEngine(ask([HIVE], end, streaming=True), judge="local", on_fail="block", message="No.")
    shown = POUNDS if end == POUNDS else "No."
    for copied in (copy.deepcopy, pickled, lambda r: type(r)(**dataclasses.asdict(r))):
        response = await asyncio.to_thread(engine.query, HOW)
        same = copied(response)
        assert ["".join(each.response_gen) for each in (same, response)] == [shown, shown]
        assert same.metadata["trail"]["blocked"] is (end == WRONG)
        response = await engine.aquery(HOW)
        same = copied(response)
        for each in (same, response):
            assert "".join([token async for token in each.response_gen]) == shown


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_chat_reply_can_be_copied_and_sent(shelf, models, asynchronous):
    engine = ContextChatEngine.from_defaults(
        retriever=shelf(HIVE).as_retriever(), llm=models.Rules(rules=[("", POUNDS)])
    )
    instrument()
    response = await engine.achat(HOW) if asynchronous else await asyncio.to_thread(engine.chat, HOW)
    assert json.loads(json.dumps(response.metadata))["trail"]["state"] in {"pending", "assessed"}
    written = await asyncio.to_thread(json.dumps, response.metadata)  # where no event loop runs, reading waits
    assert json.loads(written)["trail"]["state"] == "assessed"
    for same in (copy.deepcopy(response), pickled(response)):
        assert same.response == POUNDS
        assert same.metadata["trail"]["state"] == "assessed"
    assert dataclasses.asdict(response)["metadata"]["trail"]["state"] == "assessed"


@pytest.mark.parametrize("guarding", [False, True])
async def test_an_agents_output_can_be_copied_and_sent(models, guarding):
    agent = FunctionAgent(llm=models.Turns(steps=[POUNDS]), system_prompt=HIVE)
    if guarding:
        agent = guard_agent(agent, judge="local")
    else:
        instrument()
    output = await agent.run(HOW)
    states = {"assessed"} if guarding else {"pending", "assessed"}
    for same in (copy.deepcopy(output), output.model_copy(deep=True), pickled(output)):
        assert str(same) == POUNDS
        assert same["trail"]["state"] in states
    for data in (output.model_dump(), json.loads(output.model_dump_json())):
        assert data["_data"]["trail"]["state"] in states
