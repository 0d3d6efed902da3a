"""The app's own LLM: as a judge's model, and asked once more what it was asked in a recorded run."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from llama_index_trail.messages import message_text as said
from llama_index_trail.records import field_of as _of
from llama_index_trail.records import usage_of
from llama_index_trail.results import untraced
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Failure, Model, Reply, Usage
from trail_callbacks.models.chat import AppModel, parsed_reply, stop_failure, with_schema

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms import LLM

    from trail_callbacks.diagnosis import Replay

_SECRET = re.compile(r"key|secret|password|credential|auth|headers", re.IGNORECASE)


def as_model(llm: LLM) -> Model:
    """Makes an LLM of the app usable as a judge's model: `instrument(judge=as_model(llm))`.

    The schema of an answer is part of the prompt, so that every LLM can do it. The LLM's own settings stay as they
    are. Its calls as a judge are part of no trace of ours.

    Args:
        llm: Any LlamaIndex LLM.

    Raises:
        InputError: If it is none.
    """
    if not callable(getattr(llm, "chat", None)) or not callable(getattr(llm, "achat", None)):
        raise InputError(f"as_model() takes a LlamaIndex LLM, got {type(llm).__name__}")
    return _Llm(llm)


class _Llm(AppModel):
    """A `Model` that asks an LLM."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """Class and model, as far as plain fields tell it."""
        model = getattr(self._llm, "model", None) or getattr(self._llm, "model_name", None)
        return "/".join(part for part in (type(self._llm).__name__, model) if isinstance(part, str))

    @property
    def parameters(self) -> dict[str, Any]:
        """What may change an answer: the plain settings of the LLM, without secrets."""
        settings = {name: getattr(self._llm, name, None) for name in type(self._llm).model_fields}
        return {
            name: value
            for name, value in settings.items()
            if isinstance(value, str | int | float | dict | list) and not _SECRET.search(name)
        }

    def _asked(self, call: Call) -> Reply:
        with untraced():
            return _read(call, self._llm.chat(_messages(call)))

    async def _aasked(self, call: Call) -> Reply:
        with untraced():
            return _read(call, await self._llm.achat(_messages(call)))


def _messages(call: Call) -> list[ChatMessage]:
    return [_message(message.role, message.content) for message in with_schema(call)]


def _read(call: Call, response: Any) -> Reply:
    text, usage = said(response.message), _usage(response)
    if (failure := _stopped(response)) is not None:
        return Reply(failure=failure, text=text, usage=usage)
    return parsed_reply(call, text, usage)


def _stopped(response: Any) -> Failure | None:
    """Why the model stopped, if not because it was done; each provider's object says it in its own place."""
    raw = response.raw
    choices = _of(raw, "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    refusal = _of(_of(first, "message"), "refusal") or _of(response.message.additional_kwargs, "refusal")
    return stop_failure(refusal, _of(first, "finish_reason") or _of(raw, "stop_reason") or _of(raw, "done_reason"))


def _usage(response: Any) -> Usage:
    used, extra = _of(response.raw, "usage"), response.additional_kwargs or {}
    details = _of(used, "prompt_tokens_details") or _of(used, "input_tokens_details")
    cached = (
        _of(place, name) for name in ("cached_tokens", "cache_read_input_tokens") for place in (used, extra, details)
    )
    known = next((int(number) for number in cached if isinstance(number, int)), 0)
    return Usage(calls=1, cached_tokens=known, **usage_of(response))


def replay(llm: LLM) -> Callable[[Replay], str]:
    """Makes a function that answers recorded prompts, for `trail_callbacks.diagnosis.ablate`.

    Results of tools become messages of the user, because the calls that they answer are not made again. Its calls
    reach no trace of ours.
    """

    def rerun(prompt: Replay) -> str:
        with untraced():
            return llm.chat(_turns(prompt)).message.content or ""

    return rerun


def areplay(llm: LLM) -> Callable[[Replay], Awaitable[str]]:
    """As `replay`, for `aablate`."""

    async def rerun(prompt: Replay) -> str:
        with untraced():
            return (await llm.achat(_turns(prompt))).message.content or ""

    return rerun


def _turns(prompt: Replay) -> list[ChatMessage]:
    roles = ((turn.role if turn.role in {"system", "assistant"} else "user", turn.text) for turn in prompt.turns)
    return [_message(role, text) for role, text in roles]


def _message(role: str, text: str) -> ChatMessage:
    from llama_index.core.base.llms.types import ChatMessage  # noqa: PLC0415 - takes seconds

    return ChatMessage(role=role, content=text)
