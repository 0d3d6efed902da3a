"""The shapes in which apps take a question and return an answer, where nobody says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from langchain_trail.answers import ANSWERS, answer_message
from trail_callbacks.errors import InputError

__all__ = ["answer_text", "joined", "question_key"]

_QUESTIONS = ("question", "input", "query", "messages")


def question_key(runnable: Runnable[Any, Any]) -> str | None:
    """Returns the key under which an app takes the question; None if it takes a text.

    Raises:
        InputError: If it takes a dictionary, and none of its keys, or several, may be the question.
    """
    schema = runnable.get_input_jsonschema()
    properties = schema.get("properties", {})
    if "root" in properties or schema.get("type") != "object":  # "root" is what nothing is known of
        return None
    found = next((key for key in _QUESTIONS if key in properties), None)
    if found is None and len(properties) == 1:
        return str(next(iter(properties)))
    if found is None:
        named = f"which of {', '.join(map(repr, properties))}" if properties else "which key of its dictionary"
        raise InputError(f"cannot tell {named} is the question: canary_app(..., question=...)")
    return found


def answer_text(output: Any) -> str:
    """Returns the answer in what an app returned: a text, a message, or one of them in a dictionary or a state.

    What a graph streams last, the update of one step by its name, is read as a state.

    Raises:
        InputError: If there is none, or several.
    """
    if isinstance(output, str):
        return output
    if isinstance(output, BaseMessage):
        return output.text
    if message := answer_message(output):
        return message.text
    if isinstance(output, Mapping):
        found = {key: output[key] for key in output if key in ANSWERS and isinstance(output[key], str | BaseMessage)}
        if len(found) == 1:
            return answer_text(next(iter(found.values())))
        if len(output) == 1 and isinstance(update := next(iter(output.values())), Mapping):
            return answer_text(update)
        what = f"an output with {', '.join(map(repr, output))}"
    else:
        what = f"a {type(output).__name__}"
    raise InputError(f"cannot find the answer in {what}: canary_app(..., answer=...)")


def joined(before: Any, chunk: Any) -> Any:
    """Returns chunks of a stream together; of those that cannot be added, such as states of a graph, the last."""
    if before is None:
        return chunk
    try:
        return before + chunk
    except TypeError:
        return chunk
