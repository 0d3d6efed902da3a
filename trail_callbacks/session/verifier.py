"""Verifying recorded runs, each once for all who ask, and the ended ones off the app's path."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cache, partial
from threading import RLock, get_ident
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zlib import crc32

from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child, unforked
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.session.app_span import app_span, within
from trail_callbacks.session.lane import Lane
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.slices import Slices, current
from trail_callbacks.verify.delivery import Delivery, running_loop
from trail_callbacks.verify.pipeline import averify, judging, verify

if TYPE_CHECKING:
    from trail_callbacks.session.processes import Remote
    from trail_callbacks.session.storing import Storing
    from trail_callbacks.trace import Trace

__all__ = ["Verifier"]

_GAP = (
    "no recorded step wrote the answer: a model may have been called where no callback is called, such as on a thread "
    "started by hand (run it in contextvars.copy_context())"
)


class Verifier:
    """Verifies root runs and keeps their reports.

    Args:
        settings: The judge, when it judges, and what is kept.
        recorder: Holds the runs.
        keep_error: Takes exceptions of verification and of hooks.
        around: Makes a context to verify in, on whatever thread.

    Attributes:
        skipped: Ended runs that were not verified because too many were waiting.

    Raises:
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self,
        settings: CaptureSettings,
        recorder: Recorder,
        keep_error: Callable[[Exception], None],
        around: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._settings = settings
        self._recorder = recorder
        self._keep_error = keep_error
        self._around = around
        self._delivery = Delivery(settings.on_report)
        self._judge = judging(settings.judge, settings.options)
        self._remote = _remote(settings) if settings.evaluate == "process" else None
        self._storing = _storing(settings, recorder, keep_error)
        self._lane = Lane() if self._remote is None else Lane(self._remote.processes, self._remote.rest)
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self.skipped = 0
        self._renew()
        renewed_in_child(self, Verifier._renew)

    def _renew(self) -> None:
        """Sets up what a forked child has anew: what is under way is the parent's."""
        self._lock = RLock()  # protects the reports and the futures
        self._futures: dict[str, Future[Report]] = {}
        self._summaries: dict[str, dict[str, Any]] = {}  # that wait for the reports under way
        self._threads: set[int] = set()  # of the lane, at work
        self._behind = False  # more runs ended than are verified

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        with self._lock:
            return MappingProxyType(dict(self._reports))

    def is_due(self, root: str) -> bool:
        """True if the report of an ended root run is ready or under way: not if it was left out of the sample."""
        with self._lock:
            return root in self._reports or root in self._futures

    def samples(self, root: str) -> bool:
        """True if a root run is to be verified when it ends; by its id, so that it can be said before it has ended."""
        return self._settings.evaluate != "never" and crc32(root.encode()) < self._settings.sample_rate * 2**32

    def fill(self, root: str, summary: dict[str, Any]) -> bool:
        """Fills a summary, in place, once the report on an ended run is ready; False if none is due."""
        with self._lock:
            if (report := self._reports.get(root)) is not None:
                summary.update(report.summary())
            elif root in self._futures:
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
        if inline and not _in_event_loop():
            with suppress(Exception):  # kept by `_graph`; the app is about to get its own result
                self._verify(root)
            return
        with self._lock:
            most = self._settings.max_waiting
            if len(self._futures) >= most and not inline:
                self._skip(f"{most} runs wait to be verified: run {root} was not queued, ask report() for it")
                self._left(root)
                return
            if not self._futures:
                self._behind = False
            self._recorder.hold(root)
            try:
                loop, span = running_loop(), app_span() if self._settings.on_report else None
                work = partial(self._on_lane, root, loop, span)
                future = self._lane.submit(work, hurry=inline)
            except RuntimeError as error:  # the interpreter is on its way out and starts no work any more
                self._recorder.release(root)
                self._keep_error(error)
                self._left(root)
                return
            self._futures[root] = future
        future.add_done_callback(lambda done: self._forget(root, done))

    async def settled(self, root: str) -> None:
        """Waits until the verification of an ended run, if one is under way, is finished."""
        with self._lock:
            future = self._futures.get(root)
        if future is not None:
            self._lane.hurry(future)
            waited = asyncio.wrap_future(future)
            waited.add_done_callback(lambda done: done.cancelled() or done.exception())  # it is kept already
            await asyncio.wait([waited])

    def report(self, root: str, timeout: float | None = None) -> Report:
        """Returns the report of a root run; see `Session.report`."""
        report, future, ours = self._turn(root)
        if report is not None:
            return report
        if ours:
            return self._carry_out(root, future)
        if get_ident() in self._threads and future.cancel():  # a hook asks for a run that waits behind its own
            return self._carry_out(root, Future())
        self._lane.hurry(future)
        if not wait([future], timeout).done:
            raise TimeoutError(_late(root, timeout))
        return self._carry_out(root, Future()) if future.cancelled() else future.result()

    async def areport(self, root: str, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop."""
        report, future, ours = self._turn(root)
        if report is not None:
            return report
        if not ours:
            self._lane.hurry(future)
            done, _ = await asyncio.wait([asyncio.wrap_future(future)], timeout=timeout)
            if not done:
                raise TimeoutError(_late(root, timeout))
            if not future.cancelled():
                return future.result()
            future = Future()
        try:
            return await asyncio.wait_for(self._acarry_out(root, future), timeout)
        except TimeoutError:
            if future.done() and not future.cancelled():  # only the hook is late
                return future.result()
            raise TimeoutError(_late(root, timeout)) from None

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        with self._lock:
            futures = list(self._futures.values())
        return not wait(futures, timeout).not_done

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker."""
        self.flush(timeout)
        self._lane.close()
        if self._remote is not None:
            self._remote.close()

    def _turn(self, root: str) -> tuple[Report | None, Future[Report], bool]:
        """Returns the report of a run, or the verification to wait for, or one that the caller has to carry out."""
        with self._lock:
            report, future = self._reports.get(root), self._futures.get(root)
            if report is None and future is not None:
                return None, future, False
            ours: Future[Report] = Future()
            if report is None and self._recorder.ended(root):  # a report on an unfinished run is for the caller alone
                self._futures[root] = ours
            return report, ours, report is None

    def _carry_out(self, root: str, future: Future[Report]) -> Report:
        """Verifies a run for all who wait for it."""
        try:
            report = self._verify(root)
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(report)
            return report
        finally:
            self._forget(root, future)

    async def _acarry_out(self, root: str, future: Future[Report]) -> Report:
        """As `_carry_out`; if it is cancelled, those who wait verify the run themselves."""
        try:
            report, final = await self._averify(root)
        except asyncio.CancelledError:
            future.cancel()
            future.set_running_or_notify_cancel()
            raise
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(report)
        finally:
            self._forget(root, future)
        if final:
            await self._delivery.adeliver(report, self._keep_error)
        return report

    def _on_lane(self, root: str, loop: asyncio.AbstractEventLoop | None, span: Any, hurried: bool) -> Report:
        self._threads.add(get_ident())
        try:
            return self._verify(root, Slices(patient=not hurried), loop, span)
        except InputError:
            with self._lock:
                most = self._settings.max_traces
                self._skip(f"run {root} was dropped while it waited to be verified: max_traces is {most}")
            raise
        finally:
            self._threads.discard(get_ident())

    def _skip(self, why: str) -> None:
        """Counts a run that is not verified; reports it once until the worker has caught up."""
        self.skipped += 1
        if not self._behind:
            self._behind = True
            self._keep_error(RuntimeError(why))

    def _forget(self, root: str, future: Future[Report]) -> None:
        with self._lock:
            if self._futures.get(root) is future:
                del self._futures[root]
                if (summary := self._summaries.pop(root, None)) is not None:
                    summary["state"] = "error"
                self._recorder.release(root)
                self._left(root)

    def _left(self, root: str) -> None:
        if self._storing is not None:
            self._storing.forget(root)

    def _verify(
        self,
        root: str,
        slices: Slices | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        span: Any = None,
    ) -> Report:
        report, final = self._judged(root, slices)
        if final:
            with within(span):
                self._delivery.deliver(report, self._keep_error, loop)
        return report

    def _judged(self, root: str, slices: Slices | None = None) -> tuple[Report, bool]:
        """The report of a run, and whether the run had ended, so that it will not be another."""
        self._check_kept(root)
        started, final = time.perf_counter(), self._recorder.ended(root)
        token = current.set(slices)
        try:
            report = self._here(root) if self._remote is None else self._there(root, self._remote)
        finally:
            current.reset(token)
        return self._finished(root, report, started, final=final), final

    def _here(self, root: str) -> Report:
        if self._judge.model is None:
            _import_once()
        graph = self._graph(root)
        try:
            with self._around():
                if (unanswered := self._unanswered(root, graph)) is not None:
                    return unanswered
                if self._diagnoses:
                    from trail_callbacks.diagnosis import verified  # noqa: PLC0415 - few ask for it

                    return verified(self._trace(root), self._judge, self._settings.options)
                return verify(graph, self._judge, self._settings.options)
        except Exception as error:  # noqa: BLE001 - the app must not see our faults; the report says what happened
            return self._failed(graph, error)

    def _there(self, root: str, remote: Remote) -> Report:
        """As `_here`, in another process."""
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

    async def _averify(self, root: str) -> tuple[Report, bool]:
        if self._remote is not None:
            return await asyncio.to_thread(self._judged, root)
        self._check_kept(root)
        started, final = time.perf_counter(), self._recorder.ended(root)
        token = current.set(Slices(patient=False))
        try:
            graph = await asyncio.to_thread(self._graph, root)
            try:
                with self._around():
                    report = self._unanswered(root, graph) or await self._averified(root, graph)
            except Exception as error:  # noqa: BLE001 - as above
                report = self._failed(graph, error)
        finally:
            current.reset(token)
        return self._finished(root, report, started, final=final), final

    async def _averified(self, root: str, graph: ProvenanceGraph) -> Report:
        if self._diagnoses:
            from trail_callbacks.diagnosis import averified  # noqa: PLC0415 - as above

            return await averified(self._trace(root), self._judge, self._settings.options)
        return await averify(graph, self._judge, self._settings.options)

    @property
    def _diagnoses(self) -> bool:
        return self._settings.options is not None and self._settings.options.diagnose

    def _trace(self, root: str) -> Trace:
        from trail_callbacks.session.tracing import trace_of  # noqa: PLC0415 - as above

        return trace_of(self._recorder, self._settings, root)

    def _check_kept(self, root: str) -> None:
        if self._recorder.forgot(root):
            raise InputError(f"the texts of run {root!r} are not kept (texts=False), and its report is not any more")

    def _graph(self, root: str) -> ProvenanceGraph:
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
    """Loads what the offline judge imports when it is first used, while no other thread forks."""
    with unforked(), suppress(Exception):  # what is wrong shows again in the first report
        verify(ProvenanceGraph.from_texts("Ready.", ["Ready since 1874."]), None)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
