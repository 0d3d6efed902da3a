"""The texts in a payload that a framework or tracer wrote as JSON: messages, documents, tool calls, plain texts.

What an adapter does for live objects (`langchain_trail.pieces`), for their many forms in files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from trail_callbacks.capture.events import REPLY, Piece
from trail_callbacks.capture.payloads import exact_text, scalars

__all__ = ["REDACTED", "call_text", "document", "is_repr", "message", "parsed", "pieces", "text_of"]

REDACTED = "__REDACTED__"
"""What OpenInference writes in place of a text that the app hides."""

Path = tuple["str | int", ...]

_DEPTH = 32
_PIECES = 10_000
_VECTOR = 32
"""A list of this many numbers or more is an embedding, not text."""
_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "chatbot": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_REASONING = frozenset({"reasoning", "reasoning_content", "thinking", "redacted_thinking", "non_standard"})
_CALLS = frozenset({"tool_call", "tool_call_chunk", "tool_use", "function_call", "input_json_delta"})
_SKIPPED = frozenset({"callback_manager", "additional_kwargs", "response_metadata", "invocation_params", "embedding"})
_REPR = re.compile(r"<(?:generator object|[\w.]+ object|[\w.]+\(|_\w+ at 0x).*>", re.DOTALL)


def parsed(text: object) -> Any:
    """Returns the value of a JSON text; any other value as it is.

    Raises:
        ValueError: If a text is not JSON.
    """
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def text_of(text: object) -> Any:
    """Returns the object or list that a text is the JSON of, else the text: most tools do not say which it is."""
    if isinstance(text, str) and text.lstrip()[:1] in {"{", "["}:
        try:
            return parsed(text)
        except ValueError:
            return text
    return text


def is_repr(text: str) -> bool:
    """True for what Python prints of an object without a text, such as `<generator object>`."""
    return text[:1] == "<" and _REPR.fullmatch(text.strip()) is not None


def pieces(value: object, path: Path = (), *, model: bool = False) -> tuple[Piece, ...]:
    """Lists the texts of a payload.

    Args:
        value: A JSON value.
        path: Where it is.
        model: It is what a model reads: then tool calls are not pieces of their own.

    Returns:
        One piece for each message, document, tool call or other text, in the order of the payload. What is hidden, is
        the print of a Python object, or is reasoning, is left out.
    """
    walk = _Walk(model)
    walk.visit(value, path, 0)
    return tuple(walk.found)


def call_text(name: object, arguments: object) -> str:
    """Returns name and arguments of a tool call as one text."""
    given = text_of(arguments)
    return exact_text(f"{name}({json.dumps(given, ensure_ascii=False, default=str)})")


def document(
    text: object, metadata: object = None, path: Path = (), *, id_: object = None, score: object = None
) -> Piece:
    """Makes the piece of a document."""
    known = text_of(metadata)
    attributes = scalars(known) if isinstance(known, Mapping) else {}
    if isinstance(score, int | float) and not isinstance(score, bool):
        attributes |= scalars({"score": score})
    return Piece(
        text="" if text is None or text == REDACTED else exact_text(text),
        path=path,
        form="document",
        id=str(id_) if id_ not in {None, ""} else None,
        attributes=attributes,
    )


def message(item: Mapping[str, Any], role: str, path: Path, *, model: bool = False) -> list[Piece]:
    """Makes the pieces of a message: itself and, unless a model reads it, its tool calls.

    Args:
        item: Its fields, as LangChain, OpenAI or LlamaIndex name them.
        role: Who wrote it.
        path: Where it is.
        model: See `pieces`.
    """
    calls = list(_tool_calls(item))
    content = item.get("content")
    if content is None and isinstance(item.get("blocks"), list):
        content = item["blocks"]
    if content is None and isinstance(item.get("parts"), list):
        content = item["parts"]
    responses = _responses(content) if role in {"tool", "user"} else []
    lines = [*_lines(content), *(text for _, text in calls)]
    extra = item.get("additional_kwargs")
    extra = extra if isinstance(extra, Mapping) else {}
    call_id = item.get("tool_call_id") or extra.get("tool_call_id") or (responses[0][0] if responses else None)
    if responses:
        role, lines = "tool", [*lines, *(text for _, text in responses)]
    attributes: dict[str, Any] = {"name": str(item["name"])} if item.get("name") else {}
    if source := extra.get("lc_source"):
        attributes["lc_source"] = str(source)
    found = [
        Piece(
            text=exact_text("\n".join(lines)),
            path=path,
            form="message",
            id=item["id"] if isinstance(item.get("id"), str) else None,
            role=role,
            call_id=str(call_id) if call_id and role == "tool" else None,
            origin="given" if model and role == "user" else None,
            attributes=attributes,
        )
    ]
    if not model:
        found += [
            Piece(text=text, path=(*path, "tool_calls", i), form="tool_call", call_id=id_)
            for i, (id_, text) in enumerate(calls)
        ]
    return found


def _short(kind: str) -> str:
    """A message's type without what classes add: `AIMessageChunk` is `ai`."""
    return kind.removesuffix("Chunk").removesuffix("Message").lower()


