import asyncio
import threading

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler

from trail_callbacks.judges.local.judge import LocalJudge


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
