"""A session: what an adapter drives. It records runs and verifies the finished ones, off the app's path."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from threading import RLock, get_ident
from types import MappingProxyType
from typing import Literal, get_args

from trail_callbacks.capture.recorder import Recorder, Redact
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import averify, judging, verify

__all__ = ["Evaluate", "Session"]

Evaluate = Literal["background", "inline", "never"]

_logger = logging.getLogger("trail_callbacks")
_logger.addHandler(logging.NullHandler())
_QUEUE = 256
_ERRORS = 100
_GAP = (
    "no recorded step wrote the answer: a model may have been called where no callback hears it, such as a thread "
    "started by hand (run it in contextvars.copy_context())"
)


class Session:
    """Records runs and verifies those that ended.

    Args:
        judge: Who decides; None is the offline judge. See `trail_callbacks.judges.resolve.resolve`.
        evaluate: `background`: on a worker thread once the root run ended; `inline`: before the root's callback
            returns, which makes the app wait; `never`: only when `report()` is asked for.
        options: Settings of the verification.
        sample_rate: Share of runs verified unasked, 0.0 to 1.0.
        redact: Applied to every captured text before it is stored or shown to a judge.
        on_report: Called with every finished report, on the thread that verified.
        max_traces: Run trees and reports kept.
        ttl: Seconds after which a run that never ended is dropped.
        around: Makes a context to verify in, on whatever thread: an adapter hides the judge's own calls in it.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self,
        *,
        judge: JudgeLike = None,
        evaluate: Evaluate = "background",
        options: VerifyOptions | None = None,
        sample_rate: float = 1.0,
        redact: Redact | None = None,
        on_report: Callable[[Report], None] | None = None,
        max_traces: int = 256,
        ttl: float = 3600.0,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        if evaluate not in get_args(Evaluate):
            raise InputError(f"evaluate is {evaluate!r}, expected one of {', '.join(get_args(Evaluate))}")
        if not 0.0 <= sample_rate <= 1.0:
            raise InputError(f"sample_rate is {sample_rate}, expected a share from 0.0 to 1.0")
        if max_traces < 1 or ttl <= 0:
            raise InputError("max_traces and ttl must be positive")
        self._judge = judging(judge, options)
        self._evaluate = evaluate
        self._options = options
        self._sample_rate = sample_rate
        self._on_report = on_report
        self._around = around
        self._max_traces = max_traces
        self._recorder = Recorder(
            max_traces=max_traces, ttl=ttl, redact=redact, on_end=self._ended, on_error=self.keep_error
        )
        self._lock = RLock()  # protects the reports and the futures
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._futures: dict[str, Future[Report]] = {}
        self._worker: ThreadPoolExecutor | None = None
        self._working: int | None = None  # the worker's thread
        self._behind = False  # more runs ended than are verified
        self.skipped = 0
        """Runs that were not verified unasked because too many were waiting."""
        self._errors: deque[Exception] = deque(maxlen=_ERRORS)
        self._logged: set[type[Exception]] = set()
        self.emit = self._recorder.emit
        """Keeps a record of the app's run; a few microseconds, no I/O. See `Recorder.emit`."""
        self.begin, self.finish = self._recorder.begin, self._recorder.finish
        """The two halves of `emit`, for adapters that count microseconds. See `Recorder.begin`."""

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side, oldest first: the last hundred exceptions of capture and verification."""
        return list(self._errors)

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        with self._lock:
            return MappingProxyType(dict(self._reports))

    def keep_error(self, error: Exception) -> None:
        """Keeps an exception of ours so that it can be seen; logs the first of each type."""
        self._errors.append(error)
        if type(error) not in self._logged:
            self._logged.add(type(error))
            _logger.warning("trail-callbacks failed, the app is not affected: %r", error, exc_info=error)

    @property
    def redacts(self) -> bool:
        """True if texts are changed before they are stored: then no graph holds what the app wrote, word for word."""
        return self._recorder.redacts

    def recent(self) -> str | None:
        """Returns the id of the root run that `graph()` and `report()` mean by default."""
        return self._recorder.latest

    def root_of(self, run_id: str) -> str | None:
        """Returns the root above an unfinished run, or None if the run is not known."""
        return self._recorder.root_of(run_id)

    def due(self, run_id: str) -> bool:
        """True if the report of an ended root run is ready or under way: not if it was left out of the sample."""
        with self._lock:
            return run_id in self._reports or run_id in self._futures

    def graph(self, run_id: str | None = None) -> ProvenanceGraph:
        """Returns the provenance graph of a root run, by default the latest; it waits for nothing.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self._recorder.graph(self._root(run_id))

    def graph_so_far(self, run_id: str, text: str) -> ProvenanceGraph:
        """Returns the graph of a root run as if its model had just ended with a text. See `Recorder.graph_so_far`."""
        return self._recorder.graph_so_far(run_id, text)

    def graph_under(self, run_id: str) -> ProvenanceGraph:
        """Returns the graph of a run and those inside it, also while it goes on. See `Recorder.graph_under`."""
        return self._recorder.graph_under(run_id)

    def report(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """Returns the report of a root run, by default the latest; verifies now if nobody has.

        Args:
            run_id: Id of the root run.
            timeout: Seconds to wait for a verification that is under way; None waits as long as it takes.

        Raises:
            InputError: If nothing was recorded under this id.
            TimeoutError: If the verification is not finished in time.
        """
        root = self._root(run_id)
        report, future, ours = self._turn(root)
        if report is not None:
            return report
        if ours:
            return self._carry_out(root, future)
        if get_ident() == self._working and future.cancel():  # a hook asks for a run that waits behind its own
            return self._carry_out(root, Future())
        if not wait([future], timeout).done:
            raise TimeoutError(_late(root, timeout))
        return self._carry_out(root, Future()) if future.cancelled() else future.result()

    async def areport(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop."""
        root = self._root(run_id)
        report, future, ours = self._turn(root)
        if report is not None:
            return report
        if not ours:
            done, _ = await asyncio.wait([asyncio.wrap_future(future)], timeout=timeout)
            if not done:
                raise TimeoutError(_late(root, timeout))
            if not future.cancelled():
                return future.result()
            future = Future()
        try:
            return await asyncio.wait_for(self._acarry_out(root, future), timeout)
        except TimeoutError:  # not the built-in one before Python 3.11
            raise TimeoutError(_late(root, timeout)) from None

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        with self._lock:
            futures = list(self._futures.values())
        return not wait(futures, timeout).not_done

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker."""
        self.flush(timeout)
        with self._lock:
            worker, self._worker = self._worker, None
            futures = list(self._futures.values())
        if worker is not None:
            worker.shutdown(wait=False, cancel_futures=True)
            for future in futures:
                if future.cancelled():
                    future.set_running_or_notify_cancel()  # or whoever waits for it waits for ever

    def _root(self, run_id: str | None) -> str:
        root = str(run_id) if run_id is not None else self._recorder.latest
        if root is None:
            raise InputError("nothing was recorded yet: run the app with this callback first")
        return root

    def _turn(self, root: str) -> tuple[Report | None, Future[Report], bool]:
        """Returns the report of a run, or the verification to wait for, or one that the caller has to carry out."""
        with self._lock:
            report, future = self._reports.get(root), self._futures.get(root)
            if report is None and future is not None:
                return None, future, False
            ours: Future[Report] = Future()
            if report is None and self._recorder.ended(root):  # what is known of an unfinished run is nobody else's
                self._futures[root] = ours
            return report, ours, report is None

    def _carry_out(self, root: str, future: Future[Report]) -> Report:
        """Verifies a run for all who wait for it."""
        try:
            report = self._assess(root)
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(report)
            return report
        finally:
            self._forget(root, future)

    async def _acarry_out(self, root: str, future: Future[Report]) -> Report:
        """As `_carry_out`; if it is cancelled, those who wait see for themselves."""
        try:
            report = await self._aassess(root)
        except asyncio.CancelledError:
            future.cancel()
            future.set_running_or_notify_cancel()
            raise
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(report)
            return report
        finally:
            self._forget(root, future)

    def _ended(self, root: str) -> None:
        with self._lock:
            self._reports.pop(root, None)  # an app may use a run id again
        if self._evaluate == "never" or random.random() >= self._sample_rate:  # noqa: S311 - sampling, no secret
            return
        if self._evaluate == "inline":
            with suppress(Exception):  # kept by `_graph`; the app is about to get its own result
                self._assess(root)
            return
        with self._lock:
            if len(self._futures) >= _QUEUE:
                self._skip(f"{_QUEUE} verifications are waiting: run {root} was not queued, ask report() for it")
                return
            if not self._futures:
                self._behind = False
            if self._worker is None:
                self._worker = ThreadPoolExecutor(1, thread_name_prefix="trail")
            try:
                future = self._worker.submit(self._on_worker, root)
            except RuntimeError as error:  # the interpreter is on its way out and starts no work any more
                self.keep_error(error)
                return
            self._futures[root] = future
        future.add_done_callback(lambda done: self._forget(root, done))

    def _on_worker(self, root: str) -> Report:
        self._working = get_ident()
        try:
            return self._assess(root)
        except InputError:
            with self._lock:
                self._skip(f"run {root} was dropped while it waited to be verified: max_traces is {self._max_traces}")
            raise

    def _skip(self, why: str) -> None:
        """Counts a run that is not verified; says so once until the worker has caught up."""
        self.skipped += 1
        if not self._behind:
            self._behind = True
            self.keep_error(RuntimeError(why))

    def _forget(self, root: str, future: Future[Report]) -> None:
        with self._lock:
            if self._futures.get(root) is future:
                del self._futures[root]

    def _assess(self, root: str) -> Report:
        started, final = time.perf_counter(), self._recorder.ended(root)
        graph = self._graph(root)
        try:
            with self._around():
                report = verify(graph, self._judge, self._options)
        except Exception as error:  # noqa: BLE001 - the app must not see our faults; the report says what happened
            report = self._failed(graph, error)
        return self._finish(root, report, started, final=final)

    async def _aassess(self, root: str) -> Report:
        started, final = time.perf_counter(), self._recorder.ended(root)
        graph = await asyncio.to_thread(self._graph, root)
        try:
            with self._around():
                report = await averify(graph, self._judge, self._options)
        except Exception as error:  # noqa: BLE001 - as above
            report = self._failed(graph, error)
        return self._finish(root, report, started, final=final)

    def _graph(self, root: str) -> ProvenanceGraph:
        try:
            return self._recorder.graph(root)
        except InputError:  # such a run is not kept
            raise
        except Exception as error:
            self.keep_error(error)
            raise  # whoever asked hears of it; a worker's future keeps it

    def _failed(self, graph: ProvenanceGraph, error: Exception) -> Report:
        self.keep_error(error)
        return Report(state="error", graph=graph, warnings=(f"verification failed: {error!r}",))

    def _finish(self, root: str, report: Report, started: float, *, final: bool) -> Report:
        usage = replace(report.usage, seconds=time.perf_counter() - started)
        answer = report.graph.answer
        gap = (_GAP,) if answer is not None and answer.attributes.get("origin") == "untraced" else ()
        report = replace(report, run_id=root, usage=usage, warnings=(*report.warnings, *gap))
        if not final:  # asked for while the run goes on: the next to ask wants to know more
            return report
        with self._lock:
            self._reports[root] = report
            while len(self._reports) > self._max_traces:
                self._reports.popitem(last=False)
        if self._on_report is not None:
            try:
                self._on_report(report)
            except Exception as error:  # noqa: BLE001 - the hook is the user's, the run is not to suffer from it
                self.keep_error(error)
        return report


def _late(root: str, timeout: float | None) -> str:
    return f"the report of run {root!r} is not ready after {timeout} s"
