"""The trace of a run that a recorder holds, with what the settings say about it."""

from __future__ import annotations

from trail_callbacks.capture.payloads import scalars
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.session.settings import CaptureSettings
from trail_callbacks.trace import Trace
from trail_callbacks.trace.context import given_versions
from trail_callbacks.trace.recorded import recorded

__all__ = ["trace_of"]


def trace_of(recorder: Recorder, settings: CaptureSettings, root: str) -> Trace:
    """Returns the trace of a root run; of one that goes on, what happened so far.

    Raises:
        InputError: If the run is not kept.
    """
    graph = recorder.graph(root) if recorder.ended(root) else None
    events, earlier = recorder.material(root)
    context, versions = scalars(settings.context or {}), given_versions(settings.versions)
    return recorded(root, events, earlier, graph=graph, context=context, versions=versions)
