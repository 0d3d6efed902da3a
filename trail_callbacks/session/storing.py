"""Traces of recorded runs, and finished reports on their way to a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from trail_callbacks.capture.payloads import labels, scalars
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.monitor import Observation, observe
from trail_callbacks.report import Report
from trail_callbacks.report.withheld import text_hash, without_texts
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import context_of, given_versions, versions_of
from trail_callbacks.trace.recorded import recorded

if TYPE_CHECKING:
    from trail_callbacks.session.session import Session
    from trail_callbacks.store import Store


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
        run = _bare(observe(judged, trace, rate=rate), settings)
        store.add(kept, None, rate, run=run, redacted=redacted, bare=True)


def _bare(run: Observation, settings: CaptureSettings) -> Observation:
    """The figures of a run without the hash of its question: it would show whoever can guess it that it was asked."""
    return replace(run, key=text_hash(run.key, settings.keep.text_key)[: len(run.key)] if run.key else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedRun:
    """The run around a guard, as far as it is known."""

    session: Session | None = None  # what records it, or decides what may be kept of it
    root: str | None = None  # the root run there that the answer belongs to; None if it is not recorded
    id: str | None = None  # in a store; by default the root's, or a new one
    metadata: Mapping[str, Any] = field(default_factory=dict)  # of a run that is not recorded

    def keep(self, store: Store, report: Report, action: str) -> None:
        """Hands the report on a draft to a store as an entry of this run, with what the guard did."""
        session, redactor = self.session, self.session and self.session.recorder.redactor
        if session is not None and self.root is not None and not session.recorder.forgot(self.root):
            trace = trace_of(session.recorder, session.settings, self.root, report.graph)
        else:
            said = redactor.metadata(scalars(self.metadata)) if redactor else scalars(self.metadata)
            trace = Trace(id="", events=(), context=context_of(said), versions=versions_of(said))
        report = replace(report, run_id=self.id or self.root or uuid4().hex)
        run, bare = observe(report, trace), session is not None and not session.settings.keep.texts
        if session is not None and bare:
            report, run = without_texts(report, session.settings.keep.text_key), _bare(run, session.settings)
        store.add(report, run=run, guard=action, redacted=redactor is not None, bare=bare)
