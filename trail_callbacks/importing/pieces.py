"""The texts in a payload that a framework or tracer wrote as JSON: messages, documents, tool calls, plain texts.

What an adapter does for live objects (`langchain_trail.pieces`), for their many forms in files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trail_callbacks.capture.events import REPLY, Piece
from trail_callbacks.capture.payloads import exact_text, scalars

REDACTED = "__REDACTED__"
"""What OpenInference writes in place of a text that the app hides."""

Path = tuple["str | int", ...]

_ROLES = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("ai", "assistant", "model", "chatbot"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
"""Who writes a message, by all the names that tools have for it."""
_TEXTS = frozenset({"text", "text-plain", "output_text", "input_text", "refusal", ""})
_CALLS = frozenset({"tool_call", "tool_use"})
_UNSHOWN = _CALLS | {
    "reasoning", "reasoning_content", "thinking", "redacted_thinking", "non_standard",
    "tool_call_chunk", "function_call", "input_json_delta", "tool_call_response",
}  # fmt: skip
"""Parts of a message that are not shown: reasoning, and what is a piece of its own."""
_CONTENT = ("content", "blocks", "parts")
_EMPTY = frozenset({"role", "name", "tool_call_id", "finish_reason"})
"""Keys of a message that lost its content."""
_DEPTH = 32
_PIECES = 10_000
_VECTOR = 32
"""A list of this many numbers or more is an embedding, not text."""
_SKIPPED = frozenset({"callback_manager", "additional_kwargs", "response_metadata", "invocation_params", "embedding"})
_BEGINS = re.compile(r'\s*(?:"|\{\s*(?:"|\Z)|\[[\s\[{]*(?:"|\Z))')
"""How the JSON of a text, an object or a list of these begins."""
_OPEN = ("Unterminated string", "Invalid \\")
_TOKEN = 5  # characters of `false`, which may be cut too
_REPR = re.compile(r"<(?:generator object|[\w.]+ object|[\w.]+\(|_\w+ at 0x).*>", re.DOTALL)
"""What Python prints of an object without a text, such as `<generator object>`."""


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


def decoded(text: object) -> Any:
    """Returns what a text is the JSON of; of one whose JSON is cut off nothing, and of one that is none the text."""
    try:
        return parsed(text)
    except ValueError:
        return None if is_cut(text) else text


def text_of(text: object) -> Any:
    """As `decoded`, of objects and lists only: most tools do not say which texts are JSON."""
    return decoded(text) if isinstance(text, str) and text.lstrip()[:1] in {"{", "["} else text


def is_cut(text: object) -> bool:
    """True for the beginning of a JSON text: its end is what the parser misses."""
    if not isinstance(text, str) or not _BEGINS.match(text):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith(_OPEN) or error.pos >= len(text.rstrip()) - _TOKEN
    except RecursionError:
        return False
    return False


def object_of(value: object) -> dict[str, Any]:
    """Returns an object, or that of its JSON text; an empty one if it is none."""
    found = text_of(value)
    return dict(found) if isinstance(found, Mapping) else {}


def first_of(record: object, *names: str) -> Any:
    """Returns the first value that an object has under one of some names."""
    held = record if isinstance(record, Mapping) else {}
    return next((held[name] for name in names if held.get(name) not in (None, "")), None)


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


def document(fields: object, path: Path = (), text: object = None) -> Piece:
    """Makes the piece of a document: its text, and `id`, `metadata` and `score` of its fields."""
    attributes = scalars(object_of(first_of(fields, "metadata")))
    score = first_of(fields, "score")
    if isinstance(score, int | float) and not isinstance(score, bool):
        attributes |= scalars({"score": score})
    id_ = first_of(fields, "id")
    return Piece(
        text="" if text is None or text == REDACTED else exact_text(text),
        path=path,
        form="document",
        id=None if id_ is None else str(id_),
        attributes=attributes,
    )


class _Walk:
    """One walk through one payload."""

    def __init__(self, model: bool) -> None:
        self.model = model
        self.found: list[Piece] = []

    def visit(self, item: object, path: Path, depth: int) -> None:
        if item is None or depth > _DEPTH or len(self.found) >= _PIECES:
            return
        if isinstance(item, str):
            if item and item != REDACTED and not (item[:1] == "<" and _REPR.fullmatch(item.strip())):
                self.found.append(Piece(text=exact_text(item), path=path, origin="given" if self.model else None))
        elif isinstance(item, bool | int | float):
            self.found.append(Piece(text=str(item), path=path))
        elif isinstance(item, Mapping):
            if not any(read(item, path, depth) for read in (self._langchain, self._openai, self._object)):
                for key, value in item.items():
                    if not key.startswith("__") and key not in _SKIPPED:
                        self.visit(value, (*path, key), depth + 1)
        elif isinstance(item, Sequence):
            self._sequence(item, path, depth)

    def _langchain(self, item: Mapping[str, Any], path: Path, depth: int) -> bool:
        """Reads an object as LangChain serialises it."""
        kind, content = item.get("type"), item
        if item.get("lc") is not None and isinstance(item.get("id"), list) and item["id"]:
            kind, content = str(item["id"][-1]), item.get("kwargs") or {}
            if kind == "Document":
                self.found.append(document(content, path, content.get("page_content")))
                return True
            if not kind.endswith(("Message", "MessageChunk")):
                self.visit(content.get("messages", content), path, depth + 1)
                return True
        elif isinstance(item.get("data"), Mapping) and "content" in item["data"]:
            content = item["data"]
        elif "content" not in item:
            return False
        short = str(kind).removesuffix("Chunk").removesuffix("Message").lower()  # `AIMessageChunk` is `ai`
        if short not in _ROLES or not isinstance(content, Mapping):
            return False
        self._message(content, _ROLES[short], path)
        if _ROLES[short] == "tool" and not self.model:
            self.visit(content.get("artifact"), (*path, "artifact"), depth + 1)
        return True

    def _openai(self, item: Mapping[str, Any], path: Path, _: int) -> bool:
        """Reads a message, a tool call or a document by its keys."""
        if isinstance(item.get("role"), str) and (
            any(key in item for key in (*_CONTENT, "tool_calls")) or item.keys() <= _EMPTY
        ):
            self._message(item, _ROLES.get(item["role"].lower()), path)
        elif item.get("type") == "tool_call" and "name" in item and "args" in item:
            self.found += [Piece(text=text, path=path, form="tool_call", call_id=id_) for id_, text in _calls([item])]
        elif isinstance(item.get("page_content"), str):
            self.found.append(document(item, path, item["page_content"]))
        else:
            return False
        return True

    def _object(self, item: Mapping[str, Any], path: Path, depth: int) -> bool:
        """Reads an object of a framework by its keys."""
        if isinstance(item.get("generations"), list):
            for i, several in enumerate(item["generations"]):
                for j, each in enumerate(several if isinstance(several, list) else [several]):
                    inside = path if i == j == 0 else (*path, "generations", i, j)
                    self.visit(first_of(each, "message", "text"), inside, depth + 1)
        elif isinstance(item.get("query_str"), str):
            self.visit(item["query_str"], path or ("query",), depth + 1)
        elif _is_command(item):
            self.visit(item["update"], path, depth + 1)
            before = len(self.found)
            self.visit(item.get("resume"), (*path, "resume"), depth + 1)
            for i, each in enumerate(self.found[before:], before):
                self.found[i] = Piece(text=each.text, path=each.path, origin="user", attributes={REPLY: True})
        elif "raw_output" in item and "tool_name" in item:  # what a tool of LlamaIndex returned
            content = "\n".join(_texts(item.get("blocks"))) or item["raw_output"]
            self.visit(content, (*path, "content"), depth + 1)
        elif "source_nodes" in item and ("response" in item or "response_gen" in item):  # a response of LlamaIndex
            self.visit(item.get("response"), (*path, "response"), depth + 1)
        else:
            return False
        return True

    def _sequence(self, item: Sequence[Any], path: Path, depth: int) -> None:
        if len(item) == 2 and all(isinstance(each, str) for each in item) and item[0].lower() in _ROLES:  # noqa: PLR2004 - ("user", "Hi")
            self._message({"content": item[1]}, _ROLES[item[0].lower()], path)
        elif len(item) < _VECTOR or not all(isinstance(each, int | float) for each in item):
            for i, each in enumerate(item):  # the place of a command is no channel
                self.visit(each, path if _is_command(each) else (*path, i), depth + 1)

    def _message(self, item: Mapping[str, Any], role: str | None, path: Path) -> None:
        """Adds a message and, unless a model reads it, its tool calls; fields are those of LangChain and others."""
        content = next((item[key] for key in _CONTENT if item.get(key) is not None), None)
        extra = item.get("additional_kwargs")
        given = item.get("tool_calls") or first_of(extra, "tool_calls")
        calls = list(_calls(given or [each for each in _parts(content) if _kind(each) in _CALLS]))
        responses = [each for each in _parts(content) if _kind(each) == "tool_call_response"]
        lines = [*_texts(content), *(text for _, text in calls)]
        call_id = item.get("tool_call_id") or first_of(extra, "tool_call_id")
        if responses and role in {"tool", "user"}:
            role, call_id = "tool", call_id or responses[0].get("id")
            lines += [_result(each.get("result", each.get("response"))) for each in responses]
        self.found.append(
            Piece(
                text=exact_text("\n".join(lines)),
                path=path,
                form="message",
                id=item["id"] if isinstance(item.get("id"), str) else None,
                role=role,
                call_id=str(call_id) if call_id and role == "tool" else None,
                origin="given" if self.model and role == "user" else None,
                attributes={
                    key: str(value)
                    for key, value in (("name", item.get("name")), ("lc_source", first_of(extra, "lc_source")))
                    if value
                },
            )
        )
        if not self.model:
            for i, (id_, text) in enumerate(calls):
                self.found.append(Piece(text=text, path=(*path, "tool_calls", i), form="tool_call", call_id=id_))


def _is_command(item: object) -> bool:
    """True for a command of LangGraph."""
    return isinstance(item, Mapping) and "update" in item and "goto" in item


def _parts(content: object) -> Iterator[Mapping[str, Any]]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping):
            yield _inner(part, "message_content")  # as OpenInference wraps it
        elif isinstance(part, str):
            yield {"text": part}


def _kind(part: Mapping[str, Any]) -> str:
    return str(part.get("type") or part.get("block_type") or "")


def _inner(item: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What is wrapped in an object under a key, or the object."""
    found = item.get(key)
    return found if isinstance(found, Mapping) else item


