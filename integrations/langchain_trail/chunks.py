"""Chunks of a stream: their sum, and those that we add."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import AddableDict

__all__ = ["added", "as_chunk", "trailing"]


def added(chunks: Sequence[Any]) -> Any:
    """Returns the sum of chunks; if they cannot be added, the last one, as LangChain does. None for no chunks."""
    try:
        return reduce(add, chunks) if chunks else None
    except TypeError:
        return chunks[-1]


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
