"""`traced(runnable)`: the same calls, with report and graph beside the output."""

import asyncio
import uuid

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailResult, traced

from trail_callbacks.errors import InputError
from trail_callbacks.session import Retention

SOURCE = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."


@pytest.fixture
def chain(says, shelf):
    """Right about the year, wrong about the height."""
    context = shelf(SOURCE) | (lambda documents: documents[0].page_content)
    rules = ("How high", "The lighthouse of Genoa is 99 metres tall."), "The lighthouse of Genoa was rebuilt in 1543."
    prompt = ChatPromptTemplate.from_template("{context} {question}")
    return {"context": context, "question": lambda q: q} | prompt | says(*rules) | StrOutputParser()


GOOD, BAD = "When was it rebuilt?", "How high is it?"


def test_invoke(chain):
    result = traced(chain).invoke(GOOD)
    assert isinstance(result, TrailResult)
    assert result.output == result.graph.answer.text == "The lighthouse of Genoa was rebuilt in 1543."
    assert result.report.graph == result.graph
    assert result.report.hallucination_score == 0.0
    assert traced(chain).invoke(BAD).report.hallucination_score == 1.0


async def test_ainvoke_and_concurrent_calls(chain):
    app = traced(chain)
    results = await asyncio.gather(*(app.ainvoke(q) for q in [GOOD, BAD] * 5))
    assert [r.report.hallucination_score for r in results] == [0.0, 1.0] * 5
    assert all(r.graph.answer.text == r.output for r in results)


def test_streams_pass_chunks_on_and_then_have_a_result(chain):
    stream = traced(chain).stream(GOOD)
    with pytest.raises(InputError, match="not exhausted"):
        _ = stream.result
    chunks = list(stream)
    assert len(chunks) > 3
    assert stream.result.output == "".join(chunks) == stream.result.graph.answer.text
    assert stream.result is stream.result
    assert stream.result.report.hallucination_score == 0.0


async def test_async_streams(chain):
    stream = traced(chain).astream(BAD)
    with pytest.raises(InputError, match="not exhausted"):
        await stream.result()
    chunks = [chunk async for chunk in stream]
    result = await stream.result()
    assert result.output == "".join(chunks)
    assert result.report.hallucination_score == 1.0


def test_message_chunks_are_summed_and_a_graph_s_updates_listed(says):
    pytest.importorskip("langgraph")
    from langgraph.graph import START, MessagesState, StateGraph

    message = traced(says("one two three")).stream("count")
    list(message)
    assert message.result.output.text == "one two three"
    graph = StateGraph(MessagesState)
    graph.add_node("say", lambda s: {"messages": [says("said").invoke(s["messages"])]})
    graph.add_edge(START, "say")
    updates = traced(graph.compile()).stream({"messages": [("user", "say")]}, stream_mode=["updates", "values"])
    seen = list(updates)
    assert updates.result.output == seen
    assert updates.result.graph.answer.text == "said"


def test_messages_and_the_last_chunk_of_a_stream_of_them_carry_the_summary(says):
    pytest.importorskip("langgraph")
    from langgraph.graph import START, MessagesState, StateGraph

    model = says("The lighthouse of Genoa is 99 metres tall.")
    result = traced(model).invoke(SOURCE)
    assert result.output.response_metadata["trail"] == result.report.summary()

    graph = StateGraph(MessagesState)
    graph.add_node("say", lambda s: {"messages": [model.invoke(s["messages"])]})
    graph.add_edge(START, "say")
    state = traced(graph.compile()).invoke({"messages": [("user", SOURCE)]}).output
    assert set(state) == {"messages"}
    assert state["messages"][-1].response_metadata["trail"]["claims"] == 1

    stream = traced(model).stream(SOURCE)
    chunks = list(stream)
    assert chunks[-1].response_metadata["trail"] == stream.result.report.summary()
    assert stream.result.output.text == "The lighthouse of Genoa is 99 metres tall."
    assert stream.result.output.response_metadata["trail"] == stream.result.report.summary()


async def test_who_watches_the_run_around_hears_of_the_report(chain):
    app = traced(chain)

    async def call(question):
        return (await app.ainvoke(question)).output

    events = [e async for e in RunnableLambda(call).astream_events(BAD, version="v2")]
    (told,) = [e for e in events if e["event"] == "on_custom_event"]
    assert (told["name"], told["data"]["hallucination_score"]) == ("trail.report", 1.0)


def test_the_user_s_config_is_merged_and_not_changed(chain):
    class Counter(BaseCallbackHandler):
        ends = 0

        def on_chain_end(self, *args, **kwargs):
            self.ends += 1

    counter, run_id = Counter(), uuid.uuid4()
    config = {"callbacks": [counter], "run_id": run_id, "metadata": {"mine": True}}
    result = traced(chain).invoke(GOOD, config)
    assert result.report.run_id == str(run_id)
    assert counter.ends > 0
    assert config == {"callbacks": [counter], "run_id": run_id, "metadata": {"mine": True}}


def test_inside_another_run_the_outer_tracing_goes_on(chain, handler):
    inner = traced(chain)
    outer = RunnableLambda(lambda q: inner.invoke(q).output)
    output = outer.invoke(GOOD, {"callbacks": [handler]})
    assert output == handler.graph().answer.text
    assert SOURCE in [leaf.text for leaf in handler.graph().leaves()]


def test_arguments_reach_the_runnable(says):
    model = says("It stops here.")
    assert traced(model).invoke("?", stop=["x"]).output.text == "It stops here."


def test_a_report_that_cannot_be_given_does_not_take_the_answer_away(chain, monkeypatch):
    app = traced(chain)
    monkeypatch.setattr(app.handler, "report", lambda run_id: 1 / 0)
    result = app.invoke(BAD)
    assert (result.output, result.report.state) == ("The lighthouse of Genoa is 99 metres tall.", "error")
    assert result.report.warnings == ("no report: division by zero",)


def test_without_texts_there_is_a_report_and_no_trace(chain):
    result = traced(chain, keep=Retention(texts=False)).invoke(BAD)
    assert (result.report.hallucination_score, result.trace.events) == (1.0, ())
    assert "no trace: " in result.trace.warnings[0]


def test_only_runnables_are_traced():
    with pytest.raises(InputError, match="takes a runnable, got str"):
        traced("chain")
