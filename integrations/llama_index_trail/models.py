"""The app's own LLM as a judge's model."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from llama_index_trail.pieces import said
from llama_index_trail.scope import untraced
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Model, Reply, Usage
from trail_callbacks.models.salvage import document

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms import LLM

__all__ = ["as_model"]

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_REFUSED = frozenset({"refusal", "content_filter", "safety", "prohibited_content", "blocklist"})
_ASK_FOR_JSON = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"


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


class _Llm:
    """A `Model` that asks an LLM."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """Class and model, as far as plain fields tell it."""
        model = getattr(self._llm, "model", None) or getattr(self._llm, "model_name", None)
        return "/".join(part for part in (type(self._llm).__name__, model) if isinstance(part, str))

    def ask(self, call: Call) -> Reply:
        """See `Model`."""
        started = time.perf_counter()
        try:
            with untraced():
                reply = _read(call, self._llm.chat(_messages(call)))
        except Exception as error:  # noqa: BLE001 - a failure is a reply
            reply = Reply(error=_reason(error))
        return _timed(reply, started)

    async def aask(self, call: Call) -> Reply:
        """See `Model`."""
        started = time.perf_counter()
        try:
            with untraced():
                reply = _read(call, await self._llm.achat(_messages(call)))
        except Exception as error:  # noqa: BLE001 - a failure is a reply
            reply = Reply(error=_reason(error))
        return _timed(reply, started)


def _messages(call: Call) -> list[ChatMessage]:
    """The prompt with the schema in its system message: many chat templates take one, and first."""
    from llama_index.core.base.llms.types import ChatMessage  # noqa: PLC0415 - takes seconds

    shape = _ASK_FOR_JSON + json.dumps(call.schema.model_json_schema(), ensure_ascii=False)
    texts = [(message.role, message.content) for message in call.messages]
    if texts and texts[0][0] == "system":
        texts[0] = ("system", f"{texts[0][1]}\n\n{shape}")
    else:
        texts.insert(0, ("system", shape))
    return [ChatMessage(role=role, content=content) for role, content in texts]


def _read(call: Call, response: Any) -> Reply:
    text, usage = said(response.message), _usage(response)
    if (stopped := _stopped(response)) is not None:
        return Reply(error=stopped, text=text, usage=usage)
    try:
        return Reply(value=call.schema.model_validate_json(document(text) or ""), text=text, usage=usage)
    except ValidationError as error:
        return Reply(error=f"invalid: {error}", text=text, usage=usage)


def _stopped(response: Any) -> str | None:
    """Why the model stopped, if not because it was done; each provider's object says it in its own place."""
    raw = response.raw
    choices = _of(raw, "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if refusal := _of(_of(first, "message"), "refusal") or _of(response.message.additional_kwargs, "refusal"):
        return f"refused: {refusal}"
    said_so = _of(first, "finish_reason") or _of(raw, "stop_reason") or _of(raw, "done_reason")
    reason = str(said_so or "").lower()
    if reason in _CUT:
        return f"length: the model stopped with {reason!r}"
    return f"refused: the model stopped with {reason!r}" if reason in _REFUSED else None


def _usage(response: Any) -> Usage:
    used, extra = _of(response.raw, "usage"), response.additional_kwargs or {}

    def count(*names: str) -> int:
        found = (_of(place, name) for name in names for place in (used, extra))
        return next((int(number) for number in found if isinstance(number, int)), 0)

    return Usage(
        calls=1,
        prompt_tokens=count("prompt_tokens", "input_tokens"),
        completion_tokens=count("completion_tokens", "output_tokens"),
    )


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _reason(error: Exception) -> str:
    """Says in the words of `Reply` why an exception left the model; providers' classes are told by name."""
    kind = type(error).__name__
    if "Refusal" in kind or "ContentFilter" in kind:
        return f"refused: {error}"
    if "LengthFinish" in kind:
        return f"length: {error}"
    return f"unreachable: {kind}: {error}"


def _timed(reply: Reply, started: float) -> Reply:
    spent = Usage(calls=0 if reply.usage.calls else 1, seconds=time.perf_counter() - started)
    return Reply(value=reply.value, error=reply.error, text=reply.text, usage=reply.usage + spent)
