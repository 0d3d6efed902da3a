"""The trace of a run that a recorder holds, with what the settings say about it."""

from __future__ import annotations

from trail_callbacks.capture.payloads import labels, scalars
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import given_versions
from trail_callbacks.trace.recorded import recorded

__all__ = ["trace_of"]


def trace_of(recorder: Recorder, settings: CaptureSettings, root: str) -> Trace:
    """Returns the trace of a root run; of one that goes on, what happened so far.

    Raises:
        InputError: If the run, or its texts, are not kept.
    """
    if recorder.forgot(root):
        raise InputError(f"the texts of run {root!r} are not kept (texts=False): it has no trace")
    graph = recorder.graph(root) if recorder.ended(root) else None
    events, earlier = recorder.material(root)
    given, versions = settings.context or {}, given_versions(settings.versions)
    context = {**scalars(given), "tags": labels(given.get("tags"))}
    if recorder.redactor is not None:
        context = recorder.redactor.metadata(context)
    return recorded(root, events, earlier, graph=graph, context=context, versions=versions)
