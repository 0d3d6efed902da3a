"""Apps that stop reading, or are stopped: the report is of what was read, and is found."""

import asyncio
import gc
import sys
import threading
import time

import pytest
from llama_index.core import SummaryIndex
from llama_index.core.chat_engine.types import StreamingAgentChatResponse
from llama_index.core.llms import CompletionResponse
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import TextNode
from llama_index.core.workflow import Context, Event, StartEvent, StopEvent, Workflow, step
from llama_index_trail import areport_for, instrument, report_for, trail
from llama_index_trail.spans import OpenSpan, OpenTrace
from llama_index_trail.tracker import TRACKER, Tracker
from workflows.errors import WorkflowCancelledByUser

from .conftest import Rules

pytestmark = pytest.mark.filterwarnings(  # LlamaIndex leaves the event loops open that it makes for synchronous chats
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

ANSWER = "Titan was discovered in 1655. It was found at The Hague in 1700, they say."
SOURCE = "Saturn's moon Titan was discovered by Christiaan Huygens in 1655."
READ = 5


class Slow(Rules):
    """Takes a moment for each token."""

    @llm_completion_callback()
    async def astream_complete(self, prompt, formatted=False, **kwargs):
        async def parts():
            text = ""
            for word in ANSWER.split(" "):
                await asyncio.sleep(0.01)
                text += (delta := f" {word}" if text else word)
                yield CompletionResponse(text=text, delta=delta)

        return parts()

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        for part in super().stream_complete(prompt, formatted, **kwargs):
            time.sleep(0.02)
            yield part


class Token(Event):
    text: str


class Spoken(Workflow):
    """Streams its tokens as events."""

    llm: object = None

    @step
    async def say(self, ctx: Context, ev: StartEvent) -> StopEvent:
        async for part in await self.llm.astream_complete(f"Context: {SOURCE}"):
            ctx.write_event_to_stream(Token(text=part.delta))
        return StopEvent(result=ANSWER)


def model():
    return Slow(rules=[("", ANSWER)])


def asked(kind, llm):
    index = SummaryIndex([TextNode(text=SOURCE)])
    if kind.startswith("query"):
        return index.as_query_engine(llm=llm, streaming=True)
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000, tokenizer_fn=str.split)
    return index.as_chat_engine(chat_mode="context", llm=llm, memory=memory)


def check(report, read):
    assert report.graph.answer.text.strip() == "".join(read).strip()
    assert report.graph.answer.attributes["cut"] is True
    assert report.cut
    assert report.summary()["cut"] is True
    assert "cut off" in report.warnings[0]


@pytest.mark.parametrize("kind", ["query", "chat"])
@pytest.mark.parametrize("how", ["close", "drop"])
def test_a_sync_stream_whose_reader_leaves(kind, how):
    with trail() as t:
        engine = asked(kind, model())
        response = engine.query("Who?") if kind == "query" else engine.stream_chat("Who?")
        stream = response.response_gen
        read = [next(stream) for _ in range(READ)]
        if how == "close":
            stream.close()
            check(report_for(response), read)
        del stream, response
        gc.collect()
    check(t.report, read)
    assert t.errors == []


@pytest.mark.parametrize("how", ["aclose", "drop", "cancelled between", "cancelled within"])
@pytest.mark.parametrize("kind", ["query", "query as given", "chat"])
async def test_an_async_stream_whose_reader_leaves(kind, how):
    """The host sees its own exception, and nothing of ours."""
    recording, read, enough, kept = instrument(), [], asyncio.Event(), []

    async def consume():
        engine = asked(kind, model())
        if kind.startswith("query"):
            response = await engine.aquery("Who?")
            stream = response.response_gen if kind == "query" else response.async_response_gen()
        else:
            response = await engine.astream_chat("Who?")
            stream = response.async_response_gen()
        kept.extend([response] * (how in {"aclose", "cancelled within"}))
        async for token in stream:
            read.append(token)
            if len(read) == READ:
                enough.set()
                if how == "cancelled between":
                    await asyncio.sleep(30)
                if not how.startswith("cancelled"):
                    break
        if how == "aclose":
            await stream.aclose()

    task = asyncio.create_task(consume())
    if how.startswith("cancelled"):
        await enough.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        assert await task is None
    del task
    gc.collect()
    while not kept and not recording.reports:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.005)  # the loop closes it when it comes to that
    report = await (areport_for(kept[0]) if kept else recording.areport())
    check(report, read)
    assert recording.reports[report.run_id] is report
    assert recording.errors == []


@pytest.mark.parametrize("kind", ["query", "chat"])
async def test_a_slow_reader_that_reads_all_is_not_cut(kind):
    with trail() as t:
        engine, read = asked(kind, model()), []
        if kind == "query":
            stream = (await engine.aquery("Who?")).response_gen
        else:
            stream = (await engine.astream_chat("Who?")).async_response_gen()
        async for token in stream:
            await asyncio.sleep(0.02)
            read.append(token)
        assert "".join(read) == ANSWER
    report = await t.areport()
    assert (report.graph.answer.text, report.cut) == (ANSWER, False)


async def test_a_workflow_that_is_cancelled_while_its_events_are_read():
    with trail() as t:
        flow = Spoken(timeout=30)
        flow.llm = model()
        running, read = flow.run(), []
        async for event in running.stream_events():
            if isinstance(event, Token):
                read.append(event.text)
                if len(read) == READ:
                    await running.cancel_run()
                    break
        with pytest.raises(WorkflowCancelledByUser):
            await running
    report = await t.areport()
    assert report.cut
    assert ANSWER.startswith(report.graph.answer.text)
    assert report.graph.answer.text.startswith("".join(read))
    assert t.errors == []


async def test_of_a_workflow_whose_events_nobody_reads_on_the_whole_result_is_judged():
    with trail() as t:
        flow = Spoken(timeout=30)
        flow.llm = model()
        running = flow.run()
        async for event in running.stream_events():
            if isinstance(event, Token):
                break
        assert await running == ANSWER
    report = await t.areport()
    assert (report.graph.answer.text, report.cut) == (ANSWER, False)


def test_nothing_is_attached_where_it_is_not_wanted():
    with trail(attach=False) as t:
        response = asked("query", Rules(rules=[("", ANSWER)])).query("Who?")
        assert "".join(response.response_gen).strip() == ANSWER
    assert "trail" not in (response.metadata or {})
    assert report_for(response) == t.report


def test_chats_that_end_on_many_threads_leave_nothing_behind():
    """Each reads and changes what all share; threads take turns as often as they can."""
    instrument(evaluate="never")
    tracker, faults = Tracker(), []

    def chats():
        try:
            for _ in range(300):
                trace, response = OpenTrace(TRACKER.installed), StreamingAgentChatResponse()
                root = OpenSpan("root", trace, "stream_chat", None)
                tracker._await_writer(root, response)
                tracker._drop(trace)
                tracker._lost.append(int)
                tracker._end_lost()
        except (IndexError, RuntimeError) as fault:
            faults.append(fault)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=chats) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert (faults, len(tracker._chats)) == ([], 0)
