"""An app's own chat model as a judge's model: asking it for JSON, and reading what comes back."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from trail_callbacks.models.call import Call, Failure, Message, Reply, Usage
from trail_callbacks.models.provider_error import failure_of, is_busy, misshapen, retry_after
from trail_callbacks.models.salvage import document

if TYPE_CHECKING:
    from pydantic import BaseModel

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_REFUSED = frozenset({"refusal", "content_filter", "safety", "prohibited_content", "blocklist"})
_REPEATS = "x-stainless-retry-count"  # sent by the clients of openai, anthropic and others that repeat requests
_ASK_FOR_JSON = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"


class AppModel(ABC):
    """A `Model` that asks the app's own; an adapter says how. A failure is a reply, and each says how long it took."""

    def ask(self, call: Call) -> Reply:
        """See `Model`."""
        started = perf_counter()
        try:
            return _timed(self._asked(call), started)
        except Exception as error:  # noqa: BLE001 - a failure is a reply
            return _timed(failed_reply(error), started)

    async def aask(self, call: Call) -> Reply:
        """See `Model`."""
        started = perf_counter()
        try:
            return _timed(await self._aasked(call), started)
        except Exception as error:  # noqa: BLE001 - a failure is a reply
            return _timed(failed_reply(error), started)

    @abstractmethod
    def _asked(self, call: Call) -> Reply:
        """Asks, and reads what comes back."""

    @abstractmethod
    async def _aasked(self, call: Call) -> Reply:
        """As `_asked`."""


def _timed(reply: Reply, started: float) -> Reply:
    spent = Usage(calls=0 if reply.usage.calls else 1, seconds=perf_counter() - started)
    return replace(reply, usage=reply.usage + spent)


def with_schema(call: Call) -> tuple[Message, ...]:
    """Returns the prompt with the answer's schema in its system message: many chat templates take one, and first."""
    shape = _ASK_FOR_JSON + json.dumps(call.schema.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    first, *rest = call.messages or (Message("user", ""),)
    if first.role == "system":
        return Message("system", f"{first.content}\n\n{shape}"), *rest
    return Message("system", shape), *call.messages


def stop_failure(refusal: object, reason: object) -> Failure | None:
    """Says why a model stopped; None if it stopped because it was done."""
    if refusal:
        return Failure("refused", str(refusal))
    word = str(reason or "").lower()
    if word in _CUT:
        return Failure("length", f"the model stopped with {word!r}")
    return Failure("refused", f"the model stopped with {word!r}") if word in _REFUSED else None


def parsed_reply(call: Call, text: str | None, usage: Usage, value: object = None) -> Reply:
    """Makes the reply of a text, or of a value that the framework parsed already; what does not fit is `invalid`."""
    from pydantic import ValidationError  # noqa: PLC0415 - only who asks a model needs it

    answer: BaseModel
    try:
        if isinstance(value, call.schema):
            answer = value
        elif value is not None:
            answer = call.schema.model_validate(value)
        else:
            answer = call.schema.model_validate_json(document(text or "") or "")
    except ValidationError as error:
        return Reply(failure=Failure("invalid", misshapen(error, text)), text=text, usage=usage)
    return Reply(value=answer, text=text, usage=usage)


def failed_reply(error: Exception) -> Reply:
    """Makes the reply of an exception that left a model; a busy model may be asked again."""
    failure, text = failure_of(error), getattr(error, "llm_output", None)
    if failure.kind in {"busy", "unreachable"}:
        failure = Failure(failure.kind, f"{type(error).__name__}: {error}")
    return Reply(failure=failure, text=text if isinstance(text, str) else None, retry_after=_later(error))


def _later(error: Exception) -> float | None:
    """When a busy model may be asked again: see `Reply.retry_after`."""
    if not is_busy(error):
        return None
    request = getattr(getattr(error, "response", None), "request", None)
    sent = getattr(request, "headers", None) or ()
    if any(str(name).lower() == _REPEATS for name in sent):
        return None  # the client under the chat model repeats requests, and has given up
    return retry_after(error) or 0.0
