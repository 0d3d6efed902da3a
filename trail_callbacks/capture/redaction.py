"""Redaction: the user's function applied to every text of an event before the event is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trail_callbacks.capture.events import Event, Piece, RunFailed, RunStarted

__all__ = ["Redact", "Redactor"]

Redact = Callable[[str], str]


class Redactor:
    """Applies a function to the text of every piece of an event.

    Args:
        redact: Returns a text without what must not be stored. If it raises, the text is withheld.
        on_error: Called with what `redact` raises.
    """

    def __init__(self, redact: Redact, on_error: Callable[[Exception], None]) -> None:
        self._redact = redact
        self._on_error = on_error

    def event(self, event: Event) -> Event:
        """Returns the event with redacted texts."""
        if isinstance(event, RunStarted):
            return replace(event, inputs=self._pieces(event.inputs))
        inputs = None if event.inputs is None else self._pieces(event.inputs)
        if isinstance(event, RunFailed):
            return replace(event, inputs=inputs, outputs=self._pieces(event.outputs))
        more = self._pieces(event.more_inputs)
        return replace(event, inputs=inputs, outputs=self._pieces(event.outputs), more_inputs=more)

    def _pieces(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        return tuple(replace(piece, text=self._text(piece.text)) for piece in pieces)

    def _text(self, text: str) -> str:
        try:
            return str(self._redact(text))
        except Exception as error:  # noqa: BLE001 - a failing redactor must not leak what it should have hidden
            self._on_error(error)
            return "[withheld: redact failed]"
