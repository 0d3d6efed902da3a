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
from langchain_core.runnables import AddableDict, Runnable
from langchain_core.runnables.history import RunnableWithMessageHistory

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
        self.added += messages

    def clear(self) -> None:
        """Forgets what was added."""
        self.added.clear()

    async def aclear(self) -> None:
        """As `clear`."""
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
    known = {id(message) for message in _messages(given)}
    added = [message for message in _messages(request) if id(message) not in known]
    if not added:
        return request, frozenset()
    named = {
        id(message): message if message.id else message.model_copy(update={"id": f"trail-review-{uuid4()}"})
        for message in added
    }
    messages = [named.get(id(message), message) for message in _all(request)]
    renamed = {**request, "messages": messages} if isinstance(request, Mapping) else messages
    return renamed, frozenset(message.id for message in named.values() if message.id)


def without_reviews(value: Any, ids: Collection[str]) -> Any:
    """Returns a value without the messages with these ids."""
    if not ids:
        return value
    if isinstance(value, list | tuple) and type(value) in {list, tuple}:
        kept = [each for each in value if not (isinstance(each, BaseMessage) and each.id in ids)]
        return type(value)(without_reviews(each, ids) for each in kept)
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # langgraph's snapshot of a channel, for one
        return type(value)(*(without_reviews(each, ids) for each in value))
    if type(value) is dict or type(value) is AddableDict:
        return type(value)((key, without_reviews(each, ids)) for key, each in value.items())
    return value


def _all(value: Any) -> list[Any]:
    listed = value.get("messages") if isinstance(value, Mapping) else value
    return listed if isinstance(listed, list) else []


def _messages(value: Any) -> list[BaseMessage]:
    return [each for each in _all(value) if isinstance(each, BaseMessage)]
