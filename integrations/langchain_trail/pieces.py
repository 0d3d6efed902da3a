"""The texts in any payload of a callback, and where they are. Pure; never raises, never changes the payload."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import Enum
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult
from langchain_core.prompt_values import PromptValue, StringPromptValue
from langchain_core.runnables import Runnable

from trail_callbacks.capture.events import CUT, MOST_PIECES, REPLY, Piece
from trail_callbacks.capture.payloads import contained, exact_text, scalars, without_feedback

_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
REASONING = frozenset({"reasoning", "reasoning_content", "thinking", "redacted_thinking", "non_standard"})
"""Types of content, and keys, under which providers return what a model thought."""
CALLS = frozenset(
    {"tool_call", "tool_call_chunk", "tool_use", "function_call", "input_json_delta", "invalid_tool_call"}
)
"""Types of content that are tool calls."""


def message_text(message: BaseMessage) -> str:
    """Returns the text of a message, then markers for its other content, then its tool calls, a line each.

    A refusal is text, wherever the provider writes it: apps show it in place of an answer.
    """
    refused = message.additional_kwargs.get("refusal")
    beside = [refused] if isinstance(refused, str) and refused and refused not in str(message.content) else []
    return "\n".join([*content_lines(message.content), *beside, *(call for _, call in tool_calls(message))])


def role_of(message: BaseMessage) -> str:
    """Returns `user`, `assistant`, `system` or `tool`."""
    for kind, role in ((AIMessage, "assistant"), (HumanMessage, "user"), (SystemMessage, "system")):
        if isinstance(message, kind):
            return role
    return _ROLES.get(str(getattr(message, "role", message.type)).lower(), "tool" if "Tool" in message.type else "user")


def role_named(name: object) -> str | None:
    """Returns the role that LangChain means by a name such as `human`, or None."""
    return _ROLES.get(name.lower()) if isinstance(name, str) else None


def content_lines(content: object) -> list[str]:
    """Returns the text of a message's content, as in `message.text`, then a marker for each part that is not text."""
    if isinstance(content, str):
        return [content] if content else []
    texts: list[str] = []
    markers: list[str] = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping):
            kind = str(block.get("type", ""))
            value = block.get("text") if kind in ("text", "text-plain", "output_text") else block.get("refusal")
            if isinstance(value, str):
                texts.append(value)
            elif kind and kind not in REASONING and kind not in CALLS:
                markers.append(f"[{kind.removesuffix('_url')} {digest(_json(block).encode())}]")
    text = "".join(texts)
    return [text, *markers] if text else markers


def tool_calls(message: BaseMessage) -> list[tuple[str | None, str]]:
    """Returns the tool calls of a message: id, and name and arguments as text."""
    if not isinstance(message, AIMessage):
        return []
    calls = [(call.get("id"), call_text(call["name"], call["args"])) for call in message.tool_calls]
    calls += [(c.get("id"), f"{c.get('name')}({c.get('args') or ''})") for c in message.invalid_tool_calls]
    legacy = message.additional_kwargs.get("function_call")
    if not calls and isinstance(legacy, Mapping):
        calls.append((None, f"{legacy.get('name')}({legacy.get('arguments') or ''})"))
    return calls


def call_text(name: object, arguments: object) -> str:
    """Returns name and arguments of a tool call as one text."""
    return f"{name}({_json(arguments)})"


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):  # odd keys, cycles
        return str(value)


def digest(data: bytes) -> str:
    """Returns a short hash, which distinguishes one image from another."""
    return hashlib.sha256(data).hexdigest()[:12]


FILTERED = "trail_filter"
"""Metadata key of a document that `TrailContextFilter` flagged or dropped."""

_DEPTH = 16
_RESERVED, _ALL_RESERVED = 100, 1_000
"""More, for each entry of a state and for all: a channel that holds a corpus must not hide the answer in the next."""
_OWN_TEXT = 100_000
_VECTOR = 32
"""A list of this many numbers or more is an embedding, not text."""
_IDENTITY = 16
"""Strings shorter than this may be shared by the interpreter: identity of such objects means nothing."""


def pieces(payload: object, *, model: bool = False, cut: bool = False) -> tuple[Piece, ...]:
    """Lists the texts of a payload.

    Args:
        payload: Anything.
        model: It is what a model reads.
        cut: Whether a piece at the end says so if there are more texts.
    """
    walk = _Walk(model)
    walk.visit(payload, (), 0)
    return (*walk.pieces, Piece(text="", attributes={CUT: True})) if walk.cut and cut else tuple(walk.pieces)


