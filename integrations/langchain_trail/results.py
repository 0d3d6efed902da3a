"""What calls of a traced runnable return: a result, or a stream that has one at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from langchain_core.messages import AIMessageChunk, BaseMessageChunk
from langchain_core.runnables import AddableDict

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


class TrailStream(Iterator[Out]):
    """The chunks of a stream, unchanged, then a chunk with the report if they are a message's; and the result."""

    def __init__(self, chunks: Iterator[Out], finish: Callable[[Any], TrailResult[Out]], *, attach: bool) -> None:
        self._chunks = chunks
        self._finish = finish
        self._attach = attach
        self._seen: list[Out] = []
        self._done = False
        self._result: TrailResult[Out] | None = None

    def __next__(self) -> Out:
        try:
            chunk = next(self._chunks)
        except StopIteration:
            if self._done or not (self._attach and _is_message(self._seen)):
                self._done = True
                raise
            self._done = True
            return cast("Out", _last(self.result))
        self._seen.append(chunk)
        return unmarked(chunk) if self._attach else chunk

    @property
    def result(self) -> TrailResult[Out]:
        """The result of the call; waits until the verification is finished.

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

    def __init__(
        self, chunks: AsyncIterator[Out], finish: Callable[[Any], Awaitable[TrailResult[Out]]], *, attach: bool
    ) -> None:
        self._chunks = chunks
        self._finish = finish
        self._attach = attach
        self._seen: list[Out] = []
        self._done = False
        self._result: TrailResult[Out] | None = None

    async def __anext__(self) -> Out:
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            if self._done or not (self._attach and _is_message(self._seen)):
                self._done = True
                raise
            self._done = True
            return cast("Out", _last(await self.result()))
        self._seen.append(chunk)
        return unmarked(chunk) if self._attach else chunk

    async def result(self) -> TrailResult[Out]:
        """As `TrailStream.result`."""
        if not self._done:
            raise InputError(_NOT_DONE)
        if self._result is None:
            self._result = await self._finish(_summed(self._seen))
        return self._result


def _summed(chunks: list[Any]) -> Any:
    """The sum of chunks that can be added; a graph's updates cannot."""
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
