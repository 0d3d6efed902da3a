"""The model of the demo: recorded completions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from trail_callbacks.errors import TrailError

Messages = Sequence[Mapping[str, Any]]
"""Messages in the format of OpenAI's chat completions."""


class ToolCall(NamedTuple):
    """A tool call requested by a model."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(NamedTuple):
    """A model's reply: text, tool calls or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class Planted(NamedTuple):
    """An error put into a recorded completion on purpose: the words of the answer, and what is wrong with them."""

    quote: str
    error: str


@cache
def _lines() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = json.loads((files("trail_callbacks.demo") / "recorded.json").read_bytes())
    return lines


def planted() -> tuple[Planted, ...]:
    """Returns all planted errors."""
    return tuple(Planted(**each) for line in _lines() for each in line.get("planted", ()))


class RecordedChat:
    """Replays recorded completions: the first one whose cues all occur in the prompt."""

    name = "recorded"

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:  # noqa: ARG002 - apps pass them
        """Replies to a conversation; `tools` are ignored, because the recorded replies contain their tool calls."""
        prompt = "\n".join(str(message.get("content") or "") for message in messages)
        for line in _lines():
            if all(cue in prompt for cue in line["when"]):
                turn = line["turn"]
                return Turn(turn.get("text", ""), tuple(ToolCall(**each) for each in turn.get("calls", ())))
        raise TrailError(f"no recorded completion matches this prompt: {prompt[:200]!r}")
