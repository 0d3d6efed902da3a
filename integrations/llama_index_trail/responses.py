"""LlamaIndex's responses: reading what they say, and putting something else in its place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from llama_index_trail.families import is_kind
from llama_index_trail.messages import other_text
from llama_index_trail.pieces import answer_of
from llama_index_trail.streams import is_stream

__all__ = ["is_empty", "joined", "replayed", "said", "streams", "withheld"]

_EMPTY = "Empty Response"


def streams(response: object) -> bool:
    """True for a response whose text is still to come."""
    return is_kind(response, "StreamingResponse", "AsyncStreamingResponse") and is_stream(
        getattr(response, "response_gen", None)
    )


def said(response: Any) -> str:
    """Returns what a response says that is not streamed: a structured one, a line for each of its fields."""
    value = response.response
    if value is None or isinstance(value, str):
        return value or ""
    lines = [f"{'.'.join(map(str, raw.path))}: {raw.text}" if raw.path else raw.text for raw in answer_of(value)]
    return "\n".join(lines) or other_text(value)


def joined(chunks: Sequence[Any]) -> str:
    """Returns the text of a stream; a structured one repeats the whole object as it grows."""
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    if all(isinstance(getattr(chunk, "delta", None), str) for chunk in chunks):
        return "".join(chunk.delta for chunk in chunks)
    lines = [f"{'.'.join(map(str, raw.path))}: {raw.text}" for raw in answer_of(chunks[-1])]
    return "\n".join(lines) or other_text(chunks[-1])


def is_empty(text: str, nodes: Sequence[Any]) -> bool:
    """True for what LlamaIndex says when nothing was found: no model wrote it."""
    return not nodes and text.strip() in {"", _EMPTY}


def replayed(response: Any, chunks: Iterable[Any]) -> Any:
    """Gives a response whose stream has been read a new one."""
    chunks = list(chunks)
    later = is_kind(response, "AsyncStreamingResponse")
    response.response_gen = _again_async(chunks) if later else _again(chunks)
    return response


def withheld(response: Any, message: str) -> Any:
    """Returns a response of the same type, with its sources, that says something else."""
    nodes, metadata = list(response.source_nodes), dict(response.metadata or {})
    if is_kind(response, "StreamingResponse", "AsyncStreamingResponse"):
        return replayed(type(response)(None, source_nodes=nodes, metadata=metadata), [message])
    if is_kind(response, "PydanticResponse"):
        said = _structured()(None, source_nodes=nodes, metadata=metadata)
        said._message = message  # noqa: SLF001 - of the class below
        return said
    return type(response)(message, source_nodes=nodes, metadata=metadata)


def _again(chunks: list[Any]) -> Iterator[Any]:
    yield from chunks


async def _again_async(chunks: list[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


@cache
def _structured() -> type[Any]:
    from llama_index.core.base.response.schema import PydanticResponse, Response  # noqa: PLC0415 - takes seconds

    class WithheldResponse(PydanticResponse):
        """A structured response without content: there is none that the app's class must accept."""

        _message = ""

        def __str__(self) -> str:
            return self._message

        def get_response(self) -> Response:
            return Response(self._message, self.source_nodes, self.metadata)

    return WithheldResponse
