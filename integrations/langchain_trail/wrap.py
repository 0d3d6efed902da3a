"""`traced(runnable)`: the same calls, each of which returns output, report and graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack
from uuid import UUID, uuid4

from langchain_core.messages import BaseMessageChunk
from langchain_core.runnables import AddableDict, Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.answers import added
from langchain_trail.drafts import adispatch, dispatch
from langchain_trail.handler import TrailCallbackHandler
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
            that answers, alone or in `messages`, has the report's summary in `response_metadata["trail"]`.
        report: The report on it.
        graph: The provenance graph: the texts it came from.
        trace: The recorded run, which can be saved, and verified again later.
    """

    output: Out
    report: Report
    graph: ProvenanceGraph
    trace: Trace


class _Chunks(Generic[Out]):
    """The chunks of a stream so far."""

    def __init__(self, chunks: Any, finish: Callable[[Any], Any]) -> None:
        self._chunks = chunks
        self._finish = finish
        self._seen: list[Out] = []
        self._done = False
        self._result: TrailResult[Out] | None = None

    def _kept(self, chunk: Out) -> Out:
        self._seen.append(chunk)
        return chunk

    def _sum(self) -> Any:
        """The sum of the chunks, or their list: a graph's updates cannot be added."""
        if not self._done:
            raise InputError(_NOT_DONE)
        adds = self._seen and all(isinstance(each, str | BaseMessageChunk | AddableDict) for each in self._seen)
        return added(self._seen) if adds else self._seen


class TrailStream(_Chunks[Out], Iterator[Out]):
    """The chunks of a stream, and the result."""

    def __next__(self) -> Out:
        try:
            return self._kept(next(self._chunks))
        except StopIteration:
            self._done = True
            raise

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
            self._done = True
            raise

    async def result(self) -> TrailResult[Out]:
        """As `TrailStream.result`."""
        if self._result is None:
            self._result = await self._finish(self._sum())
        return self._result


_MAX_TRACES = 4_096


class Traced(Generic[In, Out]):
    """A runnable whose calls return a `TrailResult`. Made by `traced`.

    Exceptions of the app pass through unchanged; the graph of such a run is `handler.graph()`.

    Attributes:
        handler: The handler behind it, with all reports and errors.
    """

    def __init__(self, runnable: Runnable[In, Out], handler: TrailCallbackHandler) -> None:
        self._runnable = runnable
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
        """Streams the app's chunks; `.result` of the stream is there once it is exhausted.

        The last chunk of a message has the report's summary in `response_metadata["trail"]`, when that is ready.
        """
        run_id, merged = self._prepared(config)
        chunks = self._runnable.stream(input, merged, **kwargs)
        return TrailStream(chunks, lambda out: self._result(out, run_id))

    def astream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncTrailStream[Out]:  # noqa: A002 - as Runnable names it
        """As `stream`; await `.result()` once it is exhausted."""
        run_id, merged = self._prepared(config)
        chunks = self._runnable.astream(input, merged, **kwargs)
        return AsyncTrailStream(chunks, lambda out: self._aresult(out, run_id))

    def _prepared(self, config: RunnableConfig | None) -> tuple[str, RunnableConfig]:
        """The user's config, copied, with our handler and an id by which to find the run again."""
        merged = merge_configs(config or {}, {"callbacks": [self.handler]})
        run_id: UUID = merged.get("run_id") or uuid4()
        merged["run_id"] = run_id
        return str(run_id), merged

    def _result(self, output: Out, run_id: str) -> TrailResult[Out]:
        try:
            report = self.handler.report(run_id)
        except Exception as error:  # noqa: BLE001 - a report that cannot be made must not cost the app its answer
            report = _no_report(error)
        return self._resulting(output, report, run_id)

    async def _aresult(self, output: Out, run_id: str) -> TrailResult[Out]:
        try:
            report = await self.handler.areport(run_id)
        except Exception as error:  # noqa: BLE001 - as above
            report = _no_report(error)
        return self._resulting(output, report, run_id)

    def _resulting(self, output: Any, report: Report, run_id: str) -> TrailResult[Any]:
        try:
            trace = self.handler.trace(run_id)
        except Exception as error:  # noqa: BLE001 - as above
            from trail_callbacks.trace import Trace  # noqa: PLC0415 - it hardly ever happens

            trace = Trace(id=run_id, events=(), warnings=(f"no trace: {error}",))
        return TrailResult(output=output, report=report, graph=report.graph, trace=trace)


def _no_report(error: Exception) -> Report:
    return Report(state="error", graph=ProvenanceGraph(nodes=()), warnings=(f"no report: {error}",))


@shows_settings(CaptureSettings, RecordKeywords, keep=Retention(runs=_MAX_TRACES))
def traced(runnable: Runnable[In, Out], judge: JudgeLike = None, **settings: Unpack[RecordKeywords]) -> Traced[In, Out]:
    """Wraps an app so that each call gives its output, its report and its graph.

        result = traced(chain).invoke(question)
        result.output, result.report.hallucination_score, result.graph

    A call returns when its report is ready. To get the answer first and the report later, use `trail()`.

    Args:
        runnable: A chain, graph or agent; it is not changed.
        judge: See `TrailCallbackHandler`.
        **settings: See `TrailCallbackHandler`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    if not isinstance(runnable, Runnable):
        raise InputError(f"traced() takes a runnable, got {type(runnable).__name__}")
    settings.setdefault("keep", Retention(runs=_MAX_TRACES))
    return Traced(runnable, TrailCallbackHandler(judge, **settings))