class _Walk:
    """One walk through one payload."""

    def __init__(self, model: bool) -> None:
        self.model = model
        self.pieces: list[Piece] = []
        self.cut = False
        self._limit = MOST_PIECES
        self._open: set[int] = set()

    def visit(self, item: object, path: tuple[str | int, ...], depth: int) -> None:
        """Adds the pieces of an item."""
        if item is None:
            return
        if depth > _DEPTH or len(self.pieces) >= self._limit:
            self.cut = True
            return
        if id(item) in self._open:
            return
        self._open.add(id(item))
        try:
            if isinstance(item, str):
                self._leaf(item, path)
            elif isinstance(item, bool | int | float | complex):
                self.pieces.append(Piece(text=exact_text(item), path=path))
            else:
                self._object(item, path, depth)
        except BaseException as error:  # noqa: BLE001 - an object that cannot be read has no text; the rest has
            contained(error)
            self.pieces.append(Piece(text=f"[unreadable {type(item).__name__}]", path=path))
        finally:
            self._open.discard(id(item))

    def _leaf(self, item: str, path: tuple[str | int, ...]) -> None:
        text = without_feedback(exact_text(item.value if isinstance(item, Enum) else item))
        if text:
            ref = id(item) if len(text) >= _IDENTITY else None
            self.pieces.append(Piece(text=text, path=path, ref=ref, origin="given" if self.model else None))

    def _object(self, item: object, path: tuple[str | int, ...], depth: int) -> None:
        if isinstance(item, BaseMessage):
            self._message(item, path, depth)
        elif isinstance(item, Document):
            self._document(item, path)
        elif isinstance(item, PromptValue):
            self.visit(item.text if isinstance(item, StringPromptValue) else item.to_messages(), path, depth + 1)
        elif isinstance(item, LLMResult):
            self._result(item, path, depth)
        elif isinstance(item, Generation):
            self.visit(item.message if isinstance(item, ChatGeneration) else item.text, path, depth + 1)
        elif isinstance(item, Mapping):
            self._mapping(item, path, depth)
        elif isinstance(item, list | tuple | deque | AbstractSet):
            self._sequence(cast("Sequence[object]", item), path, depth)
        elif not self._command(item, path, depth):
            self._other(item, path, depth)

    def _message(self, message: BaseMessage, path: tuple[str | int, ...], depth: int) -> None:
        if isinstance(message, RemoveMessage):
            return
        text, role = exact_text(message_text(message)), role_of(message)
        if role != "assistant" and text and not (text := without_feedback(text)):
            return  # a guard's feedback on an earlier draft
        attributes: dict[str, Any] = {}
        if message.name:
            attributes["name"] = exact_text(message.name)
        if source := message.additional_kwargs.get("lc_source"):  # a middleware wrote it, e.g. a summary of the history
            attributes["lc_source"] = str(source)
        call_id = message.tool_call_id if isinstance(message, ToolMessage) else None
        self.pieces.append(
            Piece(
                text=text,
                path=path,
                form="message",
                id=message.id,
                role=role,
                call_id=call_id or None,
                ref=id(message),
                origin="given" if self.model and role == "user" else None,
                attributes=attributes,
            )
        )
        if self.model:
            return
        for i, (id_, text) in enumerate(tool_calls(message)):
            call_path = (*path, "tool_calls", i)
            self.pieces.append(Piece(text=exact_text(text), path=call_path, form="tool_call", call_id=id_))
        if isinstance(message, ToolMessage):
            self.visit(message.artifact, (*path, "artifact"), depth + 1)

    def _document(self, document: Document, path: tuple[str | int, ...]) -> None:
        self.pieces.append(
            Piece(
                text=exact_text(document.page_content),
                path=path,
                form="document",
                id=document.id,
                ref=id(document),
                attributes=scalars(document.metadata) | _filtered(document.metadata),
            )
        )

    def _result(self, result: LLMResult, path: tuple[str | int, ...], depth: int) -> None:
        """The first generation is what the app goes on with, so its path is that of the model's output."""
        for i, generations in enumerate(result.generations):
            for j, generation in enumerate(generations):
                self.visit(generation, path if i == j == 0 else (*path, "generations", i, j), depth + 1)

    def _mapping(self, item: Mapping[Any, Any], path: tuple[str | int, ...], depth: int) -> None:
        if (piece := _as_message(item.get("role"), item.get("content"), item, path)) is not None:
            self.pieces.append(piece)
        elif item.get("type") == "tool_call" and "name" in item and "args" in item:
            text = exact_text(call_text(item["name"], item["args"]))
            self.pieces.append(Piece(text=text, path=path, form="tool_call", call_id=item.get("id"), ref=id(item)))
        elif isinstance(item.get("page_content"), str) and isinstance(item.get("metadata"), Mapping):
            known = item.get("id")
            self._document(Document(**{k: item[k] for k in ("page_content", "metadata")}, id=known), path)
        else:
            for key, value in list(item.items()):
                if isinstance(key, str) and key.startswith("__"):  # the framework's own: __interrupt__, __type
                    continue
                if depth == 0:
                    reserved = min(len(self.pieces) + _RESERVED, MOST_PIECES + _ALL_RESERVED)
                    self._limit = max(MOST_PIECES, reserved)
                self.visit(value, (*path, key if type(key) is int else exact_text(key)), depth + 1)

    def _sequence(self, item: Sequence[object], path: tuple[str | int, ...], depth: int) -> None:
        items = list(item)
        if len(items) == 2 and isinstance(items[0], str) and isinstance(item, tuple):  # noqa: PLR2004 - ("user", "Hi")
            piece = _as_message(items[0], items[1], item, path)
            if piece is not None:
                self.pieces.append(piece)
                return
        if len(items) >= _VECTOR and all(isinstance(value, int | float) for value in items):
            return
        for i, value in enumerate(items):
            # Commands and sends carry channels, so their place in a list is not part of the path.
            inside = path if type(value).__name__ in ("Command", "Send") else (*path, i)
            self.visit(value, inside, depth + 1)

    def _command(self, item: object, path: tuple[str | int, ...], depth: int) -> bool:
        """Reads a graph's commands and sends, recognised by name, so that langgraph need not be installed."""
        if not type(item).__module__.startswith("langgraph"):
            return False
        kind = type(item).__name__
        if kind == "Send":
            self.visit(getattr(item, "arg", None), path, depth + 1)
        elif kind == "Command":
            update = getattr(item, "update", None)
            pairs = isinstance(update, list | tuple) and all(isinstance(u, tuple) and len(u) == 2 for u in update)  # noqa: PLR2004 - (channel, value)
            self.visit(dict(cast("Sequence[tuple[Any, Any]]", update)) if pairs else update, path, depth + 1)
            self._reply(getattr(item, "resume", None), (*path, "resume"), depth + 1)
            goto = getattr(item, "goto", ())
            sends = goto if isinstance(goto, list | tuple) else (goto,)
            for send in sends:
                if not isinstance(send, str):
                    self.visit(send, path, depth + 1)
        else:
            return False
        return True

    def _reply(self, item: object, path: tuple[str | int, ...], depth: int) -> None:
        """Adds what a user replied to an interrupt."""
        before = len(self.pieces)
        self.visit(item, path, depth)
        self.pieces[before:] = [
            replace(piece, origin="user", attributes={**piece.attributes, REPLY: True})
            for piece in self.pieces[before:]
        ]

    def _other(self, item: object, path: tuple[str | int, ...], depth: int) -> None:
        if isinstance(item, Runnable | BaseCallbackManager | type) or callable(item):
            return
        if isinstance(item, Enum):
            self.visit(item.value, path, depth + 1)
        elif dataclasses.is_dataclass(item):
            for field in dataclasses.fields(item):
                self.visit(getattr(item, field.name, None), (*path, field.name), depth + 1)
        elif isinstance(names := getattr(type(item), "model_fields", None), Mapping):
            for name in names:
                self.visit(getattr(item, name, None), (*path, name), depth + 1)
        elif isinstance(item, bytes | bytearray | memoryview):
            self.pieces.append(Piece(text=f"[bytes {digest(bytes(item))}]", path=path))
        elif getattr(item, "shape", None) and hasattr(item, "dtype"):
            return  # an array: an embedding or an image, not text
        elif type(item).__str__ is not object.__str__:
            self._leaf(exact_text(item)[:_OWN_TEXT], path)


