"""Apps that stop reading, or are stopped: the report is of what was read, and is found."""

import asyncio
import gc
import uuid
from contextlib import aclosing

import pytest
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler
from langgraph.graph import END, START, MessagesState, StateGraph

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report

from .conftest import RuleModel

ANSWER = "Titan was discovered in 1655. It was found at The Hague in 1700, they say."
READ = 8  # chunks, one a word: seven and the space before them
SOURCE = "Saturn's moon Titan was discovered by Christiaan Huygens in 1655."
template = ChatPromptTemplate.from_template("Who found Titan? {context}")


class Slow(RuleModel):
    """Takes a moment for each token."""

    seconds: float = 0.0

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for chunk in self._stream(messages, stop, None, **kwargs):
            await asyncio.sleep(self.seconds)
            yield chunk


@pytest.fixture
def handler():
    made = TrailCallbackHandler()
    yield made
    made.close()
    assert made.errors == []


def model(seconds=0.0):
    return Slow(rules=[("", ANSWER)], seconds=seconds)


def graph(seconds=0.0):
    llm = model(seconds)

    def say(state):
        return {"messages": [llm.invoke(state["messages"])]}

    async def asay(state):
        return {"messages": [await llm.ainvoke(state["messages"])]}

    made = StateGraph(MessagesState)
    made.add_node("say", RunnableLambda(say, asay))
    made.add_edge(START, "say")
    made.add_edge("say", END)
    return made.compile()


APPS = {
    "chain": (lambda seconds: template | model(seconds), {"context": SOURCE}, {}),
    "text": (lambda seconds: template | model(seconds) | StrOutputParser(), {"context": SOURCE}, {}),
    "model": (model, SOURCE, {}),
    "graph": (graph, {"messages": [("user", SOURCE)]}, {"stream_mode": "messages"}),
}


def text(chunk):
    chunk = chunk[0] if isinstance(chunk, tuple) else chunk
    return chunk if isinstance(chunk, str) else chunk.text


def check(report, run_id, read):
    """The report is of what was read, is found by its id, and says what it is."""
    assert report.graph.answer.text == read
    assert report.graph.answer.attributes["cut"] is True
    assert report.run_id == str(run_id)
    assert report.cut
    assert report.summary()["cut"] is True
    assert "cut off" in report.warnings[0]
    assert Report.from_json(report.to_json()).cut


@pytest.mark.parametrize("app", APPS)
def test_a_sync_stream_that_is_closed(handler, app):
    make, given, options = APPS[app]
    run_id, read = uuid.uuid4(), []
    stream = make(0).stream(given, {"callbacks": [handler], "run_id": run_id}, **options)
    for chunk in stream:
        read.append(text(chunk))
        if len(read) == READ:
            break
    stream.close()
    check(handler.report(run_id), run_id, "".join(read))


@pytest.mark.parametrize("how", ["aclose", "drop", "cancelled between", "cancelled within"])
@pytest.mark.parametrize("app", APPS)
async def test_an_async_stream_that_loses_its_reader(handler, app, how):
    """The host sees its own exception, and nothing of ours."""
    make, given, options = APPS[app]
    run_id, read, enough = uuid.uuid4(), [], asyncio.Event()

    async def consume():
        seconds = 0.01 if how == "cancelled within" else 0
        stream = make(seconds).astream(given, {"callbacks": [handler], "run_id": run_id}, **options)
        async for chunk in stream:
            read.append(text(chunk))
            if len(read) == READ:
                enough.set()
            if enough.is_set() and how != "cancelled within":
                if how == "cancelled between":
                    await asyncio.sleep(30)
                break
        if how == "aclose":
            await stream.aclose()

    task = asyncio.create_task(consume())
    if how.startswith("cancelled"):
        await enough.wait()
        task.cancel("the client has gone")
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        assert await task is None
    del task
    gc.collect()
    while how in {"drop", "cancelled between"} and run_id not in map(uuid.UUID, handler.reports):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.005)  # the loop closes it when it comes to that
    check(await handler.areport(run_id), run_id, "".join(read))


