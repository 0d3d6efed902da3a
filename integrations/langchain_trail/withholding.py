"""Taking a withheld answer out of what a runnable returned, or wrote into its memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from langchain_trail.answers import ANSWERS, answer_message, mapped, with_summary
from langchain_trail.pieces import message_text, pieces
from trail_callbacks.guard.withheld import Withheld


def replaced(output: Any, withheld: Withheld, summary: dict[str, Any]) -> Any:
    """Returns an output in which a message replaces the answer, or None if it has no place for one.

    Whatever else in it carries the withheld text goes too, see `Withheld`; inputs of the app and sources stay.
    """
    answer = answer_message(output)
    if answer is not None:
        marked = with_summary(_emptied(answer, withheld.message), summary)
        if output is answer:
            return marked
        blocked = {**mapped(output, answer, lambda _: marked), "trail": summary}
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
    """Returns a value without what is withheld; a message that carries it is replaced whole."""
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


def _emptied(message: AIMessage, text: str) -> AIMessage:
    """A message that keeps only id, name and cost of another. Its log probabilities, for one, would spell it out."""
    return AIMessage(text, id=message.id, name=message.name, usage_metadata=message.usage_metadata)


def field_texts(texts: Sequence[str]) -> list[str]:
    """Returns the texts in an answer that is an object."""
    try:
        value = json.loads(texts[0]) if len(texts) == 1 else None
    except ValueError:
        return []
    return [piece.text for piece in pieces(value)] if isinstance(value, dict) else []
