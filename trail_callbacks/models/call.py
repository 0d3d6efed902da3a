"""What is asked of a language model and what comes back, independent of any provider."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

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