class _Walk:
    """One walk through one payload."""

    def __init__(self, model: bool) -> None:
        self.model = model
        self.found: list[Piece] = []

    def visit(self, item: object, path: Path, depth: int) -> None:
        if item is None or depth > _DEPTH or len(self.found) >= _PIECES:
            return
        if isinstance(item, str):
            self._text(item, path)
        elif isinstance(item, bool | int | float):
            self.found.append(Piece(text=str(item), path=path))
        elif isinstance(item, Mapping):
            self._mapping(item, path, depth)
        elif isinstance(item, Sequence):
            self._sequence(item, path, depth)

    def _text(self, item: str, path: Path) -> None:
        if item and item != REDACTED and not is_repr(item):
            self.found.append(Piece(text=exact_text(item), path=path, origin="given" if self.model else None))

    def _mapping(self, item: Mapping[str, Any], path: Path, depth: int) -> None:
        if not (self._langchain(item, path, depth) or self._shape(item, path, depth)):
            for key, value in item.items():
                if not key.startswith("__") and key not in _SKIPPED:
                    self.visit(value, (*path, key), depth + 1)

    def _langchain(self, item: Mapping[str, Any], path: Path, depth: int) -> bool:
        """Reads an object as LangChain serialises it."""
        kind, content = item.get("type"), item
        if item.get("lc") is not None and isinstance(item.get("id"), list) and item["id"]:
            name, content = str(item["id"][-1]), item.get("kwargs") or {}
            if name.endswith(("Message", "MessageChunk")):
                kind = name
            elif name == "Document":
                self.found.append(
                    document(content.get("page_content"), content.get("metadata"), path, id_=content.get("id"))
                )
                return True
            else:
                self.visit(content.get("messages", content), path, depth + 1)
                return True
        elif isinstance(item.get("data"), Mapping) and "content" in item["data"]:
            content = item["data"]
        elif "content" not in item:
            return False
        role = _ROLES.get(_short(kind)) if isinstance(kind, str) else None
        if role is None or not isinstance(content, Mapping):
            return False
        self.found += message(content, role, path, model=self.model)
        if role == "tool" and not self.model:
            self.visit(content.get("artifact"), (*path, "artifact"), depth + 1)
        return True

    def _shape(self, item: Mapping[str, Any], path: Path, depth: int) -> bool:
        """Reads what is known by its keys."""
        role = _ROLES.get(str(item["role"]).lower()) if isinstance(item.get("role"), str) else None
        if role is not None and any(key in item for key in ("content", "parts", "blocks", "tool_calls")):
            self.found += message(item, role, path, model=self.model)
        elif item.get("type") == "tool_call" and "name" in item and "args" in item:
            text = call_text(item["name"], item["args"])
            self.found.append(Piece(text=text, path=path, form="tool_call", call_id=item.get("id")))
        elif isinstance(item.get("page_content"), str):
            self.found.append(document(item["page_content"], item.get("metadata"), path, id_=item.get("id")))
        elif isinstance(item.get("generations"), list):
            self._generations(item["generations"], path, depth)
        elif isinstance(item.get("query_str"), str):
            self._text(item["query_str"], path or ("query",))
        elif "update" in item and "goto" in item:  # a command of LangGraph
            self.visit(item["update"], path, depth + 1)
            self._reply(item.get("resume"), path, depth)
        elif "raw_output" in item and "tool_name" in item:  # what a tool of LlamaIndex returned
            content = "\n".join(_lines(item.get("blocks"))) or item["raw_output"]
            self.visit(content, (*path, "content"), depth + 1)
        elif "source_nodes" in item and ("response" in item or "response_gen" in item):  # a response of LlamaIndex
            self.visit(item.get("response"), (*path, "response"), depth + 1)
        else:
            return False
        return True

    def _reply(self, item: object, path: Path, depth: int) -> None:
        before = len(self.found)
        self.visit(item, (*path, "resume"), depth + 1)
        self.found[before:] = [
            Piece(text=each.text, path=each.path, origin="user", attributes={REPLY: True})
            for each in self.found[before:]
        ]

    def _generations(self, item: Sequence[Any], path: Path, depth: int) -> None:
        for i, several in enumerate(item):
            for j, each in enumerate(several if isinstance(several, list) else [several]):
                inside = path if i == j == 0 else (*path, "generations", i, j)
                if isinstance(each, Mapping):
                    self.visit(each.get("message") or each.get("text"), inside, depth + 1)

    def _sequence(self, item: Sequence[Any], path: Path, depth: int) -> None:
        if len(item) == 2 and all(isinstance(each, str) for each in item) and item[0].lower() in _ROLES:  # noqa: PLR2004 - ("user", "Hi")
            self.found += message({"content": item[1]}, _ROLES[item[0].lower()], path, model=self.model)
            return
        if len(item) >= _VECTOR and all(isinstance(each, int | float) for each in item):
            return
        for i, each in enumerate(item):
            command = isinstance(each, Mapping) and "update" in each and "goto" in each  # its place is no channel
            self.visit(each, path if command else (*path, i), depth + 1)


