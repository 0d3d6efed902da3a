"""The handler inside real runs: nothing gets mixed up, lost, or out into the app."""

import asyncio
import copy
import subprocess
import sys
import threading
import uuid
from contextvars import copy_context

import langchain_trail.hooks as hooks_module
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.outputs import LLMResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_trail import TrailCallbackHandler

template = ChatPromptTemplate.from_template


def texts(graph, kind=None):
    return [node.text for node in graph.nodes if kind is None or node.kind == kind]


# ---------------------------------------------------------------- many runs at once


def numbered():
    """Echoes a number through two steps, so that any mix-up of runs shows."""

    async def later(x):
        await asyncio.sleep(0.001)
        return f"number {x} went through the second step"

    first = RunnableLambda(lambda x: f"number {x} went through the first step")
    return (
        first
        | RunnableLambda(lambda x: x.split()[1])
        | RunnableLambda(lambda x: f"number {x} went through the second step", later)
    )


def check_apart(handler, ids):
    for i, run_id in ids.items():
        graph = handler.graph(run_id)
        assert graph.answer.text == f"number {i} went through the second step"
        assert all(f" {j} " not in f" {text} " for text in texts(graph) for j in ids if j != i)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_batch_is_as_many_runs(handler, asynchronous):
    app, ids = numbered(), {i: uuid.uuid4() for i in range(10)}
    configs = [{"callbacks": [handler], "run_id": r} for r in ids.values()]
    inputs = [str(i) for i in ids]
    outputs = asyncio.run(app.abatch(inputs, configs)) if asynchronous else app.batch(inputs, configs)
    assert len(outputs) == 10
    check_apart(handler, ids)


# ---------------------------------------------------------------- odd callbacks


def test_every_hook_takes_none_for_what_may_be_missing(handler):
    ids = [uuid.uuid4() for _ in range(5)]
    handler.on_chain_start(None, None, run_id=ids[0])
    handler.on_chat_model_start(
        None, [[HumanMessage("hi")]], run_id=ids[1], parent_run_id=ids[0], tags=None, metadata=None
    )
    handler.on_llm_end(LLMResult(generations=[]), run_id=ids[1])
    handler.on_llm_start(None, ["hi"], run_id=ids[2], parent_run_id=ids[0])
    handler.on_llm_error(ValueError("x"), run_id=ids[2], response=None)
    handler.on_tool_start(None, "input", run_id=ids[3], parent_run_id=ids[0], inputs=None)
    handler.on_tool_end(None, run_id=ids[3])
    handler.on_retriever_start(None, None, run_id=ids[4], parent_run_id=ids[0])
    handler.on_retriever_end(None, run_id=ids[4])
    handler.on_chain_end(None, run_id=ids[0])
    assert handler.graph(ids[0]).answer is None


def test_the_same_handler_twice_in_a_config_records_once(handler):
    app = RunnableLambda(str.upper).with_config({"callbacks": [handler]})
    app.invoke("once", {"callbacks": [handler]})
    assert handler.graph().answer.text == "ONCE"


# ---------------------------------------------------------------- streams


def inputs_of(handler):
    """What each run read, by kind and name, whatever the order."""
    events = handler.session.recorder.events(handler.session.recorder.latest)
    starts = {e.run_id: e for e in events if e.event == "started"}
    read = {run_id: e.inputs for run_id, e in starts.items()}
    read |= {e.run_id: e.inputs for e in events if e.event == "ended" and e.inputs is not None}
    return sorted((starts[r].kind, [p.text for p in pieces]) for r, pieces in read.items())


@pytest.mark.parametrize("way", ["stream", "astream", "astream_events"])
def test_a_stream_s_inputs_are_those_of_a_plain_call(says, way):
    def app():
        return (
            template("Tell me of {x}") | says("Rings of ice and dust.") | StrOutputParser() | RunnableLambda(str.upper)
        )

    plain, streamed = TrailCallbackHandler(evaluate="never"), TrailCallbackHandler(evaluate="never")
    app().invoke({"x": "Saturn"}, {"callbacks": [plain]})

    async def consume():
        options = {"version": "v2"} if way == "astream_events" else {}
        async for _ in getattr(app(), way)({"x": "Saturn"}, {"callbacks": [streamed]}, **options):
            pass

    if way == "stream":
        list(app().stream({"x": "Saturn"}, {"callbacks": [streamed]}))
    else:
        asyncio.run(consume())
    assert inputs_of(streamed) == inputs_of(plain)
    assert streamed.graph().answer.text == plain.graph().answer.text == "RINGS OF ICE AND DUST."
    assert streamed.errors == plain.errors == []


# ---------------------------------------------------------------- runs that do not end well


