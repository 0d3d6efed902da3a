"""Framework-neutral events that an adapter reports about a run. Graph and report are pure functions of them.

A *run* is one execution of one component (a model, a retriever, a prompt template, a graph node). A *piece* is one
text on its input or output side: a message, a document, a tool call's arguments, or a plain string. The linker
connects pieces, because the tree of runs alone does not say which text went where.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from trail_callbacks.graph import Origin

MOST_PIECES = 10_000
"""Pieces of one payload; a larger one is cut, so that a state that holds a corpus cannot exhaust the app's memory."""

IMPORTED = "imported"
"""Attribute of a piece of an imported run: its text is of unknown origin unless a step in the file explains it."""

CUT = "cut"
"""Attribute of a piece without text, which stands for the texts of a payload beyond those that are recorded."""

REPLY = "reply"
"""Attribute of a piece: what a user replied to an interrupt, not the request of the run that it resumes."""

LEFT = "left"
"""Attribute of an input piece that may have been in a state or a history before the run: under which name."""

DECLARED = "declared"
"""Attribute of a source that a function of the app declared: it counts for the answer, shown in a prompt or not."""

FILTER = "filter"
"""Attribute of an input piece, later of its node: `{"kept": bool, "reasons": [...]}`, see `context_filter`."""

SENT = "sent"
"""First element of the path of an input of a retriever: what it searches for in place of the query that it is given."""

RunKind = Literal["model", "retriever", "tool", "prompt", "parser", "chain"]
Form = Literal["text", "message", "document", "tool_call"]
Status = Literal["error", "cancelled", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One text that went into or came out of a run.

    Attributes:
        text: The whole text.
        path: Its place in the payload, e.g. `("messages", 0)`; the first element names a channel or argument.
        form: `message`, `document`, `tool_call` (its text shows tool name and arguments) or plain `text`.
        id: Id of the message or document, as the framework assigned it.
        role: Of a message: `user`, `assistant`, `system` or `tool`.
        call_id: The tool call that this piece is, or that this tool message answers.
        origin: Who wrote the text, if the adapter knows it better than the kind of run tells.
        ref: Object identity; equal values within one run tree mean the same object.
        attributes: JSON-safe details to keep on the node: model, source uri, score, rank, ...
    """

    text: str
    path: tuple[str | int, ...] = ()
    form: Form = "text"
    id: str | None = None
    role: str | None = None
    call_id: str | None = None
    ref: int | None = None
    origin: Origin | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the framework says about how a run relates to its siblings.

    Attributes:
        sequence: Position in a sequence of siblings; the output of `sequence - 1` is this run's input.
        branch: Key of the parent's output that this run produces (a parallel branch).
        variables: For a prompt template, the input keys it uses; None if unknown.
        channels: True for a node of a state graph: the first path element of a piece is a channel that
            sibling nodes read and write.
        task: For a node of a state graph: its execution, under one name each time that it is tried.
        superstep: For a node of a state graph: its place among the steps of all runs on this state, from 1.
        replays: For a node of a state graph: it is a function that runs again from its start when it is resumed, and
            gets what its tasks returned before without running them.
        call_id: For a tool, the tool call that started it.
        source_keys: Names of inputs that hold sources, as the app declares for this run.
        internal: True for a run that is not part of the answer's lineage (a judge, a title generator).
        unnamed: True if the run's name is the framework's: the step is known by the name of a run around it.
    """

    sequence: int | None = None
    branch: str | None = None
    variables: tuple[str, ...] | None = None
    channels: bool = False
    task: str | None = None
    superstep: int | None = None
    replays: bool = False
    call_id: str | None = None
    source_keys: tuple[str, ...] = ()
    internal: bool = False
    unnamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run began.

    Attributes:
        seq: Position among the events of its run tree; larger is later.
        run_id: Unique id of the run.
        parent_id: The enclosing run; None or the id of a run that never started makes this run a root.
        kind: The kind of component.
        name: The component's name, as the user knows it.
        inputs: What went in, as far as it was known at the start.
        hints: Its place among its siblings.
        at: When it began, in seconds since the epoch; None if that was not recorded.
        tags: Of a root: what the app tagged it with.
        metadata: JSON-safe metadata: of a root, what the app says of it; of any other run, versions.
    """

    seq: int
    run_id: str
    parent_id: str | None
    kind: RunKind
    name: str
    inputs: tuple[Piece, ...] = ()
    hints: Hints = field(default_factory=Hints)
    at: float | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    event: Literal["started"] = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A run ended normally.

    Attributes:
        seq: See `RunStarted`.
        run_id: The run.
        outputs: What came out.
        inputs: The actual inputs, if known only at the end (streams); replaces those of the start.
        more_inputs: Inputs known only at the end, in addition to those of the start.
        at: When it ended, see `RunStarted`.
    """

    seq: int
    run_id: str
    outputs: tuple[Piece, ...] = ()
    inputs: tuple[Piece, ...] | None = None
    more_inputs: tuple[Piece, ...] = ()
    at: float | None = None
    event: Literal["ended"] = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    """A run ended with an exception.

    Attributes:
        seq: See `RunStarted`.
        run_id: The run.
        error: Type and message of the exception.
        status: `error`, `cancelled` (the app stopped it) or `paused` (an interrupt, not a fault).
        inputs: As in `RunEnded`.
        outputs: What it had produced by then, e.g. part of a stream.
        at: When it ended, see `RunStarted`.
    """

    seq: int
    run_id: str
    error: str
    status: Status = "error"
    inputs: tuple[Piece, ...] | None = None
    outputs: tuple[Piece, ...] = ()
    at: float | None = None
    event: Literal["failed"] = "failed"


Event = RunStarted | RunEnded | RunFailed


class Pending(Protocol):
    """An event that still holds the framework's objects: cheap to create on the hot path, converted off it."""

    @property
    def run_id(self) -> Hashable:
        """The run it is about: its id, or the `UUID` behind that id."""

    @property
    def parent_id(self) -> Hashable | None:
        """The enclosing run, likewise; only read at the start of a run."""

    @property
    def phase(self) -> Literal["started", "ended", "failed"]:
        """The kind of event it becomes."""

    def convert(self, seq: int) -> Event:
        """Creates the event. Called once, off the hot path, in the order of `seq`."""


def with_pieces(event: Event, change: Callable[[tuple[Piece, ...]], tuple[Piece, ...]], **others: Any) -> Event:
    """Returns an event with the pieces on each of its sides changed, and other fields replaced."""
    sides = {name: getattr(event, name, None) for name in ("inputs", "outputs", "more_inputs")}
    changed: dict[str, Any] = {name: change(pieces) for name, pieces in sides.items() if pieces is not None}
    return replace(event, **changed, **others)
