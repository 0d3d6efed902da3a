"""Records: what spans emit. They hold snapshots of texts only, and are converted to events off the app's path."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from trail_callbacks.capture.events import Form, Hints, Piece, RunEnded, RunFailed, RunKind, RunStarted, Status
from trail_callbacks.capture.payloads import contained, exact_text, labels, scalars, without_feedback
from trail_callbacks.graph import Origin


@dataclass(slots=True, eq=False)
class SpanStarted:
    """A run began. See `RunStarted`."""

    run_id: str
    parent_id: str | None
    kind: RunKind
    name: str
    inputs: Sequence[Raw] = ()
    call_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    phase: ClassVar[Literal["started"]] = "started"

    def convert(self, seq: int) -> RunStarted:
        """Makes the event."""
        return RunStarted(
            seq=seq,
            run_id=self.run_id,
            parent_id=self.parent_id,
            kind=self.kind,
            name=self.name,
            inputs=pieces(self.inputs),
            hints=Hints(call_id=self.call_id),
            tags=labels(self.metadata.get("tags")) if self.metadata else (),
            metadata=scalars(self.metadata) if self.metadata else {},
        )


@dataclass(slots=True, eq=False)
class SpanEnded:
    """A run came to its end, or was left by an exception. See `RunEnded` and `RunFailed`."""

    run_id: str
    outputs: Sequence[Raw] = ()
    more_inputs: Sequence[Raw] = ()
    error: str | None = None
    status: Status = "error"
    parent_id: ClassVar[None] = None

    @property
    def phase(self) -> Literal["ended", "failed"]:
        """Which of the two."""
        return "ended" if self.error is None else "failed"

    def convert(self, seq: int) -> RunEnded | RunFailed:
        """Makes the event."""
        outputs = pieces(self.outputs)
        if self.error is None:
            return RunEnded(seq=seq, run_id=self.run_id, outputs=outputs, more_inputs=pieces(self.more_inputs))
        return RunFailed(seq=seq, run_id=self.run_id, error=self.error, status=self.status, outputs=outputs)


Found = TypeVar("Found")
Value = TypeVar("Value")
Path = tuple["str | int", ...]
evaluated: deque[str] = deque(maxlen=64)
"""What the evaluator said last of answers that it did not pass: people read it, and `RetryQueryEngine` asks with it."""
_WRITTEN_BY_MODELS = (("text",), ("response",))


def by_class(find: Callable[[type], Found]) -> Callable[[type], Found]:
    """Remembers what a function finds of each class, in bounded space: it is asked many times for a query."""
    return lru_cache(maxsize=4_096)(find)


class ByIdentity(Generic[Value]):
    """A value for each of some objects, as long as the object lives; `id` alone is used again after it is gone."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Value]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: object) -> Value | None:
        """Returns the value for an object, or None."""
        known = self._known.get(id(key))
        return known[1] if known is not None and known[0]() is key else None

    def put(self, key: object, value: Value) -> bool:
        """Keeps a value; returns False if the object is one that nothing refers to weakly, such as a string."""
        place = id(key)
        try:
            self._known[place] = weakref.ref(key, lambda _: self._known.pop(place, None)), value
        except TypeError:
            return False
        return True

    def pop(self, key: object) -> None:
        """Forgets the value for an object."""
        self._known.pop(id(key), None)


class Raw(NamedTuple):
    """One text with what is known about it; becomes a `Piece`."""

    text: str
    path: Path
    form: Form = "text"
    id: str | None = None
    role: str | None = None
    call_id: str | None = None
    ref: int | None = None
    origin: Origin | None = None
    attributes: Mapping[str, Any] | None = None
    late: Late | None = None

    def read(self) -> Raw:
        """Returns the text with what was left to be read later."""
        return self if self.late is None else self.late.read(self)


class Late(Protocol):
    """What is known about a text and need not be worked out on the app's path; it holds copies only."""

    def read(self, raw: Raw) -> Raw:
        """Returns the text with all of it."""


def pieces(raws: Iterable[Raw]) -> tuple[Piece, ...]:
    """Makes the pieces of an event."""
    return tuple(
        Piece(
            text=_text(raw),
            path=raw.path,
            form=raw.form,
            id=raw.id,
            role=raw.role,
            call_id=raw.call_id,
            ref=raw.ref,
            origin=raw.origin,
            attributes=scalars(raw.attributes) if raw.attributes else {},
        )
        for raw in map(_read, raws)
    )


def _read(raw: Raw) -> Raw:
    try:
        return raw.read()
    except BaseException as error:  # noqa: BLE001 - a node that cannot be rendered still has its text
        contained(error)
        return raw._replace(late=None)


def _text(raw: Raw) -> str:
    """The text without a guard's feedback, which repeats what no source supports. What a model wrote stays whole."""
    text = exact_text(raw.text)
    if raw.role == "assistant" or raw.path[-1:] in _WRITTEN_BY_MODELS:
        return text
    for each in list(evaluated):
        text = text.replace(each, "")
    return without_feedback(text)


_READ = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count")
_WRITTEN = ("completion_tokens", "output_tokens", "candidates_token_count", "eval_count")
_USAGE = ("usage", "usage_metadata")


def usage_of(response: Any) -> dict[str, int]:
    """Returns `prompt_tokens` and `completion_tokens` of a response, as far as it says."""
    try:
        raw, extra = getattr(response, "raw", None), getattr(response, "additional_kwargs", None)
        places = [each for each in (extra, *(field_of(raw, name) for name in _USAGE if raw), raw) if each]
        found = {"prompt_tokens": _first(places, _READ), "completion_tokens": _first(places, _WRITTEN)}
    except BaseException as error:  # noqa: BLE001 - an object of the provider's may raise anything
        contained(error)
        return {}
    return {key: value for key, value in found.items() if value is not None}


def _first(places: list[Any], names: tuple[str, ...]) -> int | None:
    values = (field_of(place, name) for place in places for name in names)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def field_of(place: Any, name: str) -> Any:
    """Returns what a provider's object holds under a name, be it a mapping or not; None for nothing."""
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
