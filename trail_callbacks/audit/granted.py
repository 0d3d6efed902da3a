"""A model that asks for a grant before each call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from time import sleep
from typing import Any, TypeVar

from trail_callbacks.audit.budget import Grants
from trail_callbacks.models.call import Call, Model, Pipeline, Reply, Usage
from trail_callbacks.models.drive import advance
from trail_callbacks.models.failure import Failure
from trail_callbacks.models.tokens import count

__all__ = ["Granted", "granted"]

T = TypeVar("T")


class Granted:
    """A model that is asked only what is granted, and not before the time that is granted.

    Args:
        model: Who answers.
        grants: Who grants calls.

    Attributes:
        asks: The model, whose gate all who ask it share.
    """

    def __init__(self, model: Model, grants: Grants) -> None:
        self._model, self._grants = model, grants
        self.asks = getattr(model, "asks", model)

    @property
    def name(self) -> str:
        """That of the model."""
        return self._model.name

    @property
    def parameters(self) -> Any:
        """Those of the model, if it tells them."""
        return getattr(self._model, "parameters", None)

    def ask(self, call: Call) -> Reply:
        """See `Model`."""
        tokens = _tokens(call)
        wait = self._grants.admit(tokens)
        if isinstance(wait, Failure):
            return Reply(failure=wait)
        reply = Reply(usage=Usage())
        try:
            sleep(wait)
            reply = self._model.ask(call)
        finally:
            self._settle(tokens, reply)
        return reply

    async def aask(self, call: Call) -> Reply:
        """See `Model`."""
        tokens = _tokens(call)
        wait = await asyncio.to_thread(self._grants.admit, tokens)
        if isinstance(wait, Failure):
            return Reply(failure=wait)
        reply = Reply(usage=Usage())
        try:
            await asyncio.sleep(wait)
            reply = await self._model.aask(call)
        finally:
            self._settle(tokens, reply)
        return reply

    def _settle(self, tokens: int, reply: Reply) -> None:
        self._grants.settle(tokens, reply.usage, reply.retry_after)


def granted(work: Pipeline[T], through: Callable[[Model], Model]) -> Pipeline[T]:
    """The same pipeline, whose calls that name a model themselves ask for a grant too.

    Args:
        work: The pipeline.
        through: Returns the model that asks for grants in place of one.
    """
    with closing(work):
        calls, result = advance(work, None)
        while calls is not None:
            replies = yield [call if call.model is None else replace(call, model=through(call.model)) for call in calls]
            calls, result = advance(work, replies)
        return result


def _tokens(call: Call) -> int:
    return sum(count(message.content) for message in call.messages)
