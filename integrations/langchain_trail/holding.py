"""Keeping drafts out of an app's memory: a history of messages, or the checkpoints of a graph.

Each draft is written by a copy of the app whose memory is read through and not written to. When the user's answer is
decided, what the last draft would have written is written, without the reviews, and without what is withheld.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, Protocol
from uuid import uuid4

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage
from langchain_core.runnables import AddableDict, Runnable
from langchain_core.runnables.history import RunnableWithMessageHistory

from langchain_trail.withholding import cleared
from trail_callbacks.guard.withheld import Withheld

__all__ = ["Holder", "holding", "identified", "withholding", "without_reviews"]

Scrub = Callable[[Any], Any]


class Holder(Protocol):
    """An app whose memory is held back while one draft is written.

    Attributes:
        runnable: The app to write the draft with.
    """

    runnable: Runnable[Any, Any]

    def keep(self, scrub: Scrub) -> None:
        """Writes to the memory what the draft would have written, as `scrub` changes it."""

    async def akeep(self, scrub: Scrub) -> None:
        """As `keep`."""


class _Forgetful:
    """An app without a memory that we know of."""

    def __init__(self, runnable: Runnable[Any, Any]) -> None:
        self.runnable = runnable

    def keep(self, scrub: Scrub) -> None:
        """There is nothing to write."""

    async def akeep(self, scrub: Scrub) -> None:
        """As `keep`."""


class _HeldHistory:
    """A `Holder` of an app with a history of messages.

    Args:
        app: The app; it is not changed.
    """

    def __init__(self, app: RunnableWithMessageHistory) -> None:
        self._draft: _DraftHistory | None = None
        find = app.get_session_history

        @wraps(find)  # its parameters are read from its signature
        def found(*args: Any, **kwargs: Any) -> BaseChatMessageHistory:
            self._draft = _DraftHistory(find(*args, **kwargs))
            return self._draft

        self.runnable: Runnable[Any, Any] = app.model_copy(update={"get_session_history": found})

    def keep(self, scrub: Callable[[Any], Any]) -> None:
        """See `Holder`."""
        if self._draft is not None and self._draft.added:
            self._draft.history.add_messages(scrub(self._draft.added))

    async def akeep(self, scrub: Callable[[Any], Any]) -> None:
        """As `keep`."""
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


def holding(runnable: Runnable[Any, Any]) -> Holder:
    """Returns an app for one draft."""
    if isinstance(runnable, RunnableWithMessageHistory):
        return _HeldHistory(runnable)
    if "langgraph.pregel" in sys.modules and getattr(runnable, "checkpointer", None):
        from langchain_trail.checkpoints import HeldCheckpoints, has_checkpoints  # noqa: PLC0415 - may not be installed

        if has_checkpoints(runnable):
            return HeldCheckpoints(runnable)
    return _Forgetful(runnable)


def identified(given: Any, request: Any) -> tuple[Any, frozenset[str]]:
    """Gives an id to each message that a request has more than the app was given: a draft and its review.

    Returns:
        The request with these ids, and the ids.
    """
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
    return _changed(value, ids) if ids else value


def withholding(ids: Collection[str], withheld: Withheld) -> Scrub:
    """Makes a function that drops messages with these ids, and whatever carries a text that is withheld.

    Args:
        ids: See `without_reviews`.
        withheld: What the user does not get.
    """
    return lambda value: cleared(without_reviews(value, ids), withheld)


def _changed(value: Any, ids: Collection[str]) -> Any:
    if isinstance(value, list | tuple) and type(value) in {list, tuple}:
        kept = [each for each in value if not (isinstance(each, BaseMessage) and each.id in ids)]
        return type(value)(_changed(each, ids) for each in kept)
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # langgraph's snapshot of a channel, for one
        return type(value)(*(_changed(each, ids) for each in value))
    if type(value) is dict or type(value) is AddableDict:
        return type(value)((key, _changed(each, ids)) for key, each in value.items())
    return value


def _all(value: Any) -> list[Any]:
    listed = value.get("messages") if isinstance(value, Mapping) else value
    return listed if isinstance(listed, list) else []


def _messages(value: Any) -> list[BaseMessage]:
    return [each for each in _all(value) if isinstance(each, BaseMessage)]
