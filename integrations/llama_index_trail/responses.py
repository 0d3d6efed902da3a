"""LlamaIndex's responses: reading their text and replacing it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from llama_index_trail.families import is_kind
from llama_index_trail.messages import other_text
from llama_index_trail.streams import is_stream
from trail_callbacks.guard.withheld import Withheld

__all__ = ["AsyncReplay", "Replay", "is_empty", "replayed", "response_text", "streams", "withheld"]

_EMPTY = "Empty Response"


class Replay(Iterator[Any]):
    """A stream of chunks that are known already. Other than a generator it can be copied and pickled.

    Args:
        chunks: The chunks.
    """

    def __init__(self, chunks: Iterable[Any]) -> None:
        self._left = list(chunks)[::-1]

    def __next__(self) -> Any:
        if not self._left:
            raise StopIteration
        return self._left.pop()


class AsyncReplay(AsyncIterator[Any]):
    """As `Replay`, for `async for`."""

    def __init__(self, chunks: Iterable[Any]) -> None:
        self._left = list(chunks)[::-1]

    async def __anext__(self) -> Any:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop()


def streams(response: object) -> bool:
    """True for a response whose text is still to come."""
    return is_kind(response, "StreamingResponse", "AsyncStreamingResponse") and is_stream(
        getattr(response, "response_gen", None)
    )


def response_text(response: Any) -> str:
    """Returns the text of a response that is not streamed; of a structured one, its JSON."""
    value = response.response
    return value if isinstance(value, str) else other_text(value)


def is_empty(text: str, nodes: Sequence[Any]) -> bool:
    """True for the text that LlamaIndex returns when nothing was found: no model wrote it."""
    return not nodes and text.strip() in {"", _EMPTY}


def replayed(response: Any, chunks: Iterable[Any]) -> Any:
    """Gives a new stream to a response whose stream has been read."""
    response.response_gen = (AsyncReplay if is_kind(response, "AsyncStreamingResponse") else Replay)(chunks)
    return response


def withheld(response: Any, text: Withheld) -> Any:
    """Returns a response of the same type whose text is a message.

    The sources stay; a node or an item of the metadata into which the withheld text was put does not.
    """
    message = text.message
    nodes = text.cleared(list(response.source_nodes or ()))
    metadata = text.cleared(dict(response.metadata or {}))
    if is_kind(response, "StreamingResponse", "AsyncStreamingResponse"):
        return replayed(type(response)(None, source_nodes=nodes, metadata=metadata), [message])
    if is_kind(response, "PydanticResponse"):
        return _withheld_object(message, nodes, metadata)
    return type(response)(message, source_nodes=nodes, metadata=metadata)


def _withheld_object(message: str, nodes: list[Any], metadata: dict[str, Any]) -> Any:
    replacement = _structured()(None, source_nodes=nodes, metadata=metadata)
    replacement._message = message  # noqa: SLF001 - of the class below
    return replacement


@cache
def _structured() -> type[Any]:
    from llama_index.core.base.response.schema import PydanticResponse, Response  # noqa: PLC0415 - takes seconds

    class WithheldResponse(PydanticResponse):
        """A structured response without content: the app's class may accept no other."""

        _message = ""

        def __str__(self) -> str:
            return self._message

        def get_response(self) -> Response:
            return Response(self._message, self.source_nodes, self.metadata)

        def __reduce__(self) -> tuple[Any, ...]:  # pickle finds no class that was made in a function
            return _withheld_object, (self._message, self.source_nodes, self.metadata)

    return WithheldResponse
