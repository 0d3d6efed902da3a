"""How an app of `trail canary demo` is built for a strategy: its prompt, its played model and its chunker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trail_callbacks.canary import Strategy
from trail_callbacks.canary.played import Played
from trail_callbacks.demo.chat import Messages, Turn

__all__ = ["PASSAGES", "PROMPT", "Build", "PlayedChat"]

PASSAGES = 4
"""Passages that a retriever returns."""

PROMPT = "Answer the question from the context only.\n\nContext:\n{context}\n\nQuestion: {question}"


class PlayedChat:
    """A played model as the chat model of an app.

    Args:
        played: The model.
        strategy: Name of the strategy that it answers for.
    """

    def __init__(self, played: Played, strategy: str) -> None:
        self._played, self._strategy = played, strategy

    @property
    def name(self) -> str:
        """Its name."""
        return self._played.name

    def reply(self, messages: Messages, tools: Sequence[Mapping[str, Any]] = ()) -> Turn:  # noqa: ARG002 - see Chat
        """Answers a conversation from what stands in it."""
        prompt = "\n".join(str(message.get("content") or "") for message in messages)
        return Turn(text=self._played.reply(prompt, self._strategy))


@dataclass(frozen=True, slots=True)
class Build:
    """A strategy and what its app is made of.

    Attributes:
        strategy: The strategy.
        chat: The model.
        cut: Cuts the text of a document into chunks.
    """

    strategy: Strategy
    chat: PlayedChat
    cut: Callable[[str], list[str]]
