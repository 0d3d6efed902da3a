"""A chat engine's replies: as the user may read them, streamed, and judged after the last token of a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.chat_engine.types import AgentChatResponse, StreamingAgentChatResponse

from llama_index_trail.grounds import sources_of
from llama_index_trail.responses import AsyncReplay, Replay
from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.guard.withheld import Withheld

__all__ = ["cleaned", "followed", "streamed", "withheld"]


def cleaned(reply: AgentChatResponse) -> AgentChatResponse:
    """Takes feedback out of what the tools of an accepted reply were asked."""
    for each in reply.sources:
        each.raw_input = {name: _said(value) for name, value in each.raw_input.items()}
    return reply


def withheld(reply: AgentChatResponse, text: Withheld) -> AgentChatResponse:
    """Returns a reply whose text is a message.

    The sources stay, but for what a query engine answered, and what the withheld text was put into.
    """
    kept = [each for each in cleaned(reply).sources if not sources_of(each)]
    nodes = text.cleared(list(reply.source_nodes))
    return AgentChatResponse(text.message, sources=[each for each in text.cleared(kept) if each], source_nodes=nodes)


def streamed(reply: AgentChatResponse) -> StreamingAgentChatResponse:
    """Returns a reply as a stream of its words, to be read in either way."""
    text, words = reply.response, reply.response.split(" ")
    tokens = [word if i == 0 else f" {word}" for i, word in enumerate(words)]
    message = ChatMessage(role=MessageRole.ASSISTANT, content=text)
    chunks = [ChatResponse(message=message, delta=token) for token in tokens]
    stream: Any = StreamingAgentChatResponse(
        response=text,
        sources=reply.sources,
        source_nodes=reply.source_nodes,
        chat_stream=Replay(chunks),  # type: ignore[arg-type]  # read like a generator
        achat_stream=AsyncReplay(chunks),  # type: ignore[arg-type]  # likewise
        is_function=False,
        is_writing_to_memory=False,
    )
    stream.metadata, stream.is_done = reply.metadata, True
    return stream  # type: ignore[no-any-return]  # the class has no field for metadata


def followed(
    reply: StreamingAgentChatResponse, judge: Callable[[], None], ajudge: Callable[[], Awaitable[None]]
) -> StreamingAgentChatResponse:
    """Lets a reply be judged once its stream has been read to the end.

    Args:
        reply: The reply; the same object is returned, for a thread or task is writing to it.
        judge: Judges it, for those who read with `for`.
        ajudge: As `judge`, for those who read with `async for`.
    """
    reply.__class__ = _Followed
    reply._judging = judge, ajudge  # type: ignore[attr-defined]  # noqa: SLF001 - of the class below
    return reply


class _Followed(StreamingAgentChatResponse):
    _judging: tuple[Callable[[], None], Callable[[], Awaitable[None]]]

    @property
    def response_gen(self) -> Generator[str, None, None]:
        """The tokens."""
        tokens = StreamingAgentChatResponse.response_gen.fget  # type: ignore[attr-defined]  # a property
        yield from tokens(self)
        self._judging[0]()

    async def async_response_gen(self) -> AsyncGenerator[str, None]:
        """As `response_gen`."""
        async for token in super().async_response_gen():
            yield token
        await self._judging[1]()


def _said(value: Any) -> Any:
    return without_feedback(value).rstrip() if isinstance(value, str) else value
