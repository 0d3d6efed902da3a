"""The tree of runs, rebuilt from flat events."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trail_callbacks.capture.events import CUT, Event, Hints, Piece, RunEnded, RunFailed, RunKind, RunStarted


@dataclass(slots=True, eq=False)
class Slot:
    """A piece together with its place: the input or output side of a run."""

    run: CapturedRun
    side: Literal["in", "out"]
    piece: Piece


@dataclass(slots=True, eq=False)
class CapturedRun:
    """One run with its pieces and its children.

    Attributes:
        start: `seq` of its start event.
        end: `seq` of its end event; infinite if it never ended.
        first: Position in a depth-first walk of the tree, parents first.
        last: Largest `first` among itself and its descendants.
        stopped: True if the app stopped it, or stopped reading, when it had written part of its output.
        composite: True if a descendant has outputs.
        cut: Texts of its largest payload of which there were more than are recorded; None if all are.
    """

    id: str
    kind: RunKind
    name: str
    hints: Hints
    start: int
    parent: CapturedRun | None = None
    end: float = math.inf
    failed: bool = False
    stopped: bool = False
    inputs: list[Slot] = field(default_factory=list)
    outputs: list[Slot] = field(default_factory=list)
    children: list[CapturedRun] = field(default_factory=list)
    first: int = 0
    last: int = 0
    composite: bool = False
    cut: int | None = None

    def within(self, other: CapturedRun) -> bool:
        """True if this is a descendant of the other run."""
        return other.first < self.first <= other.last

    @property
    def ancestors(self) -> Iterator[CapturedRun]:
        """Parent, grandparent, ... up to the root."""
        run = self.parent
        while run is not None:
            yield run
            run = run.parent

    @property
    def step(self) -> str:
        """The name of the step that the run is, or is the innermost part of, as the user knows it."""
        named = (run.name for run in (self, *self.ancestors) if not run.hints.unnamed)
        return next(named, self.name)


def tree(events: Iterable[Event]) -> tuple[CapturedRun, ...]:
    """Builds the runs of one run tree, in the order of their starts; the root is the first.

    Internal runs are left out with all their descendants. A run with an unknown parent becomes a child of the root.
    """
    runs: dict[str, CapturedRun] = {}
    internal: set[str] = set()
    root: CapturedRun | None = None
    for event in events:
        if isinstance(event, RunStarted):
            if event.hints.internal or event.parent_id in internal:
                internal.add(event.run_id)
                continue
            run = CapturedRun(event.run_id, event.kind, event.name, event.hints, event.seq)
            run.inputs = _slots(run, "in", event.inputs)
            run.parent = runs.get(event.parent_id or "", root)
            if run.parent is not None:
                run.parent.children.append(run)
            root = root or run
            runs[run.id] = run
        elif (ended := runs.get(event.run_id)) is not None:
            _finish(ended, event)
    ordered = tuple(runs.values())
    for run in ordered:
        if run.outputs:
            _mark_composite(run.ancestors)
    if root is not None:
        _number(root)
    return ordered


def _mark_composite(ancestors: Iterator[CapturedRun]) -> None:
    for run in ancestors:
        if run.composite:
            return
        run.composite = True


def _finish(run: CapturedRun, event: RunEnded | RunFailed) -> None:
    run.end = event.seq
    run.stopped = isinstance(event, RunFailed) and event.status == "cancelled" and bool(event.outputs)
    run.failed = isinstance(event, RunFailed) and not run.stopped
    if event.inputs is not None:
        run.inputs = _slots(run, "in", event.inputs)
    if isinstance(event, RunEnded):
        run.inputs += _slots(run, "in", event.more_inputs)
    run.outputs = _slots(run, "out", event.outputs)


def _slots(run: CapturedRun, side: Literal["in", "out"], pieces: Sequence[Piece]) -> list[Slot]:
    """The pieces of a payload with their place, without what only says that it was cut."""
    slots = [Slot(run, side, piece) for piece in pieces if CUT not in piece.attributes]
    if len(slots) < len(pieces):
        run.cut = max(run.cut or 0, len(slots))
    return slots


def _number(root: CapturedRun) -> None:
    """Numbers the tree in one walk, without recursion: agents nest deeper than Python's stack."""
    todo = [(root, False)]
    clock = 0
    while todo:
        run, done = todo.pop()
        if done:
            run.last = clock
            continue
        clock += 1
        run.first = clock
        todo.append((run, True))
        todo.extend((child, False) for child in reversed(run.children))


def document_key(piece: Piece) -> tuple[str, str | None, object]:
    """Returns what a document keeps while it is passed on; two stores may use the same ids."""
    source = piece.attributes.get("source")
    return piece.text.strip(), piece.id, source if source is None or isinstance(source, str) else str(source)


def is_original(source: Piece, piece: Piece) -> bool:
    """True if two documents have one id, or one has all metadata of the other, such as its source, and maybe more."""
    if source.form != "document" or None not in (source.id, piece.id):
        return source.form == "document" and source.id == piece.id
    return bool(source.attributes) and source.attributes.items() <= piece.attributes.items()


def is_same_message(source: Piece, piece: Piece) -> bool:
    """True if two pieces of equal text are messages of one author, and of one id if both have one."""
    return source.form == "message" and source.role == piece.role and not is_another_message(source, piece)


def is_another_message(source: Piece, piece: Piece) -> bool:
    """True for two messages with different ids."""
    return source.form == "message" and None not in (source.id, piece.id) and source.id != piece.id
