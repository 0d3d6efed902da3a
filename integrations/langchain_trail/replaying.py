"""Answering a recorded prompt again with a chat model of the app, for `trail_callbacks.diagnosis.ablate`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from langchain_trail.context import untraced
from langchain_trail.messages import message_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from trail_callbacks.diagnosis import Replay

__all__ = ["areplay", "replay"]

_KINDS: dict[str | None, type[BaseMessage]] = {"system": SystemMessage, "assistant": AIMessage}


def replay(chat_model: BaseChatModel) -> Callable[[Replay], str]:
    """Makes a function that answers recorded prompts, for `trail_callbacks.diagnosis.ablate`.

    Results of tools become messages of the user, because the calls that they answer are not made again. Its calls
    reach no callback of the app and no trace of ours.
    """

    def rerun(prompt: Replay) -> str:
        with untraced():
            return message_text(chat_model.invoke(_messages(prompt)))

    return rerun


def areplay(chat_model: BaseChatModel) -> Callable[[Replay], Awaitable[str]]:
    """As `replay`, for `aablate`."""

    async def rerun(prompt: Replay) -> str:
        with untraced():
            return message_text(await chat_model.ainvoke(_messages(prompt)))

    return rerun


def _messages(prompt: Replay) -> list[BaseMessage]:
    return [_KINDS.get(turn.role, HumanMessage)(turn.text) for turn in prompt.turns]
