"""The messages in a payload: who wrote one, its text, its tool calls, and the results of tools that it holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from trail_callbacks.capture.events import Piece
from trail_callbacks.capture.payloads import exact_text

__all__ = ["REDACTED", "ROLES", "Path", "call_text", "message", "parsed", "text_of", "texts_in"]

REDACTED = "__REDACTED__"
"""What OpenInference writes in place of a text that the app hides."""

Path = tuple["str | int", ...]

ROLES = {
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
"""Who writes a message, by all the names that tools have for it."""

_REASONING = frozenset({"reasoning", "reasoning_content", "thinking", "redacted_thinking", "non_standard"})
_CALLS = frozenset({"tool_call", "tool_call_chunk", "tool_use", "function_call", "input_json_delta"})


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


def call_text(name: object, arguments: object) -> str:
    """Returns name and arguments of a tool call as one text."""
    given = text_of(arguments)
    return exact_text(f"{name}({json.dumps(given, ensure_ascii=False, default=str)})")


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
    lines = [*texts_in(content), *(text for _, text in calls)]
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


def texts_in(content: object) -> list[str]:
    """Returns the text of a message's content, then a marker for each part that is not text."""
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
