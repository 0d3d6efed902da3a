"""A text in the making: what a span shows of a value, kept until it becomes a piece off the app's path.

A snapshot holds strings and numbers only. Nodes and messages are changed in place by postprocessors and memories, and
a reference to a response or generator would keep the app's stream alive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from trail_callbacks.capture.events import Form, Piece
from trail_callbacks.guard.feedback import without_feedback

__all__ = ["Path", "Raw", "pieces"]

Path = tuple["str | int", ...]
_WRITTEN = (("text",), ("response",))


class Raw(NamedTuple):
    """One text with what is known about it; becomes a `Piece`."""

    text: str
    path: Path
    form: Form = "text"
    id: str | None = None
    role: str | None = None
    call_id: str | None = None
    ref: int | None = None
    attributes: Mapping[str, Any] | None = None


def pieces(raws: Iterable[Raw]) -> tuple[Piece, ...]:
    """Makes the pieces of an event."""
    return tuple(
        Piece(
            text=_told(raw),
            path=raw.path,
            form=raw.form,
            id=raw.id,
            role=raw.role,
            call_id=raw.call_id,
            ref=raw.ref,
            attributes=_scalars(raw.attributes) if raw.attributes else {},
        )
        for raw in raws
    )


def _told(raw: Raw) -> str:
    """The text without a guard's feedback, which repeats what no source supports. What a model wrote stays whole."""
    text = _plain(raw.text)
    return text if raw.role == "assistant" or raw.path[-1:] in _WRITTEN else without_feedback(text)


def _plain(text: object) -> str:
    """An exact `str` that can be encoded: subclasses are unwrapped, lone surrogates replaced."""
    plain = str.__str__(text) if isinstance(text, str) else str(text)
    if not plain.isascii():
        try:
            plain.encode()
        except UnicodeEncodeError:
            return plain.encode("utf-8", "replace").decode()
    return plain


def _scalars(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """The JSON-safe part of metadata."""
    return {
        _plain(key): _plain(value) if isinstance(value, str) else value
        for key, value in metadata.items()
        if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
    }
