"""Verifying recorded runs, each once for all who ask, and the ended ones off the app's path.

A judge that computes does so on a thread of the session's own. Judges that wait for a model share one event loop, which
drives as many verifications at once as the settings say. Whoever wants a report waits for one of these.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from threading import RLock, get_ident
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zlib import crc32

from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child, unforked
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.models.call import Pipeline, Usage
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.models.lane import AT_ONCE, GivenUpError, Lane
from trail_callbacks.report import Report
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.slices import Slices, current
from trail_callbacks.verify.delivery import Delivery, running_loop
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import cached, judging, pipeline, verify

if TYPE_CHECKING:
    from trail_callbacks.session.processes import Remote
    from trail_callbacks.session.storing import Storing


def app_span() -> Any:
    """Returns the current span; None if there is none. OpenTelemetry is never imported for it."""
    tracing = sys.modules.get("opentelemetry.trace")
    if tracing is None:
        return None
    try:
        span = tracing.get_current_span()
        return span if span.get_span_context().is_valid else None
    except Exception:  # noqa: BLE001 - another's library, half imported or replaced: then there is no span
        return None


@contextmanager
def within(span: Any) -> Iterator[None]:
    """Makes a span that `app_span` returned the current one in a block."""
    tracing = sys.modules.get("opentelemetry.trace")
    if span is None or tracing is None:
        yield
        return
    with tracing.use_span(span, end_on_exit=False, record_exception=False, set_status_on_exception=False):
        yield


_GAP = (
    "no recorded step wrote the answer: a model may have been called where no callback is called, such as on a thread "
    "started by hand (run it in contextvars.copy_context())"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A verification under way: its report, and the same once the app's hook was called with it."""

    judged: Future[Report]
    done: Future[Report]


