"""A history of messages while a draft is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.runnables.history import RunnableWithMessageHistory

__all__ = ["HeldHistory"]


class HeldHistory:
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
