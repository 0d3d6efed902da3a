"""Spans and traces while they are open, and what each span is: a run of its own, or a way through."""

from __future__ import annotations

import weakref
from typing import Any

from llama_index_trail.families import MODEL_CALLS, Family, family
from llama_index_trail.pieces import Raw
from llama_index_trail.scope import Scope
from trail_callbacks.capture.events import RunKind

__all__ = ["WRITERS", "Span", "Trace", "classify"]

WRITERS = frozenset({"write_response_to_history", "awrite_response_to_history"})
"""Methods of a chat engine's streaming response that read the model's stream."""

_AGENT_STEPS = frozenset(
    {"init_run", "setup_agent", "run_agent_step", "parse_agent_output", "call_tool", "aggregate_tool_results"}
)


class Span:
    """An open span, or a model's stream that outlives its span."""

    __slots__ = (
        "above",
        "call_id",
        "claimed",
        "family",
        "id",
        "instance",
        "kind",
        "method",
        "name",
        "node",
        "prompt",
        "streaming",
        "trace",
    )

    def __init__(self, id_: str, trace: Trace, method: str, instance: object) -> None:
        self.id = id_
        self.trace = trace
        self.method = method
        self.instance = instance
        self.kind: RunKind | None = None  # None: passes only through to what is above
        self.family: Family = "passing"
        self.above: Span = self  # the nearest span that is a run
        self.node = id_  # the run that its children are in
        self.name = ""
        self.call_id: str | None = None
        self.prompt: list[Raw] = []
        self.streaming = False
        self.claimed = False


class Trace:
    """All spans under one root."""

    __slots__ = ("open", "root", "scope", "streamed", "tokens", "unread", "written")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.root: Span
        self.open: dict[str, Span] = {}
        self.tokens: dict[int, tuple[weakref.ref[Any], int]] = {}  # workflow events by identity
        self.unread: list[tuple[Span, int]] = []  # spans that returned a stream, and its identity, innermost first
        self.streamed: weakref.ref[Any] | None = None  # the chat response whose writer ends the run
        self.written: tuple[int, str, BaseException | None] | None = None  # what the writer of a response wrote


def classify(span: Span, parent: Span | None, arguments: dict[str, Any]) -> None:
    """Sets kind, family and name of a span that begins; the kind stays None if it is no run of its own."""
    above = parent.above if parent else None
    if span.instance is None:
        _function(span, parent, arguments)
        return
    kind = type(span.instance)
    span.family, span.name = family(kind), kind.__name__
    again = above is not None and above.instance is span.instance  # `query` calls `_query`
    if span.family == "model":
        # `acomplete` that calls `complete` is one call, the outermost.
        if span.method in MODEL_CALLS and (above is None or above.kind != "model"):
            span.kind = "model"
            span.name = _asker(above) or span.name
    elif span.family == "tool":
        span.kind = None if again else "tool"
        span.name = str(getattr(getattr(span.instance, "metadata", None), "name", None) or span.name)
        span.call_id = parent.call_id if parent else None
    elif span.family == "own":
        span.kind, span.name = "chain", f"{span.name}.{span.method}"
    elif span.family in ("workflow", "agent"):
        span.kind = "chain" if span.method == "run" else None
    elif span.family in ("retriever", "chain") and not again:
        span.kind = "retriever" if span.family == "retriever" else "chain"


def _function(span: Span, parent: Span | None, arguments: dict[str, Any]) -> None:
    """A step of a workflow, or a function that the app's author decorated; neither has an instance."""
    step_of_agent = parent is not None and parent is parent.above and parent.family == "agent"
    if step_of_agent and span.method in _AGENT_STEPS:
        span.call_id = getattr(arguments.get("ev"), "tool_id", None)
        return
    span.kind, span.family, span.name = "chain", "own", span.method


def _asker(above: Span | None) -> str:
    """A model is named after the component that asks it, as there is often one model for all."""
    if above is None or above.kind != "chain":
        return ""
    unread = above.trace.unread if above is above.trace.root else []  # asked late, while the app reads the stream
    return unread[0][0].name if unread else above.name
