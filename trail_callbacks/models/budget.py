"""What the calls of one verification may cost, and what they have cost so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Failure, Reply, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the calls of one pipeline may cost together. A call over budget is not made: its reply says so.

    Attributes:
        max_calls: Requests, retries included, 0 or more; None is no limit.
        max_tokens: Tokens, prompt and completion, likewise. Checked before a call, so the calls in flight when it is
            reached may overshoot it.
        max_seconds: Wall time after which no further call is started, likewise. A call that is under way then knows it
            beforehand, from `Call.seconds`.
        concurrency: Calls of this pipeline in flight at once, 1 or more.

    Raises:
        InputError: If a number is out of range.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    concurrency: int = 4

    def __post_init__(self) -> None:
        """Checks ranges."""
        if self.concurrency < 1:
            raise InputError(f"Limits.concurrency is {self.concurrency}, expected 1 or more")
        for name in ("max_calls", "max_tokens", "max_seconds"):
            value = getattr(self, name)
            if value is not None and not value >= 0:  # a NaN, too
                raise InputError(f"Limits.{name} is {value}, expected 0 or more, or None for no limit")


class Account:
    """Admits calls while there is budget, and adds up what they cost."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._started = monotonic()
        self._lock = Lock()  # protects the two counters below
        self._usage = Usage()
        self._in_flight = 0

    def admit(self, wait: float = 0.0) -> Failure | None:
        """Returns why a call must not be made after a wait, or None and counts it as under way."""
        limits, seconds = self.limits, monotonic() - self._started + wait
        with self._lock:
            tokens = self._usage.prompt_tokens + self._usage.completion_tokens
            if limits.max_calls is not None and self._usage.calls + self._in_flight >= limits.max_calls:
                return Failure("budget", f"{limits.max_calls} calls are used up")
            if limits.max_tokens is not None and tokens >= limits.max_tokens:
                return Failure("budget", f"{tokens} of {limits.max_tokens} tokens are used up")
            if limits.max_seconds is not None and seconds >= limits.max_seconds:
                return Failure("budget", f"{limits.max_seconds:g} seconds are over")
            self._in_flight += 1
        return None

    def timed(self, call: Call) -> Call:
        """Tells a call how much time is left."""
        if self.limits.max_seconds is None:
            return call
        return replace(call, seconds=self.limits.max_seconds - (monotonic() - self._started))

    def settle(self, reply: Reply) -> None:
        """Takes note that an admitted call has ended, and of what it cost."""
        with self._lock:
            self._in_flight -= 1
            self._usage += reply.usage

    def total(self) -> Usage:
        """What the calls cost; `seconds` is the wall time since the start."""
        with self._lock:
            return replace(self._usage, seconds=monotonic() - self._started)
