"""A worker of a Ray cluster, as it is there: an actor that judges what it is sent."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Thread
from time import sleep
from typing import Any

from trail_callbacks.audit.judging import Judging
from trail_callbacks.audit.worker import Parent, work

__all__ = ["Seat"]

_GATHER = 0.05  # seconds for which results are collected where nobody waits for one: a message costs a millisecond


class _Caller(Parent):
    """The process that hired an actor, as the actor sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.said: SimpleQueue[tuple[Any, ...]] = SimpleQueue()

    def tell(self, *message: Any) -> None:
        self.said.put(message)


class Seat:
    """The actor. Ray makes it, and runs its methods on threads.

    Args:
        settings: Judge and options.
        keeps: Whether the other side keeps a cache.
    """

    def __init__(self, settings: bytes, keeps: bool) -> None:
        self._settings, self._keeps = settings, keeps
        self._caller = _Caller()

    def hear(self, messages: list[tuple[Any, ...]]) -> None:
        """Takes tasks and replies."""
        for message in messages:
            self._caller.hear(message)

    def listen(self) -> Iterator[list[tuple[Any, ...]]]:
        """Begins to work, and yields what there is to say."""
        caller = self._caller
        try:
            judge, options = pickle.loads(self._settings)  # noqa: S301 - both ends are ours
            judging = Judging(judge, options, caller, caller if self._keeps else None)
        except Exception as error:  # noqa: BLE001 - shown by the other side
            yield [("unusable", f"{type(error).__name__}: {error}")]
            return
        asks = judge.model is not None
        Thread(target=work, args=(caller, judging), kwargs={"asks": asks}, daemon=True).start()
        yield [("ready", version("trail-callbacks"))]
        while True:
            said = [caller.said.get()]
            if not asks:
                sleep(_GATHER)
            with suppress(Empty):
                while True:
                    said.append(caller.said.get_nowait())
            yield said
