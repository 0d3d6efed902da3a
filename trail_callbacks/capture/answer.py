"""Which of the root run's inputs is the question, and which of its outputs is the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trail_callbacks.capture.events import REPLY
from trail_callbacks.capture.payloads import fields_text
from trail_callbacks.capture.runs import CapturedRun, Slot
from trail_callbacks.graph import NodeKind

_QUESTION = (
    "question", "query", "query_str", "input", "user_input", "prompt", "q", "messages", "message", "task",
    "topic",
)  # fmt: skip
_PARTS = 16  # parts of an answer that is a list, of which the writer is looked up: it wrote the others too
_UNAMBIGUOUS = 5  # the first so many names mean nothing but the request
_MATERIAL = frozenset(
    {"article", "articles", "chunk", "chunks", "content", "context", "contexts", "doc", "docs", "document", "documents"}
    | {"input_documents", "notes", "page", "pages", "passage", "passages", "source", "sources", "text", "texts"}
    | {"transcript"}
)
_ANSWER = (
    "answer", "final_answer", "output", "result", "output_text", "response", "summary", "report", "text",
    "generation",
)  # fmt: skip
_STRUCTURED = "structured_response"  # where agents put the object that they were asked for
_PARSED, _RAW = "parsed", "raw"  # where LangChain puts it beside the message that it was read from
_MESSAGES = ((), ("messages",))  # where a conversation ends with the answer
NAMES = frozenset({*_QUESTION, *_MATERIAL, *_ANSWER, _STRUCTURED, _PARSED, _RAW})
"""Names of inputs and outputs that say what they hold."""

_LONG = 1000  # characters; an input this long is material rather than a question


def question_first(inputs: Sequence[Slot]) -> Slot | None:
    """Returns the piece of the root's inputs that is the user's request: the last user message, or one named like it.

    If there is a message history and also a separate text named `question` or similar, that text is the request.
    """
    texts = [
        slot for slot in inputs if slot.piece.text.strip() and slot.piece.form != "document" and not is_reply(slot)
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
    if any(part in _MATERIAL for part in piece.path):
        return "document"
    if len(piece.text) < _LONG:
        return "question"
    others = (other for other in inputs if other is not slot and other.piece.text.strip())
    return "question" if next(others, None) is None else "document"


def is_reply(slot: Slot) -> bool:
    """True for what a user replied to an interrupt."""
    return REPLY in slot.piece.attributes


def answer_text(
    root: CapturedRun, wrote_last: Callable[[Slot], float], wrote: Callable[[Slot, Slot], bool]
) -> tuple[list[Slot], str, list[Slot]]:
    """Returns the pieces of the root's outputs that form the answer, its text, and other pieces that might be it."""
    texts = [slot for slot in root.outputs if slot.piece.text.strip() and slot.piece.form != "tool_call"]
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
