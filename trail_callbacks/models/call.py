"""What is asked of a language model and what comes back, whoever provides it; and what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from trail_callbacks.errors import InputError
from trail_callbacks.signatures import refuses_unknown

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What verification cost so far.

    Attributes:
        calls: Requests made to a model, retries included.
        prompt_tokens: Tokens read, as the provider counted them; 0 where it does not say.
        completion_tokens: Tokens written, likewise.
        cached_tokens: Those of `prompt_tokens` that the provider read from its prompt cache, and charges less for.
        seconds: Wall time.
        cache_hits: Calls answered without a request.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    cache_hits: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Adds two costs; seconds add up too, so measure wall time once, around the whole."""
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            seconds=self.seconds + other.seconds,
            cache_hits=self.cache_hits + other.cache_hits,
        )


Kind: TypeAlias = Literal[
    "unreachable",
    "unauthorised",
    "busy",
    "refused",
    "length",
    "too_long",
    "rejected",
    "invalid",
    "budget",
    "failed",
]
"""What kind of failure it is, which decides whether asking again can help:

- `unreachable`: no connection, or no answer in time.
- `unauthorised`: the endpoint refused the key.
- `busy`: too many requests, or an overloaded endpoint.
- `refused`: the model, or a filter in front of it, would not answer.
- `length`: the answer was cut off at the token limit.
- `too_long`: the prompt does not fit the model.
- `rejected`: the endpoint does not accept the request.
- `invalid`: an answer came, and cannot be used.
- `budget`: the call was not made, or not waited for, to keep within the limits.
- `failed`: anything else.
"""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call has no answer. Printed as `kind: detail`.

    Attributes:
        kind: See `Kind`.
        detail: One line for people, often in the provider's words.
    """

    kind: Kind
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to a model.

    Attributes:
        messages: The prompt.
        schema: The shape of the answer.
        purpose: What it is for (`claims`, `verdicts`, `localize`): for logs, budgets and scripted models.
        max_tokens: Room for the answer, sized from the number of items asked for; None leaves it to the model.
        seconds: Time left for the answer, set by the driver; a model that can gives up then. None is no limit.
        worth_keeping: Tells whether a cache should keep an answer, which fits the schema; None keeps every one.
        model: Who answers; None is the model that the driver was given. Set where two judges with models are combined.
    """

    messages: tuple[Message, ...]
    schema: type[BaseModel]
    purpose: str
    max_tokens: int | None = None
    seconds: float | None = None
    worth_keeping: Callable[[BaseModel], bool] | None = field(default=None, compare=False, repr=False)
    model: Model | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to a call. A failure is a reply too, never an exception.

    Attributes:
        value: The parsed answer, or None.
        failure: Why there is none, or None.
        text: The raw text where it could not be parsed, for salvage; may be None.
        usage: What this call cost.
        retry_after: Seconds after which the same call may be answered, where nobody has asked again yet; 0 if the
            model does not say how many. None: asking again is of no use, or was done already by the model's client.
        retries: How often the driver may ask again, 0 or more; None leaves it to the driver.
    """

    value: BaseModel | None = None
    failure: Failure | None = None
    text: str | None = None
    usage: Usage = Usage()
    retry_after: float | None = None
    retries: int | None = None


@runtime_checkable
class Model(Protocol):
    """Anything that can answer a call: instructor, the app's own chat model, a scripted model in tests.

    May have `parameters`: what else than its name and the call may change an answer, as JSON-like data without secrets.
    A cache keeps models apart by it.
    """

    @property
    def name(self) -> str:
        """Provider and model, as shown in reports."""

    def ask(self, call: Call) -> Reply:
        """Answers a call. Must not raise: a failure is a reply with `failure`."""

    async def aask(self, call: Call) -> Reply:
        """As `ask`, without blocking the event loop."""


T = TypeVar("T")
Pipeline = Generator[Sequence[Call], Sequence[Reply], T]
"""A computation that yields batches of calls and receives as many replies, in order. A driver carries them out."""


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

    def of_many(self) -> Budget:
        """Returns the budget, as one of a run of many.

        Raises:
            InputError: If it has a time, which is that of one report.
        """
        if self.seconds is not None:
            raise InputError("Budget.seconds is for one report: set it in the budget of VerifyOptions")
        return self

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
