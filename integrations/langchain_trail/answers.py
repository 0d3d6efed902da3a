"""The answer in what a runnable returned: reading it and replacing it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_trail.messages import message_text
from langchain_trail.pieces import pieces
from trail_callbacks.guard.withheld import Withheld

__all__ = [
    "ANSWERS",
    "annotated",
    "answer_message",
    "calls_tools",
    "cleared",
    "earlier",
    "replaced",
    "with_message_summary",
    "withheld_text",
]

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


def earlier(output: object) -> list[BaseMessage]:
    """Returns the messages of earlier turns in the `messages` of an output: those before the user's last one."""
    messages = output.get("messages") if isinstance(output, Mapping) else None
    listed = messages if isinstance(messages, list) else []
    last = max((i for i, message in enumerate(listed) if isinstance(message, HumanMessage)), default=0)
    return [message for message in listed[:last] if isinstance(message, BaseMessage)]


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


def replaced(output: Any, withheld: Withheld, summary: dict[str, Any]) -> Any:
    """Returns an output in which a message replaces the answer, or None if it has no place for one.

    Whatever else in it carries the withheld text goes too, see `Withheld`; inputs of the app and sources stay.

    Args:
        output: What the runnable returned.
        withheld: Its answer, as it was judged.
        summary: The summary of the report on the answer.
    """
    answer = answer_message(output)
    if answer is not None:
        marked = _with_summary(_emptied(answer, withheld.message), summary)
        if output is answer:
            return marked
        blocked = {**_mapped(output, answer, lambda _: marked), "trail": summary}
        return cleared(blocked, withheld, kept=(marked, summary))
    if isinstance(output, str):
        return withheld.message
    if not isinstance(output, dict) or (
        withheld.is_object and not any(isinstance(output.get(k), str) for k in ANSWERS)
    ):
        return None
    rest = cleared(output, withheld)
    if rest is output or rest is None:
        return None
    return {**rest, "trail": summary}


def cleared(value: Any, withheld: Withheld, kept: Sequence[object] = ()) -> Any:
    """Returns a value without what is withheld; a message that carries it is replaced whole.

    Args:
        value: What the app returned, or wrote into its memory.
        withheld: What nobody is to read.
        kept: Parts that stay as they are.
    """
    whole = {id(each) for each in kept}

    def leaf(part: Any) -> Any:
        if id(part) in whole:
            return part
        if not isinstance(part, BaseMessage):
            return NotImplemented
        beside = [part.additional_kwargs, getattr(part, "artifact", None)]
        if not withheld.carried_by(message_text(part)) and withheld.cleared(beside) is beside:
            return _without(part, withheld)
        if isinstance(part, AIMessage):
            return _emptied(part, withheld.message)
        return part.model_copy(
            update={
                "content": withheld.message,
                "additional_kwargs": {},
                "response_metadata": {},
                "name": None if part.name and withheld.carried_by(part.name) else part.name,
                **({"artifact": None} if beside[1] else {}),
            }
        )

    return withheld.cleared(value, leaf)


def _without(message: BaseMessage, withheld: Withheld) -> BaseMessage:
    """A message that says something else, without what it carries beside its text, such as log probabilities."""
    metadata = {key: each for key, each in message.response_metadata.items() if withheld.cleared(each) is each}
    changed: dict[str, Any] = {"response_metadata": metadata} if metadata != message.response_metadata else {}
    if isinstance(message.content, list):
        content = [each if isinstance(each, str) else _said(each, withheld) for each in message.content]
        changed |= {"content": content} if content != message.content else {}
    if message.name and withheld.carried_by(message.name):
        changed["name"] = None
    if isinstance(message, AIMessage):
        for field in ("tool_calls", "invalid_tool_calls"):
            calls = getattr(message, field)
            kept = [_said(each, withheld) for each in calls]
            changed |= {field: kept} if kept != calls else {}
    return message.model_copy(update=changed) if changed else message


def _said(part: Any, withheld: Withheld) -> Any:
    """A block or a tool call, without what is withheld if that stands in it; what it asks about may stand in both."""
    return withheld.cleared(part) if withheld.repeated_by(str(part)) else part


def withheld_text(texts: Sequence[str], known: Sequence[str], message: str) -> Withheld:
    """Returns what is withheld of an answer: its text, or its texts, and the fields of one that is an object."""
    fields = _fields(texts)
    return Withheld([*texts, *fields], known, message, is_object=bool(fields))


def _mapped(output: Any, answer: AIMessage | None, change: Callable[[AIMessage], AIMessage]) -> Any:
    if answer is None:
        return output
    if output is answer:
        return change(answer)
    return {**output, "messages": [change(m) if m is answer else m for m in output["messages"]]}


def _with_summary(message: AIMessage, summary: dict[str, Any]) -> AIMessage:
    return message.model_copy(update={"response_metadata": {**message.response_metadata, "trail": summary}})


def _emptied(message: AIMessage, text: str) -> AIMessage:
    """A message that keeps only id, name and cost of another. Its log probabilities, for one, would spell it out."""
    return AIMessage(text, id=message.id, name=message.name, usage_metadata=message.usage_metadata)


def _fields(texts: Sequence[str]) -> list[str]:
    """The texts in an answer that is an object."""
    try:
        value = json.loads(texts[0]) if len(texts) == 1 else None
    except ValueError:
        return []
    return [piece.text for piece in pieces(value)] if isinstance(value, dict) else []
