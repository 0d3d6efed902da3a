"""Reports of guards on their way to a store, as entries of the run around the guard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from trail_callbacks.capture.payloads import scalars
from trail_callbacks.monitor import observe
from trail_callbacks.report import Report
from trail_callbacks.report.withheld import without_texts
from trail_callbacks.session.session import Session
from trail_callbacks.session.storing import bare_run, trace_of
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import context_of, versions_of

if TYPE_CHECKING:
    from trail_callbacks.store import Store


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
            report, run = without_texts(report, session.settings.keep.text_key), bare_run(run, session.settings)
        store.add(report, run=run, guard=action, redacted=redactor is not None, bare=bare)
