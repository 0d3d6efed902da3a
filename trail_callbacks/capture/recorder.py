"""The recorder: the only mutable object of capture. Adapters emit into it, everything else reads events from it."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from itertools import islice
from threading import Lock, RLock
from uuid import UUID

from trail_callbacks.capture.build import build
from trail_callbacks.capture.conversation import Earlier, tells, told
from trail_callbacks.capture.events import Event, Pending, RunEnded, RunFailed, RunStarted
from trail_callbacks.capture.joining import joined
from trail_callbacks.capture.redaction import Redact, Redactor
from trail_callbacks.capture.resumed import Turn, asks, left_before, outputs_of, resumed, shares_state, whose
from trail_callbacks.capture.run_tree import Deferred, EventMaker, RunTree, Sources
from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.graph import ProvenanceGraph

Material = tuple[Sequence[Event], Earlier | None]
"""What a graph is made of: the events of a run tree, and what was known before them."""

Elsewhere = Callable[[str, float], Turn | None]
"""Finds the turn of a thread before a time, see `Recorder`."""

_UNFINISHED = 4_096  # run trees at once; a server has as many as requests under way, and few that never end
_LOOKED = 64  # roots in which a text is looked for that nobody knows who wrote
_JOINED = 16  # roots before another one that it may be joined with
_RECORDERS = 4  # whose last root a context remembers: a handler, a block inside it, a guard
_begun: ContextVar[tuple[tuple[object, str], ...]] = ContextVar("trail_begun", default=())
_TOLD = 64  # roots, the latest, whose answers are looked for in what another one was given
_BRING = frozenset({"retriever", "tool", "prompt"})  # roots of these kinds give no answer


class Recorder:
    """Collects events by run tree, on any thread, in bounded memory.

    `emit` only appends a record; conversion, redaction and linking happen when the events are read.

    Args:
        max_traces: Finished run trees kept for reading; the oldest are dropped first. Of unfinished ones 4,096
            are kept.
        ttl: Seconds after which a run tree that never finished is dropped.
        redact: Applied to every text, name, id and detail before it is stored in an event, and to errors. If it raises
            or returns no string, the text is withheld.
        turns: Turns of a conversation that a later turn may rest on, 0 or more.
        sources: Returns the sources of a run, given the inputs of its root; or names of inputs, state channels and
            prompt variables that hold them.
        on_end: Called with the root's id, outside all locks, when a root run has ended or failed.
        on_error: Called with exceptions raised by conversion and redaction.
        elsewhere: Finds the last turn of a thread before a time, in seconds since the epoch, that another recording
            kept; None if there is none. Called where graphs are built.

    Attributes:
        redactor: What applies `redact`; None for no redaction.
    """

    def __init__(
        self,
        *,
        max_traces: int = 256,
        ttl: float = 3600.0,
        redact: Redact | None = None,
        turns: int = 8,
        sources: Sources | None = None,
        on_end: Callable[[str], None] | None = None,
        on_error: Callable[[Exception], None] | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._elsewhere = elsewhere
        self._max_traces = max_traces
        self._ttl = ttl
        self._turns = turns
        self.redactor = None if redact is None else Redactor(redact, self._report_error)
        self._events = EventMaker(sources, self.redactor, self._report_error)
        self.adopted = self._events.adopted
        self._on_end = on_end
        self._on_error = on_error
        # Protects the four dictionaries. Re-entrant: a stream's finalizer may emit during a garbage collection.
        self._lock = RLock()
        self._by_run: dict[Hashable, RunTree] = {}
        self._open: OrderedDict[str, RunTree] = OrderedDict()
        self._closed: OrderedDict[str, RunTree] = OrderedDict()
        self._held: dict[str, RunTree] = {}
        self._joins = False
        self._key = object()  # of this recorder, in a context that may live longer
        renewed_in_child(self, Recorder._renew)

    def _renew(self) -> None:
        """In a forked child: what another thread was reading just then is not whole."""
        self._lock = RLock()
        self._held.clear()  # the parent works on them
        for trace in [*self._open.values(), *self._closed.values()]:
            if trace.converting.locked():
                self._closed.pop(trace.root_id, None)
            trace.converting = Lock()

    def join_roots(self) -> None:
        """Joins each root from now on with earlier ones whose outputs it reads: they are steps of one block of code."""
        self._joins = True

    def emit(self, record: Pending) -> None:
        """Adds a record. A second start or end of a run, and the end of an unknown run, are ignored."""
        if record.phase == "started":
            self.begin(record.run_id, record.parent_id, record)
        else:
            self.finish(record.run_id, record)

    def begin(
        self, run_id: Hashable, parent_id: Hashable | None, record: Pending | Deferred, thread: str | None = None
    ) -> str | None:
        """Adds the record of a start, as `emit` does.

        Args:
            run_id: The run: its id or the `UUID` behind that id, the same for all records of the run.
            parent_id: The enclosing run, likewise; None or an unknown run makes this run a root.
            record: The record, or a tuple of its class and arguments, from which it is created when it is read.
            thread: Of a root: the conversation or session that it is a turn of.

        Returns:
            The id of its root; None if the run has begun already.
        """
        key = getattr(run_id, "int", run_id)  # a UUID's own hash and comparison are slow
        with self._lock:
            if key in self._by_run:
                return None
            trace = None if parent_id is None else self._by_run.get(getattr(parent_id, "int", parent_id))
            if trace is None:
                trace = self._open_trace(key, str(run_id), thread)
            self._by_run[key] = trace
            trace.runs[key] = True
            trace.pending.append(record)
            trace.times.append(time.monotonic())
            return trace.root_id

    def finish(self, run_id: Hashable, record: Pending | Deferred) -> str | None:
        """Adds the record of an end or a failure, as `emit` does. See `begin`.

        Returns:
            The id of the run if it was a root, which has ended now; else None.
        """
        key = getattr(run_id, "int", run_id)
        with self._lock:
            trace = self._by_run.get(key)
            if trace is None or not trace.runs[key]:
                return None
            trace.runs[key] = False
            trace.pending.append(record)
            trace.times.append(time.monotonic())
            if key != trace.root:
                return None
            trace.ended = trace.times[-1]
            self._forget_runs(trace)
            root_id = trace.root_id
            self._open.pop(root_id, None)
            self._closed[root_id] = trace
            while len(self._closed) > self._max_traces:
                self._closed.popitem(last=False)
            if self._joins:
                for out_of_reach in islice(reversed(self._closed.values()), _JOINED, _JOINED + 1):
                    if out_of_reach.forgotten:
                        out_of_reach.drop_events()
        if self._on_end is not None:
            self._on_end(root_id)
        return root_id

    def _open_trace(self, key: Hashable, root_id: str, thread: str | None) -> RunTree:
        now = time.monotonic()
        self._closed.pop(root_id, None)
        self._held.pop(root_id, None)
        trace = self._open[root_id] = RunTree(root_id, key, now, thread=thread)
        if self._joins:
            trace.before = tuple(islice(reversed(self._closed), _JOINED))
        trace.inherited = self._own()
        others = [each for each in _begun.get() if each[0] is not self._key]
        _begun.set(((self._key, root_id), *others[: _RECORDERS - 1]))
        while self._open:
            oldest = next(iter(self._open.values()))
            if len(self._open) <= _UNFINISHED and now - oldest.started <= self._ttl:
                break
            del self._open[oldest.root_id]
            self._forget_runs(oldest)
        return trace

    def continues(self, root_id: str, thread: str) -> None:
        """Makes an unfinished root a turn of a conversation, if it was begun as none; see `begin`."""
        with self._lock:
            trace = self._open.get(root_id)
            if trace is not None and trace.thread is None:
                trace.thread = thread

    def _forget_runs(self, trace: RunTree) -> None:
        for key in trace.runs:
            self._by_run.pop(key, None)
        trace.runs.clear()

    @property
    def latest(self) -> str | None:
        """Id of the root that ended last, else of the one that started last, else None.

        If the caller's context (its task, its thread) began roots, these alone count, and those that began in copies of
        it since. If roots are joined all count, and one that may have answered goes before a retriever or tool called
        after it.
        """
        meant, _ = self._meant()
        last = next(iter(meant), None)
        if self._joins:
            ended = [each.root_id for each in meant[:_JOINED] if each.ended < math.inf]
            return next((root for root in ended if self._answers(root)), last.root_id if last else None)
        return last.root_id if last else self._own()

    @property
    def alone(self) -> bool:
        """False if `latest` is not of the caller's own context, and others that it may mean ran beside it."""
        meant, own = self._meant()
        if not meant or meant[0].root_id in own:
            return True
        last, *others = meant
        return all(each.root_id in own or each.ended <= last.started or last.ended <= each.started for each in others)

    def _meant(self) -> tuple[list[RunTree], set[str]]:
        """The roots that the caller may mean, the last first; and which of them its context began.

        Beside these they are those that began in copies of its context since. If it began none, as where a report on
        what another thread did is asked for, they are all.
        """
        with self._lock:
            found = [*reversed(self._closed.values()), *reversed(self._open.values())]
        known = {each.root_id: each for each in found}
        here, own = self._own(), set[str]()
        family = {here}
        while here is not None and here not in own:
            own.add(here)
            here = known[here].inherited if here in known else None
        if self._joins or not own:
            return found, own
        for each in sorted(found, key=lambda each: each.started):
            if each.inherited in family:
                family.add(each.root_id)
        current = self._own()  # if it goes on, it is meant all the same
        meant = [each for each in found if each.root_id in family or each.root_id in own]
        return sorted(meant, key=lambda each: each.root_id != current or each.ended < math.inf), own

    def _own(self) -> str | None:
        """The root that the caller's context began last."""
        return next((root for key, root in _begun.get() if key is self._key), None)

    def _answers(self, root_id: str) -> bool:
        try:
            start = next(iter(self.events(root_id)), None)
        except InputError:  # dropped meanwhile
            return False
        return isinstance(start, RunStarted) and start.kind not in _BRING

    def forget_texts(self, root_id: str, graph: ProvenanceGraph) -> None:
        """Drops what was recorded of a run tree that has ended and was judged.

        Of roots that are joined, what a later one may still read is dropped once it cannot be read any more.

        Args:
            root_id: The root.
            graph: Its graph without texts, which stays.
        """
        with self._lock:
            trace = self._closed.get(root_id) or self._held.get(root_id)
            late = not self._joins or root_id not in islice(reversed(self._closed), _JOINED)
        if trace is not None:
            with trace.converting:
                trace.graph, trace.forgotten = graph, True
                if late:
                    trace.drop_events()

    def forgot(self, root_id: str) -> bool:
        """True if the texts of this root run were dropped: it cannot be verified again."""
        trace = self._closed.get(root_id) or self._held.get(root_id)
        return trace is not None and trace.forgotten

    @property
    def unfinished(self) -> int:
        """Number of run trees whose root has not ended."""
        return len(self._open)

    def ended(self, root_id: str) -> bool:
        """True if this root run has ended or failed and is kept: its graph no longer changes."""
        return root_id in self._closed or root_id in self._held

    def hold(self, root_id: str) -> None:
        """Keeps a root run that has ended, however many end after it, until it is released."""
        with self._lock:
            if (trace := self._closed.get(root_id)) is not None:
                self._held[root_id] = trace

    def release(self, root_id: str) -> None:
        """Ends what `hold` began."""
        with self._lock:
            self._held.pop(root_id, None)

    def interrupted(self, root_id: str) -> bool:
        """True if this root run stopped to be resumed. See `events`."""
        events = self.events(root_id)
        end = events[-1] if events else None
        return isinstance(end, RunFailed) and end.run_id == root_id and end.status == "paused"

    def root_of(self, run_id: str) -> str | None:
        """Returns the root above an unfinished run, or None if the run is not known."""
        with self._lock:
            trace = self._by_run.get(run_id) or self._by_run.get(_uuid_int(run_id))
            return trace.root_id if trace else None

    def events(self, root_id: str) -> tuple[Event, ...]:
        """Returns the events of a run tree so far, in the order of `seq`."""
        trace = self._trace(root_id)
        with trace.converting:
            self._convert(trace)
            return tuple(trace.events)

    def graph(self, root_id: str) -> ProvenanceGraph:
        """Builds the graph of a run tree; for a finished one it is built once."""
        trace = self._trace(root_id)
        if trace.graph is not None:
            return trace.graph
        events, earlier = self._material(trace)
        with trace.converting:
            if trace.graph is not None:
                return trace.graph
            graph = build(events, earlier)
            if self.ended(root_id):
                trace.graph = graph
            return graph

    def material(self, root_id: str) -> Material:
        """Returns what `build` makes the graph of a run tree of, for those who build it elsewhere."""
        return self._material(self._trace(root_id))

    def built(self, root_id: str, graph: ProvenanceGraph) -> None:
        """Takes the graph of a finished run tree that was built elsewhere, from its `material`."""
        with self._lock:
            trace = self._closed.get(root_id) or self._held.get(root_id)
        if trace is not None and trace.graph is None:
            trace.graph = graph

    def _material(self, trace: RunTree) -> Material:
        before, own = self._steps_before(trace), self._events_of(trace)
        if before and len(events := joined([*before, own])) > len(own):
            return events, None
        parts, first = self._parts(trace, own)
        return (resumed(parts) if len(parts) > 1 else own), self._earlier(first) if first is not None else None

    def _events_of(self, trace: RunTree) -> tuple[Event, ...]:
        with trace.converting:
            self._convert(trace)
            return tuple(trace.events)

    def _parts(self, trace: RunTree, own: tuple[Event, ...]) -> tuple[list[tuple[Event, ...]], RunTree | Turn | None]:
        """A run with those before it that it resumes, each the one before, oldest first; and the oldest itself.

        None in its place if what came before on the thread is another graph's.
        """
        parts: list[tuple[Event, ...]] = [own]
        here: RunTree | Turn = trace
        while isinstance(here, RunTree) and not asks(parts[0]) and len(parts) < _JOINED:
            before = self._before(here) if here.thread or left_before(parts[0]) else None
            if before is None or (isinstance(before, RunTree) and before.forgotten):
                break
            events = self._events_of(before) if isinstance(before, RunTree) else before.events
            if not shares_state(events, own):
                return parts, None
            parts.insert(0, events)
            here = before
        return parts, here

    def _steps_before(self, trace: RunTree) -> list[tuple[Event, ...]]:
        """The events of the roots that a root may be joined with, oldest first; a turn of its thread is none."""
        found = []
        for root_id in reversed(trace.before):
            with self._lock:
                each = self._closed.get(root_id)
            if each is not None and (trace.thread is None or each.thread != trace.thread):
                found.append(self._events_of(each))
        return found

    def _earlier(self, trace: RunTree | Turn) -> Earlier | None:
        """What is known of the conversation before a run; None if it is the first turn, or none of one."""
        if not isinstance(trace, RunTree):
            return trace.earlier
        before = self._before(trace) if self._turns else None
        if before is None:
            return None
        if not isinstance(before, RunTree):
            return Earlier.before(before.graph, self._turns)
        if before.forgotten:
            return None
        try:
            for root_id in self._turns_without_graph(before):
                self.graph(root_id)
            return Earlier.before(self.graph(before.root_id), self._turns)
        except InputError:  # dropped meanwhile
            return None

    def _turns_without_graph(self, trace: RunTree) -> list[str]:
        """The turns of a conversation up to a root whose graphs are still to be built, oldest first.

        Each graph needs the one before; built from the last one back, a long conversation would exhaust the stack.
        """
        found: list[str] = []
        here: RunTree | Turn | None = trace
        while isinstance(here, RunTree) and not here.forgotten and here.graph is None:
            found.append(here.root_id)
            here = self._before(here)
        return found[::-1]

    def _before(self, trace: RunTree) -> RunTree | Turn | None:
        """The turn before: the last of the same thread, here or elsewhere, else what wrote what this one found."""
        with self._lock:
            kept = [*self._closed.values(), *self._open.values()]
            before = [each for each in kept if each is not trace and each.started < trace.started]
        closed = [each for each in before if each.ended < math.inf]
        if trace.thread is not None:
            last = next((each for each in reversed(closed) if each.thread == trace.thread), None)
            other = self._turn_elsewhere(trace)
            known = last is not None and (other is None or last.epoch + last.ended >= (other.events[0].at or 0.0))
            if (found := last if known else other) is not None:
                return found
        own = self._events_of(trace)
        started = [event for event in own if isinstance(event, RunStarted)]
        read = {piece.id for event in started for piece in event.inputs if piece.role == "assistant"}
        history = read - _ids_written(own) - {None}
        texts = told(own)
        for each in reversed(closed) if history else closed[: -_TOLD - 1 : -1] if texts else ():
            events = self._events_of(each)
            if not history.isdisjoint(_ids_written(events)) or (each.thread is None and tells(texts, events)):
                return each
        if left := left_before(own):
            return self._wrote(left, own, reversed(before))
        bare = [each for each in started[:1] if each.kind == "model" and trace.thread is None]  # called by hand
        return self._wrote([piece.text for each in bare for piece in each.inputs], own, self._inherited(trace))

    def _inherited(self, trace: RunTree) -> Iterator[RunTree]:
        """The roots that the context of a root had begun before, the latest first: code that calls by hand."""
        here = trace.inherited
        for _ in range(_JOINED):
            with self._lock:
                before = self._closed.get(here or "")
            if before is None:
                return
            yield before
            here = before.inherited

    def _wrote(self, texts: Sequence[str], own: Sequence[Event], before: Iterable[RunTree]) -> RunTree | None:
        """The last root of the same user of which an output is one of some texts, or in one."""
        longest = max(map(len, texts), default=0)
        for each in islice(before, _LOOKED) if texts else ():
            if each.wrote is None or each.ended == math.inf:
                each.wrote = outputs_of(self._events_of(each))
            said = (text for text in each.wrote if len(text) <= longest)
            if any(text in known for text in said for known in texts) and whose(self._events_of(each)) == whose(own):
                return each
        return None

    def _turn_elsewhere(self, trace: RunTree) -> Turn | None:
        """The last turn of its thread before a run that is kept elsewhere; it is looked up once."""
        if self._elsewhere is not None and trace.elsewhere is None and trace.thread is not None:
            _, _, name = trace.thread.partition(":")
            thread = name if self.redactor is None else self.redactor.text(name)
            try:
                found = self._elsewhere(thread, trace.epoch + trace.started)
                trace.elsewhere = (found,) if found is not None and found.events else ()
            except Exception as error:  # noqa: BLE001 - what was not found is of unknown origin
                self._report_error(error)
                trace.elsewhere = ()
        return trace.elsewhere[0] if trace.elsewhere else None

    def graph_under(self, run_id: str) -> ProvenanceGraph:
        """Builds the graph of one run and those inside it, as if it were a root.

        Args:
            run_id: A run of an unfinished tree, or any root that is kept.

        Raises:
            InputError: If no such run is kept.
        """
        with self._lock:
            trace = self._by_run.get(run_id) or self._by_run.get(_uuid_int(run_id))
        if trace is None or trace.root_id == run_id:
            return self.graph(run_id)
        events, earlier = self._material(trace)
        return build(_within(events, run_id), earlier)

    def _trace(self, root_id: str) -> RunTree:
        with self._lock:
            trace = self._closed.get(root_id) or self._open.get(root_id) or self._held.get(root_id)
        if trace is None:
            raise InputError(
                f"no run {root_id!r} is kept: it never started, was nested in another run, "
                f"or is older than the last {self._max_traces}"
            )
        return trace

    def _convert(self, trace: RunTree) -> None:
        with self._lock:
            pending, trace.pending = trace.pending, []
            times, trace.times = trace.times, []
        self._events.add(trace, pending, times, ended=self.ended(trace.root_id))

    def _report_error(self, error: Exception) -> None:
        if self._on_error is not None:
            self._on_error(error)


def _ids_written(events: Sequence[Event]) -> set[str | None]:
    """The ids of the messages that models wrote."""
    models = {event.run_id for event in events if isinstance(event, RunStarted) and event.kind == "model"}
    ended = (event for event in events if isinstance(event, RunEnded) and event.run_id in models)
    return {piece.id for event in ended for piece in event.outputs}


def _within(events: Sequence[Event], run_id: str) -> list[Event]:
    """The events of a run and of the runs inside it."""
    runs = {run_id}
    for event in events:
        if isinstance(event, RunStarted) and event.parent_id in runs:
            runs.add(event.run_id)
    return [event for event in events if event.run_id in runs]


def _uuid_int(run_id: str) -> int | None:
    """The integer value of a UUID; None if the id is not one."""
    try:
        return UUID(run_id).int
    except ValueError:
        return None
