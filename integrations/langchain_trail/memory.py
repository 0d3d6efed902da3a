"""Keeping drafts out of an app's memory: a history of messages, or the checkpoints of a graph.

Each draft is written by a copy of the app whose memory is read through and not written to. When the user's answer is
decided, what the last draft would have written is written, without the reviews, and without what is withheld.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any
from uuid import uuid4

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.runnables.history import RunnableWithMessageHistory

from langchain_trail.answers import with_messages

Scrub = Callable[[Any], Any]


class Held:
    """An app for one draft; this one has no memory that we know of.

    Attributes:
        runnable: The app to write the draft with.
    """

    def __init__(self, runnable: Runnable[Any, Any]) -> None:
        self.runnable = runnable

    def keep(self, scrub: Scrub) -> None:
        """Writes to the memory what the draft would have written, as `scrub` changes it."""

    async def akeep(self, scrub: Scrub) -> None:
        """As `keep`."""


class _HeldHistory(Held):
    """An app with a history of messages; it is not changed."""

    def __init__(self, app: RunnableWithMessageHistory) -> None:
        self._draft: _DraftHistory | None = None
        find = app.get_session_history

        @wraps(find)  # its parameters are read from its signature
        def found(*args: Any, **kwargs: Any) -> BaseChatMessageHistory:
            self._draft = _DraftHistory(find(*args, **kwargs))
            return self._draft

        super().__init__(app.model_copy(update={"get_session_history": found}))

    def keep(self, scrub: Scrub) -> None:
        if self._draft is not None and self._draft.added:
            self._draft.history.add_messages(scrub(self._draft.added))

    async def akeep(self, scrub: Scrub) -> None:
        if self._draft is not None and self._draft.added:
            await self._draft.history.aadd_messages(await asyncio.to_thread(scrub, self._draft.added))


class _DraftHistory(BaseChatMessageHistory):
    """Shows a history, and holds back what is added to it."""

    def __init__(self, history: BaseChatMessageHistory) -> None:
        self.history = history
        self.added: list[BaseMessage] = []

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # in the base class it is an attribute
        return [*self.history.messages, *self.added]

    async def aget_messages(self) -> list[BaseMessage]:
        return [*await self.history.aget_messages(), *self.added]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.added += messages

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.add_messages(messages)

    def clear(self) -> None:
        """Forgets what was added."""
        self.added.clear()


def held(runnable: Runnable[Any, Any]) -> Held:
    """Returns an app for one draft."""
    if isinstance(runnable, RunnableWithMessageHistory):
        return _HeldHistory(runnable)
    if "langgraph.pregel" in sys.modules and getattr(runnable, "checkpointer", None):
        from langchain_trail.checkpoints import HeldCheckpoints, has_checkpoints  # noqa: PLC0415 - may not be installed

        if has_checkpoints(runnable):
            return HeldCheckpoints(runnable)
    return Held(runnable)


def identified(given: Any, request: Any) -> tuple[Any, frozenset[str]]:
    """Gives an id to each message that a request has more than the app was given: a draft and its review."""
    known, names = {id(each) for each in _messages(given)}, set[str]()

    def named(message: Any) -> Any:
        if not isinstance(message, BaseMessage) or id(message) in known:
            return message
        if not message.id:
            message = message.model_copy(update={"id": f"trail-review-{uuid4()}"})
        names.add(message.id)
        return message

    messages = [named(each) for each in _messages(request)]
    if not names:
        return request, frozenset()
    return {**request, "messages": messages} if isinstance(request, Mapping) else messages, frozenset(names)


def without_reviews(value: Any, ids: Collection[str]) -> Any:
    """Returns a value without the messages with these ids."""
    return with_messages(value, lambda message: None if message.id in ids else message) if ids else value


def _messages(value: Any) -> list[Any]:
    listed = value.get("messages") if isinstance(value, Mapping) else value
    return listed if isinstance(listed, list) else []
