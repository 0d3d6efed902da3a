"""The input of a runnable that is called again: where the feedback on its draft goes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable

from langchain_trail.answers import answer_message

VARIABLE = "feedback"
"""The input key, and so the prompt variable, that takes feedback."""
Revise: TypeAlias = Callable[[Any, Any, str], Any]
"""Makes a new input of the last one, its output and the feedback on that output."""

_logger = logging.getLogger("trail_callbacks")


def prepared(runnable: Runnable[Any, Any], given: Any) -> Any:
    """Returns the first input: a prompt that has the variable gets it empty."""
    if isinstance(given, Mapping) and VARIABLE not in given and _wants(runnable):
        return {**given, VARIABLE: ""}
    return given


def revised(runnable: Runnable[Any, Any], given: Any, output: Any, feedback: str) -> Any:
    """Returns an input with the feedback in it; the same input if it has no place for it.

    Messages, a prompt value or a dictionary with `messages` get the draft and the feedback as two more messages; a
    dictionary gets the key `feedback` if it has it or the runnable's prompt has a variable of that name.
    """
    if isinstance(given, PromptValue):
        return [*given.to_messages(), *_review(output, feedback)]
    if isinstance(given, str) and isinstance(runnable, BaseLanguageModel):
        return [HumanMessage(given), *_review(output, feedback)]
    if isinstance(given, Mapping):
        if VARIABLE in given:
            return {**given, VARIABLE: feedback}
        messages = given.get("messages")
        return {**given, "messages": [*messages, *_review(output, feedback)]} if isinstance(messages, list) else given
    return [*given, *_review(output, feedback)] if _are_messages(given) else given


def _review(output: Any, feedback: str) -> list[BaseMessage]:
    draft = answer_message(output) or _of_step(output) or AIMessage(output if isinstance(output, str) else str(output))
    return [draft, HumanMessage(feedback)]


def _of_step(output: Any) -> AIMessage | None:
    """The message in what a graph streams: the updates of a step, under its name."""
    updates = reversed(output.values()) if isinstance(output, dict) else ()
    return next((message for message in map(answer_message, updates) if message is not None), None)


def _are_messages(given: Any) -> bool:
    return (
        isinstance(given, list) and bool(given) and all(isinstance(item, BaseMessage | tuple | dict) for item in given)
    )


def _wants(runnable: Runnable[Any, Any]) -> bool:
    try:
        return VARIABLE in runnable.get_input_jsonschema().get("properties", {})
    except Exception as error:  # noqa: BLE001 - a runnable without a readable schema has no such variable
        _logger.debug("the input schema of %r cannot be read: %r", runnable, error)
        return False
