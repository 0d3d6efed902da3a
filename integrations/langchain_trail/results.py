"""What calls of a traced runnable return: a result, or a stream that has one at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from langchain_core.messages import AIMessageChunk, BaseMessageChunk
from langchain_core.runnables import AddableDict

from langchain_trail.chunks import added
from langchain_trail.reading import unmarked
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

__all__ = ["AsyncTrailStream", "TrailResult", "TrailStream"]

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
