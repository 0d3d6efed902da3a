"""What a model wrote: what can be read of a text that is cut, wrapped or talked around, and of a whole completion."""

from __future__ import annotations

import json
import re
from typing import Any

from trail_callbacks.models.call import Usage

_OPENING = re.compile(r"<(think|thinking|reasoning)\b[^>]{0,80}>", re.IGNORECASE)
_CLOSING = re.compile(r"</(think|thinking|reasoning)\s{0,8}>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*(?:[^\S\n]*\n)+")
_LONGEST = 400_000
_MISSES = 400  # failed decodings before giving up: each may read to the end of the text


def _without_thinking(text: str) -> str:
    """Removes reasoning, which comes first: everything up to its last closing tag, or from a tag that never closes.

    Text that begins as JSON is returned as it is: a tag in it stands inside a string.
    """
    if text.lstrip()[:1] in ("{", "["):
        return text
    closings = list(_CLOSING.finditer(text))
    if closings:  # up to the last one: blocks nest, and servers that prefill the opening tag return the other only
        return text[closings[-1].end() :]
    opening = _OPENING.search(text)
    return text[: opening.start()] if opening else text


def spoken(content: Any) -> str:
    """Returns the text of a message, which some servers send in parts; other parts, e.g. thought, are left out."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(part for part in parts if isinstance(part, str))


def clean(text: str) -> str:
    """Removes reasoning blocks and the code fence around a whole answer."""
    text = _without_thinking(text)
    inside = text.strip()
    fenced = _FENCE.match(inside)
    whole = fenced is not None and inside.endswith("```") and len(inside) >= fenced.end() + 3
    return inside[fenced.end() : -3].rstrip() if fenced and whole else text


def document(text: str) -> str | None:
    """Returns the last complete JSON object at the top level of a text, or None.

    The last, because a model that talks first may quote JSON from the text it was given.
    """
    last = None
    for start, end, _ in _decode(text):
        last = (start, end)
    return clean(text)[slice(*last)] if last else None


def objects(text: str) -> list[dict[str, Any]]:
    """Returns the complete items of a list that stands in a broken JSON text."""
    items: list[dict[str, Any]] = []
    for _, _, value in _decode(text):
        items += _leaves(value)
    return items


def _leaves(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    if not isinstance(value, dict):
        return []
    inner = [leaf for item in value.values() if isinstance(item, dict | list) for leaf in _leaves(item)]
    return inner or [value]


def _decode(text: str) -> list[tuple[int, int, Any]]:
    """Finds the complete JSON objects of a text: an object that is cut is entered, a whole one is not."""
    text = clean(text)[:_LONGEST]
    decoder = json.JSONDecoder(strict=False)  # control characters inside strings are the commonest small fault
    decoded, at, misses = [], text.find("{"), 0
    while at >= 0 and misses < _MISSES:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            misses += 1
            at = text.find("{", at + 1)
        else:
            decoded.append((at, end, value))
            at = text.find("{", end)
    return decoded


def raw_text(completion: Any) -> str | None:
    """Returns what a model wrote, from a completion that did not parse: its text or its tool call's arguments."""
    choices = getattr(completion, "choices", None)
    if not choices or not isinstance(choices, list):
        return None
    message = getattr(choices[0], "message", None)
    for call in getattr(message, "tool_calls", None) or ():
        arguments = getattr(getattr(call, "function", None), "arguments", None)
        if isinstance(arguments, str):
            return arguments
    content = spoken(getattr(message, "content", None))
    return clean(content) if content else None


def refusal(completion: Any) -> str | None:
    """Returns why a model would not answer, in its own words where it has some; None if it did not refuse."""
    choices = getattr(completion, "choices", None)
    for choice in choices if isinstance(choices, list) else ():
        words = getattr(getattr(choice, "message", None), "refusal", None)
        if words:
            return str(words)
        if getattr(choice, "finish_reason", None) == "content_filter":
            return "the provider's content filter stopped the answer"
    return None


def usage(counted: Any, calls: int) -> Usage:
    """Reads a provider's token counts; providers name them in two ways, and some count nothing."""
    details = getattr(counted, "prompt_tokens_details", None) or getattr(counted, "input_tokens_details", None)

    def first(*names: str) -> int:
        values = (getattr(each, name, None) for name in names for each in (counted, details))
        return next((value for value in values if isinstance(value, int) and value > 0), 0)

    return Usage(
        calls=calls,
        prompt_tokens=first("prompt_tokens", "input_tokens"),
        completion_tokens=first("completion_tokens", "output_tokens"),
        cached_tokens=first("cached_tokens", "cache_read_input_tokens"),
    )