def broken_apps(says):
    def fail(_):
        raise ValueError("broken on purpose")

    @tool
    def broken_tool(x: str) -> str:
        """Break."""
        raise ValueError("broken on purpose")

    class NoShelf(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            raise ValueError("broken on purpose")

    return {
        "lambda": RunnableLambda(lambda x: x) | fail,
        "model": template("{topic}") | says(ValueError("broken on purpose")),
        "prompt": template("{topic} {absent}") | says("never"),
        "parser": template("{topic}") | says("not json") | JsonOutputParser(),
        "tool": RunnableLambda(lambda x: {"x": "y"}) | broken_tool,
        "retriever": RunnableLambda(lambda x: x["topic"]) | NoShelf(),
    }


@pytest.mark.parametrize("where", ["lambda", "model", "prompt", "parser", "tool", "retriever"])
def test_an_error_anywhere_reaches_the_user_and_leaves_a_graph(handler, says, quiet, where):
    app = broken_apps(says)[where]
    with pytest.raises(Exception, match=r"broken on purpose|absent|Invalid json"):
        app.invoke({"topic": "the rings of Saturn"}, {"callbacks": [handler]})
    graph = handler.graph()
    assert graph.answer is None
    assert handler.session.recorder.unfinished == 0, "every run is closed"
    assert graph.question.text == "the rings of Saturn"


# ---------------------------------------------------------------- what we must not do to the app


class OurError(Exception):
    pass


@pytest.mark.parametrize("fault", [OurError("ours"), RecursionError("ours"), GeneratorExit("ours")])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_fault_of_ours_leaves_the_app_alone_and_is_kept(monkeypatch, says, quiet, fault, asynchronous):
    handler = TrailCallbackHandler(evaluate="never")

    def fail(*_):
        raise fault

    monkeypatch.setattr(hooks_module, "snapshot", fail)
    app = template("{x}") | says("All is well.") | StrOutputParser()
    config = {"callbacks": [handler]}
    output = asyncio.run(app.ainvoke({"x": "?"}, config)) if asynchronous else app.invoke({"x": "?"}, config)
    assert output == "All is well."
    assert handler.errors
    assert all("ours" in str(error) for error in handler.errors)


def test_interrupts_from_the_keyboard_are_the_user_s(monkeypatch, handler):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(hooks_module, "snapshot", stop)
    with pytest.raises(KeyboardInterrupt):
        RunnableLambda(str).invoke("x", {"callbacks": [handler]})


def test_models_that_hold_the_handler_can_be_copied(handler, says):
    model = copy.deepcopy(says("Copied and well.", callbacks=[handler]))
    model.invoke("?")
    assert handler.graph().answer.text == "Copied and well."
    assert copy.copy(handler) is handler


# ---------------------------------------------------------------- threads and memory


def test_a_bare_thread_is_not_seen_and_one_with_the_context_is(handler):
    inner = RunnableLambda(lambda x: f"seen {x} from a thread")

    def outer(x):
        context = copy_context()
        threads = [
            threading.Thread(target=lambda: context.run(inner.invoke, "copied")),
            threading.Thread(target=lambda: inner.invoke("bare")),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "outer is done"

    RunnableLambda(outer).invoke("x", {"callbacks": [handler]})
    recorded = [
        p.text
        for e in handler.session.recorder.events(handler.session.recorder.latest)
        if e.event == "ended"
        for p in e.outputs
    ]
    assert "seen copied from a thread" in recorded
    assert "seen bare from a thread" not in recorded


@pytest.mark.parametrize("copied", [False, True])
def test_an_answer_from_a_thread_without_callbacks_is_reported_as_a_gap(says, copied):
    handler = TrailCallbackHandler()
    model = says("The lighthouse of Genoa was rebuilt in 1543 by monks.")

    def outer(question):
        answers = []

        def ask():
            answers.append(model.invoke(question).text)

        context = copy_context()
        thread = threading.Thread(target=(lambda: context.run(ask)) if copied else ask)
        thread.start()
        thread.join()
        return answers[0]

    RunnableLambda(outer).invoke("When was it rebuilt?", {"callbacks": [handler]})
    report = handler.report()
    assert any("no recorded step wrote the answer" in warning for warning in report.warnings) is not copied
    assert report.hallucination_score is None or report.hallucination_score > 0, "nothing supports the answer"
    handler.close()


def test_langgraph_is_not_imported_for_those_who_do_not_use_it():
    code = (
        "import sys; from langchain_trail import TrailCallbackHandler as H; H(); sys.exit('langgraph' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_at_the_end_of_the_stack_the_app_s_own_error_comes_through(handler):
    def descend(x):
        return RunnableLambda(descend).invoke(x)

    with pytest.raises(RecursionError):
        RunnableLambda(descend).invoke("x", {"callbacks": [handler]})
    handler.session._errors.clear()  # how many of ours were hit depends on where the stack ended
