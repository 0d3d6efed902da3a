"""The recorder: the only mutable object of capture. Adapters emit into it, everything else reads events out of it."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from threading import Lock, RLock

from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import Event, Pending, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph

__all__ = ["Recorder", "Redact"]

Redact = Callable[[str], str]


@dataclass(slots=True, eq=False)
class _Trace:
    """All runs under one root."""

    root_id: str
    started: float
    pending: list[tuple[int, Pending]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    open: set[str] = field(default_factory=set)
    graph: ProvenanceGraph | None = None
    read: list[Pending] = field(default_factory=list)  # see Recorder._convert
    reading: Lock = field(default_factory=Lock)  # protects events and graph while pending turns into them


class Recorder:
    """Collects events by run tree, on any thread, in bounded memory.

    `emit` appends one record and does nothing else; conversion, redaction and linking happen when somebody reads.

    Args:
        max_traces: Finished run trees kept for reading, and likewise unfinished ones; the oldest go first.
        ttl: Seconds after which a run tree that never finished is dropped.
        redact: Applied to every text before it is stored in an event. If it raises, the text is withheld.
        on_end: Called with the root's id, outside all locks, when a root run ended or failed.
        on_error: Called with exceptions of conversion and redaction.
    """

    def __init__(
        self,
        *,
        max_traces: int = 256,
        ttl: float = 3600.0,
        redact: Redact | None = None,
        on_end: Callable[[str], None] | None = None,
        on_error: Callable[[Exception], None] | None = None,
    ) -> None:
        self._max_traces = max_traces
        self._ttl = ttl
        self._redact = redact
        self._on_end = on_end
        self._on_error = on_error
        self._seq = count(1)
        # Protects the three dictionaries. Re-entrant, because a stream's finalizer may emit from inside a collection.
        self._lock = RLock()
        self._by_run: dict[str, _Trace] = {}
        self._open: OrderedDict[str, _Trace] = OrderedDict()
        self._closed: OrderedDict[str, _Trace] = OrderedDict()

    def emit(self, record: Pending) -> None:
        """Keeps a record. A second start or end of a run, and the end of an unknown run, change nothing."""
        run_id = record.run_id
        with self._lock:
            if record.phase == "started":
                if run_id in self._by_run:
                    return
                trace = self._by_run.get(record.parent_id) if record.parent_id else None
                if trace is None:
                    trace = self._open_trace(run_id)
                self._by_run[run_id] = trace
                trace.runs.append(run_id)
                trace.open.add(run_id)
                trace.pending.append((next(self._seq), record))
                return
            trace = self._by_run.get(run_id)
            if trace is None or run_id not in trace.open:
                return
            trace.open.discard(run_id)
            trace.pending.append((next(self._seq), record))
            if run_id != trace.root_id:
                return
            self._forget_runs(trace)
            self._open.pop(run_id, None)
            self._closed[run_id] = trace
            while len(self._closed) > self._max_traces:
                self._closed.popitem(last=False)
        if self._on_end is not None:
            self._on_end(run_id)

    def _open_trace(self, root_id: str) -> _Trace:
        now = time.monotonic()
        self._closed.pop(root_id, None)
        trace = self._open[root_id] = _Trace(root_id, now)
        while self._open:
            oldest = next(iter(self._open.values()))
            if len(self._open) <= self._max_traces and now - oldest.started <= self._ttl:
                break
            del self._open[oldest.root_id]
            self._forget_runs(oldest)
        return trace

    def _forget_runs(self, trace: _Trace) -> None:
        for run_id in trace.runs:
            self._by_run.pop(run_id, None)
        trace.runs.clear()

    @property
    def latest(self) -> str | None:
        """Id of the root that ended last, else of the one that started last, else None."""
        with self._lock:
            return next(reversed(self._closed), None) or next(reversed(self._open), None)

    @property
    def unfinished(self) -> int:
        """Number of run trees whose root has not ended."""
        return len(self._open)

    def ended(self, root_id: str) -> bool:
        """True if this root run ended or failed and is kept: its graph will not change any more."""
        return root_id in self._closed

    def root_of(self, run_id: str) -> str | None:
        """Returns the root above an unfinished run, or None if the run is not known."""
        with self._lock:
            trace = self._by_run.get(run_id)
            return trace.root_id if trace else None

    def events(self, root_id: str) -> tuple[Event, ...]:
        """Returns what is known of a run tree so far, in the order of `seq`.

        Raises:
            InputError: If no such root is kept: it never started or was dropped as too old.
        """
        trace = self._trace(root_id)
        with trace.reading:
            self._convert(trace)
            return tuple(trace.events)

    def graph(self, root_id: str) -> ProvenanceGraph:
        """Builds the graph of a run tree; that of a finished one is built once.

        Raises:
            InputError: As `events`.
        """
        trace = self._trace(root_id)
        with trace.reading:
            self._convert(trace)
            if trace.graph is not None:
                return trace.graph
            graph = build(trace.events)
            if root_id in self._closed:
                trace.graph = graph
            return graph

    def _trace(self, root_id: str) -> _Trace:
        with self._lock:
            trace = self._closed.get(root_id) or self._open.get(root_id)
        if trace is None:
            raise InputError(
                f"no run {root_id!r} is kept: it never started, was nested in another run, "
                f"or is older than the last {self._max_traces}"
            )
        return trace

    def _convert(self, trace: _Trace) -> None:
        with self._lock:
            pending, trace.pending = trace.pending, []
        for seq, record in pending:
            try:
                event = record.convert(seq)
            except Exception as error:  # noqa: BLE001 - one payload that cannot be read must not lose the run tree
                self._keep(error)
                event = _bare(seq, record)
            trace.events.append(self._redacted(event) if self._redact else event)
        if trace.root_id in self._closed:
            trace.read.clear()
        else:  # an object let go now may lend its identity to another one later in this tree
            trace.read += [record for _, record in pending]

    def _redacted(self, event: Event) -> Event:
        if isinstance(event, RunStarted):
            return replace(event, inputs=self._clean(event.inputs))
        late = None if event.inputs is None else self._clean(event.inputs)
        if isinstance(event, RunFailed):
            return replace(event, inputs=late, outputs=self._clean(event.outputs))
        more = self._clean(event.more_inputs)
        return replace(event, inputs=late, outputs=self._clean(event.outputs), more_inputs=more)

    def _clean(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        return tuple(replace(piece, text=self._clean_text(piece.text)) for piece in pieces)

    def _clean_text(self, text: str) -> str:
        try:
            return str(self._redact(text)) if self._redact else text
        except Exception as error:  # noqa: BLE001 - a redactor that fails must not leak what it was to hide
            self._keep(error)
            return "[withheld: redact failed]"

    def _keep(self, error: Exception) -> None:
        if self._on_error is not None:
            self._on_error(error)


def _bare(seq: int, record: Pending) -> Event:
    """The event without its payload, so that the tree of runs stays whole."""
    if record.phase == "started":
        return RunStarted(seq=seq, run_id=record.run_id, parent_id=record.parent_id, kind="chain", name="unreadable")
    if record.phase == "ended":
        return RunEnded(seq=seq, run_id=record.run_id)
    return RunFailed(seq=seq, run_id=record.run_id, error="unreadable")