@pytest.mark.parametrize("mode", ["updates", "values"])
async def test_what_a_graph_showed_whole_was_read_whole(handler, mode):
    two = StateGraph(MessagesState)
    two.add_node("first", lambda state: {"messages": [model().invoke(state["messages"])]})
    two.add_node("second", lambda state: {"messages": [AIMessage("Nobody reads this.")]})
    two.add_edge(START, "first")
    two.add_edge("first", "second")
    async with aclosing(
        two.compile().astream({"messages": [("user", SOURCE)]}, {"callbacks": [handler]}, stream_mode=mode)
    ) as states:
        async for state in states:
            if "first" in state or len(state.get("messages", ())) == 2:
                break
    check(await handler.areport(), next(iter(handler.reports)), ANSWER)


async def test_a_call_that_is_cancelled_before_anything_was_read_has_no_answer(handler):
    run_id, begun = uuid.uuid4(), asyncio.Event()

    async def wait(state):
        begun.set()
        await asyncio.sleep(30)

    task = asyncio.create_task(
        (template | model() | RunnableLambda(lambda x: x, wait)).ainvoke(
            {"context": SOURCE}, {"callbacks": [handler], "run_id": run_id}
        )
    )
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    report = await handler.areport(run_id)
    assert (report.state, report.graph.answer, report.cut) == ("error", None, False)


def test_a_stream_left_after_its_last_chunk_was_read_whole(handler):
    stream = (template | model()).stream({"context": SOURCE}, {"callbacks": [handler]})
    last = next(chunk for chunk in stream if chunk.chunk_position == "last")
    stream.close()
    report = handler.report()
    assert report.graph.answer.text == ANSWER
    assert not report.cut
    assert last.response_metadata["trail"] == report.summary()


# ---------------------------------------------------------------- whose report


def number(i):
    return f"Titan was discovered in {i}."


async def test_without_an_id_the_report_is_of_the_caller_s_own_run(handler):
    """Requests of a server: others end in between, and after it."""
    app = RunnableLambda(number)

    async def request(i):
        await app.ainvoke(i, {"callbacks": [handler]})
        await asyncio.sleep(0.001 * (i % 7))
        return (await handler.areport()).graph.answer.text, handler.graph().answer.text, handler.report().run_id

    found = await asyncio.gather(*(asyncio.create_task(request(i)) for i in range(30)))
    assert [texts[:2] for texts in found] == [(number(i), number(i)) for i in range(30)]
    assert len({run_id for *_, run_id in found}) == 30


async def test_who_ran_nothing_gets_no_report_of_several_that_ran_side_by_side(handler):
    async def slowly(i):
        await asyncio.sleep(0.02)
        return number(i)

    app = RunnableLambda(number, slowly)
    await asyncio.gather(*(asyncio.create_task(app.ainvoke(i, {"callbacks": [handler]})) for i in range(3)))
    with pytest.raises(InputError, match="run_id"):
        await handler.areport()
    with pytest.raises(InputError, match="run_id"):
        handler.report()
    assert len(handler.reports) + len(handler.errors) <= 3
    assert [handler.report(run_id).run_id for run_id in list(handler.reports)] == list(handler.reports)


def test_in_a_script_it_is_the_last_one_however_it_was_called(handler):
    app, config = RunnableLambda(number), {"callbacks": [handler]}
    for i in range(3):
        app.invoke(i, config)
        assert handler.report().graph.answer.text == number(i)
    asyncio.run(app.ainvoke(3, config))
    assert handler.report().graph.answer.text == number(3)
    list(app.stream(4, config))
    assert handler.report().graph.answer.text == number(4)
    app.batch([5], config)
    assert handler.report().graph.answer.text == number(5)
