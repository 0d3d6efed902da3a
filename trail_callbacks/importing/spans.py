"""The spans of one trace to steps: each span is read in the dialect that its attributes are written in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trail_callbacks.importing import genai, langfuse, mlflow, openinference
from trail_callbacks.importing.messages import text_of
from trail_callbacks.importing.otlp import OtlpSpan, lost_with_all
from trail_callbacks.importing.pieces import ImportedRun, Step, said_of, step_of

__all__ = ["run_of"]

_CONTEXT = {
    "session.id": "session_id",
    "user.id": "user_id",
    "gen_ai.conversation.id": "session_id",
    "langfuse.session.id": "session_id",
    "langfuse.user.id": "user_id",
    "langfuse.release": "release",
}
"""Attributes that say whose run it was, and the key of metadata that means it."""


def run_of(trace_id: str, spans: Sequence[OtlpSpan]) -> ImportedRun:
    """Makes the run of the spans of one trace."""
    steps = [_step(span) for span in spans]
    lost = [*lost_with_all(spans), *openinference.gaps_in(spans), *genai.gaps_in(spans)]
    by_methods = any("llama_index" in span.scope for span in spans)
    return ImportedRun(id=trace_id, steps=steps, lost=lost, metadata=_context(spans), by_methods=by_methods)


def _step(span: OtlpSpan) -> Step:
    known = span.attributes
    if openinference.KIND in known:
        return openinference.step(span)
    if langfuse.KIND in known:
        return langfuse.step_of_span(span)
    if mlflow.KIND in known:
        return mlflow.step(span)
    if any(key.startswith("gen_ai.") for key in known):
        return genai.step(span)
    return step_of(span, None, span.name)


def _context(spans: Sequence[OtlpSpan]) -> dict[str, Any]:
    """Whose run it was: instrumentors write that on every span."""
    found: dict[str, Any] = {}
    for span in spans:
        for key, name in _CONTEXT.items():
            if (value := span.attributes.get(key)) not in {None, ""}:
                found.setdefault(name, value)
    version = next((span.resource["service.version"] for span in spans if span.resource.get("service.version")), None)
    if version:
        found.setdefault("app_version", version)
    roots = [span for span in spans if span.parent is None]
    said = text_of(roots[0].attributes.get("metadata")) if roots else None
    return {**said_of(found), **(said_of(said) if isinstance(said, dict) else {})}