def _result(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _texts(content: object) -> list[str]:
    """The text of a message's content, then a marker for each part that is not text."""
    if isinstance(content, str):
        return [] if not content or content == REDACTED else [content]
    texts, markers = [], []
    for part in _parts(content):
        kind = _kind(part)
        value = part.get("text", part.get("content") if kind in {"text", ""} else None)
        if isinstance(value, str) and kind in _TEXTS:
            texts.append(value)
        elif kind and kind not in _UNSHOWN:
            seen = hashlib.sha256(_result(part).encode("utf-8", "replace")).hexdigest()
            markers.append(f"[{kind.removesuffix('_url')} {seen[:12]}]")
    text = "".join(each for each in texts if each != REDACTED)
    return [text, *markers] if text else markers


def _calls(given: object) -> Iterator[tuple[str | None, str]]:
    """Tool calls: the id of each, and name and arguments as one text."""
    for each in given if isinstance(given, list) else ():
        if isinstance(each, Mapping):
            call = _inner(each, "tool_call")
            inner = _inner(call, "function")
            arguments: object = next(
                (inner[key] for key in ("args", "arguments", "input", "tool_kwargs") if key in inner), {}
            )
            shown = json.dumps(text_of(arguments), ensure_ascii=False, default=str)
            id_ = call.get("id", call.get("tool_call_id"))
            if name := inner.get("name", inner.get("tool_name")):
                yield str(id_) if id_ else None, exact_text(f"{name}({shown})")
