"""A session: what an adapter drives. It records runs and verifies the finished ones, off the app's path."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from threading import RLock
from types import MappingProxyType
from typing import Literal, get_args

from trail_callbacks.capture.recorder import Recorder, Redact
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import averify, verify

__all__ = ["Evaluate", "Session"]

Evaluate = Literal["background", "inline", "never"]

_logger = logging.getLogger("trail_callbacks")
_logger.addHandler(logging.NullHandler())
_QUEUE = 256
_ERRORS = 100


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
        self._judge = resolve(judge)
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
        self._errors: deque[Exception] = deque(maxlen=_ERRORS)
        self._logged: set[type[Exception]] = set()
        self.emit = self._recorder.emit
        """Keeps a record of the app's run; a few microseconds, no I/O. See `Recorder.emit`."""

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
        with self._lock:
            report, future = self._reports.get(root), self._futures.get(root)
        if report is not None:
            return report
        if future is not None:
            if not wait([future], timeout).done:
                raise TimeoutError(f"the report of run {root!r} is not ready after {timeout} s")
            if not future.cancelled():
                return future.result()
        return self._assess(root)

    async def areport(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop."""
        root = self._root(run_id)
        with self._lock:
            report, future = self._reports.get(root), self._futures.get(root)
        if report is not None:
            return report
        if future is not None:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), timeout)
        graph = await asyncio.to_thread(self._recorder.graph, root)
        with self._around():
            verified = await asyncio.wait_for(averify(graph, self._judge, self._options), timeout)
        return self._finish(root, verified)

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
        if worker is not None:
            worker.shutdown(wait=False, cancel_futures=True)

    def _root(self, run_id: str | None) -> str:
        root = str(run_id) if run_id is not None else self._recorder.latest
        if root is None:
            raise InputError("nothing was recorded yet: run the app with this callback first")
        return root

    def _ended(self, root: str) -> None:
        if self._evaluate == "never" or random.random() >= self._sample_rate:  # noqa: S311 - sampling, no secret
            return
        if self._evaluate == "inline":
            self._assess(root)
            return
        with self._lock:
            if len(self._futures) >= _QUEUE:
                self.keep_error(
                    RuntimeError(f"{_QUEUE} verifications are waiting: run {root} was not queued, ask report() for it")
                )
                return
            if self._worker is None:
                self._worker = ThreadPoolExecutor(1, thread_name_prefix="trail")
            future = self._worker.submit(self._assess, root)
            self._futures[root] = future
        future.add_done_callback(lambda _: self._forget(root))

    def _forget(self, root: str) -> None:
        with self._lock:
            self._futures.pop(root, None)

    def _assess(self, root: str) -> Report:
        started = time.perf_counter()
        try:
            graph = self._recorder.graph(root)
        except Exception as error:
            self.keep_error(error)
            raise  # whoever asked hears of it; a worker's future keeps it
        try:
            with self._around():
                report = verify(graph, self._judge, self._options)
        except Exception as error:  # noqa: BLE001 - the app must not see our faults; the report says what happened
            self.keep_error(error)
            report = Report(state="error", graph=graph, warnings=(f"verification failed: {error!r}",))
        spent = time.perf_counter() - started
        return self._finish(root, replace(report, usage=replace(report.usage, seconds=spent)))

    def _finish(self, root: str, report: Report) -> Report:
        report = replace(report, run_id=root)
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
