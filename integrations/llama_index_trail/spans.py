"""Spans and traces while they are open, and what each span is: a run of its own, or one that passes through."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llama_index_trail.families import MODEL_CALLS, Family, family, is_kind
from llama_index_trail.records import ByIdentity, Raw
from llama_index_trail.results import Scope
from trail_callbacks.capture.events import RunKind
from trail_callbacks.capture.payloads import CONTEXT

_AGENT_STEPS = frozenset(
    {"init_run", "setup_agent", "run_agent_step", "parse_agent_output", "call_tool", "aggregate_tool_results"}
)
HANDOFF = "handoff"
"""The tool by which LlamaIndex lets an agent call another one."""
_UNNAMED = "Agent"  # what an agent is called whose author gave no name
_UUID = 37  # a hyphen and a UUID end every span id


@dataclass(slots=True, eq=False)
class OpenSpan:
    """An open span, or a model's stream that outlives its span."""

    id: str
    trace: OpenTrace
    method: str
    instance: object
    kind: RunKind | None = None  # None: passes through to the span above
    family: Family = "passing"
    over: OpenSpan | None = None  # the nearest span above that is a run, if this one is not
    node: str = ""  # the run that its children are in
    name: str = ""
    call_id: str | None = None
    prompt: Sequence[Raw] = ()
    streaming: bool = False
    claimed: bool = False
    sent: Sequence[Raw] = ()  # of the events that a step sent by hand
    collected: Sequence[Raw] = ()  # and of those that it collected; of a model, its prompt if seen late

    def __post_init__(self) -> None:
        self.node = self.id

    @property
    def above(self) -> OpenSpan:
        """The nearest span that is a run: this one, or one above it."""
        return self.over or self  # no attribute of its own: a cycle, and garbage would wait for the collector

    @property
    def hides_prompt(self) -> bool:
        """True for a model whose prompt was not seen so far."""
        return self.kind == "model" and not self.prompt


@dataclass(slots=True, eq=False)
class OpenTrace:
    """All spans under one root."""

    scope: Scope
    root: OpenSpan | None = None  # None before the run began and after it ended
    started: float = 0.0  # by the monotonic clock
    closed: bool = False
    tags: Mapping[str, Any] = field(default_factory=dict)  # the last ones, as given
    own: Mapping[str, Any] = field(default_factory=dict)  # those that the app set
    names: list[str] = field(default_factory=list)  # of the request, and of the run of a workflow
    history: dict[str, Raw | None] | None = None  # of a chat: earlier turns in its prompts; None: this one
    lent: list[str] = field(default_factory=list)  # ended spans that returned a stream: they stand for the run around
    memory: Any = None  # of a chat or an agent
    given: list[Raw] = field(default_factory=list)  # what the root was called with
    restored: bool = False  # goes on in a context whose state was not read so far
    resumed: bool = False  # and with the events in it
    context: str | None = None  # the name of its conversation, or of the context
    named: bool = False  # a record says it
    kept: bool = False  # and the context has it
    reading: bool = False  # somebody reads the chat response: the run ends with the reader
    open: dict[str, OpenSpan] = field(default_factory=dict)
    tokens: ByIdentity[int] = field(default_factory=ByIdentity)  # of workflow events
    unread: list[tuple[OpenSpan, int]] = field(default_factory=list)  # spans that returned a stream, and its identity
    stream: int | None = None  # identity of the stream that the root returned
    streamed: weakref.ref[Any] | None = None  # the chat response whose writer ends the run
    streaming: tuple[OpenSpan, Any] | None = None  # the model that streamed last, and its reply so far
    written: tuple[int, str, BaseException | None] | None = None  # what the writer of a response wrote

    def said(self, tags: Mapping[str, Any]) -> dict[str, Any] | None:
        """Returns the tags that the app set for a span; None if the one before it had the same."""
        if tags is self.tags:
            return None
        self.tags = tags
        own = {key: value for key, value in tags.items() if not key.startswith("llamaindex.")}
        if own == self.own:
            return None
        self.own = own
        self.names += [str(own[key]) for key in CONTEXT["request"] if key in own]
        return own

    def begin(self, id_: str, parent_id: str | None, record: tuple[Any, ...], thread: str | None = None) -> None:
        """Records the start of a run; the record is a tuple of class and arguments until somebody reads it."""
        self.scope.session.begin(id_, parent_id, record, thread)


def passes(instance: object, kind: Family, span_id: str, above: OpenSpan) -> bool:
    """True if a span inside another run, of a family that may be one, is not a run of its own."""
    if kind == "model":  # `acomplete` that calls `complete` is one call, the outermost
        return above.kind == "model" or method_of(span_id) not in MODEL_CALLS
    return instance is above.instance and kind != "own"  # `query` calls `_query`


def classify(span: OpenSpan, parent: OpenSpan | None, arguments: dict[str, Any]) -> None:
    """Sets kind, family and name of a span that begins; the kind stays None if it is not a run of its own."""
    if span.instance is None:
        _function(span, parent, arguments)
        return
    kind = type(span.instance)
    span.family, span.name = family(kind), kind.__name__
    if span.family == "model":
        if span.method in MODEL_CALLS:
            span.kind = "model"
            span.name = (_asker_name(parent) if parent else "") or span.name
    elif span.family == "tool":
        span.kind = "tool"
        span.name = str(getattr(getattr(span.instance, "metadata", None), "name", None) or span.name)
        span.call_id = parent.call_id if parent else None
    elif span.family == "retriever":
        span.kind = "retriever"
    elif span.family in ("workflow", "agent"):
        span.kind = "chain" if span.method == "run" else None
    elif span.family in ("chain", "own"):
        span.kind = "chain"
        if span.family == "own":
            span.name = f"{span.name}.{span.method}"
        elif parent is not None and span.trace.history is not None and is_kind(span.instance, "BaseSynthesizer"):
            span.name = parent.above.name  # whoever made a chat engine knows its name


def method_of(span_id: str) -> str:
    """Returns the name of the method or function in a span's id."""
    return span_id[:-_UUID].rpartition(".")[2]


def _function(span: OpenSpan, parent: OpenSpan | None, arguments: dict[str, Any]) -> None:
    """A step of a workflow, or a function that the app's author decorated; neither has an instance."""
    step_of_agent = parent is not None and parent is parent.above and parent.family == "agent"
    if step_of_agent and span.method in _AGENT_STEPS:
        event = arguments.get("ev")
        span.call_id, name = getattr(event, "tool_id", None), getattr(event, "current_agent_name", None)
        span.name = name if isinstance(name, str) and name != _UNNAMED else ""
        return
    span.kind, span.family, span.name = "chain", "own", span.method


def asker(parent: OpenSpan) -> OpenSpan:
    """Returns the run that asks a model: the one around it or, while a chat's stream is read, what made that stream."""
    above = parent.above
    unread = above.trace.unread
    late = parent.family == "writer" or above.trace.streamed is not None
    if not (late and unread and above is above.trace.root):
        return above
    return next(span for span, key in unread if key == unread[-1][1])


def _asker_name(parent: OpenSpan) -> str:
    """A model is named after the component that asks it, as there is often one model for all."""
    if parent.over is not None and parent.name:  # a step of an agent
        return parent.name
    above = asker(parent)
    return above.name if above.kind == "chain" else ""
