"""What an adapter reports about a run: flat, neutral events. Graph and report are pure functions of them.

A *run* is one execution of one component (a model, a retriever, a prompt template, a graph node). A *piece* is one
text on its input or output side: a message, a document, a tool call's arguments, or a plain string. Pieces are
what the linker connects; the tree of runs alone does not say which text went where.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "Event",
    "Form",
    "Hints",
    "Pending",
    "Piece",
    "RunEnded",
    "RunFailed",
    "RunKind",
    "RunStarted",
    "Status",
    "dump",
    "load",
]

RunKind = Literal["model", "retriever", "tool", "prompt", "parser", "chain"]
Form = Literal["text", "message", "document", "tool_call"]
Status = Literal["error", "cancelled", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One text that went into or came out of a run.

    Attributes:
        text: The whole text.
        path: Where it stood in the payload, e.g. `("messages", 0)`; the first element names a channel or argument.
        form: `message`, `document`, `tool_call` (its text shows tool name and arguments) or plain `text`.
        id: Id of the message or document, as the framework assigned it.
        role: Of a message: `user`, `assistant`, `system` or `tool`.
        call_id: The tool call that this piece is, or that this tool message answers.
        ref: Token of object identity; equal tokens in one run tree are the same object.
        attributes: JSON-safe details to keep on the node: model, source uri, score, rank, ...
    """

    text: str
    path: tuple[str | int, ...] = ()
    form: Form = "text"
    id: str | None = None
    role: str | None = None
    call_id: str | None = None
    ref: int | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the framework says about the place of a run among its siblings.

    Attributes:
        sequence: Position in a sequence of siblings; the output of `sequence - 1` is this run's input.
        branch: Key of the parent's output that this run produces (a parallel branch).
        variables: Of a prompt template: the input keys it uses. None: unknown.
        channels: True for a node of a state graph: the first path element of a piece is a channel that
            sibling nodes read and write.
        call_id: Of a tool: the tool call that started it.
        same_as: Id of a run whose output this one repeats (a cache hit).
        internal: True for a run whose text is no part of the answer's lineage (a judge, a title writer).
    """

    sequence: int | None = None
    branch: str | None = None
    variables: tuple[str, ...] | None = None
    channels: bool = False
    call_id: str | None = None
    same_as: str | None = None
    internal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run began.

    Attributes:
        seq: Position among the events of its run tree; larger is later.
        run_id: Unique id of the run.
        parent_id: The run it happened in; an id that was never started makes this run a root.
        kind: What sort of component ran.
        name: The component's name, as the user would recognise it.
        inputs: What went in, as far as it was known at the start.
        hints: Its place among its siblings.
    """

    seq: int
    run_id: str
    parent_id: str | None
    kind: RunKind
    name: str
    inputs: tuple[Piece, ...] = ()
    hints: Hints = field(default_factory=Hints)
    event: Literal["started"] = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A run came to its end.

    Attributes:
        seq: See `RunStarted`.
        run_id: The run.
        outputs: What came out.
        inputs: What really went in, where that was known only at the end (streams); replaces the start's.
        more_inputs: Inputs known only at the end that come on top of the start's.
    """

    seq: int
    run_id: str
    outputs: tuple[Piece, ...] = ()
    inputs: tuple[Piece, ...] | None = None
    more_inputs: tuple[Piece, ...] = ()
    event: Literal["ended"] = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    """A run was left by an exception.

    Attributes:
        seq: See `RunStarted`.
        run_id: The run.
        error: Type and message of the exception.
        status: `error`, `cancelled` (the app stopped it) or `paused` (an interrupt, not a fault).
        inputs: As in `RunEnded`.
        outputs: What had come out before, e.g. the part of a stream.
    """

    seq: int
    run_id: str
    error: str
    status: Status = "error"
    inputs: tuple[Piece, ...] | None = None
    outputs: tuple[Piece, ...] = ()
    event: Literal["failed"] = "failed"


Event = RunStarted | RunEnded | RunFailed


class Pending(Protocol):
    """An event that still holds the framework's objects: cheap to make on the hot path, converted off it."""

    @property
    def run_id(self) -> Hashable:
        """The run it is about: the id, or the `UUID` that it is the text of."""

    @property
    def parent_id(self) -> Hashable | None:
        """The run around it, likewise; read at the start of a run only."""

    @property
    def phase(self) -> Literal["started", "ended", "failed"]:
        """Which event it will become."""

    def convert(self, seq: int) -> Event:
        """Makes the event. Called once, off the hot path, in the order of `seq`."""


@cache
def _adapter() -> TypeAdapter[tuple[Event, ...]]:
    """The codec. Not imported before it is used: pydantic costs more than all of this package."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - as said

    return TypeAdapter(tuple[Event, ...])


def dump(events: tuple[Event, ...]) -> str:
    """Serialises events as JSON; `load` reads them back equal."""
    return _adapter().dump_json(events).decode()


def load(data: str | bytes) -> tuple[Event, ...]:
    """Reads events written by `dump`.

    Raises:
        pydantic.ValidationError: If the text is cut or holds something else.
    """
    return _adapter().validate_json(data)
