"""How many calls a model gets at once, whoever asks: all that are wanted, until it says that it is busy.

Then half as many, and one more for each round of answers, as TCP does; and none before the time that it named. There is
one gate for each model object of the process: threads, event loops, sessions and guards go through the same.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from threading import Event, RLock
from time import monotonic

from trail_callbacks.forking import ChildSafeLock, renewed_in_child
from trail_callbacks.models.call import Call, Failure, Model, Reply

_PATIENCE = 60.0  # seconds all calls wait, at most, because an endpoint asked for it


@dataclass(slots=True, eq=False)
class _Turn:
    """One call: when it was let in, what was known of the model then, and its reply."""

    let_in: Future[None] = field(default_factory=Future)
    round: int = 0
    reply: Reply | None = None


class Gate:
    """Lets calls in, and learns from their replies how many the model bears.

    Attributes:
        most: Calls in flight at once; infinite as long as the model was never busy.
    """

    def __init__(self) -> None:
        self.most = inf
        self._renew()
        renewed_in_child(self, Gate._renew)

    def _renew(self) -> None:
        self._lock = RLock()  # held for microseconds, also on loops; re-entrant: calls may be collected meanwhile
        self._waiting: deque[_Turn] = deque()
        self._inside = 0
        self._round = 0  # how often the model was found busy
        self._fine = 0  # answers since `most` changed
        self._not_before = 0.0

    @contextmanager
    def turn(self) -> Iterator[_Turn]:
        """A place in the queue; leaving the block gives it up, wherever the call is by then."""
        turn = _Turn()
        with self._lock:
            self._waiting.append(turn)
            self._let_in()
        try:
            yield turn
        finally:
            with self._lock:
                if not turn.let_in.cancel():
                    if turn.reply is not None:
                        self._learn(turn, turn.reply)
                    self._inside -= 1
                self._let_in()

    def pause(self) -> float:
        """Seconds until calls that were let in may be made: the model asked for a rest."""
        return self._not_before - monotonic()

    def _let_in(self) -> None:
        while self._waiting and (self._inside < self.most or self._waiting[0].let_in.cancelled()):
            turn = self._waiting.popleft()
            if turn.let_in.set_running_or_notify_cancel():
                self._inside += 1
                turn.round = self._round
                turn.let_in.set_result(None)

    def _learn(self, turn: _Turn, reply: Reply) -> None:
        if reply.failure is None:
            self._fine += self._inside >= self.most  # only a limit that is reached is tried out
            if self._fine >= self.most:
                self.most, self._fine = self.most + 1, 0
        elif reply.failure.kind == "busy":
            if turn.round == self._round:  # else this is news of the time before
                self.most, self._fine = max(1, min(self._inside, self.most) // 2), 0
                self._round += 1
            rest = min(max(reply.retry_after or 0.0, 0.0), _PATIENCE)  # of a NaN, all of it
            self._not_before = max(self._not_before, monotonic() + rest)


def ask(model: Model, call: Call, left: Event) -> Reply:
    """Asks a model when its gate lets the call in; fails with `budget` if that would be too late for it."""
    gate, until = gate_of(model), _end(call)
    with gate.turn() as turn:
        try:
            turn.let_in.result(None if until == inf else max(0.0, until - monotonic()))
            while (wait := gate.pause()) > 0:
                if monotonic() + wait >= until:
                    return _late(model)
                left.wait(wait)
                if left.is_set():
                    return _late(model)
        except TimeoutError:
            return _late(model)
        turn.reply = model.ask(_in(call, until))
        return turn.reply


async def aask(model: Model, call: Call) -> Reply:
    """As `ask`, without blocking the event loop."""
    gate, until = gate_of(model), _end(call)
    with gate.turn() as turn:
        try:
            if not turn.let_in.done():
                left = None if until == inf else max(0.0, until - monotonic())
                await asyncio.wait_for(asyncio.wrap_future(turn.let_in), left)
            while (wait := gate.pause()) > 0:
                if monotonic() + wait >= until:
                    return _late(model)
                await asyncio.sleep(wait)
        except TimeoutError:
            return _late(model)
        turn.reply = await model.aask(_in(call, until))
        return turn.reply


def _end(call: Call) -> float:
    return inf if call.seconds is None else monotonic() + call.seconds


def _in(call: Call, until: float) -> Call:
    return call if until == inf else replace(call, seconds=until - monotonic())


def _late(model: Model) -> Reply:
    return Reply(failure=Failure("budget", f"{model.name} is busy, and the time would be over before it is asked"))


_gates: dict[int, tuple[weakref.ref[Model], Gate]] = {}
_lock = ChildSafeLock()  # protects the gates


def gate_of(model: Model) -> Gate:
    """Returns the gate of a model; a model that only passes calls on names the one that it `asks`."""
    asked = getattr(model, "asks", model)
    key = id(asked)
    with _lock:
        if key not in _gates:
            try:
                _gates[key] = weakref.ref(asked, lambda _: _gates.pop(key, None)), Gate()
            except TypeError:  # cannot be referred to weakly: each call is on its own
                return Gate()
        return _gates[key][1]
