"""`traced(runnable)`: the same calls, each of which returns output, report and graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, cast
from uuid import UUID, uuid4

from langchain_core.messages import AIMessageChunk, BaseMessageChunk
from langchain_core.runnables import AddableDict, Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.answers import added, with_message_summary
from langchain_trail.drafts import adispatch, dispatch
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.hooks import unmarked
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.session import CaptureSettings, Retention
from trail_callbacks.session.settings import RecordKeywords
from trail_callbacks.signatures import shows_settings

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

In = TypeVar("In")
Out = TypeVar("Out")
_NOT_DONE = "the stream is not exhausted: read it to its end before asking for its result"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailResult(Generic[Out]):
    """The result of one call.

    Attributes:
        output: What the app returned; of a stream the sum of its chunks, or their list if they do not add. A message
            that answers, alone or in `messages`, is a copy with the report's summary in `response_metadata["trail"]`.
        report: The report on it.
        graph: The provenance graph: the texts it came from.
        trace: The recorded run, which can be saved, and verified again later.
    """

    output: Out
    report: Report
    graph: ProvenanceGraph
    trace: Trace


class _Chunks(Generic[Out]):
    """The chunks of a stream so far. A last one, with the report, follows those of a message."""

    def __init__(self, chunks: Any, finish: Callable[[Any], Any], *, attach: bool) -> None:
        self._chunks = chunks
        self._finish = finish
        self._attach = attach
        self._seen: list[Out] = []
        self._done = False
        self._result: TrailResult[Out] | None = None

    def _kept(self, chunk: Out) -> Out:
        self._seen.append(chunk)
        return unmarked(chunk) if self._attach else chunk

    def _ends_with_report(self) -> bool:
        done, self._done = self._done, True
        return not done and self._attach and bool(self._seen) and all(map(_is_message, self._seen))

    def _sum(self) -> Any:
        """The sum of the chunks, or their list: a graph's updates cannot be added."""
        if not self._done:
            raise InputError(_NOT_DONE)
        adds = self._seen and all(isinstance(each, str | BaseMessageChunk | AddableDict) for each in self._seen)
        return added(self._seen) if adds else self._seen


class TrailStream(_Chunks[Out], Iterator[Out]):
    """The chunks of a stream, unchanged, then a chunk with the report if they are a message's; and the result."""

    def __next__(self) -> Out:
        try:
            return self._kept(next(self._chunks))
        except StopIteration:
            if not self._ends_with_report():
                raise
        return cast("Out", _last(self.result))

    @property
    def result(self) -> TrailResult[Out]:
        """The result of the call; waits until the verification is finished.

        Raises:
            InputError: If the stream is not exhausted.
        """
        if self._result is None:
            self._result = self._finish(self._sum())
        return self._result


class AsyncTrailStream(_Chunks[Out], AsyncIterator[Out]):
    """As `TrailStream`, for `async for`."""

    async def __anext__(self) -> Out:
        try:
            return self._kept(await anext(self._chunks))
        except StopAsyncIteration:
            if not self._ends_with_report():
                raise
        return cast("Out", _last(await self.result()))

    async def result(self) -> TrailResult[Out]:
        """As `TrailStream.result`."""
        if self._result is None:
            self._result = await self._finish(self._sum())
        return self._result


def _is_message(chunk: object) -> bool:
    return isinstance(chunk, AIMessageChunk)


def _last(result: TrailResult[Any]) -> AIMessageChunk:
    metadata = {"trail": result.report.summary()}
    return AIMessageChunk(content="", id=result.output.id, response_metadata=metadata, chunk_position="last")


_MAX_TRACES = 4_096


