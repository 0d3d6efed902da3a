"""What went wrong with a request, as one line that begins with its category.

Exceptions are recognised by shape (`status_code`, class name), not by class: every provider's client has its own,
and none of them is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from trail_callbacks.models.call import Usage
from trail_callbacks.models.salvage import clean

__all__ = ["describe", "raw_text", "redact", "rejected_parameter", "root", "too_large", "usage"]

_SECRET = re.compile(r"\b(?:(?:sk|pk|gsk|xai|hf)[-_]|AIza)[-\w*]{6,}|(?<=Bearer )\S+")
_FILTERED = re.compile(r"content[_ ]?(?:filter|management|policy)|safety system|responsible_?ai", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|prompt is too long|too many (?:input )?tokens|exceed_context",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|too large"
    r"|extra (?:fields|inputs)",
    re.IGNORECASE,
)
_BY_NAME = {
    "IncompleteOutputException": "length",
    "LengthFinishReasonError": "length",
    "ContentFilterFinishReasonError": "refused",
    "APIConnectionError": "unreachable",
    "ConnectError": "unreachable",
    "ConnectionError": "unreachable",
    "TimeoutError": "unreachable",
    "TimeoutException": "unreachable",
    "APIResponseValidationError": "invalid",
    "JSONDecodeError": "invalid",
    "ResponseParsingError": "invalid",
    "ValidationError": "invalid",
}
_BY_STATUS = {401: "unauthorised", 403: "unauthorised", 413: "rejected: too long", 429: "busy"}
_LONGEST = 400


def root(error: BaseException) -> BaseException:
    """Returns the provider's own exception under instructor's wrapper."""
    return error.__cause__ if _named(error, "InstructorRetryException") and error.__cause__ else error


def describe(error: BaseException, secrets: Iterable[str] = ()) -> str:
    """Says what went wrong: `unreachable: ...`, `unauthorised: ...`, `refused: ...`, `length: ...`, and so on.

    Args:
        error: What the client raised.
        secrets: Strings that must not appear in the message, e.g. the API key.

    Returns:
        One line: a category, a colon, and the provider's words, shortened.
    """
    cause = root(error)
    message, refusal = _message(cause), _refusal(error)
    line = f"refused: {refusal}" if refusal else f"{_category(cause, message)}: {message}"
    return redact(" ".join(line.split())[:_LONGEST], secrets)


def _category(cause: BaseException, message: str) -> str:
    for kind in type(cause).__mro__:
        if kind.__name__ in _BY_NAME:
            return _BY_NAME[kind.__name__]
    status = getattr(cause, "status_code", None)
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if not isinstance(status, int) or not 400 <= status < 500:  # noqa: PLR2004 - HTTP
        return "failed"
    if _FILTERED.search(f"{getattr(cause, 'code', '')} {message}"):
        return "refused"
    return "rejected: too long" if _TOO_LONG.search(message) else "rejected"


def _refusal(error: BaseException) -> str | None:
    """Tells a model that would not answer from one that could not: both end as an answer that does not parse."""
    for choice in getattr(getattr(error, "last_completion", None), "choices", None) or ():
        said = getattr(getattr(choice, "message", None), "refusal", None)
        if said:
            return str(said)
        if getattr(choice, "finish_reason", None) == "content_filter":
            return "the provider's content filter stopped the answer"
    said = str(root(error))
    return said if isinstance(root(error), AssertionError) and "Unable to generate" in said else None


def _message(cause: BaseException) -> str:
    body = getattr(cause, "body", None)
    if isinstance(body, dict):
        inner = body.get("error") if isinstance(body.get("error"), dict) else body
        said = inner.get("message") if isinstance(inner, dict) else None
        if isinstance(said, str) and said:
            return said
    if _named(cause, "IncompleteOutputException", "LengthFinishReasonError"):
        return "the answer was cut off at the token limit"
    under = cause.__cause__
    said = str(cause) or type(cause).__name__
    return f"{said} ({under})" if _named(cause, "APIConnectionError") and under is not None and str(under) else said


def _named(error: BaseException, *names: str) -> bool:
    return any(kind.__name__ in names for kind in type(error).__mro__)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Removes API keys from a text: the given ones, and what looks like one."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[key]")
    return _SECRET.sub("[key]", text)


def rejected_parameter(error: BaseException, sent: Iterable[str]) -> str | None:
    """Returns the optional parameter of a request that the endpoint does not know, or None.

    Args:
        error: What the client raised.
        sent: Names of the optional parameters in the request.
    """
    cause = root(error)
    if getattr(cause, "status_code", None) not in {400, 422}:
        return None
    message = f"{getattr(cause, 'code', '') or ''} {_message(cause)}"
    if not _UNKNOWN.search(message):
        return None
    param = getattr(cause, "param", None)
    sent = sorted(sent, key=len, reverse=True)
    if param in sent:
        return str(param)
    return next((name for name in sent if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message)), None)


def too_large(error: BaseException) -> bool:
    """Says whether an endpoint knows the limit it was given but cannot grant as much."""
    return "too large" in _message(root(error))


def raw_text(completion: Any) -> str | None:
    """Returns what a model wrote, from a completion that did not parse: its text or its tool call's arguments."""
    choices = getattr(completion, "choices", None)
    if not choices:
        return None
    message = getattr(choices[0], "message", None)
    for call in getattr(message, "tool_calls", None) or ():
        arguments = getattr(getattr(call, "function", None), "arguments", None)
        if isinstance(arguments, str):
            return arguments
    content = getattr(message, "content", None)
    return clean(content) if isinstance(content, str) else None


def usage(counted: Any, calls: int) -> Usage:
    """Reads a provider's token counts; providers name them in two ways, and some count nothing."""

    def first(*names: str) -> int:
        values = (getattr(counted, name, None) for name in names)
        return next((value for value in values if isinstance(value, int)), 0)

    return Usage(
        calls=calls,
        prompt_tokens=first("prompt_tokens", "input_tokens"),
        completion_tokens=first("completion_tokens", "output_tokens"),
    )
