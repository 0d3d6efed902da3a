"""Sources that the app declares, by a function or by the names of its inputs, so that nothing has to be guessed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from trail_callbacks.capture.events import Event, Pending, Piece, RunFailed, RunStarted
from trail_callbacks.capture.payloads import exact_text, scalars

__all__ = ["DECLARED", "DeclaredSources", "Sources"]

Sources = Callable[[Any], Iterable[Any]]
"""Returns the sources of a run, given what the app was called with: texts, or documents of the framework."""

DECLARED = "declared"
"""Attribute of a source that a function of the app declared: it counts for the answer, shown in a prompt or not."""


class DeclaredSources:
    """Marks the declared sources in the events of one run tree.

    Args:
        sources: See `Sources`; None for none.
        keys: Names of inputs, state channels and prompt variables that hold sources.
        on_error: Called with what `sources` raises.
    """

    def __init__(self, sources: Sources | None, keys: Collection[str], on_error: Callable[[Exception], None]) -> None:
        self._sources = sources
        self._keys = frozenset(keys)
        self._on_error = on_error
        self._root: str | None = None
        self._found: tuple[Piece, ...] | None = None

    def event(self, event: Event, record: Pending) -> Event:
        """Returns an event with its declared sources as documents. To be called in the order of the events."""
        if isinstance(event, RunStarted) and event.hints.source_keys:
            self._keys |= frozenset(event.hints.source_keys)
        if not self._keys and self._sources is None:
            return event
        if isinstance(event, RunStarted):
            inputs = self._documents(event.inputs)
            if self._root is None:
                self._root = event.run_id
                inputs += self._declared(record, "payload") if inputs else ()
            return replace(event, inputs=inputs) if inputs != event.inputs else event
        late = event.inputs
        if late is not None:  # they replace those of the start
            late = self._documents(late)
            late += self._declared(record, "late") if event.run_id == self._root else ()
        if isinstance(event, RunFailed):
            return replace(event, inputs=late, outputs=self._documents(event.outputs))
        more = self._documents(event.more_inputs)
        return replace(event, inputs=late, more_inputs=more, outputs=self._documents(event.outputs))

    def _documents(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        if not self._keys:
            return pieces
        return tuple(
            replace(piece, form="document", origin="given")
            if piece.form in {"text", "document"} and not self._keys.isdisjoint(piece.path)
            else piece
            for piece in pieces
        )

    def _declared(self, record: Pending, payload: str) -> tuple[Piece, ...]:
        if self._found is None and self._sources is not None:
            try:
                given = self._sources(getattr(record, payload, None))
                items = [given] if isinstance(given, str) else list(given or ())
                self._found = tuple(_piece(item, place) for place, item in enumerate(items))
            except Exception as error:  # noqa: BLE001 - the function is the user's, the run is not to suffer from it
                self._on_error(error)
                self._found = ()
        return self._found or ()


def _piece(item: Any, place: int) -> Piece:
    """One source: a text, or a document of a framework, which has its text in one of a few attributes."""
    text = item
    for name in ("page_content", "text"):
        if not isinstance(text, str):
            text = getattr(item, name, text)
    metadata = getattr(item, "metadata", None)
    known = getattr(item, "id", None) or getattr(item, "id_", None)
    return Piece(
        text=exact_text(text),
        path=("sources", place),
        form="document",
        id=known if isinstance(known, str) else None,
        origin="given",
        attributes={**(scalars(metadata) if isinstance(metadata, dict) else {}), DECLARED: True},
    )
