"""A text as a span shows it, kept until it is converted to a piece off the app's path.

A snapshot holds strings and numbers only: nodes and messages are changed in place by postprocessors and memories, and
a reference to a response or generator would keep the app's stream alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from trail_callbacks.capture.events import Form, Piece
from trail_callbacks.capture.payloads import exact_text, scalars, without_feedback
from trail_callbacks.graph import Origin

__all__ = ["Path", "Raw", "pieces"]

Path = tuple["str | int", ...]
_WRITTEN_BY_MODELS = (("text",), ("response",))


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
        for raw in map(Raw.read, raws)
    )


def _text(raw: Raw) -> str:
    """The text without a guard's feedback, which repeats what no source supports. What a model wrote stays whole."""
    text = exact_text(raw.text)
    return text if raw.role == "assistant" or raw.path[-1:] in _WRITTEN_BY_MODELS else without_feedback(text)
