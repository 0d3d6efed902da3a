"""One run tree while it is recorded: the records that adapters left, and the events that they become when read."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from trail_callbacks.capture.events import (
    CUT,
    DECLARED,
    LEFT,
    Event,
    Pending,
    Piece,
    RunEnded,
    RunFailed,
    RunStarted,
    with_pieces,
)
from trail_callbacks.capture.payloads import contained, exact_text, scalars
from trail_callbacks.capture.redaction import Redactor
from trail_callbacks.capture.resumed import Turn
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph

Deferred = tuple[Any, ...]
"""A record that is not created yet: its class and the arguments. A tuple costs a fifth of an object."""


@dataclass(slots=True, eq=False)
class RunTree:
    """All runs under one root.

    Attributes:
        root_id: Id of the root.
        root: The root as a key of `runs`.
        started: When it was opened, by the monotonic clock.
        ended: When its root ended; infinite while it goes on.
        epoch: When that clock was zero, in seconds since the epoch.
        pending: Records that nobody has read yet.
        times: When each of them was left, by the monotonic clock.
        events: What the others became. `converting` protects it, and `graph`.
        runs: By key, True while the run is open.
        thread: The conversation or session that the root is a turn of.
        inherited: The root that the context in which this one started had begun before.
        before: Roots that had ended when this one started, the latest first, if runs are joined.
        elsewhere: The turn before that another recording kept, if any, once it was looked up.
        wrote: The texts that its runs wrote, if others were compared with them.
        graph: The graph, once it no longer changes.
        declared: Finds the sources that the app declares.
        kept: Records that were read of a tree that goes on, see `EventMaker.add`.
        converting: Held while pending records are converted.
        forgotten: Its texts are not to be kept: `graph` has none, and `events` have gone or are about to.
        cut: Some of its texts were not recorded, and that was said.
        pieces: Those of its events so far, of a tree that goes on: equal ones are kept once, because all nodes of a
            graph read all of its state.
    """

    root_id: str
    root: Hashable
    started: float
    ended: float = math.inf
    epoch: float = field(default_factory=lambda: time.time() - time.monotonic())
    pending: list[Pending | Deferred] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    runs: dict[Hashable, bool] = field(default_factory=dict)
    thread: str | None = None
    inherited: str | None = None
    before: tuple[str, ...] = ()
    elsewhere: tuple[Turn, ...] | None = None
    wrote: set[str] | None = None
    graph: ProvenanceGraph | None = None
    declared: DeclaredSources | None = None
    kept: list[Pending | Deferred] = field(default_factory=list)
    converting: Lock = field(default_factory=Lock)
    forgotten: bool = False
    cut: bool = False
    pieces: dict[Hashable, Piece] = field(default_factory=dict)

    def drop_events(self) -> None:
        """Drops all that was recorded; the graph stays."""
        self.pending, self.times, self.events, self.kept, self.declared, self.pieces = [], [], [], [], None, {}
        self.wrote = None


class EventMaker:
    """Makes events of records."""

    def __init__(
        self,
        sources: Sources | None,
        redactor: Redactor | None,
        on_error: Callable[[Exception], None],
    ) -> None:
        self._sources = sources
        self._redactor = redactor
        self._on_error = on_error

    def add(self, tree: RunTree, records: Sequence[Pending | Deferred], times: Sequence[float], *, ended: bool) -> None:
        """Adds the events of records to a tree. To be called with its lock held."""
        if tree.declared is None:
            tree.declared = DeclaredSources(self._sources, self._on_error)
        for each, left in zip(records, times, strict=True):
            record: Pending = each[0](*each[1:]) if isinstance(each, tuple) else each
            seq = len(tree.events) + 1
            try:
                event = tree.declared.event(record.convert(seq), record)
            except BaseException as error:  # noqa: BLE001 - one unreadable payload must not lose the run tree
                self._on_error(contained(error))
                event = _without_payload(seq, record)
            event = replace(event, at=tree.epoch + left)
            self._note_cut(tree, event)
            tree.events.append(_shared(self._redactor.event(event) if self._redactor else event, tree.pieces))
        if ended:
            tree.kept.clear()
            tree.pieces = {}
        else:
            tree.kept += records

    def adopted(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Returns events that no adapter of ours recorded, with the sources that are declared by name, and redacted."""
        declared = DeclaredSources(None if callable(self._sources) else self._sources, self._on_error)
        found = (with_pieces(event, declared.documents) for event in events)
        return tuple(self._redactor.event(event) if self._redactor else event for event in found)

    def _note_cut(self, tree: RunTree, event: Event) -> None:
        """Says once that a tree is not recorded in full; its graph says so too."""
        if tree.cut:
            return
        sides = event.inputs, getattr(event, "outputs", ()), getattr(event, "more_inputs", ())
        cut = next(
            (len(side or ()) - 1 for side in sides if any(CUT in piece.attributes for piece in side or ())), None
        )
        if cut:
            tree.cut = True
            self._on_error(
                InputError(
                    f"a payload of run {tree.root_id} has more texts than the {cut:,} that are recorded: no claim can "
                    "be supported by the others. Pass on what is read, not all there is"
                )
            )