class Verifier:
    """Verifies root runs and keeps their reports.

    Attributes:
        skipped: Ended runs that were not verified because too many were waiting.
    """

    def __init__(
        self,
        settings: CaptureSettings,
        recorder: Recorder,
        keep_error: Callable[[Exception], None],
        around: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._settings = settings
        self._options = settings.options or VerifyOptions()
        self._recorder = recorder
        self._keep_error = keep_error
        self._around = around
        self._delivery = Delivery(settings.on_report)
        self._judge = judging(settings.judge, settings.options)
        self._remote = _remote(settings) if settings.evaluate == "process" else None
        self._storing = _storing(settings, recorder, keep_error)
        self._waits = self._remote is None and self._judge.model is not None
        self._lane: Lane[Report] = (
            Lane(settings.concurrency or (AT_ONCE if self._waits else 1), waits=self._waits)
            if self._remote is None
            else Lane(min(settings.concurrency or AT_ONCE, self._remote.processes), self._remote.rest)
        )
        self._hooks: Lane[None] | None = None if settings.on_report is None else Lane()
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self.skipped = 0
        self._renew()
        renewed_in_child(self, Verifier._renew)

    def _renew(self) -> None:
        """Sets up what a forked child has anew: what is under way is the parent's."""
        self._lock = RLock()  # protects the reports and the runs
        self._runs: dict[str, _Run] = {}
        self._summaries: dict[str, dict[str, Any]] = {}  # that wait for the reports under way
        self._hooking: int | None = None  # the thread that calls the app's hook
        self._behind = False  # more runs ended than are verified

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
        return self._settings.evaluate != "never" and crc32(root.encode()) < self._settings.sample_rate * 2**32

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

    def run_ended(self, root: str) -> None:
        """Verifies a root run that has just ended, as the settings say."""
        with self._lock:
            self._reports.pop(root, None)  # an app may use a run id again
        if not self.samples(root):
            return
        if self._storing is not None:
            self._storing.sampled(root)
        inline = self._settings.evaluate == "inline"
        if inline and running_loop() is None:
            with suppress(Exception):  # kept by `_graph`; the app is about to get its own result
                self.report(root)
            return
        with self._lock:
            most = self._settings.max_waiting
            if len(self._runs) >= most and not inline:
                self._skip(f"{most} runs wait to be verified: run {root} was not queued, ask report() for it")
                self._left(root)
                return
            if not self._runs:
                self._behind = False
            try:
                self._begin(root, hurry=inline)
            except RuntimeError as error:  # the interpreter is on its way out and starts no work any more
                self._keep_error(error)
                self._left(root)

    async def settled(self, root: str) -> None:
        """Waits until the verification of an ended run, if one is under way, is finished."""
        with self._lock:
            run = self._runs.get(root)
        if run is not None:
            await self._await(run)

    def report(self, root: str, timeout: float | None = None) -> Report:
        """Returns the report of a root run; see `Session.report`."""
        with self._lock:
            report, run = self._reports.get(root), self._runs.get(root)
            if report is not None:
                return report
            try:
                run = run or self._begin(root, hurry=True)
            except RuntimeError:  # the interpreter is on its way out: there is this thread only
                return self._judged(root, None, final=False)
        self._lane.hurry(run.judged)
        future = run.judged if get_ident() == self._hooking else run.done  # its hook may wait behind this one
        if not wait([future], timeout).done:
            raise TimeoutError(_late(root, timeout))
        return self.report(root, timeout) if isinstance(future.exception(), GivenUpError) else future.result()

    async def areport(self, root: str, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop. If it is cancelled, the verification goes on."""
        with self._lock:
            report, run = self._reports.get(root), self._runs.get(root)
            if report is not None:
                return report
            run = run or self._begin(root, hurry=True)
        if not await self._await(run, timeout):
            raise TimeoutError(_late(root, timeout))
        given_up = isinstance(run.done.exception(), GivenUpError)
        return await self.areport(root, timeout) if given_up else run.done.result()

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
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker."""
        self.flush(timeout)
        left = self._lane.close()
        if self._hooks is not None:
            self._hooks.close()
        if self._remote is not None:
            self._remote.close()
        if left:
            self._keep_error(RuntimeError(f"closed before {left} runs were verified: ask report() for them"))

    def _begin(self, root: str, *, hurry: bool) -> _Run:
        """Has a run verified, away from the app. Call it with the lock held."""
        final = self._recorder.ended(root)
        loop, span = (None, None) if self._hooks is None else (running_loop(), app_span())
        judged = self._lane.submit(partial(self._work, root, final=final), hurry=hurry)
        if not final:  # a report on an unfinished run is for the caller alone
            return _Run(judged, judged)
        run = _Run(judged, judged if self._hooks is None else Future())
        if self._hooks is not None:
            run.done.set_running_or_notify_cancel()  # as those of a lane
        self._recorder.hold(root)
        self._runs[root] = run
        run.done.add_done_callback(partial(self._forget, root))
        if self._hooks is not None:
            judged.add_done_callback(partial(self._hand_over, run, loop, span))
        return run

    def _work(self, root: str, hurried: bool, *, final: bool) -> Report | Awaitable[Report]:
        verify_ = self._awaited if self._waits else self._judged
        return verify_(root, Slices(patient=not hurried), final=final)

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
                    self._delivery.deliver(report, self._keep_error, loop)
            finally:
                self._hooking = None

        try:
            called = self._hooks.submit(call)
        except RuntimeError as out:  # the interpreter is on its way out
            self._keep_error(out)
            run.done.set_result(report)
        else:
            called.add_done_callback(lambda _: run.done.set_result(report))

    def _skip(self, why: str) -> None:
        """Counts a run that is not verified; reports it once until the worker has caught up."""
        self.skipped += 1
        if not self._behind:
            self._behind = True
            self._keep_error(RuntimeError(why))

    def _forget(self, root: str, done: Future[Report]) -> None:
        with self._lock:
            if isinstance(done.exception(), InputError):
                most = self._settings.max_traces
                self._skip(f"run {root} was dropped while it waited to be verified: max_traces is {most}")
            run = self._runs.get(root)
            if run is not None and run.done is done:
                del self._runs[root]
                if (summary := self._summaries.pop(root, None)) is not None:
                    summary["state"] = "error"
                self._recorder.release(root)
                self._left(root)

    def _left(self, root: str) -> None:
        if self._storing is not None:
            self._storing.forget(root)

    def _judged(self, root: str, slices: Slices | None, *, final: bool) -> Report:
        """The report of a run, made on this thread or, by this thread, in another process."""
        started, token = time.perf_counter(), current.set(slices)
        try:
            report = self._here(root) if self._remote is None else self._there(root, self._remote)
        finally:
            current.reset(token)
        return self._finished(root, report, started, final=final)

    async def _awaited(self, root: str, slices: Slices, *, final: bool) -> Report:
        """As `_judged`, on the loop of those that wait."""
        started = time.perf_counter()
        current.set(slices)
        with self._around():
            report, usage = await adrive(self._verification(root), self._judge.model, *self._options.limits)
        return self._finished(root, _costing(report, usage), started, final=final)

    def _here(self, root: str) -> Report:
        with self._around():
            return _costing(*drive(self._verification(root), self._judge.model, *self._options.limits))

    def _verification(self, root: str) -> Pipeline[Report]:
        """The verification of a run, from its events: a generator, as those of the engine are."""
        _import_once()
        graph = self._graph(root)
        try:
            return self._unanswered(root, graph) or (yield from self._asked(root, graph))
        except Exception as error:  # noqa: BLE001 - the app must not see our faults; the report says what happened
            return self._failed(graph, error)

    def _asked(self, root: str, graph: ProvenanceGraph) -> Pipeline[Report]:
        work = pipeline(graph, self._judge, self._options)
        if self._options.diagnose:
            from trail_callbacks.diagnosis.diagnose import verifying  # noqa: PLC0415 - few ask for it
            from trail_callbacks.session.storing import trace_of  # noqa: PLC0415 - as above

            work = verifying(trace_of(self._recorder, self._settings, root), self._judge, self._options)
        return (yield from work if self._options.cache is None else cached(work, self._judge, self._options))

    def _there(self, root: str, remote: Remote) -> Report:
        """As `_here`, in another process."""
        self._check_kept(root)
        try:
            work = remote.verify(self._recorder.material(root))
        except InputError:  # such a run is not kept
            raise
        except Exception as error:  # noqa: BLE001 - something of the app in it cannot be sent
            self._keep_error(error)
            return self._here(root)
        try:
            report = work()
        except Exception as error:  # noqa: BLE001 - as in `_here`
            return self._failed(self._graph(root), error)
        self._recorder.built(root, report.graph)
        return self._unanswered(root, report.graph) or report

    def _check_kept(self, root: str) -> None:
        if self._recorder.forgot(root):
            raise InputError(f"the texts of run {root!r} are not kept (texts=False), and its report is not any more")

    def _graph(self, root: str) -> ProvenanceGraph:
        self._check_kept(root)
        try:
            return self._recorder.graph(root)
        except InputError:  # such a run is not kept
            raise
        except Exception as error:
            self._keep_error(error)
            raise  # reaches whoever asked; a worker's future keeps it

    def _unanswered(self, root: str, graph: ProvenanceGraph) -> Report | None:
        """The report of a run that waits for its user; None for any other run."""
        if graph.answer is not None or not self._recorder.interrupted(root):
            return None
        why = "the run was interrupted and waits to be resumed: there is no answer yet"
        return Report(state="interrupted", graph=graph, warnings=(why,), judge=self._judge.name)

    def _failed(self, graph: ProvenanceGraph, error: Exception) -> Report:
        self._keep_error(error)
        return Report(state="error", graph=graph, warnings=(f"verification failed: {error!r}",))

    def _finished(self, root: str, report: Report, started: float, *, final: bool) -> Report:
        """The report as it is kept and returned."""
        usage = replace(report.usage, seconds=time.perf_counter() - started)
        answer = report.graph.answer
        gap = (_GAP,) if answer is not None and answer.attributes.get("untraced") else ()
        report = replace(report, run_id=root, usage=usage, warnings=(*report.warnings, *gap))
        judged = report
        if not self._settings.texts:
            report = _without_texts(report, self._settings.text_key)
        if final and self._storing is not None:
            self._storing.keep(root, judged, report)
        if final and not self._settings.texts and report.state != "interrupted":  # who resumes it needs what it read
            self._recorder.forget_texts(root, report.graph)
        if not final:  # asked for while the run goes on: there is more to verify later
            return report
        with self._lock:
            self._reports[root] = report
            if (summary := self._summaries.pop(root, None)) is not None:
                summary.update(report.summary())
            while len(self._reports) > self._settings.max_traces:
                self._reports.popitem(last=False)
        return report


def _costing(report: Report, usage: Usage) -> Report:
    return replace(report, usage=usage + report.usage)


def _late(root: str, timeout: float | None) -> str:
    return f"the report of run {root!r} is not ready after {timeout} s"


def _without_texts(report: Report, key: bytes | None) -> Report:
    from trail_callbacks.report.withheld import without_texts  # noqa: PLC0415 - most keep texts

    return without_texts(report, key)


def _storing(settings: CaptureSettings, recorder: Recorder, keep_error: Callable[[Exception], None]) -> Storing | None:
    if settings.store is None:
        return None
    from trail_callbacks.session.storing import Storing  # noqa: PLC0415 - most keep nothing
    from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

    return Storing(opened(settings.store), settings, recorder, keep_error)


def _remote(settings: CaptureSettings) -> Remote:
    from trail_callbacks.session.processes import Remote  # noqa: PLC0415 - most start no process

    return Remote(settings.judge, settings.options)


@cache
def _import_once() -> None:
    """Loads what verifying imports at first, for all judges, while no other thread forks."""
    with unforked(), suppress(Exception):  # what is wrong shows again in the first report
        verify(ProvenanceGraph.from_texts("Ready.", ["Ready since 1874."]), None)