def _lines(content: object) -> list[str]:
    """The text of a message's content, then a marker for each part that is not text."""
    if isinstance(content, str):
        return [] if not content or content == REDACTED else [content]
    texts: list[str] = []
    markers: list[str] = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping):
            block = _inner(block, "message_content")  # noqa: PLW2901 - the same, as OpenInference wraps it
            kind = str(block.get("type") or block.get("block_type") or "")
            value = block.get("text", block.get("content") if kind in {"text", ""} else None)
            if isinstance(value, str) and kind in {"text", "text-plain", "output_text", "input_text", "refusal", ""}:
                texts.append(value)
            elif kind and kind not in _REASONING | _CALLS | {"tool_call_response"}:
                shown = json.dumps(block, ensure_ascii=False, default=str)
                markers.append(
                    f"[{kind.removesuffix('_url')} {hashlib.sha256(shown.encode('utf-8', 'replace')).hexdigest()[:12]}]"
                )
    text = "".join(each for each in texts if each != REDACTED)
    return [text, *markers] if text else markers


def _tool_calls(item: Mapping[str, Any]) -> list[tuple[str | None, str]]:
    """The tool calls of a message: id, and name and arguments as text."""
    extra = item.get("additional_kwargs")
    given = item.get("tool_calls") or (extra.get("tool_calls") if isinstance(extra, Mapping) else None)
    if not given:
        blocks = next((item[key] for key in ("parts", "content", "blocks") if isinstance(item.get(key), list)), ())
        given = [
            block
            for block in blocks
            if isinstance(block, Mapping)
            and str(block.get("type") or block.get("block_type")) in {"tool_call", "tool_use"}
        ]
    found = []
    for call in given if isinstance(given, list) else ():
        if isinstance(call, Mapping):
            call = _inner(call, "tool_call")  # noqa: PLW2901 - as above
            inner = _inner(call, "function")
            name = inner.get("name", inner.get("tool_name"))
            arguments: object = next(
                (inner[key] for key in ("args", "arguments", "input", "tool_kwargs") if key in inner), {}
            )
            id_ = call.get("id", call.get("tool_call_id"))
            if name:
                found.append((str(id_) if id_ else None, call_text(name, arguments)))
    return found


def _inner(item: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What is wrapped in an object under a key, or the object."""
    found = item.get(key)
    return found if isinstance(found, Mapping) else item


def _responses(content: object) -> list[tuple[str | None, str]]:
    """The results of tools in a message of OTel GenAI: id of the call, and text."""
    found = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and part.get("type") == "tool_call_response":
            result = part.get("result", part.get("response"))
            text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
            found.append((part.get("id"), text))
    return found
