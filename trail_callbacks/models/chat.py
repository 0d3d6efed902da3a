"""What adapters need to let an app's own chat model answer calls: asking for JSON, and reading what comes back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trail_callbacks.models.call import Call, Message, Reply, Usage
from trail_callbacks.models.failures import retry_after
from trail_callbacks.models.salvage import document

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["failure", "parsed", "stopped", "with_schema"]

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_REFUSED = frozenset({"refusal", "content_filter", "safety", "prohibited_content", "blocklist"})
_BUSY = frozenset({429, 503, 529})  # HTTP: too many requests, unavailable, overloaded
_BUSY_NAMES = ("RateLimit", "ResourceExhausted", "Throttling", "TooManyRequests")
_REPEATS = "x-stainless-retry-count"  # sent by the clients of openai, anthropic and others that repeat requests
_ASK_FOR_JSON = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"


def with_schema(call: Call) -> tuple[Message, ...]:
    """Returns the prompt with the answer's schema in its system message: many chat templates take one, and first."""
    shape = _ASK_FOR_JSON + json.dumps(call.schema.model_json_schema(), ensure_ascii=False, separators=(",", ":"))
    first, *rest = call.messages or (Message("user", ""),)
    if first.role == "system":
        return Message("system", f"{first.content}\n\n{shape}"), *rest
    return Message("system", shape), *call.messages


def stopped(refusal: object, reason: object) -> str | None:
    """Says in the words of `Reply` why a model stopped, if not because it was done.

    Args:
        refusal: What the provider calls a refusal, if anything.
        reason: The provider's finish reason, of whatever spelling.
    """
    if refusal:
        return f"refused: {refusal}"
    word = str(reason or "").lower()
    if word in _CUT:
        return f"length: the model stopped with {word!r}"
    return f"refused: the model stopped with {word!r}" if word in _REFUSED else None


def parsed(call: Call, text: str | None, usage: Usage, value: object = None) -> Reply:
    """Makes the reply of a text, or of a value that the framework parsed already; what does not fit is `invalid:`."""
    from pydantic import ValidationError  # noqa: PLC0415 - only who asks a model needs it

    found: BaseModel
    try:
        if isinstance(value, call.schema):
            found = value
        elif value is not None:
            found = call.schema.model_validate(value)
        else:
            found = call.schema.model_validate_json(document(text or "") or "")
    except ValidationError as error:
        return Reply(error=f"invalid: {error}", text=text, usage=usage)
    return Reply(value=found, text=text, usage=usage)


def failure(error: Exception, text: str | None = None) -> Reply:
    """Makes the reply of an exception that left a model; a busy model may be asked again.

    Args:
        error: What was raised.
        text: What the model wrote nevertheless, for salvage.
    """
    return Reply(error=_described(error), text=text, retry_after=_later(error))


def _described(error: Exception) -> str:
    """Says in the words of `Reply` why; providers' classes are told by name."""
    kind = type(error).__name__
    if "Refusal" in kind or "ContentFilter" in kind:
        return f"refused: {error}"
    if "LengthFinish" in kind:
        return f"length: {error}"
    if "ValidationError" in kind or "OutputParser" in kind:
        return f"invalid: {error}"
    if _is_busy(error):
        return f"busy: {kind}: {error}"
    return f"unreachable: {kind}: {error}"


def _is_busy(error: Exception) -> bool:
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    return status in _BUSY or any(name in type(error).__name__ for name in _BUSY_NAMES)


def _later(error: Exception) -> float | None:
    """When a busy model may be asked again: see `Reply.retry_after`."""
    if not _is_busy(error):
        return None
    request = getattr(getattr(error, "response", None), "request", None)
    sent = getattr(request, "headers", None) or ()
    if any(str(name).lower() == _REPEATS for name in sent):
        return None  # the client under the chat model repeats requests, and has given up
    return retry_after(error) or 0.0