def _shared(event: Event, pieces: dict[Hashable, Piece]) -> Event:
    """The event with pieces that equal ones of earlier events replaced by those."""

    def same(several: Sequence[Piece]) -> tuple[Piece, ...]:
        return tuple(
            [pieces.setdefault(_key(each), each) if each.attributes.keys() <= {LEFT} else each for each in several]
        )

    return with_pieces(event, same)


def _key(piece: Piece) -> Hashable:
    left = piece.attributes.get(LEFT)
    return piece.path, piece.ref, piece.form, piece.id, piece.role, piece.call_id, piece.origin, left, piece.text


def _without_payload(seq: int, record: Pending) -> Event:
    """The event without its payload, so that the tree of runs stays complete."""
    run_id, parent_id = str(record.run_id), None if record.parent_id is None else str(record.parent_id)
    if record.phase == "started":
        return RunStarted(seq=seq, run_id=run_id, parent_id=parent_id, kind="chain", name="unreadable")
    if record.phase == "ended":
        return RunEnded(seq=seq, run_id=run_id)
    return RunFailed(seq=seq, run_id=run_id, error="unreadable")


Sources = Callable[[Any], Iterable[Any]] | Collection[str]
"""A function that returns the sources of a run, texts or documents, given what the app was called with; or names."""


class DeclaredSources:
    """Marks the declared sources in the events of one run tree."""

    def __init__(self, sources: Sources | None, on_error: Callable[[Exception], None]) -> None:
        self._sources = sources if callable(sources) else None
        self._keys = frozenset() if callable(sources) else frozenset(sources or ())
        self._on_error = on_error
        self._root: str | None = None
        self._found: tuple[Piece, ...] | None = None

    def event(self, event: Event, record: Pending) -> Event:
        """Returns an event with its declared sources as documents. To be called in the order of the events."""
        if isinstance(event, RunStarted) and event.hints.source_keys:
            self._keys |= frozenset(event.hints.source_keys)
        if not self._keys and self._sources is None:
            return event
        changed = with_pieces(event, self.documents)
        if isinstance(changed, RunStarted):
            if self._root is None:
                self._root = changed.run_id
                more = self._declared(record, "payload") if changed.inputs else ()
                return replace(changed, inputs=changed.inputs + more)
        elif changed.inputs is not None and changed.run_id == self._root:  # they replace those of the start
            return replace(changed, inputs=changed.inputs + self._declared(record, "late"))
        return changed

    def documents(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        """Returns pieces with those under a declared name as documents."""
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
            except BaseException as error:  # noqa: BLE001 - the function is the user's, the run is not to suffer from it
                self._on_error(contained(error))
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
