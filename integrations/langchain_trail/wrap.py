"""`traced(runnable)`: the same calls, each answered with output, report and graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast
from uuid import UUID, uuid4

from langchain_core.messages import AIMessageChunk, BaseMessageChunk
from langchain_core.runnables import AddableDict, Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.answers import noted
from langchain_trail.events import adispatch, dispatch
from langchain_trail.handler import TrailCallbackHandler
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["AsyncTrailStream", "Traced", "TrailResult", "TrailStream", "traced"]

In = TypeVar("In")
Out = TypeVar("Out")
_NOT_DONE = "the stream is not exhausted: read it to its end before asking for its result"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailResult(Generic[Out]):
    """What one call gave.

    Attributes:
        output: What the app returned; of a stream the sum of its chunks, or their list if they do not add. A message
            that answers, alone or in `messages`, is a copy with the report's summary in `response_metadata["trail"]`.
        report: What the judge says about it.
        graph: The texts it came from.
    """

    output: Out
    report: Report
    graph: ProvenanceGraph


class Traced(Generic[In, Out]):
    """A runnable whose calls answer with a `TrailResult`. Made by `traced`.

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

    def batch(
        self,
        inputs: Sequence[In],
        config: RunnableConfig | Sequence[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[TrailResult[Out]]:
        """Calls the app with each input; one result each, in order.

        With `return_exceptions`, an exception stands in the list in place of its result, as in `Runnable.batch`.
        """
        ids, configs = self._prepared_batch(len(inputs), config)
        outputs = self._runnable.batch(list(inputs), configs, return_exceptions=return_exceptions, **kwargs)
        return [
            cast("TrailResult[Out]", output) if isinstance(output, BaseException) else self._result(output, run_id)
            for run_id, output in zip(ids, outputs, strict=True)
        ]

    async def abatch(
        self,
        inputs: Sequence[In],
        config: RunnableConfig | Sequence[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[TrailResult[Out]]:
        """As `batch`, without blocking the event loop."""
        ids, configs = self._prepared_batch(len(inputs), config)
        outputs = await self._runnable.abatch(list(inputs), configs, return_exceptions=return_exceptions, **kwargs)
        return [
            cast("TrailResult[Out]", output)
            if isinstance(output, BaseException)
            else await self._aresult(output, run_id)
            for run_id, output in zip(ids, outputs, strict=True)
        ]

    def stream(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> TrailStream[Out]:  # noqa: A002 - as Runnable names it
        """Streams the app's chunks unchanged; `.result` of the stream is there once it is exhausted.

        After a message's chunks comes one more, empty, with the report's summary in `response_metadata["trail"]`: the
        stream ends when the verification does. Texts and a graph's updates have no place for that, and end at once.
        """
        run_id, merged = self._prepared(config)
        return TrailStream(self._runnable.stream(input, merged, **kwargs), lambda out: self._result(out, run_id))

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

    def _prepared_batch(
        self, n: int, config: RunnableConfig | Sequence[RunnableConfig] | None
    ) -> tuple[list[str], list[RunnableConfig]]:
        given = list(config) if isinstance(config, Sequence) else [config] * n
        if given and config is not None and not isinstance(config, Sequence) and config.get("run_id"):
            # One id cannot name several runs; LangChain gives it to the first and so do we.
            given[1:] = [cast("RunnableConfig", {k: v for k, v in config.items() if k != "run_id"})] * (n - 1)
        prepared = [self._prepared(each) for each in given]
        return [run_id for run_id, _ in prepared], [merged for _, merged in prepared]

    def _result(self, output: Out, run_id: str) -> TrailResult[Out]:
        try:
            report = self.handler.report(run_id)
        except Exception as error:  # noqa: BLE001 - the app has its answer; a report we cannot give must not take it away
            report = _no_report(error)
        return _resulting(output, report)

    async def _aresult(self, output: Out, run_id: str) -> TrailResult[Out]:
        try:
            report = await self.handler.areport(run_id)
        except Exception as error:  # noqa: BLE001 - as above
            report = _no_report(error)
        return _resulting(output, report)


def traced(
    runnable: Runnable[In, Out],
    judge: JudgeLike = None,
    *,
    options: VerifyOptions | None = None,
    redact: Callable[[str], str] | None = None,
    on_report: Callable[[Report], None] | None = None,
    max_traces: int = 4_096,
) -> Traced[In, Out]:
    """Wraps an app so that each call gives its output, its report and its graph.

        result = traced(chain).invoke(question)
        result.output, result.report.hallucination_score, result.graph

    A call returns when its report is there. To get the answer first and the report later, use `trail()`.

    Args:
        runnable: A chain, graph or agent; it is not changed.
        judge: See `TrailCallbackHandler`, as for the other arguments.
        options: Likewise.
        redact: Likewise.
        on_report: Likewise.
        max_traces: Likewise; a batch larger than this loses its oldest reports.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    handler = TrailCallbackHandler(judge, options=options, redact=redact, on_report=on_report, max_traces=max_traces)
    return Traced(runnable, handler)


class TrailStream(Iterator[Out]):
    """The chunks of a stream, unchanged, a last one with the report if they are a message's, and what came of it."""

    def __init__(self, chunks: Iterator[Out], finish: Callable[[Any], TrailResult[Out]]) -> None:
        self._chunks = chunks
        self._finish = finish
        self._seen: list[Out] = []
        self._done = False
        self._result: TrailResult[Out] | None = None

    def __next__(self) -> Out:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            if self._done or not _is_message(self._seen):
                self._done = True
                raise
            self._done = True
            return cast("Out", _last(self.result))
        self._seen.append(chunk)
        return chunk

    @property
    def result(self) -> TrailResult[Out]:
        """What the call gave; waits until the verification is finished.

        Raises:
            InputError: If the stream is not exhausted.
        """
        if not self._done:
            raise InputError(_NOT_DONE)
        if self._result is None:
            self._result = self._finish(_summed(self._seen))
        return self._result


class AsyncTrailStream(AsyncIterator[Out]):
    """As `TrailStream`, for `async for`."""

    def __init__(self, chunks: AsyncIterator[Out], finish: Callable[[Any], Awaitable[TrailResult[Out]]]) -> None:
        self._chunks = chunks
        self._finish = finish
        self._seen: list[Out] = []
        self._done = False
        self._result: TrailResult[Out] | None = None

    async def __anext__(self) -> Out:
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            if self._done or not _is_message(self._seen):
                self._done = True
                raise
            self._done = True
            return cast("Out", _last(await self.result()))
        self._seen.append(chunk)
        return chunk

    async def result(self) -> TrailResult[Out]:
        """As `TrailStream.result`."""
        if not self._done:
            raise InputError(_NOT_DONE)
        if self._result is None:
            self._result = await self._finish(_summed(self._seen))
        return self._result


def _summed(chunks: list[Any]) -> Any:
    """Adds chunks that are made to be added; a graph's updates are no such thing."""
    if chunks and all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    if chunks and all(isinstance(chunk, BaseMessageChunk | AddableDict) for chunk in chunks):
        return reduce(add, chunks)
    return chunks


def _is_message(chunks: list[Any]) -> bool:
    return bool(chunks) and all(isinstance(chunk, AIMessageChunk) for chunk in chunks)


def _last(result: TrailResult[Any]) -> AIMessageChunk:
    metadata = {"trail": result.report.summary()}
    return AIMessageChunk(content="", id=result.output.id, response_metadata=metadata, chunk_position="last")


def _resulting(output: Any, report: Report) -> TrailResult[Any]:
    return TrailResult(output=noted(output, report.summary()), report=report, graph=report.graph)


def _no_report(error: Exception) -> Report:
    return Report(state="error", graph=ProvenanceGraph(nodes=()), warnings=(f"no report: {error}",))
