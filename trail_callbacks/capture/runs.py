"""The tree of runs, rebuilt from flat events, and which pieces of its root are the question and the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trail_callbacks.capture.events import (
    CUT,
    LEFT,
    REPLY,
    Event,
    Hints,
    Piece,
    RunEnded,
    RunFailed,
    RunKind,
    RunStarted,
)
from trail_callbacks.capture.payloads import fields_text
from trail_callbacks.graph import NodeKind


@dataclass(slots=True, eq=False)
class Slot:
    """A piece together with its place: the input or output side of a run."""

    run: CapturedRun
    side: Literal["in", "out"]
    piece: Piece


@dataclass(slots=True, eq=False)
class CapturedRun:
    """One run with its pieces and its children.

    Attributes:
        start: `seq` of its start event.
        end: `seq` of its end event; infinite if it never ended.
        first: Position in a depth-first walk of the tree, parents first.
        last: Largest `first` among itself and its descendants.
        stopped: True if the app stopped it, or stopped reading, when it had written part of its output.
        composite: True if a descendant has outputs.
        cut: Texts of its largest payload of which there were more than are recorded; None if all are.
    """

    id: str
    kind: RunKind
    name: str
    hints: Hints
    start: int
    parent: CapturedRun | None = None
    end: float = math.inf
    failed: bool = False
    stopped: bool = False
    inputs: list[Slot] = field(default_factory=list)
    outputs: list[Slot] = field(default_factory=list)
    children: list[CapturedRun] = field(default_factory=list)
    first: int = 0
    last: int = 0
    composite: bool = False
    cut: int | None = None

    def within(self, other: CapturedRun) -> bool:
        """True if this is a descendant of the other run."""
        return other.first < self.first <= other.last

    @property
    def ancestors(self) -> Iterator[CapturedRun]:
        """Parent, grandparent, ... up to the root."""
        run = self.parent
        while run is not None:
            yield run
            run = run.parent

    @property
    def step(self) -> str:
        """The name of the step that the run is, or is the innermost part of, as the user knows it."""
        named = (run.name for run in (self, *self.ancestors) if not run.hints.unnamed)
        return next(named, self.name)


def tree(events: Iterable[Event]) -> tuple[CapturedRun, ...]:
    """Builds the runs of one run tree, in the order of their starts; the root is the first.

    Internal runs are left out with all their descendants. A run with an unknown parent becomes a child of the root.
    """
    runs: dict[str, CapturedRun] = {}
    internal: set[str] = set()
    root: CapturedRun | None = None
    for event in events:
        if isinstance(event, RunStarted):
            if event.hints.internal or event.parent_id in internal:
                internal.add(event.run_id)
                continue
            run = CapturedRun(event.run_id, event.kind, event.name, event.hints, event.seq)
            run.inputs = _slots(run, "in", event.inputs)
            run.parent = runs.get(event.parent_id or "", root)
            if run.parent is not None:
                run.parent.children.append(run)
            root = root or run
            runs[run.id] = run
        elif (ended := runs.get(event.run_id)) is not None:
            _finish(ended, event)
    ordered = tuple(runs.values())
    for run in ordered:
        if run.outputs:
            _mark_composite(run.ancestors)
    if root is not None:
        _number(root)
    return ordered


def _mark_composite(ancestors: Iterator[CapturedRun]) -> None:
    for run in ancestors:
        if run.composite:
            return
        run.composite = True


def _finish(run: CapturedRun, event: RunEnded | RunFailed) -> None:
    run.end = event.seq
    run.stopped = isinstance(event, RunFailed) and event.status == "cancelled" and bool(event.outputs)
    run.failed = isinstance(event, RunFailed) and not run.stopped
    if event.inputs is not None:
        run.inputs = _slots(run, "in", event.inputs)
    if isinstance(event, RunEnded):
        run.inputs += _slots(run, "in", event.more_inputs)
    run.outputs = _slots(run, "out", event.outputs)


def _slots(run: CapturedRun, side: Literal["in", "out"], pieces: Sequence[Piece]) -> list[Slot]:
    """The pieces of a payload with their place, without what only says that it was cut."""
    slots = [Slot(run, side, piece) for piece in pieces if CUT not in piece.attributes]
    if len(slots) < len(pieces):
        run.cut = max(run.cut or 0, len(slots))
    return slots


def _number(root: CapturedRun) -> None:
    """Numbers the tree in one walk, without recursion: agents nest deeper than Python's stack."""
    todo = [(root, False)]
    clock = 0
    while todo:
        run, done = todo.pop()
        if done:
            run.last = clock
            continue
        clock += 1
        run.first = clock
        todo.append((run, True))
        todo.extend((child, False) for child in reversed(run.children))


