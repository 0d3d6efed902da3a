"""The answer in what a runnable returned, and the summary of a report on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

__all__ = [
    "ANSWERS",
    "annotated",
    "answer_message",
    "calls_tools",
    "earlier",
    "mapped",
    "with_message_summary",
    "with_summary",
]

Message = TypeVar("Message", bound=BaseMessage)

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
    return mapped(output, answer_message(output), lambda message: with_summary(message, summary))


def annotated(output: Any, summary: dict[str, Any]) -> Any:
    """Returns an output with a summary on its message and, in a dictionary, under `trail`; a text is unchanged."""
    marked = with_message_summary(output, summary)
    return {**marked, "trail": summary} if isinstance(marked, dict) else marked


def mapped(output: Any, answer: AIMessage | None, change: Callable[[AIMessage], AIMessage]) -> Any:
    """Returns an output with its answer changed; the output itself if there is none."""
    if answer is None:
        return output
    if output is answer:
        return change(answer)
    return {**output, "messages": [change(m) if m is answer else m for m in output["messages"]]}


def with_summary(message: Message, summary: dict[str, Any]) -> Message:
    """Returns a message with a summary in its metadata."""
    return message.model_copy(update={"response_metadata": {**message.response_metadata, "trail": summary}})