class Traced(Generic[In, Out]):
    """A runnable whose calls return a `TrailResult`. Made by `traced`.

    Exceptions of the app pass through unchanged; the graph of such a run is `handler.graph()`.

    Attributes:
        handler: The handler behind it, with all reports and errors.
    """

    def __init__(self, runnable: Runnable[In, Out], handler: TrailCallbackHandler, *, attach: bool = True) -> None:
        self._runnable = runnable
        self._attach = attach
        self.handler = handler

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> TrailResult[Out]:  # noqa: A002 - as Runnable names it
        """Calls the app and verifies its answer."""
        run_id, merged = self._prepared(config)
        result = self._result(self._runnable.invoke(input, merged, **kwargs), run_id)
        dispatch(result.report.summary(), config or {})
        return result

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> TrailResult[Out]:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""
        run_id, merged = self._prepared(config)
        result = await self._aresult(await self._runnable.ainvoke(input, merged, **kwargs), run_id)
        await adispatch(result.report.summary(), config or {})
        return result

    def stream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> TrailStream[Out]:  # noqa: A002 - as Runnable names it
        """Streams the app's chunks unchanged; `.result` of the stream is there once it is exhausted.

        After a message's chunks comes one more, empty, with the report's summary in `response_metadata["trail"]`: the
        stream ends when the verification does. Texts and a graph's updates have no place for it, and end at once.
        """
        run_id, merged = self._prepared(config)
        chunks = self._runnable.stream(input, merged, **kwargs)
        return TrailStream(chunks, lambda out: self._result(out, run_id), attach=self._attach)

    def astream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncTrailStream[Out]:  # noqa: A002 - as Runnable names it
        """As `stream`; await `.result()` once it is exhausted."""
        run_id, merged = self._prepared(config)
        chunks = self._runnable.astream(input, merged, **kwargs)
        return AsyncTrailStream(chunks, lambda out: self._aresult(out, run_id), attach=self._attach)

    def _prepared(self, config: RunnableConfig | None) -> tuple[str, RunnableConfig]:
        """The user's config, copied, with our handler and an id by which to find the run again."""
        merged = merge_configs(config or {}, {"callbacks": [self.handler]})
        run_id: UUID = merged.get("run_id") or uuid4()
        merged["run_id"] = run_id
        return str(run_id), merged

    def _result(self, output: Out, run_id: str) -> TrailResult[Out]:
        try:
            return self._resulting(output, self.handler.report(run_id), self.handler.trace(run_id))
        except Exception as error:  # noqa: BLE001 - a report that cannot be made must not cost the app its answer
            return self._without_report(output, run_id, error)

    async def _aresult(self, output: Out, run_id: str) -> TrailResult[Out]:
        try:
            return self._resulting(output, await self.handler.areport(run_id), self.handler.trace(run_id))
        except Exception as error:  # noqa: BLE001 - as above
            return self._without_report(output, run_id, error)

    def _resulting(self, output: Any, report: Report, trace: Trace) -> TrailResult[Any]:
        shown = with_message_summary(output, report.summary()) if self._attach else output
        return TrailResult(output=shown, report=report, graph=report.graph, trace=trace)

    def _without_report(self, output: Any, run_id: str, error: Exception) -> TrailResult[Any]:
        from trail_callbacks.trace import Trace  # noqa: PLC0415 - it hardly ever happens

        why = (f"no report: {error}",)
        report = Report(state="error", graph=ProvenanceGraph(nodes=()), warnings=why)
        return self._resulting(output, report, Trace(id=run_id, events=(), warnings=why))


@shows_settings(CaptureSettings, RecordKeywords, keep=Retention(runs=_MAX_TRACES))
def traced(runnable: Runnable[In, Out], judge: JudgeLike = None, **settings: Unpack[RecordKeywords]) -> Traced[In, Out]:
    """Wraps an app so that each call gives its output, its report and its graph.

        result = traced(chain).invoke(question)
        result.output, result.report.hallucination_score, result.graph

    A call returns when its report is ready. To get the answer first and the report later, use `trail()`.

    Args:
        runnable: A chain, graph or agent; it is not changed.
        judge: See `TrailCallbackHandler`.
        **settings: See `TrailCallbackHandler`. A batch larger than `Retention.runs` loses its oldest reports.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    if not isinstance(runnable, Runnable):
        raise InputError(f"traced() takes a runnable, got {type(runnable).__name__}")
    settings.setdefault("keep", Retention(runs=_MAX_TRACES))
    attach = settings.get("attach", True)
    settings["attach"] = False  # the report goes on a copy of the message, when it is ready
    return Traced(runnable, TrailCallbackHandler(judge, **settings), attach=attach)
