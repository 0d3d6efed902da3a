"""The model of the demo: recorded completions, or an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from pydantic import BaseModel, TypeAdapter

from trail_callbacks.errors import JudgeError, MissingExtraError, TrailError

__all__ = ["Chat", "Endpoint", "Planted", "RecordedChat", "ToolCall", "Turn"]

Messages = Sequence[Mapping[str, Any]]
"""Messages in the format of OpenAI's chat completions."""


class ToolCall(BaseModel, frozen=True):
    """A tool call requested by a model."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(BaseModel, frozen=True):
    """A model's reply: text, tool calls or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class Planted(BaseModel, frozen=True):
    """An error put into a recorded completion on purpose.

    Attributes:
        quote: The words of the final answer that contain it.
        error: What is wrong with it.
    """

    quote: str
    error: str


class Chat(Protocol):
    """A minimal chat model; the apps wrap it for their framework."""

    @property
    def name(self) -> str:
        """The name to display."""

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:
        """Replies to a conversation."""


class _Line(BaseModel, frozen=True):
    when: tuple[str, ...]
    turn: Turn
    planted: tuple[Planted, ...] = ()


@cache
def _lines() -> tuple[_Line, ...]:
    data = (files("trail_callbacks.demo") / "recorded.json").read_bytes()
    return TypeAdapter(tuple[_Line, ...]).validate_json(data)


class RecordedChat:
    """Replays recorded completions: the first one whose cues all occur in the prompt.

    Attributes:
        planted: The errors in the replies so far.
    """

    name = "recorded"

    def __init__(self) -> None:
        self.planted: list[Planted] = []

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:  # noqa: ARG002 - see Chat
        """Replies to a conversation; `tools` are ignored, because the recorded replies contain their tool calls.

        Raises:
            TrailError: If there is no recorded reply to this prompt.
        """
        prompt = "\n".join(str(message.get("content") or "") for message in messages)
        for line in _lines():
            if all(cue in prompt for cue in line.when):
                self.planted += line.planted
                return line.turn
        raise TrailError(f"no recorded completion matches this prompt: {prompt[:200]!r}; give a model with --model")


class Endpoint:
    """Calls a model through the `openai` client.

    Args:
        model: Its name at the endpoint; a prefix `openai/` is dropped if no `base_url` is given.
        base_url: The endpoint; None is OpenAI, or OPENAI_BASE_URL if that is set.

    Raises:
        MissingExtraError: If the client is not installed.
        JudgeError: If an API key is needed and not set.
    """

    def __init__(self, model: str, base_url: str | None = None) -> None:
        try:
            import openai  # noqa: PLC0415 - an optional dependency
        except ImportError as error:
            raise MissingExtraError("trail demo --model", "llm") from error
        self.name = model if base_url else model.removeprefix("openai/")
        try:
            # A local server needs no key, but the client requires one.
            self._client = openai.OpenAI(base_url=base_url, api_key="none" if base_url else None, max_retries=2)
        except openai.OpenAIError as error:
            raise JudgeError(f"the model {model!r} cannot be request: {error}") from error
        self._error: type[Exception] = openai.OpenAIError

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:
        """Replies to a conversation.

        Raises:
            JudgeError: If the endpoint does not respond or rejects the request.
        """
        request: dict[str, Any] = {"model": self.name, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        try:
            message = self._client.chat.completions.create(**request).choices[0].message
        except self._error as error:
            raise JudgeError(f"the model {self.name!r} did not answer: {error}") from error
        calls = [call for call in message.tool_calls or () if call.type == "function"]
        return Turn(
            text=message.content or "",
            calls=tuple(
                ToolCall(id=call.id, name=call.function.name, arguments=_arguments(call.function.arguments))
                for call in calls
            ),
        )


def _arguments(text: str) -> dict[str, Any]:
    """Parses tool arguments; broken ones become none, and the tool then reports what is missing."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
