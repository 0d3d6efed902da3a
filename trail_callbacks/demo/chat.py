"""Who writes in the demo: recorded completions, or the model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from pydantic import BaseModel, TypeAdapter

from trail_callbacks.errors import JudgeError, MissingExtraError, TrailError

__all__ = ["Chat", "Endpoint", "Planted", "Recorded", "ToolCall", "Turn"]

Messages = Sequence[Mapping[str, Any]]
"""Messages in the format of OpenAI's chat completions."""


class ToolCall(BaseModel, frozen=True):
    """The wish of a model to call a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(BaseModel, frozen=True):
    """What a model wrote: text, tool calls or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class Planted(BaseModel, frozen=True):
    """An error put into a recorded completion on purpose.

    Attributes:
        quote: The words of the final answer that hold it.
        error: In which way it is wrong, as its author sees it.
    """

    quote: str
    error: str


class Chat(Protocol):
    """A chat model, as plain as can be; the apps wrap it in what their framework expects."""

    @property
    def name(self) -> str:
        """As shown on the screen."""

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:
        """Answers a conversation."""


class _Line(BaseModel, frozen=True):
    when: tuple[str, ...]
    turn: Turn
    planted: tuple[Planted, ...] = ()


@cache
def _lines() -> tuple[_Line, ...]:
    data = (files("trail_callbacks.demo") / "recorded.json").read_bytes()
    return TypeAdapter(tuple[_Line, ...]).validate_json(data)


class Recorded:
    """Plays recorded completions: the first one all of whose cues stand in the prompt.

    Attributes:
        planted: The errors in what was played so far.
    """

    name = "recorded"

    def __init__(self) -> None:
        self.planted: list[Planted] = []

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:  # noqa: ARG002 - see Chat
        """Answers a conversation; tools need no offering, the recording knows them.

        Raises:
            TrailError: If nothing was recorded for this prompt.
        """
        prompt = "\n".join(str(message.get("content") or "") for message in messages)
        for line in _lines():
            if all(cue in prompt for cue in line.when):
                self.planted += line.planted
                return line.turn
        raise TrailError(f"no recorded completion fits this prompt: {prompt[:200]!r}; name a model with --model")


class Endpoint:
    """Asks a model through the `openai` client.

    Args:
        model: Its name there; `openai/` in front of it is dropped if no `base_url` is given.
        base_url: Where it is; None is OpenAI itself, or what OPENAI_BASE_URL names.

    Raises:
        MissingExtraError: If the client is not installed.
        JudgeError: If no key is set and none can be done without.
    """

    def __init__(self, model: str, base_url: str | None = None) -> None:
        try:
            import openai  # noqa: PLC0415 - an optional dependency
        except ImportError as error:
            raise MissingExtraError("trail demo --model", "llm") from error
        self.name = model if base_url else model.removeprefix("openai/")
        try:
            # A local server asks for no key, but the client insists on one.
            self._client = openai.OpenAI(base_url=base_url, api_key="none" if base_url else None, max_retries=2)
        except openai.OpenAIError as error:
            raise JudgeError(f"the model {model!r} cannot be asked: {error}") from error
        self._broken: type[Exception] = openai.OpenAIError

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:
        """Answers a conversation.

        Raises:
            JudgeError: If the endpoint does not answer or refuses.
        """
        asked: dict[str, Any] = {"model": self.name, "messages": list(messages)}
        if tools:
            asked["tools"] = list(tools)
        try:
            message = self._client.chat.completions.create(**asked).choices[0].message
        except self._broken as error:
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
    """Models write broken arguments at times; the tool then says what it misses."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
