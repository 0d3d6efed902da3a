"""Traces of recorded runs, and finished reports on their way to a store."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks.capture.payloads import labels, scalars
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.monitor import Observation, observe
from trail_callbacks.report import Report
from trail_callbacks.report.withheld import text_hash
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import given_versions
from trail_callbacks.trace.recorded import recorded


def trace_of(recorder: Recorder, settings: CaptureSettings, root: str, graph: ProvenanceGraph | None = None) -> Trace:
    """Returns the trace of a root run; of one that goes on, what happened so far, perhaps with its graph so far."""
    if recorder.forgot(root):
        raise InputError(f"the texts of run {root!r} are not kept (texts=False): it has no trace")
    if graph is None and recorder.ended(root):
        graph = recorder.graph(root)
    events, earlier = recorder.material(root)
    given = settings.context or {}
    context = {**scalars(given), "tags": labels(given.get("tags"))}
    if recorder.redactor is not None:
        context = recorder.redactor.metadata(context)
    versions = given_versions(given.get("versions"))
    return recorded(root, events, earlier, graph=graph, context=context, versions=versions)


def store_report(recorder: Recorder, settings: CaptureSettings, judged: Report, kept: Report, rate: float) -> None:
    """Hands a run that has ended to the store, while its texts are still there.

    Args:
        recorder: Has the run.
        settings: Those of the session.
        judged: The report.
        kept: The same, without texts if the settings say so.
        rate: The share of runs that are drawn, if it was.
    """
    store = settings.opened_store
    if store is None:
        return
    trace, redacted = trace_of(recorder, settings, str(judged.run_id)), recorder.redactor is not None
    if settings.keep.texts:
        store.add(judged, trace, rate, redacted=redacted)
    else:
        run = bare_run(observe(judged, trace, rate=rate), settings)
        store.add(kept, None, rate, run=run, redacted=redacted, bare=True)


def bare_run(run: Observation, settings: CaptureSettings) -> Observation:
    """Returns figures without the hash of the question: it would show whoever can guess it that it was asked."""
    return replace(run, key=text_hash(run.key, settings.keep.text_key)[: len(run.key)] if run.key else "")
