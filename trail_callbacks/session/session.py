"""A session: what an adapter drives. It records runs and verifies those that ended."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.capture.redaction import bare
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.session.verifier import Verifier

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

_KEPT = 100
_logger = logging.getLogger("trail_callbacks")
_logger.addHandler(logging.NullHandler())


class Faults:
    """The last hundred exceptions of capture and verification.

    Attributes:
        hide: Returns an exception without the texts that it quotes, before it is kept or logged; None for all of it.
    """

    def __init__(self, hide: Callable[[Exception], Exception] | None = None) -> None:
        self.hide = hide
        self._errors: deque[Exception] = deque(maxlen=_KEPT)
        self._logged: set[type[Exception]] = set()

    @property
    def errors(self) -> list[Exception]:
        """The exceptions, oldest first."""
        return list(self._errors)

    def keep(self, error: Exception) -> None:
        """Keeps an exception; logs the first of each type."""
        if self.hide is not None:
            error = self.hide(error)
        self._errors.append(error)
        if type(error) not in self._logged:
            self._logged.add(type(error))
            _logger.warning("trail-callbacks failed, the app is not affected: %r", error, exc_info=error)


_TURNS = 16  # of the event loop, in which it closes the generators inside a stream that the app has just closed


class Session:
    """Records runs and verifies those that ended.

    Attributes:
        settings: How runs are recorded and verified.
        emit: Keeps a record of the app's run; a few microseconds, no I/O. See `Recorder.emit`.
        begin: The first half of `emit`, for adapters that count microseconds. See `Recorder.begin`.
        finish: The second half. See `Recorder.finish`.
        keep_error: Keeps an exception of ours so that it can be seen; logs the first of each type.
    """

    def __init__(
        self,
        settings: CaptureSettings | None = None,
        *,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        settings = settings or CaptureSettings()
        self._faults = Faults()
        self.keep_error = self._faults.keep
        self.settings = settings
        self._recorder = Recorder(
            max_traces=settings.max_traces,
            ttl=settings.ttl,
            redact=settings.redact,
            sources=settings.sources,
            on_end=self._run_ended,
            on_error=self.keep_error,
        )
        self._faults.hide = _hiding(settings, self._recorder)
        self._verifier = Verifier(settings, self._recorder, self.keep_error, around)
        self.emit = self._recorder.emit
        self.begin, self.finish = self._recorder.begin, self._recorder.finish

    def join_runs(self) -> None:
        """Takes the root runs from now on for steps of one block of code. See `Recorder.join_roots`."""
        self._recorder.join_roots()

    def _run_ended(self, root: str) -> None:
        self._verifier.run_ended(root)

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side, oldest first: the last hundred exceptions of capture and verification."""
        return self._faults.errors

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        return self._verifier.reports

    @property
    def skipped(self) -> int:
        """Runs that ended and were not verified because too many were waiting."""
        return self._verifier.skipped

    @property
    def redacts(self) -> bool:
        """True if texts are changed before they are stored: then no graph holds what the app wrote, word for word."""
        return self._recorder.redacts

    def redacted(self, text: str) -> str:
        """Returns a text as it is stored: the form to find it by in a graph, and the only one for a judge."""
        return text if self._recorder.redactor is None else self._recorder.redactor.text(text)

    def redacted_graph(self, graph: ProvenanceGraph) -> ProvenanceGraph:
        """As `redacted`, for a graph of things that were not recorded."""
        return graph if self._recorder.redactor is None else self._recorder.redactor.graph(graph)

    def recent(self) -> str | None:
        """Returns the id of the root run that `graph()` and `report()` mean by default."""
        return self._recorder.latest

    def root_of(self, run_id: str) -> str | None:
        """Returns the root above an unfinished run, or None if the run is not known."""
        return self._recorder.root_of(run_id)

    def samples(self, run_id: str) -> bool:
        """True if a root run is to be verified when it ends, by the settings; always the same for an id."""
        return self._verifier.samples(run_id)

    def fill(self, run_id: str, summary: dict[str, Any]) -> bool:
        """Fills a summary, in place, once the report on an ended root run is ready; False if none is due."""
        return self._verifier.fill(run_id, summary)

    def is_due(self, run_id: str) -> bool:
        """True if the report of an ended root run is ready or under way: not if it was left out of the sample."""
        return self._verifier.is_due(run_id)

    def graph(self, run_id: str | None = None) -> ProvenanceGraph:
        """Returns the provenance graph of a root run, by default the latest; it waits for nothing."""
        return self._recorder.graph(self._root(run_id))

    def trace(self, run_id: str | None = None) -> Trace:
        """Returns the trace of a root run, by default the latest: what can be kept, and verified again later.

        Of a run that goes on it is what happened so far.
        """
        from trail_callbacks.session.storing import trace_of  # noqa: PLC0415 - most runs keep no trace

        return trace_of(self._recorder, self.settings, self._root(run_id))

    def graph_under(self, run_id: str) -> ProvenanceGraph:
        """Returns the graph of a run and those inside it, also while it goes on. See `Recorder.graph_under`."""
        return self._recorder.graph_under(run_id)

    def report(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """Returns the report of a root run; verifies now if nobody has."""
        return self._verifier.report(self._reported(run_id), timeout)

    async def areport(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop."""
        root = self._reported(run_id)
        for _ in range(_TURNS):
            if self._recorder.ended(root):
                break
            await asyncio.sleep(0)
        return await self._verifier.areport(root, timeout)

    async def settled(self, run_id: str) -> None:
        """Waits until the verification of an ended root run, if one is under way, is finished. Raises nothing of it."""
        await self._verifier.settled(run_id)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        return self._verifier.flush(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker.

        What is not finished by then is given up: the end of the interpreter does not wait for it either.
        """
        self._verifier.close(timeout)

    def _root(self, run_id: str | None) -> str:
        root = str(run_id) if run_id is not None else self.recent()
        if root is None:
            raise InputError("nothing was recorded yet: run the app with this callback first")
        return root

    def _reported(self, run_id: str | None) -> str:
        if run_id is None and not self._recorder.alone:
            raise InputError("several runs were recorded at the same time: say which report with run_id")
        return self._root(run_id)


def _hiding(settings: CaptureSettings, recorder: Recorder) -> Callable[[Exception], Exception] | None:
    """What takes texts out of an exception; None if it is kept as it is."""
    if not settings.texts:
        return lambda error: error if isinstance(error, TrailError) else bare(error, "[texts are not kept]")
    return None if recorder.redactor is None else recorder.redactor.error
