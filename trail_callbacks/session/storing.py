"""Traces of recorded runs, and finished reports on their way to a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from trail_callbacks.capture.payloads import labels, scalars
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError
from trail_callbacks.monitor import observe
from trail_callbacks.report import Report
from trail_callbacks.report.withheld import text_hash
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import given_versions
from trail_callbacks.trace.recorded import recorded

if TYPE_CHECKING:
    from trail_callbacks.store import Store


def trace_of(recorder: Recorder, settings: CaptureSettings, root: str) -> Trace:
    """Returns the trace of a root run; of one that goes on, what happened so far."""
    if recorder.forgot(root):
        raise InputError(f"the texts of run {root!r} are not kept (texts=False): it has no trace")
    graph = recorder.graph(root) if recorder.ended(root) else None
    events, earlier = recorder.material(root)
    given, versions = settings.context or {}, given_versions((settings.context or {}).get("versions"))
    context = {**scalars(given), "tags": labels(given.get("tags"))}
    if recorder.redactor is not None:
        context = recorder.redactor.metadata(context)
    return recorded(root, events, earlier, graph=graph, context=context, versions=versions)


class Storing:
    """Hands reports to a store; raises nothing."""

    def __init__(
        self, store: Store, settings: CaptureSettings, recorder: Recorder, keep_error: Callable[[Exception], None]
    ) -> None:
        self._store = store
        self._settings = settings
        self._recorder = recorder
        self._keep_error = keep_error
        self._sampled: set[str] = set()

    def sampled(self, root: str) -> None:
        """Notes that a run is verified because it was drawn, and so stands for others."""
        if self._settings.sample_rate < 1.0:
            self._sampled.add(root)

    def forget(self, root: str) -> None:
        """Drops what was noted about a run."""
        self._sampled.discard(root)

    def keep(self, root: str, judged: Report, kept: Report) -> None:
        """Hands over a run that has ended, while its texts are still there."""
        try:
            rate = self._settings.sample_rate if root in self._sampled else 1.0  # asked for: it stands for itself
            trace = trace_of(self._recorder, self._settings, root)
            if self._settings.texts:
                self._store.add(judged, trace, rate)
                return
            run = observe(judged, trace, rate=rate)
            if run.key:  # the hash of a question would show whoever can guess it that it was asked
                run = replace(run, key=text_hash(run.key, self._settings.text_key)[: len(run.key)])
            self._store.add(kept, None, rate, run=run)
        except Exception as error:  # noqa: BLE001 - the app must not see our faults
            self._keep_error(error)
