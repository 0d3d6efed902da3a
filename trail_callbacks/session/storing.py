"""Traces of recorded runs, and finished reports on their way to a store."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
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
    given = settings.context or {}
    context = {**scalars(given), "tags": labels(given.get("tags"))}
    if recorder.redactor is not None:
        context = recorder.redactor.metadata(context)
    versions = given_versions(given.get("versions"))
    return recorded(root, events, earlier, graph=graph, context=context, versions=versions)


_PATIENCE = 2.0  # seconds for runs of this process that are about to be written


def turn_before(where: str | PathLike[str] | Store, session: str, before: float) -> Trace | None:
    """Returns the last turn of a thread that a store has: another worker may have recorded it."""
    from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

    store = opened(where)
    store.flush(_PATIENCE)
    return store.turn(session, before)


def store_report(recorder: Recorder, settings: CaptureSettings, judged: Report, kept: Report, rate: float) -> None:
    """Hands a run that has ended to the store, while its texts are still there.

    Args:
        recorder: Has the run.
        settings: Those of the session.
        judged: The report.
        kept: The same, without texts if the settings say so.
        rate: The share of runs that are drawn, if it was.
    """
    if settings.store is None:
        return
    from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

    store, trace = opened(settings.store), trace_of(recorder, settings, str(judged.run_id))
    if settings.keep.texts:
        store.add(judged, trace, rate)
        return
    run = observe(judged, trace, rate=rate)
    if run.key:  # the hash of a question would show whoever can guess it that it was asked
        run = replace(run, key=text_hash(run.key, settings.keep.text_key)[: len(run.key)])
    store.add(kept, None, rate, run=run)
