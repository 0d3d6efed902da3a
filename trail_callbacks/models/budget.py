"""What calls may cost and how fast they may come, and the account of what those of one pipeline have cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Failure, Reply, Usage
from trail_callbacks.signatures import refuses_unknown

_MILLION = 1_000_000


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits, wherever they are set: of one report, of a guard's drafts, of an audit or canary run; None is no limit.

    A call over budget is not made. What is in flight when a limit is reached is paid for, so tokens and money may
    overshoot it by the replies to those calls.

    Attributes:
        calls: Requests, retries included, 0 or more.
        tokens: Tokens, prompt and completion, 0 or more.
        seconds: Wall time after which no further call is started, 0 or more. A call that is under way then knows it
            beforehand, from `Call.seconds`. For one report.
        money: In the currency of the prices, 0 or more; needs both.
        price_in: Price of a million prompt tokens, 0 or more.
        price_out: Price of a million completion tokens, 0 or more.
        requests_per_minute: Requests within any 60 seconds, 1 or more. For runs of many: audits and canary runs.
        tokens_per_minute: Likewise, tokens.

    Raises:
        InputError: If a number is out of range, or a price is missing.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    money: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name in self.__dataclass_fields__:
            value, least = getattr(self, name), 1 if name.endswith("_per_minute") else 0
            if value is not None and not least <= value < float("inf"):  # also rejects NaN
                raise InputError(f"Budget.{name} is {value}, expected {least} or more, or None for no limit")
        if self.money is not None and (self.price_in is None or self.price_out is None):
            raise InputError("a budget in money needs price_in and price_out, the prices of a million tokens")

    def cost(self, usage: Usage) -> float | None:
        """Returns what some usage costs; None if prices are not known."""
        if self.price_in is None or self.price_out is None:
            return None
        return (usage.prompt_tokens * self.price_in + usage.completion_tokens * self.price_out) / _MILLION

    def used_up(self, usage: Usage, calls: int = 0) -> str | None:
        """Returns which limit some usage has reached, with further calls under way; None if there is room."""
        for used, limit, unit in (
            (usage.calls + calls, self.calls, " calls"),
            (usage.prompt_tokens + usage.completion_tokens, self.tokens, " tokens"),
            (self.cost(usage) or 0.0, self.money, ""),
        ):
            if limit is not None and used >= limit:
                return f"the budget of {limit if unit else format(limit, 'g')}{unit} is used up"
        return None

    def of_one(self, where: str) -> Budget:
        """Returns the budget, as one that is not for a run of many.

        Raises:
            InputError: If it has rates.
        """
        if self.requests_per_minute is not None or self.tokens_per_minute is not None:
            raise InputError(f"{where} has a rate, which holds for a run of many: give it to an audit or canary run")
        return self


class Account:
    """Admits calls while there is budget, and adds up what they cost."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget or Budget()
        self._started = monotonic()
        self._lock = Lock()  # protects the two counters below
        self._usage = Usage()
        self._in_flight = 0

    def admit(self, wait: float = 0.0) -> Failure | None:
        """Returns why a call must not be made after a wait, or None and counts it as under way."""
        most = self._budget.seconds
        if most is not None and monotonic() - self._started + wait >= most:
            return Failure("budget", f"{most:g} seconds are over")
        with self._lock:
            if why := self._budget.used_up(self._usage, self._in_flight):
                return Failure("budget", why)
            self._in_flight += 1
        return None

    def timed(self, call: Call) -> Call:
        """Tells a call how much time is left."""
        if self._budget.seconds is None:
            return call
        return replace(call, seconds=self._budget.seconds - (monotonic() - self._started))

    def settle(self, reply: Reply) -> None:
        """Takes note that an admitted call has ended, and of what it cost."""
        with self._lock:
            self._in_flight -= 1
            self._usage += reply.usage

    def total(self) -> Usage:
        """What the calls cost; `seconds` is the wall time since the start."""
        with self._lock:
            return replace(self._usage, seconds=monotonic() - self._started)