def document_key(piece: Piece) -> tuple[str, str | None, object]:
    """Returns what a document keeps while it is passed on; two stores may use the same ids."""
    source = piece.attributes.get("source")
    return piece.text.strip(), piece.id, source if source is None or isinstance(source, str) else str(source)


def is_original(source: Piece, piece: Piece) -> bool:
    """True if two documents have one id, or one has all metadata of the other, such as its source, and maybe more."""
    if source.form != "document" or None not in (source.id, piece.id):
        return source.form == "document" and source.id == piece.id
    return bool(source.attributes) and source.attributes.items() <= piece.attributes.items()


def is_same_message(source: Piece, piece: Piece) -> bool:
    """True if two pieces of equal text are messages of one author, and of one id if both have one."""
    return source.form == "message" and source.role == piece.role and not is_another_message(source, piece)


def is_another_message(source: Piece, piece: Piece) -> bool:
    """True for two messages with different ids."""
    return source.form == "message" and None not in (source.id, piece.id) and source.id != piece.id


_QUESTION = (
    "question", "query", "query_str", "input", "user_input", "prompt", "q", "messages", "message", "task",
    "topic",
)  # fmt: skip
_PARTS = 16  # parts of an answer that is a list, of which the writer is looked up: it wrote the others too
_UNAMBIGUOUS = 5  # the first so many names mean nothing but the request
MATERIAL = frozenset(
    {"article", "articles", "chunk", "chunks", "content", "context", "contexts", "doc", "docs", "document", "documents"}
    | {"input_documents", "notes", "page", "pages", "passage", "passages", "source", "sources", "text", "texts"}
    | {"transcript"}
)
"""Names of inputs that hold sources."""

_ANSWER = (
    "answer", "final_answer", "output", "result", "output_text", "response", "summary", "report", "text",
    "generation",
)  # fmt: skip
_STRUCTURED = "structured_response"  # where agents put the object that they were asked for
_PARSED, _RAW = "parsed", "raw"  # where LangChain puts it beside the message that it was read from
_MESSAGES = ((), ("messages",))  # where a conversation ends with the answer
NAMES = frozenset({*_QUESTION, *MATERIAL, *_ANSWER, _STRUCTURED, _PARSED, _RAW})
"""Names of inputs and outputs that say what they hold."""

_NOT_ASKED = frozenset({REPLY, LEFT})
_LONG = 1000  # characters; an input this long is material rather than a question


def question_first(inputs: Sequence[Slot]) -> Slot | None:
    """Returns the piece of the root's inputs that is the user's request: the last user message, or one named like it.

    If there is a message history and also a separate text named `question` or similar, that text is the request.
    """
    texts = [
        slot
        for slot in inputs
        if slot.piece.text.strip()
        and slot.piece.form != "document"
        and slot.piece.attributes.keys().isdisjoint(_NOT_ASKED)
    ]
    for name in _QUESTION[:_UNAMBIGUOUS]:
        named = [slot for slot in texts if slot.piece.path == (name,) and slot.piece.form == "text"]
        if named:
            return named[0]
    users = [slot for slot in texts if slot.piece.form == "message" and slot.piece.role == "user"]
    if users:
        return users[-1]
    for name in _QUESTION:
        named = [slot for slot in texts if name in slot.piece.path]
        if named:
            return named[-1]
    return next((slot for slot in texts if root_kind(slot, inputs) == "question"), None)


