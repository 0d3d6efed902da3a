"""What the code that runs just now may see: an arm of a canary run, or, by default, what it always sees.

    with exposed("fictive", twin):
        chain.invoke(question)

Outside of such a block every `CanaryRetriever` is the retriever that it wraps. `TRAIL_CANARY=off` in the environment,
or `switch_off()`, makes it so inside as well: no fictive text is served any more in this process, and a run that needs
one fails with `CanaryOffError`, so that real texts are never counted as fictive ones.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.trial import ARMS, Arm
from trail_callbacks.canary.twin import Twin
from trail_callbacks.errors import InputError, TrailError

SWITCH: Final = "TRAIL_CANARY"
"""The environment variable; `off` (also `0`, `no` or `false`) is read whenever something is retrieved."""

_OFF = frozenset({"off", "0", "no", "false"})
_switched_off = threading.Event()


class CanaryOffError(TrailError):
    """Fictive data is switched off in this process, so an arm which needs it cannot be asked."""


def switch_off() -> None:
    """Ends the serving of fictive texts in this process, at once and for good; runs under way fail.

    Child processes do not learn of it: set `TRAIL_CANARY=off` for those.
    """
    _switched_off.set()


def is_off() -> bool:
    """True if no fictive text may be served, see `switch_off`."""
    return _switched_off.is_set() or os.environ.get(SWITCH, "").strip().lower() in _OFF


def checked_arm(arm: str) -> Arm:
    """Returns an arm; raises InputError if there is none of that name."""
    if arm not in ARMS:
        raise InputError(f"unknown arm {arm!r}: choose one of {', '.join(ARMS)}")
    return arm


@dataclass(slots=True, eq=False)
class Exposure:
    """What code may see, and what it was served while it might."""

    arm: Arm  # what it may see
    twin: Twin = field(repr=False)  # the corpus and its twin
    passages: list[str] = field(default_factory=list)  # texts served, in order, over all calls of retrievers
    dropped: list[Skipped] = field(default_factory=list)  # passages that were found and not served, and why
    calls: int = 0  # how often something was retrieved
    # real texts were served under an arm that must not see them, because fictive data was switched off
    spoiled: bool = False
    # what the code around may see, if this is a block in a block
    around: Exposure | None = field(default=None, repr=False)
    # the block is over. What still has it in its context, such as a task that goes on, sees what is around
    ended: bool = field(default=False, repr=False)
    # id of the process that reads this; what another one is served cannot be noted here
    process: int = field(default_factory=os.getpid, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def served(self, passages: Sequence[str], dropped: Sequence[Skipped] = ()) -> None:
        """Notes what one call of a retriever returned; from any thread."""
        with self._lock:
            self.calls += 1
            self.passages.extend(passages)
            self.dropped.extend(dropped)


_exposure: ContextVar[Exposure | None] = ContextVar("trail_canary", default=None)


def current() -> Exposure | None:
    """Returns what this code may see; None outside of any run, where retrievers are left alone."""
    found = _exposure.get()
    while found is not None and found.ended:
        found = found.around
    return found


@contextmanager
def exposed(arm: Arm, twin: Twin) -> Generator[Exposure]:
    """Lets the code of a block see one arm: in this task or thread, and in what it starts with a copy of its context.

    Tasks of asyncio, `asyncio.to_thread` and the executors of LangChain copy it. A thread started by hand, and some
    of a framework's, do not: give them `retriever.under(arm)`, which needs no context. What goes on after the block
    sees the arm no more. A generator that yields inside of the block shows it to its caller until it ends or is closed.

    Args:
        arm: What may be seen. `real` is what retrievers return by themselves; under `empty` and `closed_book` they
            return nothing.
        twin: The corpus and its twin.

    Yields:
        What is served in the block.

    Raises:
        InputError: If there is no such arm.
        CanaryOffError: At the beginning or at the end, if fictive data is switched off and the arm is not `real`.
    """
    exposure = Exposure(checked_arm(arm), twin, around=current())
    if arm != "real" and is_off():
        raise CanaryOffError(
            f"fictive data is switched off in this process ({SWITCH} or switch_off()), so arm {arm!r} cannot be asked"
        )
    _exposure.set(exposure)
    try:
        yield exposure
    finally:
        exposure.ended = True
        # No token: a generator may end in another context than it began in, or inside of a block that began later.
        if _exposure.get() is exposure:
            _exposure.set(exposure.around)
    if exposure.spoiled or (arm != "real" and is_off()):
        raise CanaryOffError(
            f"fictive data was switched off during this call, so arm {arm!r} was served real texts: its answer says "
            "nothing"
        )
