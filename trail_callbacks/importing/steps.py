"""One step of a run as any tool records it: the form that all dialects are brought into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trail_callbacks.capture.events import Hints, Piece, RunKind, Status
from trail_callbacks.capture.payloads import scalars
from trail_callbacks.importing.otlp import OtlpSpan

__all__ = ["ImportedRun", "Step", "detailed", "kind_named", "said_of", "step_of"]

_FRAMEWORK_KEYS = (
    *("ls_", "lc_", "langgraph_", "langfuse_", "checkpoint_", "thread_ts", "__"),
    *("LANGSMITH_", "LANGCHAIN_", "LANGFUSE_", "is_langchain_root", "runtime", "sdk", "platform"),
)


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """One execution of one component.

    Attributes:
        id: Its id in the file: of a span, 16 hexadecimal digits.
        parent: Id of the step around it; None if there is none.
        kind: The kind of component; None if it only encloses others, such as the span of a web server.
        name: The component's name.
        inputs: What went in; documents and messages are pieces of those forms.
        outputs: What came out.
        model: The model, as it names itself; of a model call only.
        started: Seconds since the epoch; None if the file does not say.
        ended: Likewise; None also if it did not end.
        error: Type and message of its exception; None if it ended normally.
        status: What that exception means.
        hints: What else is known of its place.
        tags: Of a root: what the app tagged it with.
        metadata: What the app said of it, without what the framework did.
    """

    id: str
    parent: str | None
    kind: RunKind | None
    name: str
    inputs: tuple[Piece, ...] = ()
    outputs: tuple[Piece, ...] = ()
    model: str | None = None
    started: float | None = None
    ended: float | None = None
    error: str | None = None
    status: Status = "error"
    hints: Hints = field(default_factory=Hints)
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def documents(self) -> tuple[Piece, ...]:
        """The documents among its outputs."""
        return tuple(piece for piece in self.outputs if piece.form == "document")


@dataclass(slots=True, kw_only=True)
class ImportedRun:
    """The steps of one trace.

    Attributes:
        id: Id of the trace.
        steps: Its steps, in any order.
        lost: What the file is known to lack, a sentence each.
        metadata: What is said of the whole trace, such as its session.
        by_methods: True if the steps are the methods of classes, as LlamaIndex shows itself.
    """

    id: str
    steps: list[Step]
    lost: list[str] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    by_methods: bool = False


def step_of(span: OtlpSpan, kind: RunKind | None, name: str, model: object = None, **more: Any) -> Step:
    """Makes the step of a span; `model` counts for a model call only."""
    return Step(
        id=span.id,
        parent=span.parent,
        kind=kind,
        name=name,
        model=str(model) if model and kind == "model" else None,
        started=span.started,
        ended=span.ended,
        error=span.error,
        status=span.status,
        **more,
    )


def detailed(given: Iterable[Piece], details: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Returns what a model wrote, with what else is known of it."""
    return tuple(replace(each, attributes={**details, **each.attributes}) for each in given)


def kind_named(kind: RunKind | None, name: str) -> RunKind | None:
    """Returns the kind of a step whose tool knows no prompts, and calls LangChain's a chain."""
    return "prompt" if kind == "chain" and name.endswith("PromptTemplate") else kind


def said_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what an app said in metadata: without what frameworks and tracers add, such as their environment."""
    return scalars({key: value for key, value in metadata.items() if not str(key).startswith(_FRAMEWORK_KEYS)})
