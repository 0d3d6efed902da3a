"""Chunks of a stream: their sum, and those that we add."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import AddableDict

__all__ = ["added", "as_chunk", "shown", "trailing"]

_DEPTH = 4  # of the updates in what a graph streams: in a tuple with its mode, under its step, in a task's payload


def added(chunks: Sequence[Any]) -> Any:
    """Returns the sum of chunks; if they cannot be added, the last one, as LangChain does. None for no chunks.

    Texts and messages are added all at once: one by one takes time that grows with the square of their number.
    """
    if chunks and all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    if len(chunks) > 1 and all(isinstance(chunk, AIMessageChunk) for chunk in chunks):
        return chunks[0] + list(chunks[1:])
    try:
        return reduce(add, chunks) if chunks else None
    except TypeError:
        return chunks[-1]


def shown(output: Any, chunks: Sequence[Any] | None) -> Any:
    """Returns all that a stream showed, as one output: of a graph's updates, of which `added` is the last, the state.

    Args:
        output: The sum of the chunks.
        chunks: The chunks; None for what was not streamed.
    """
    if not chunks or output is not chunks[-1] or len(chunks) == 1:
        return output
    state: dict[str, Any] = {}
    for chunk in chunks:
        _collect(chunk, state, 0)
    return state or output


def _collect(update: Any, state: dict[str, Any], depth: int) -> None:
    if isinstance(update, tuple):
        for each in update:
            _collect(each, state, depth + 1)
    elif isinstance(update, dict) and depth < _DEPTH:
        state.update(update)
        for each in update.values():
            _collect(each, state, depth + 1)


def as_chunk(output: Any) -> Any:
    """Returns a whole output as the only chunk of a stream."""
    if isinstance(output, AIMessage) and not isinstance(output, AIMessageChunk):
        return AIMessageChunk(
            content=output.content,
            id=output.id,
            name=output.name,
            response_metadata=output.response_metadata,
            usage_metadata=output.usage_metadata,
            chunk_position="last",
        )
    return AddableDict(output) if isinstance(output, dict) else output


def trailing(output: Any, summary: dict[str, Any]) -> list[Any]:
    """Returns the chunks that carry a summary at the end of a stream: none if its chunks are texts."""
    if isinstance(output, AIMessage):
        return [AIMessageChunk(content="", id=output.id, response_metadata={"trail": summary}, chunk_position="last")]
    return [AddableDict(trail=summary)] if isinstance(output, dict) else []