def root_kind(slot: Slot, inputs: Sequence[Slot]) -> NodeKind:
    """Returns the kind of node that a piece of the root's inputs becomes."""
    piece = slot.piece
    if piece.form == "document" or is_reply(slot):
        return "document"
    if piece.form == "message" and piece.role in {"system", "assistant", "tool"}:
        kinds: dict[str, NodeKind] = {"system": "instruction", "assistant": "completion", "tool": "tool_result"}
        return kinds[piece.role]
    if any(part in MATERIAL for part in piece.path):
        return "document"
    if len(piece.text) < _LONG:
        return "question"
    others = (other for other in inputs if other is not slot and other.piece.text.strip())
    return "question" if next(others, None) is None else "document"


def is_reply(slot: Slot) -> bool:
    """True for what a user replied to an interrupt."""
    return REPLY in slot.piece.attributes


def answer_text(
    root: CapturedRun, stale: Collection[str], wrote_last: Callable[[Slot], float], wrote: Callable[[Slot, Slot], bool]
) -> tuple[list[Slot], str, list[Slot]]:
    """Returns the pieces of the root's outputs that form the answer, its text, and other pieces that might be it."""
    texts = [slot for slot in root.outputs if slot.piece.text.strip() and slot.piece.form != "tool_call"]
    texts = [slot for slot in texts if slot.piece.text not in stale]
    carried = {(slot.piece.path, slot.piece.text) for slot in root.inputs}  # a message history that was passed through
    has_raw = any(slot.piece.path == (_RAW,) and slot.piece.form == "message" for slot in root.outputs)
    structured = [slot for slot in texts if _STRUCTURED in slot.piece.path or (has_raw and _PARSED in slot.piece.path)]
    if any((slot.piece.path, slot.piece.text) not in carried for slot in structured):
        return structured, _text(structured), []
    messages = [
        slot
        for slot in texts
        if slot.piece.form == "message"
        and slot.piece.role == "assistant"
        and (slot.piece.path, slot.piece.text) not in carried
    ]
    named = next(filter(None, ([slot for slot in texts if slot.piece.path[:1] == (name,)] for name in _ANSWER)), [])
    aside = bool(messages) and messages[-1].piece.path[:1] not in _MESSAGES  # perhaps a history that the app has loaded
    if aside and wrote_last(messages[-1]) < max(map(wrote_last, named[:_PARTS]), default=-1.0):
        messages = []
    if messages:
        return [messages[-1]], messages[-1].piece.text, []
    if named:
        parts, first = set(named), named[:_PARTS]
        whole = [slot for slot in texts if slot in parts or any(wrote(each, slot) for each in first)]
        return whole, _text(whole), []
    given = {slot.piece.text for slot in root.inputs}
    fresh = [slot for slot in texts if slot.piece.text not in given] or texts
    if len(fresh) <= 1:
        return fresh, _text(fresh), []
    times = {slot: (wrote_last(slot), _channel_written(root, slot)) for slot in fresh}
    latest = max(times.values())
    last = [slot for slot in fresh if times[slot] == latest]
    return last, _text(last), [slot for slot in fresh if slot not in last and times[slot][0] >= 0]


def _channel_written(root: CapturedRun, slot: Slot) -> float:
    """When a node of the root last wrote this state channel; -1 if none did (the value came from a checkpoint)."""
    channel = slot.piece.path[:1]
    writers = (run for run in root.children if run.hints.channels)
    return max((run.end for run in writers if any(out.piece.path[:1] == channel for out in run.outputs)), default=-1.0)


def _text(slots: Sequence[Slot]) -> str:
    """The text of a message or document; the JSON of a structured output, without what says that it is the answer."""
    if len(slots) == 1 and slots[0].piece.form != "text":
        return slots[0].piece.text
    if not slots:
        return ""
    paths = [slot.piece.path for slot in slots]
    first = paths[0][0] if paths[0] else None
    skipped = 1 if first in _ANSWER and all(path[:1] == (first,) for path in paths) else 0
    for name in (_STRUCTURED, _PARSED):
        if all(name in path for path in paths):
            skipped = paths[0].index(name) + 1
    return fields_text((slot.piece.path[skipped:], slot.piece.text) for slot in slots)
