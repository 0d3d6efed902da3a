"""The text of a message: its words, markers for content that is not text, and its tool calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

__all__ = [
    "CALLS",
    "REASONING",
    "call_text",
    "content_lines",
    "digest",
    "message_text",
    "role_named",
    "role_of",
    "tool_calls",
]

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
