"""What a provider's completion holds: the text a model wrote, its refusal, and what it cost."""

from __future__ import annotations

from typing import Any

from trail_callbacks.models.call import Usage
from trail_callbacks.models.salvage import clean, spoken

__all__ = ["raw_text", "refusal", "usage"]


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
    """Reads a provider's token counts; providers name them in two ways, and some count nothing.

    Args:
        counted: The provider's usage object, or None.
        calls: Requests that were made.
    """
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
