"""A session: what an adapter drives. It records runs, and verifies those that ended, each once for all who ask.

Whoever wants a report waits for the lane on which it is made. Nothing here reaches the app but reports.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from threading import RLock, get_ident
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import UUID
from zlib import crc32

from trail_callbacks.capture.payloads import contained
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.capture.redaction import bare
from trail_callbacks.errors import InputError, StoreError, TrailError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.models.lane import GivenUpError, Lane
from trail_callbacks.report import Report
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.session.verification import Verification, app_span, within
from trail_callbacks.slices import Slices
from trail_callbacks.verify.delivery import Delivery, running_loop

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

_KEPT = 100
_AWAY = 30.0  # seconds
_PATIENCE = 2.0  # seconds for runs of this process that are about to be written
_TURNS = 16  # of the event loop, in which it closes the generators inside a stream that the app has just closed
_logger = logging.getLogger("trail_callbacks")
_logger.addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A verification under way: its report, and the same once the app's hook was called with it."""

    judged: Future[Report]
    done: Future[Report]


class Session:
    """Records runs and verifies those that ended.

    Attributes:
        settings: How runs are recorded and verified.
        recorder: What records them.
        begin: Keeps the start of a run; a few microseconds, no I/O. See `Recorder.begin`.
        finish: Keeps its end. See `Recorder.finish`.
        skipped: Ended runs that were not verified because too many were waiting.
    """

    def __init__(
        self,
        settings: CaptureSettings | None = None,
        *,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        settings = settings or CaptureSettings()
        self.settings = settings
        self._errors: deque[Exception] = deque(maxlen=_KEPT)
        self._logged: set[type[Exception]] = set()
        self._failures: set[str] = set()  # of judges, that were logged
        self.recorder = Recorder(
            max_traces=settings.keep.runs,
            ttl=settings.keep.seconds,
            redact=settings.redact,
            sources=settings.sources,
            on_end=self._run_ended,
            on_error=self.keep_error,
            elsewhere=self._turn_before,
        )
        self.begin, self.finish = self.recorder.begin, self.recorder.finish
        self._verification = Verification(settings, self.recorder, self.keep_error, around)
        self._lane = self._verification.lane
        self._delivery = Delivery(settings.on_report)
        self._hooks: Lane[None] | None = None if settings.on_report is None else Lane()
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._away_until = 0.0  # by the monotonic clock: a store that did not answer is not asked again before
        self._histories: OrderedDict[str, Callable[[float], Trace | None]] = OrderedDict()
        self.skipped = 0
        if settings.opened_store is not None:
            settings.opened_store.heed(self.recorder.redactor, settings.keep.texts, settings.keep.text_key)
        self._renew()
        renewed_in_child(self, Session._renew)

    def _renew(self) -> None:
        """Sets up what a forked child has anew: what is under way is the parent's."""
        self._lock = RLock()  # protects the reports and the runs
        self._runs: dict[str, _Run] = {}
        self._summaries: dict[str, dict[str, Any]] = {}  # that wait for the reports under way
        self._hooking: int | None = None  # the thread that calls the app's hook
        self._behind = False  # more runs ended than are verified

    # ------------------------------------------------------------------ what went wrong

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side, oldest first: the last hundred exceptions of capture and verification."""
        return list(self._errors)

    def keep_error(self, error: Exception) -> None:
        """Keeps an exception of ours, without texts that are not to be kept, so that it can be seen; logs new types."""
        error = contained(error)
        if not self.settings.keep.texts:
            error = error if isinstance(error, TrailError) else bare(error, "[texts are not kept]")
        elif self.recorder.redactor is not None:
            error = self.recorder.redactor.error(error)
        self._errors.append(error)
        if type(error) not in self._logged:
            self._logged.add(type(error))
            _logger.warning("trail-callbacks failed, the app is not affected: %r", error, exc_info=error)

    # ------------------------------------------------------------------ what was recorded

    def add_history(self, thread: str, turn: Callable[[float], Trace | None]) -> None:
        """Takes what returns the last turn of a thread before a time: what a framework's own history knows.

        Its events are to be `Recorder.adopted`.
        """
        with self._lock:
            self._histories[self.redacted(thread)] = turn
            if len(self._histories) > _KEPT:
                self._histories.popitem(last=False)

    def _turn_before(self, thread: str, before: float) -> Trace | None:
        """The last turn of a thread before a time, as the store has it, else as a history does."""
        stored, store = None, self.settings.opened_store
        if store is not None and time.monotonic() >= self._away_until:
            try:
                store.flush(_PATIENCE)
                stored = store.turn(thread, before)
            except StoreError:
                self._away_until = time.monotonic() + _AWAY  # whoever calls a guard waits for it
                raise
        history = self._histories.get(thread)
        known = None if history is None else history(before)
        if known is None or (stored is not None and (stored.context.ended or 0.0) >= (known.events[0].at or 0.0)):
            return stored
        return known

    def redacted(self, text: str) -> str:
        """Returns a text as it is stored: the form to find it by in a graph, and the only one for a judge."""
        return text if self.recorder.redactor is None else self.recorder.redactor.text(text)

    def redacted_graph(self, graph: ProvenanceGraph) -> ProvenanceGraph:
        """As `redacted`, for a graph of things that were not recorded."""
        return graph if self.recorder.redactor is None else self.recorder.redactor.graph(graph)

    def graph(self, run_id: UUID | str | None = None) -> ProvenanceGraph:
        """Returns the provenance graph of a root run, by default the latest; it waits for nothing."""
        return self.recorder.graph(self._root(run_id))

    def graph_around(self, run_id: UUID | str) -> ProvenanceGraph | None:
        """Returns the graph so far of the unfinished root run around a run; None if it is not recorded here."""
        root = self.recorder.root_of(str(run_id))
        return None if root is None else self.recorder.graph(root)

    def trace(self, run_id: UUID | str | None = None) -> Trace:
        """Returns the trace of a root run, by default the latest: what can be kept, and verified again later.

        Of a run that goes on it is what happened so far.
        """
        from trail_callbacks.session.storing import trace_of  # noqa: PLC0415 - most runs keep no trace

        return trace_of(self.recorder, self.settings, self._root(run_id))

    def _root(self, run_id: UUID | str | None, *, alone: bool = True) -> str:
        root = str(run_id) if run_id is not None else self.recorder.latest
        if not alone:
            raise InputError("several runs were recorded at the same time: say which report with run_id")
        if root is None:
            raise InputError("nothing was recorded yet: run the app with this callback first")
        return root

    # ------------------------------------------------------------------ reports

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        with self._lock:
            return MappingProxyType(dict(self._reports))

    def is_due(self, root: str) -> bool:
        """True if the report of an ended root run is ready or under way: not if it was left out of the sample."""
        with self._lock:
            return root in self._reports or root in self._runs

    def samples(self, root: str) -> bool:
        """True if a root run is to be verified when it ends; by its id, so that it can be said before it has ended."""
        return self.settings.evaluate != "never" and crc32(root.encode()) < self.settings.sample_rate * 2**32

    def fill(self, root: str, summary: dict[str, Any]) -> bool:
        """Fills a summary, in place, once the report on an ended run is ready; False if none is due."""
        with self._lock:
            if (report := self._reports.get(root)) is not None:
                summary.update(report.summary())
            elif root in self._runs:
                self._summaries[root] = summary
            else:
                return False
        return True

    def report(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """Returns the report of a root run; verifies now if nobody has."""
        root = self._root(run_id, alone=run_id is not None or self.recorder.alone)
        with self._lock:
            report, run = self._reports.get(root), self._runs.get(root)
            if report is not None:
                return report
            try:
                run = run or self._begin(root, hurry=True)
            except RuntimeError:  # the interpreter is on its way out: there is this thread only
                return self._kept(root, self._verification.made(root, None), final=False)
        self._lane.hurry(run.judged)
        future = run.judged if get_ident() == self._hooking else run.done  # its hook may wait behind this one
        if not wait([future], timeout).done:
            raise TimeoutError(_late(root, timeout))
        return self.report(root, timeout) if isinstance(future.exception(), GivenUpError) else future.result()

    async def areport(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop. If it is cancelled, the verification goes on."""
        root = self._root(run_id, alone=run_id is not None or self.recorder.alone)
        for _ in range(_TURNS):
            if self.recorder.ended(root):
                break
            await asyncio.sleep(0)
        with self._lock:
            report, run = self._reports.get(root), self._runs.get(root)
            if report is not None:
                return report
            run = run or self._begin(root, hurry=True)
        if not await self._await(run, timeout):
            raise TimeoutError(_late(root, timeout))
        given_up = isinstance(run.done.exception(), GivenUpError)
        return await self.areport(root, timeout) if given_up else run.done.result()

    async def settled(self, root: str) -> None:
        """Waits until the verification of an ended root run, if one is under way, is finished. Raises nothing of it."""
        with self._lock:
            run = self._runs.get(root)
        if run is not None:
            await self._await(run)

    async def _await(self, run: _Run, timeout: float | None = None) -> bool:
        """Waits until a run is done; returns False if the time was too short."""
        self._lane.hurry(run.judged)
        waited = asyncio.wrap_future(run.done)
        waited.add_done_callback(lambda done: done.cancelled() or done.exception())  # whoever asks gets it from the run
        return bool((await asyncio.wait([waited], timeout=timeout))[0])

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        with self._lock:
            futures = [run.done for run in self._runs.values()]
        return not wait(futures, timeout).not_done

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker.

        What is not finished by then is given up: the end of the interpreter does not wait for it either.
        """
        self.flush(timeout)
        left = self._verification.close()
        if self.settings.opened_store is not None:
            self.settings.opened_store.flush(timeout)  # who gave a path has no store to ask
        if self._hooks is not None:
            self._hooks.close()
        if left:
            self.keep_error(RuntimeError(f"closed before {left} runs were verified: ask report() for them"))

    # ------------------------------------------------------------------ the work

    def _run_ended(self, root: str) -> None:
        """Verifies a root run that has just ended, as the settings say."""
        with self._lock:
            self._reports.pop(root, None)  # an app may use a run id again
        if not self.samples(root):
            return
        inline = self.settings.evaluate == "inline"
        if inline and running_loop() is None:
            with suppress(Exception):  # kept already; the app is about to get its own result
                self.report(root)
            return
        with self._lock:
            most = self.settings.keep.waiting
            if len(self._runs) >= most and not inline:
                self._skip(f"{most} runs wait to be verified: run {root} was not queued, ask report() for it")
                return
            if not self._runs:
                self._behind = False
            try:
                self._begin(root, hurry=inline)
            except RuntimeError as error:  # the interpreter is on its way out and starts no work any more
                self.keep_error(error)

    def _begin(self, root: str, *, hurry: bool) -> _Run:
        """Has a run verified, away from the app. Call it with the lock held."""
        final = self.recorder.ended(root)
        loop, span = (None, None) if self._hooks is None else (running_loop(), app_span())
        judged = self._lane.submit(partial(self._work, root, final), hurry=hurry)
        if not final:  # a report on an unfinished run is for the caller alone
            return _Run(judged, judged)
        run = _Run(judged, judged if self._hooks is None else Future())
        if self._hooks is not None:
            run.done.set_running_or_notify_cancel()  # as those of a lane
        self.recorder.hold(root)
        self._runs[root] = run
        run.done.add_done_callback(partial(self._forget, root))
        if self._hooks is not None:
            judged.add_done_callback(partial(self._hand_over, run, loop, span))
        return run

    def _work(self, root: str, final: bool, hurried: bool) -> Report | Awaitable[Report]:
        made = self._verification.make(root, Slices(patient=not hurried))
        return self._kept(root, made, final=final) if isinstance(made, Report) else self._akept(root, made, final)

    async def _akept(self, root: str, made: Awaitable[Report], final: bool) -> Report:
        return self._kept(root, await made, final=final)

    def _kept(self, root: str, report: Report, *, final: bool) -> Report:
        """The report as it is kept and returned. One asked for while the run goes on is for the caller alone."""
        judged = report
        if not self.settings.keep.texts:
            from trail_callbacks.report.withheld import without_texts  # noqa: PLC0415 - most keep texts

            report = without_texts(report, self.settings.keep.text_key)
        if not final:
            return report
        kind = report.failure if report.judge else None  # without one it raised, and is kept as an error of ours
        if kind and kind not in self._failures:
            self._failures.add(kind)
            _logger.warning("the judge %s failed (%s): the warnings of its report have why", report.judge, kind)
        if self.settings.store is not None:
            from trail_callbacks.session.storing import store_report  # noqa: PLC0415 - most keep nothing

            rate = self.settings.sample_rate if self.samples(root) else 1.0  # asked for: it stands for itself
            try:
                store_report(self.recorder, self.settings, judged, report, rate)
            except Exception as error:  # noqa: BLE001 - the app must not see our faults
                self.keep_error(error)
        if not self.settings.keep.texts and report.state != "interrupted":  # who resumes it needs what it read
            self.recorder.forget_texts(root, report.graph)
        with self._lock:
            self._reports[root] = report
            if (summary := self._summaries.pop(root, None)) is not None:
                summary.update(report.summary())
            while len(self._reports) > self.settings.keep.runs:
                self._reports.popitem(last=False)
        return report

    def _hand_over(self, run: _Run, loop: asyncio.AbstractEventLoop | None, span: Any, judged: Future[Report]) -> None:
        """Calls the hook with a report, on a thread of its own: it may take its time, and ask for other reports."""
        error = judged.exception()
        if error is not None or self._hooks is None:
            run.done.set_exception(error)
            return
        report = judged.result()

        def call(_: bool) -> None:
            self._hooking = get_ident()
            try:
                with within(span):
                    self._delivery.deliver(report, self.keep_error, loop)
            finally:
                self._hooking = None

        try:
            called = self._hooks.submit(call)
        except RuntimeError as out:  # the interpreter is on its way out
            self.keep_error(out)
            run.done.set_result(report)
        else:
            called.add_done_callback(lambda _: run.done.set_result(report))

    def _skip(self, why: str) -> None:
        """Counts a run that is not verified; reports it once until the worker has caught up."""
        self.skipped += 1
        if not self._behind:
            self._behind = True
            self.keep_error(RuntimeError(why))

    def _forget(self, root: str, done: Future[Report]) -> None:
        with self._lock:
            if isinstance(done.exception(), InputError):
                most = self.settings.keep.runs
                self._skip(f"run {root} was dropped while it waited to be verified: Retention.runs is {most}")
            run = self._runs.get(root)
            if run is not None and run.done is done:
                del self._runs[root]
                if (summary := self._summaries.pop(root, None)) is not None:
                    summary["state"] = "error"
                self.recorder.release(root)


def _late(root: str, timeout: float | None) -> str:
    return f"the report of run {root!r} is not ready after {timeout} s"
