"""Chat messages and replies of models, as texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from llama_index_trail.raw import Path, Raw

__all__ = ["calls_of", "joined", "message", "message_text", "other_text", "refusal", "reply", "turns", "with_authors"]

_TURN = re.compile(r"^[ \t]*(system|user|assistant|tool|function): ", re.MULTILINE)


def message(value: Any, path: Path) -> Raw:
    """Reads a chat message; tool calls are shown in its text."""
    if isinstance(value, str):
        return Raw(value, path, "message", role="user")
    role = getattr(value, "role", None)
    role = str(getattr(role, "value", role) or "user")
    extra = getattr(value, "additional_kwargs", None) or {}
    text = message_text(value)
    if role in ("assistant", "chatbot", "model"):
        shown = [f"{name}({_json(arguments)})" for _, name, arguments in calls_of(value)]
        text = "\n".join([line for line in (text,) if line] + shown)
        return Raw(text, path, "message", role="assistant")
    if role in ("tool", "function"):
        call_id = extra.get("tool_call_id") or _call_id_of_blocks(value)
        return Raw(text, path, "message", role="tool", call_id=str(call_id) if call_id else None)
    return Raw(text, path, "message", role="system" if role in ("system", "developer") else "user")


def turns(prompt: str, message: str) -> list[Raw]:
    """Lists the turns of a conversation that LlamaIndex wrote into one text, for a model that takes no messages.

    Args:
        prompt: The text.
        message: The user's last message; a template shows this after the conversation, under a heading.
    """
    starts = list(_TURN.finditer(prompt))
    if not starts:
        return []
    ends = [turn.start() for turn in starts[1:]] + [_before(message, prompt, starts[-1].end())]
    parts = [(turn[1], prompt[turn.end() : end].strip()) for turn, end in zip(starts, ends, strict=True)]
    return [
        Raw(text, ("history", i), "message", role="assistant")
        if role == "assistant"
        else Raw(text, ("history", i), origin="user")
        for i, (role, text) in enumerate(parts)
        if text and role in ("user", "assistant")
    ]


def with_authors(prompt: Sequence[Raw], summaries: AbstractSet[str]) -> list[Raw]:
    """Marks who wrote the messages of a chat: the user those that were replied to, a model the summaries."""
    last = max((i for i, raw in enumerate(prompt) if raw.role == "assistant"), default=0)
    marked = []
    for i, raw in enumerate(prompt):
        if raw.role == "user" and i < last:
            marked.append(raw._replace(origin="user"))
        elif raw.role == "system" and raw.text.strip() in summaries:
            marked.append(raw._replace(origin="model"))
        else:
            marked.append(raw)
    return marked


def _before(message: str, prompt: str, start: int) -> int:
    at = prompt.find(message, start) if message else -1
    if at <= start:
        return len(prompt)
    line = prompt.rfind("\n", start, at) + 1
    if line and not prompt[line:at].strip():  # the heading is a line of its own
        line = prompt.rfind("\n", start, len(prompt[:line].rstrip())) + 1
    return max(line, start)


def reply(response: object, model: object = None, attributes: Mapping[str, Any] | None = None) -> list[Raw]:
    """Lists what a model wrote: a message that shows its tool calls, then the calls.

    Args:
        response: A chat or completion response, or None for a stream without content.
        model: The model; asked to read tool calls of its own format.
        attributes: Kept on the node.
    """
    values = getattr(response, "__dict__", {})  # asking a pydantic object for what it lacks is slow
    written = values.get("message")
    if written is None:
        text = values.get("text")
        if not isinstance(text, str):
            text = response if isinstance(response, str) else other_text(response)
        return [Raw(text, ("text",), attributes=attributes)]
    calls = calls_of(written, model, response)
    shown = [f"{name}({_json(arguments)})" for _, name, arguments in calls]
    text = "\n".join([line for line in (message_text(written),) if line] + shown)
    pieces = [Raw(text, ("message",), "message", role="assistant", attributes=attributes)]
    for i, (call_id, _, _) in enumerate(calls):
        pieces.append(Raw(shown[i], ("message", "tool_calls", i), "tool_call", call_id=call_id))
    return pieces


def joined(chunks: Sequence[Any]) -> str:
    """Returns the text of a stream; a structured one repeats the whole object as it grows."""
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    if all(isinstance(getattr(chunk, "delta", None), str) for chunk in chunks):
        return "".join(chunk.delta for chunk in chunks)
    return reply(chunks[-1])[0].text


def refusal(value: Any) -> str:
    """Returns what a provider lets a model say in place of an answer; empty if it says none."""
    refused = (getattr(value, "additional_kwargs", None) or {}).get("refusal")
    return refused if isinstance(refused, str) else ""


def message_text(value: Any) -> str:
    """Returns the text of a message; a refusal is text, other content becomes a short marker."""
    blocks, refused = getattr(value, "blocks", None), refusal(value)
    if (
        not refused
        and isinstance(blocks, list)
        and len(blocks) == 1
        and isinstance(text := getattr(blocks[0], "text", None), str)
    ):
        return text
    lines = [text for text in (value.content, refused) if text]
    for block in blocks if isinstance(blocks, list) else ():
        kind = getattr(block, "block_type", "text")
        if kind not in ("text", "tool_call", "thinking"):
            lines.append(f"[{kind}]")
    return "\n".join(lines)


def calls_of(value: Any, model: Any = None, response: object = None) -> list[tuple[str | None, str, object]]:
    """Lists the tool calls of a message: id, name, arguments."""
    blocks = getattr(value, "blocks", None) or ()
    calls = [
        (block.tool_call_id, str(block.tool_name), block.tool_kwargs)
        for block in blocks
        if getattr(block, "block_type", None) == "tool_call"
    ]
    raw = (getattr(value, "additional_kwargs", None) or {}).get("tool_calls")
    if calls or not raw:
        return calls
    read = getattr(model, "get_tool_calls_from_response", None)
    if read is not None and response is not None:  # each provider has its own format, which the model knows
        selections = read(response, error_on_no_tool_call=False)
        return [(call.tool_id, call.tool_name, call.tool_kwargs) for call in selections]
    return [call for each in raw if (call := _provider_call(each)) is not None]


def _provider_call(each: Any) -> tuple[str | None, str, object] | None:
    """Reads a call in the shape of the OpenAI API, as object or dictionary, or as a pair of name and arguments."""
    if isinstance(each, list | tuple) and len(each) == 2:  # noqa: PLR2004 - name, arguments
        return None, str(each[0]), each[1]
    function = _of(each, "function") or each
    name = _of(function, "name")
    arguments = _of(function, "arguments") or _of(function, "args") or _of(function, "input")
    return (_of(each, "id"), str(name), arguments) if name else None


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _call_id_of_blocks(value: Any) -> str | None:
    return next((b.tool_call_id for b in getattr(value, "blocks", ()) if hasattr(b, "tool_call_id")), None)


def _json(arguments: object) -> str:
    """Arguments as JSON in one spelling: providers differ in spaces and in how they write letters beyond ASCII."""
    value = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments)
        except ValueError:
            return arguments
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):  # odd keys, cycles
        return str(arguments)


def other_text(value: object) -> str:
    """Returns the text for a value that is not a text: a structured answer is its JSON."""
    if value is None or isinstance(value, dict | list):
        return _json(value) if value is not None else ""
    dump: Callable[[], str] | None = getattr(value, "model_dump_json", None)
    return dump() if dump is not None else str(value)
