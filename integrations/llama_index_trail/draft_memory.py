"""A chat engine's memory while a draft is written: it holds back what the engine puts into it, until that is accepted.

A memory may be a database that others read, and may let a model summarise what it is given: a draft that was in it
could not be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import ChatMemoryBuffer

__all__ = ["DraftMemory"]


class DraftMemory:
    """Stands for a memory while one draft is written.

    Args:
        memory: The memory behind it, which is read, and written to by `keep` alone.
    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._added: list[ChatMessage] = []
        self._before: ChatMemoryBuffer | None = None  # what replaces the conversation so far; None: nothing

    def __getattr__(self, name: str) -> Any:
        """Whatever else the memory has, e.g. its tokenizer."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._memory, name)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002 - as LlamaIndex names it
        """The conversation as the memory selects it, and what was added to it."""
        return [*(self._before or self._memory).get(input, **self._counted(kwargs)), *self._added]

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002 - as above
        """As `get`."""
        return [*await (self._before or self._memory).aget(input, **self._counted(kwargs)), *self._added]

    def get_all(self) -> list[ChatMessage]:
        """The whole conversation."""
        return [*(self._before or self._memory).get_all(), *self._added]

    async def aget_all(self) -> list[ChatMessage]:
        """As `get_all`."""
        return [*await (self._before or self._memory).aget_all(), *self._added]

    def put(self, message: ChatMessage) -> None:
        """Adds a message."""
        self._added.append(message)

    async def aput(self, message: ChatMessage) -> None:
        """As `put`."""
        self.put(message)

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Adds messages."""
        self._added += messages

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """As `put_messages`."""
        self.put_messages(messages)

    def set(self, messages: list[ChatMessage]) -> None:
        """Replaces the conversation."""
        given = {name: getattr(self._memory, name, None) for name in ("token_limit", "tokenizer_fn")}
        known = {name: value for name, value in given.items() if value is not None}
        self._before, self._added = ChatMemoryBuffer.from_defaults(chat_history=list(messages), **known), []

    async def aset(self, messages: list[ChatMessage]) -> None:
        """As `set`."""
        self.set(messages)

    def reset(self) -> None:
        """Empties the conversation."""
        self.set([])

    async def areset(self) -> None:
        """As `reset`."""
        self.reset()

    def keep(self, asked: str, answer: str | None = None) -> None:
        """Writes the draft to the memory behind this one.

        Args:
            asked: What the user wrote; the engine may have been given feedback with it.
            answer: What the user reads in place of the draft; None: the draft.
        """
        if self._before is not None:
            self._memory.set(self._before.get_all())
        for message in self._kept(asked, answer):
            self._memory.put(message)

    async def akeep(self, asked: str, answer: str | None = None) -> None:
        """As `keep`."""
        if self._before is not None:
            await self._memory.aset(self._before.get_all())
        for message in self._kept(asked, answer):
            await self._memory.aput(message)

    async def akeep_added(self, change: Callable[[ChatMessage], ChatMessage | None]) -> None:
        """Writes what an agent put into it during a step, each message as `change` returns it; none that is None."""
        if self._before is not None:
            await self._memory.aset(self._before.get_all())
        for message in map(change, self._added):
            if message is not None:
                await self._memory.aput(message)

    def _kept(self, asked: str, answer: str | None) -> list[ChatMessage]:
        users = [ChatMessage(role=MessageRole.USER, content=asked)]
        if answer is not None:
            return [*users, ChatMessage(role=MessageRole.ASSISTANT, content=answer)]
        return [users.pop() if users and each.role == MessageRole.USER else each for each in self._added]

    def _counted(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments of `get`: what was added takes room of the conversation before it."""
        count, tokens = kwargs.get("initial_token_count"), getattr(self._memory, "tokenizer_fn", None)
        if count is None or tokens is None or not self._added:
            return kwargs
        added = " ".join(each.content or "" for each in self._added)
        return {**kwargs, "initial_token_count": count + len(tokens(added))}
