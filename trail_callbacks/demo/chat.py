"""The model of the demo: recorded completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, TypeAdapter

from trail_callbacks.errors import TrailError

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

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:  # noqa: ARG002 - apps pass them
        """Replies to a conversation; `tools` are ignored, because the recorded replies contain their tool calls.

        Raises:
            TrailError: If there is no recorded reply to this prompt.
        """
        prompt = "\n".join(str(message.get("content") or "") for message in messages)
        for line in _lines():
            if all(cue in prompt for cue in line.when):
                self.planted += line.planted
                return line.turn
        raise TrailError(f"no recorded completion matches this prompt: {prompt[:200]!r}")