def _as_message(role: object, content: object, item: object, path: tuple[str | int, ...]) -> Piece | None:
    """Reads the shorthands that LangChain takes for messages: ("user", "Hi") and {"role": "user", "content": "Hi"}."""
    known = role_named(role)
    if known is None or not isinstance(content, str | list):
        return None
    call_id = item.get("tool_call_id") if isinstance(item, Mapping) else None
    whole = exact_text("\n".join(content_lines(content)))
    return Piece(text=whole, path=path, form="message", role=known, call_id=call_id, ref=id(item))


def _filtered(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """What our filter noted on a document. Who redacts has it applied to the quotes too."""
    note = metadata.get(FILTERED)
    if not isinstance(note, Mapping) or not isinstance(note.get("reasons"), list):
        return {}
    reasons = [
        {exact_text(key): _noted(value) for key, value in reason.items()}
        for reason in note["reasons"]
        if isinstance(reason, Mapping)
    ]
    return {"filter": {"kept": note.get("kept") is not False, "reasons": reasons}}


def _noted(value: object) -> object:
    """A part of a reason, JSON-safe: a text, a number, or a list of such."""
    if isinstance(value, list | tuple):
        return [_noted(each) for each in value if isinstance(each, str | int | float)]
    return value if isinstance(value, bool | int | float) else exact_text(value)
