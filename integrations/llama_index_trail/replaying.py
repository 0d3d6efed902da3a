"""Answering a recorded prompt again with an LLM of the app, for `trail_callbacks.diagnosis.ablate`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from llama_index_trail.scope import untraced

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

    from trail_callbacks.diagnosis import Replay

__all__ = ["areplay", "replay"]

_ROLES = {"system": MessageRole.SYSTEM, "assistant": MessageRole.ASSISTANT}


def replay(llm: LLM) -> Callable[[Replay], str]:
    """Makes a function that answers recorded prompts, for `trail_callbacks.diagnosis.ablate`.

    Results of tools become messages of the user, because the calls that they answer are not made again. Its calls
    reach no trace of ours.
    """

    def rerun(prompt: Replay) -> str:
        with untraced():
            return llm.chat(_messages(prompt)).message.content or ""

    return rerun


def areplay(llm: LLM) -> Callable[[Replay], Awaitable[str]]:
    """As `replay`, for `aablate`."""

    async def rerun(prompt: Replay) -> str:
        with untraced():
            return (await llm.achat(_messages(prompt))).message.content or ""

    return rerun


def _messages(prompt: Replay) -> list[ChatMessage]:
    return [ChatMessage(role=_ROLES.get(turn.role or "", MessageRole.USER), content=turn.text) for turn in prompt.turns]
