"""What a model returns beside its answer, and no guard judges: reasoning, citations, text beside tool calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llama_index_trail.messages import refusal
from trail_callbacks.guard import holds_text

__all__ = ["answer_text", "judged_only", "unjudged"]

_KEPT = frozenset({"tool_calls", "tool_call_id", "refusal"})
_REASONING = frozenset({"reasoning", "reasoning_content", "thinking", "thinking_delta"})


def answer_text(message: Any) -> str:
    """Returns the text of a message that answers; a refusal is text, which apps show in place of an answer."""
    return "\n".join(text for text in (message.content, refusal(message)) if text)


def unjudged(message: Any, *, calls: bool = False) -> tuple[str, ...]:
    """Returns the names of what a message says that is not judged: empty if all is, or nothing is said.

    Args:
        message: A chat message.
        calls: The message calls tools, so that it is no answer.
    """
    beside = ["text beside tool calls"] if calls and answer_text(message).strip() else []
    return tuple(dict.fromkeys([*_beside(message), *beside]))


def judged_only(message: Any, *, calls: bool = False) -> Any:
    """Returns a message without what is not judged; tool calls stay."""
    if not unjudged(message, calls=calls):
        return message
    kept = {"tool_call"} if calls else {"text", "tool_call"}
    made = message.model_copy()
    made.blocks = [block for block in message.blocks if getattr(block, "block_type", "text") in kept]
    made.additional_kwargs = {key: value for key, value in message.additional_kwargs.items() if key in _KEPT}
    return made


def _beside(message: Any) -> Iterator[str]:
    for block in message.blocks:
        kind = getattr(block, "block_type", "text")
        if kind not in {"text", "tool_call"}:
            yield "reasoning" if kind == "thinking" else kind
    for key, value in (message.additional_kwargs or {}).items():
        if key not in _KEPT and holds_text(value):
            yield "reasoning" if key in _REASONING else str(key)
