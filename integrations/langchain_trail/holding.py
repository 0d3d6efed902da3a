"""Keeping drafts out of an app's memory: a history of messages, or the checkpoints of a graph.

Each draft is written by a copy of the app whose memory is read through and not written to. When the user's answer is
decided, what the last draft would have written is written, without the reviews, and without what is withheld.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol
from uuid import uuid4

from langchain_core.messages import BaseMessage
from langchain_core.runnables import AddableDict, Runnable

from langchain_trail.answers import cleared
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


def holding(runnable: Runnable[Any, Any]) -> Holder:
    """Returns an app for one draft."""
    if (histories := sys.modules.get("langchain_core.runnables.history")) is not None:
        from langchain_trail.histories import HeldHistory  # noqa: PLC0415 - few apps have one

        if isinstance(runnable, histories.RunnableWithMessageHistory):
            return HeldHistory(runnable)
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
