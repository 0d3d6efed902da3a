"""The answer in what a runnable returned: reading it and replacing it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage

from langchain_trail.grounds import answer_text
from langchain_trail.pieces import pieces

__all__ = ["ANSWERS", "annotated", "answer_message", "calls_tools", "replaced", "with_message_summary"]

ANSWERS = frozenset(
    {"answer", "final_answer", "generation", "output", "output_text", "report", "response", "result", "summary", "text"}
)
"""Keys of a dictionary that name the answer."""


def answer_message(output: object) -> AIMessage | None:
    """Returns the message that answers: the output itself, or the last of a model in its `messages`."""
    if isinstance(output, AIMessage):
        return output
    messages = output.get("messages") if isinstance(output, Mapping) else None
    if not isinstance(messages, list):
        return None
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


def calls_tools(output: object) -> bool:
    """True for an output that is not an answer yet: a message that calls tools."""
    message = answer_message(output)
    return message is not None and bool(message.tool_calls)


def with_message_summary(output: Any, summary: dict[str, Any]) -> Any:
    """Returns an output with a summary on the message that answers; the output itself if there is none."""
    return _mapped(output, answer_message(output), lambda message: _with_summary(message, summary))


def annotated(output: Any, summary: dict[str, Any]) -> Any:
    """Returns an output with a summary on its message and, in a dictionary, under `trail`; a text is unchanged."""
    marked = with_message_summary(output, summary)
    return {**marked, "trail": summary} if isinstance(marked, dict) else marked


def replaced(output: Any, texts: Sequence[str], message: str, summary: dict[str, Any]) -> Any:
    """Returns an output in which a message replaces the answer, or None if it has no place for one.

    Args:
        output: What the runnable returned.
        texts: Its answer, as it was judged: one text, or several side by side.
        message: What the user is to read.
        summary: The summary of the report on the answer.
    """
    answer = answer_message(output)
    if answer is not None:
        texts = [answer_text(answer)]
        blocked = _mapped(output, answer, lambda old: _with_summary(_withheld(old, message), summary))
        return {**_cleared(blocked, texts, message), "trail": summary} if isinstance(blocked, dict) else blocked
    if isinstance(output, str):
        return message
    if isinstance(output, dict):
        fields = _fields(texts)
        if fields and not any(isinstance(output.get(name), str) for name in ANSWERS):
            return None
        cleared = _cleared(output, [*texts, *fields], message, numbers=bool(fields))
        return {**cleared, "trail": summary} if cleared != output else None
    return None


def _mapped(output: Any, answer: AIMessage | None, change: Callable[[AIMessage], AIMessage]) -> Any:
    if answer is None:
        return output
    if output is answer:
        return change(answer)
    return {**output, "messages": [change(m) if m is answer else m for m in output["messages"]]}


def _with_summary(message: AIMessage, summary: dict[str, Any]) -> AIMessage:
    return message.model_copy(update={"response_metadata": {**message.response_metadata, "trail": summary}})


def _withheld(message: AIMessage, text: str) -> AIMessage:
    """A message that keeps only id, name and cost of another. Its log probabilities, for one, would spell it out."""
    return AIMessage(text, id=message.id, name=message.name, usage_metadata=message.usage_metadata)


def _fields(texts: Sequence[str]) -> list[str]:
    """The texts in an answer that is an object."""
    try:
        value = json.loads(texts[0]) if len(texts) == 1 else None
    except ValueError:
        return []
    return [piece.text for piece in pieces(value)] if isinstance(value, dict) else []


def _cleared(output: dict[str, Any], texts: Sequence[str], message: str, *, numbers: bool = False) -> dict[str, Any]:
    """Replaces the answer wherever a dictionary holds it, lists and dictionaries inside too.

    A conversation in `messages` stays as it is: its answer is replaced by `_mapped`, which knows the message.
    """
    whole = {text.strip() for text in texts if text.strip()}
    lines = {line.strip() for text in whole for line in text.splitlines() if line.strip()}

    def clear(value: Any, held: set[str]) -> Any:
        if isinstance(value, str):
            return message if value.strip() in held else value
        if isinstance(value, AIMessage):
            return AIMessage(message, id=value.id) if value.text.strip() in whole else value
        if numbers and isinstance(value, int | float) and str(value) in held:
            return None
        if type(value) is list:
            return [clear(item, whole) for item in value]
        return {key: clear(item, whole) for key, item in value.items()} if type(value) is dict else value

    return {key: value if key == "messages" else clear(value, whole | lines) for key, value in output.items()}
