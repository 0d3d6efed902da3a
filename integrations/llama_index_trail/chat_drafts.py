"""A chat engine's memory while a draft is written: it holds back what the engine puts into it, until that is accepted.

A memory may be a database that others read, and may let a model summarise what it is given: a draft that was in it
could not be taken back.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import QueryBundle

from llama_index_trail.drafts import EngineDraft, Request, asked_again, note_history


def _without_waiting(method: Callable[..., None]) -> Callable[..., Coroutine[Any, Any, None]]:
    """The asynchronous form of a method that waits for nothing."""

    @wraps(method)
    async def work(*arguments: Any) -> None:
        method(*arguments)

    return work


class DraftMemory:
    """Stands for a memory while one draft is written."""

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

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Adds messages."""
        self._added += messages

    def set(self, messages: list[ChatMessage]) -> None:
        """Replaces the conversation."""
        given = {name: getattr(self._memory, name, None) for name in ("token_limit", "tokenizer_fn")}
        known = {name: value for name, value in given.items() if value is not None}
        self._before, self._added = ChatMemoryBuffer.from_defaults(chat_history=list(messages), **known), []

    def reset(self) -> None:
        """Empties the conversation."""
        self.set([])

    def keep(self, asked: str, answer: str | None = None) -> None:
        """Writes the draft to the memory behind this one."""
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


for _name in ("put", "put_messages", "set", "reset"):
    setattr(DraftMemory, f"a{_name}", _without_waiting(getattr(DraftMemory, _name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest(Request):
    """What a draft of a chat is asked for."""

    message: str
    history: list[Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class ChatDraft(EngineDraft):
    """A reply of a chat engine."""

    memory: DraftMemory

    def said(self) -> str:
        """Returns the text; the turns before, which its prompts showed, become inputs of the run."""
        note_history()
        return EngineDraft.said(self)  # a class with slots is made anew, which `super()` does not know


def drafting(engine: BaseChatEngine, request: ChatRequest) -> tuple[Any, str, DraftMemory]:
    """Returns a copy of an engine to write a draft with, the message to ask it, and its memory."""
    drafter: Any = copy.copy(engine)
    drafter._memory = memory = DraftMemory(drafter._memory)  # noqa: SLF001 - there is no other way in
    if not request.feedback:
        return drafter, request.message, memory
    if request.nodes is not None and _answers_as(engine, CondenseQuestionChatEngine):
        _give(drafter, "condense_question", asked_again(request))
        return drafter, request.message, memory
    if request.nodes is not None and _answers_as(engine, ContextChatEngine, CondensePlusContextChatEngine):
        _give(drafter, "get_nodes", request.nodes)
        drafter._skip_condense = True  # noqa: SLF001 - as above; the question is for the search
    return drafter, f"{request.message}\n\n{request.feedback}", memory


def revised(request: ChatRequest, draft: ChatDraft, feedback: str) -> ChatRequest:
    """Returns the request for the next draft."""
    if request.nodes is not None:
        return replace(request, feedback=feedback)
    query = next((each.raw_input.get("query") for each in draft.response.sources), None)
    bundle = QueryBundle(query) if isinstance(query, str) else request.query
    return replace(request, feedback=feedback, nodes=list(draft.response.source_nodes), query=bundle)


def _give(drafter: Any, name: str, value: Any) -> None:
    """Lets a step of a chat engine return a value that is known."""

    async def agiven(*_: Any) -> Any:
        return value

    setattr(drafter, f"_{name}", lambda *_: value)
    setattr(drafter, f"_a{name}", agiven)


def _answers_as(engine: BaseChatEngine, *kinds: type) -> bool:
    """True for an engine of one of these classes, unless a subclass answers in a way of its own."""
    names = ("chat", "achat", "_condense_question", "_acondense_question", "_get_nodes", "_aget_nodes")
    kind = next((kind for kind in kinds if isinstance(engine, kind)), None)
    return kind is not None and all(_definer(type(engine), name) is _definer(kind, name) for name in names)


def _definer(kind: type, name: str) -> type | None:
    return next((base for base in kind.__mro__ if name in vars(base)), None)
