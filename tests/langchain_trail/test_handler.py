"""The handler inside real runs: nothing gets mixed up, lost, or out into the app."""

import asyncio
import copy
import subprocess
import sys
import threading
from contextvars import copy_context

import langchain_trail.hooks as hooks_module
import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler

from trail_callbacks.judges.local.judge import LocalJudge

template = ChatPromptTemplate.from_template


def test_the_same_handler_twice_in_a_config_records_once(handler):
    app = RunnableLambda(str.upper).with_config({"callbacks": [handler]})
    app.invoke("once", {"callbacks": [handler]})
    assert handler.graph().answer.text == "ONCE"


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


def test_models_that_hold_the_handler_can_be_copied(handler, says):
    model = copy.deepcopy(says("Copied and well.", callbacks=[handler]))
    model.invoke("?")
    assert handler.graph().answer.text == "Copied and well."
    assert copy.copy(handler) is handler


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


class SlowJudge(LocalJudge):
    """Begins, and goes on once it is let go."""

    def extract(self, answer, question):
        begun.set()
        assert let_go.wait(20)
        threads.add(threading.current_thread())
        return (yield from super().extract(answer, question))


begun, let_go = threading.Event(), threading.Event()


@pytest.fixture(autouse=True)
def _held():
    begun.clear()
    let_go.clear()
    yield
    let_go.set()


threads = set()
MODEL = FakeListChatModel(responses=["The quarry at Holm was opened in 1847."])
CHAIN = RunnableLambda(lambda text: text) | MODEL


async def beside(work):
    """The result of a coroutine, if the event loop goes on while its judge is at work: that lets the judge go."""

    async def tick():
        while not begun.is_set():  # noqa: ASYNC110 - the judge is on another thread
            await asyncio.sleep(0.001)
        let_go.set()

    ticking = asyncio.create_task(tick())
    result = await work
    await ticking
    return result


@pytest.mark.parametrize("app", [CHAIN, MODEL, RunnableLambda(lambda x: x)], ids=["chain", "model", "function"])
async def test_an_event_loop_goes_on_while_a_run_waits_for_its_report(app):
    handler = TrailCallbackHandler(judge=SlowJudge(), evaluate="inline")
    threads.clear()
    await beside(app.ainvoke("When?", {"callbacks": [handler]}))
    assert len(handler.reports) == 1  # it is there when the app has its answer
    assert handler.errors == []
    assert threading.main_thread() not in threads


async def test_streams_wait_for_their_report_too():
    handler = TrailCallbackHandler(judge=SlowJudge(), evaluate="inline")

    async def read():
        return [chunk async for chunk in CHAIN.astream("When?", {"callbacks": [handler]})]

    assert await beside(read())
    assert len(handler.reports) == 1
    assert handler.errors == []


async def test_a_plain_call_inside_an_event_loop_has_its_report_when_it_returns():
    handler = TrailCallbackHandler(evaluate="inline")
    CHAIN.invoke("When?", {"callbacks": [handler]})
    assert len(handler.reports) == 1


def test_without_an_event_loop_the_call_waits_for_the_session_s_thread():
    handler = TrailCallbackHandler(judge=SlowJudge(), evaluate="inline")
    threads.clear()
    let_go.set()
    CHAIN.invoke("When?", {"callbacks": [handler]})
    assert len(handler.reports) == 1
    assert [thread.name for thread in threads] == ["trail"]


async def test_a_request_that_is_cancelled_while_it_waits_is_cancelled():
    handler = TrailCallbackHandler(judge=SlowJudge(), evaluate="inline")
    task = asyncio.create_task(CHAIN.ainvoke("When?", {"callbacks": [handler]}))
    assert await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    let_go.set()
    assert (await handler.areport(timeout=20)).run_id in handler.reports


def test_a_hook_that_a_subclass_made_a_coroutine_stays_one():
    class Own(TrailCallbackHandler):
        async def on_chain_end(self, outputs, **kwargs):
            seen.append(outputs)

    seen = []
    handler = Own(evaluate="inline")
    asyncio.run(RunnableLambda(lambda x: x).ainvoke("x", {"callbacks": [handler]}))
    assert seen == ["x"]
