"""How the report on a recorded run is made: here, on the loop of those that wait for a model, or in another process."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.forking import unforked
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.models.lane import AT_ONCE, Lane
from trail_callbacks.report import Report
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.slices import Slices, current
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import cached, judging, pipeline, verify

if TYPE_CHECKING:
    from trail_callbacks.session.processes import Remote


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


_LARGE = 1_000_000  # characters of all texts of a run
_GAP = (
    "no recorded step wrote the answer: a model may have been called where no callback is called, such as on a thread "
    "started by hand (run it in contextvars.copy_context())"
)
_NOTHING = "nothing was retrieved: the answer is a fixed text of the app or its framework, and no model was asked"


class Verification:
    """Makes the reports of one session.

    Attributes:
        lane: Where reports are made: a thread if the judge computes, an event loop shared by all that wait for a model,
            or a thread for each process at work.
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
        self._judge = judging(settings.judge, settings.options)
        self._remote = _remote(settings) if settings.evaluate == "process" else None
        self._lent: Remote | None = None  # for large runs, unless all go to processes
        self._waits = self._remote is None and self._judge.model is not None
        most = settings.concurrency or (AT_ONCE if self._remote is not None or self._waits else 1)
        self.lane: Lane[Report] = (
            Lane(most, waits=self._waits)
            if self._remote is None
            else Lane(min(most, self._remote.processes), self._remote.rest)
        )

    def close(self) -> int:
        """Ends what is under way; returns how many reports were given up."""
        left = self.lane.close()
        for remote in filter(None, (self._remote, self._lent)):
            remote.close()
        return left

    def make(self, root: str, slices: Slices | None) -> Report | Awaitable[Report]:
        """Makes the report on a run, on a thread of the lane or as a task of its loop."""
        return self._awaited(root, slices) if self._waits else self.made(root, slices)

    def made(self, root: str, slices: Slices | None) -> Report:
        """As `make`, on this thread or, by this thread, in another process."""
        started, token = time.perf_counter(), current.set(slices)
        try:
            remote = self._remote or self._apart(root)
            report = self._here(root) if remote is None else self._there(root, remote)
        finally:
            current.reset(token)
        if self._lent is not None:
            self._lent.rest()
        return _dated(root, report, started)

    def _apart(self, root: str) -> Remote | None:
        """Processes for a run with so many texts that other threads would wait while Python collects its garbage."""
        if self._settings.judge not in (None, "local") or self._recorder.forgot(root):  # others hold a model
            return None
        sides = (side for each in self._recorder.events(root) for side in (each.inputs, getattr(each, "outputs", ())))
        if sum(map(len, {piece.text for side in sides for piece in side or ()})) < _LARGE:
            return None
        with suppress(TrailError):  # this program can start none
            self._lent = self._lent or _remote(self._settings)
        return self._lent

    async def _awaited(self, root: str, slices: Slices | None) -> Report:
        started = time.perf_counter()
        current.set(slices)
        with self._around():
            report, usage = await adrive(self._steps(root), self._judge.model, *self._options.limits)
        return _dated(root, replace(report, usage=usage + report.usage), started)

    def _here(self, root: str) -> Report:
        with self._around():
            report, usage = drive(self._steps(root), self._judge.model, *self._options.limits)
        return replace(report, usage=usage + report.usage)

    def _steps(self, root: str) -> Pipeline[Report]:
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
        except OSError as error:  # no process can be started here
            self._keep_error(error)
            return self._here(root)
        except Exception as error:  # noqa: BLE001 - as in `_steps`
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


def _dated(root: str, report: Report, started: float) -> Report:
    usage, answer = replace(report.usage, seconds=time.perf_counter() - started), report.graph.answer
    untraced = None if answer is None else answer.attributes.get("untraced")
    gap = (_NOTHING if untraced == "nothing found" else _GAP,) if untraced else ()
    return replace(report, run_id=root, usage=usage, warnings=(*report.warnings, *gap))


def _remote(settings: CaptureSettings) -> Remote:
    from trail_callbacks.session.processes import Remote  # noqa: PLC0415 - most start no process

    return Remote(settings.judge, settings.options)


@cache
def _import_once() -> None:
    """Loads what verifying imports at first, for all judges, while no other thread forks."""
    with unforked(), suppress(Exception):  # what is wrong shows again in the first report
        verify(ProvenanceGraph.from_texts("Ready.", ["Ready since 1874."]), None)
