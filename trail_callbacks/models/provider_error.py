"""What a provider's client raised: why the request failed, and whether, when and how it may be sent again.

Exceptions are recognised by shape (`status_code`, class name), not by class: every provider's client has its own,
and none of them is imported here.
"""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Iterable
from typing import Any

from trail_callbacks.models.call import Failure, Kind, Reply
from trail_callbacks.models.salvage import raw_text, refusal
from trail_callbacks.text import encodable

_SECRET = re.compile(r"\b(?:(?:sk|pk|gsk|xai|hf)[-_]|AIza)[-\w*]{6,}|(?<=Bearer )\S+")
_FILTERED = re.compile(r"content[_ ]?(?:filter|management|policy)|safety system|responsible_?ai", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|(?:prompt|input|request) (?:is )?too (?:long|large)"
    r"|too many (?:input )?tokens|exceed_context|(?:exceeds?|over) the (?:maximum|limit)[^.]{0,40} tokens",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|too large"
    r"|extra (?:fields|inputs)",
    re.IGNORECASE,
)
_NAMES: dict[Kind, tuple[str, ...]] = {
    "length": ("IncompleteOutputException", "LengthFinishReasonError"),
    "refused": ("ContentFilterFinishReasonError",),
    "too_long": ("ContextOverflowError", "ContextWindowExceededError"),
    "unreachable": (
        *("APIConnectionError", "ConnectError", "ConnectionError", "EndpointConnectionError"),
        *("TimeoutError", "TimeoutException"),
    ),
    "busy": ("ServiceUnavailable",),
    "unauthorised": ("AuthenticationError", "AccessDeniedException", "PermissionDenied", "Unauthenticated"),
    "invalid": (
        *("OutputParserException", "APIResponseValidationError", "JSONDecodeError", "ResponseParsingError"),
        "ValidationError",
    ),
}
_BY_NAME: dict[str, Kind] = {name: kind for kind, names in _NAMES.items() for name in names}
_BY_STATUS: dict[int, Kind] = {401: "unauthorised", 403: "unauthorised", 413: "too_long"}
_BUSY = frozenset({429, 503, 529})  # HTTP: too many requests, unavailable, overloaded
_BUSY_SAID = re.compile(
    r"rate[\s_-]?limit|too[\s_-]?many[\s_-]?requests|resource[\s_-]?(?:has been )?exhausted|throttl(?:ing|ed)"
    r"|overloaded",
    re.IGNORECASE,
)
_REFUSED_NAMES = ("Refusal", "ContentFilter", "ContentPolicy", "BlockedPrompt", "StopCandidate")
_NO_JSON = ("JSONDecodeError", "UnicodeDecodeError", "ResponseParsingError")
_LONGEST = 400
_EXCERPT = 80
_FIRST, _LAST = 0.5, 8.0  # seconds of the backoff: doubled each time, shortened by up to a quarter
_PATIENCE = 60.0  # seconds: who asks for more time gets no second request
_RETRIES, _WHILE_BUSY = 2, 8
_TRANSIENT = {408, 409, 425, 429}  # and 5xx
_SPENT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}  # waiting does not fill an account
_TIMEOUTS = {"TimeoutException", "APITimeoutError", "TimeoutError"}
_UNSENT = {"ConnectTimeout", "PoolTimeout"}  # timeouts before the request left


def failure_of(error: BaseException, secrets: Iterable[str] = (), completion: Any = None) -> Failure:
    """Says what went wrong."""
    cause = _root(error)
    completion = getattr(error, "last_completion", None) or completion
    failure = _refused(cause, completion) or _unread(cause, completion) or Failure(_kind(cause), _message(cause))
    wait = retry_after(cause)
    remark = f" (it asks to wait {wait:.0f} seconds)" if wait else ""
    return Failure(failure.kind, redact(" ".join(failure.detail.split())[:_LONGEST] + remark, secrets))


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Removes API keys from a text: the given ones, and what looks like one. What cannot be encoded goes too."""
    text = encodable(text)
    for secret in filter(None, secrets):
        text = text.replace(secret, "[key]")
    return _SECRET.sub("[key]", text)


def is_busy(error: BaseException) -> bool:
    """Whether an endpoint asks for a pause: too many requests, or too much load.

    Where no status says so, the name of the error does, or its text: some clients keep nothing else.
    """
    cause = _root(error)
    status, said = _status(cause), f"{type(cause).__name__} {_code(cause)}"
    return status in _BUSY or bool(_BUSY_SAID.search(f"{said} {_message(cause)}" if status is None else said))


def retry_after(error: BaseException) -> float | None:
    """Returns the seconds that an endpoint asks to be left alone, 0 or more; None if it does not say."""
    cause = _root(error)
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = _header(cause, name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _until(value)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def worth_repeating(error: BaseException) -> float | None:
    """Returns how long to wait before a failed request may be sent again, or None if it should not be.

    A request that the endpoint did not answer in time is not repeated: it is paid for, and would take as long again.
    """
    cause = _root(error)
    status = getattr(cause, "status_code", None)
    if isinstance(status, int):
        advice = _header(cause, "x-should-retry")
        if advice == "false" or getattr(cause, "code", None) in _SPENT:
            return None
        if advice != "true" and status not in _TRANSIENT and status < 500:  # noqa: PLR2004 - HTTP
            return None
    elif not (is_busy(cause) or _broke_off(cause)):
        return None
    return retry_after(cause) or 0.0


def again(reply: Reply, tried: int) -> float | None:
    """Returns how long to wait before a call is made again that nobody has repeated yet; None if its reply stands.

    The drivers alone repeat calls: twice, and eight times a call that was too many, unless the reply says how often.
    """
    wait, failure = reply.retry_after, reply.failure
    if failure is None or wait is None or not wait <= _PATIENCE:
        return None
    most = reply.retries if reply.retries is not None else _WHILE_BUSY if failure.kind == "busy" else _RETRIES
    if tried >= most:
        return None
    backoff = min(_FIRST * 2.0**tried, _LAST) * (1 - 0.25 * random.random())  # noqa: S311 - spreads load, no secret
    return wait + 0.25 * backoff if wait > 0 else backoff


def rejected_parameter(error: BaseException, sent: Iterable[str]) -> str | None:
    """Returns the optional parameter of a request that the endpoint does not know, or None."""
    cause = _root(error)
    message = f"{getattr(cause, 'code', '') or ''} {_message(cause)}"
    if getattr(cause, "status_code", None) not in {400, 422} or not _UNKNOWN.search(message):
        return None
    sent = sorted(sent, key=len, reverse=True)
    named = getattr(cause, "param", None)
    if named in sent:
        return str(named)
    return next((name for name in sent if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message)), None)


def too_large(error: BaseException) -> bool:
    """Says whether an endpoint knows the limit it was given but cannot grant as much."""
    return "too large" in _message(_root(error))


def _root(error: BaseException) -> BaseException:
    """The provider's own exception under instructor's wrapper, and ours under the provider's."""
    cause = error.__cause__ if _named(error, "InstructorRetryException") and error.__cause__ else error
    under = cause.__cause__
    return under if under is not None and _named(under, "ReplyTooLongError") else cause


def _refused(cause: BaseException, completion: Any) -> Failure | None:
    """Tells a model that would not answer from one that could not: both end as an answer that does not parse."""
    words = refusal(completion)
    if words is None and isinstance(cause, AssertionError) and "Unable to generate" in str(cause):
        words = str(cause)
    return None if words is None else Failure("refused", words)


def _unread(cause: BaseException, completion: Any) -> Failure | None:
    """Says why a reply of the endpoint holds no answer; None if there was no reply, or another reason is known."""
    if getattr(cause, "status_code", None) is not None or _kind(cause) not in {"failed", "invalid"}:
        return None
    nothing = _named(cause, *_NO_JSON) and not completion
    if nothing or isinstance(completion, str | bytes | list | dict | int | float):
        page = "" if nothing else f": {_quoted(str(completion))}"
        return Failure("failed", f"the endpoint's reply is not a chat completion; is base_url right?{page}")
    return None if completion is None else Failure("invalid", misshapen(cause, raw_text(completion)))


def misshapen(cause: BaseException, text: str | None) -> str:
    """Says what is wrong with an answer that does not fit its schema, in a line."""
    if not text or not text.strip():
        return "the model returned nothing"
    errors = getattr(cause, "errors", None)
    first = errors()[0] if _named(cause, "ValidationError") and callable(errors) else {}
    if first.get("type") == "json_invalid" or _named(cause, "JSONDecodeError"):
        return f"the answer is not JSON: {_quoted(text)}"
    where = ".".join(str(part) for part in first.get("loc", ()))
    return f"the answer has another shape: {where}: {first.get('msg')}" if where else _message(cause)


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}...")


def _kind(cause: BaseException) -> Kind:
    known = next((kind.__name__ for kind in type(cause).__mro__ if kind.__name__ in _BY_NAME), None)
    if known is not None:
        return _BY_NAME[known]
    if any(part in type(cause).__name__ for part in _REFUSED_NAMES):
        return "refused"
    status = _status(cause)
    if is_busy(cause):
        return "busy"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return _by_message(cause, status) if 400 <= (status or 400) < 500 else "failed"  # noqa: PLR2004 - HTTP


def _by_message(cause: BaseException, status: int | None) -> Kind:
    """What a rejected request says; without a status nobody knows whether the request was the reason."""
    message = _message(cause)
    if status is not None and _FILTERED.search(f"{getattr(cause, 'code', '')} {message}"):
        return "refused"
    if _TOO_LONG.search(message):
        return "too_long"
    return "failed" if status is None else "rejected"


def _status(cause: BaseException) -> int | None:
    """The HTTP status, where each client keeps it: openai and anthropic, httpx, botocore, Google."""
    response = getattr(cause, "response", None)
    about = response.get("ResponseMetadata") if isinstance(response, dict) else None
    places = (
        getattr(cause, "status_code", None),
        getattr(response, "status_code", None),
        about.get("HTTPStatusCode") if isinstance(about, dict) else None,
        getattr(cause, "code", None),
    )
    return next((place for place in places if isinstance(place, int) and not isinstance(place, bool)), None)


def _code(cause: BaseException) -> str:
    """The name of an error by botocore, whose exceptions are all of one class."""
    response = getattr(cause, "response", None)
    inner = response.get("Error") if isinstance(response, dict) else None
    return str(inner.get("Code") or "") if isinstance(inner, dict) else ""


def _message(cause: BaseException) -> str:
    body = getattr(cause, "body", None)
    if isinstance(body, dict):
        inner = body.get("error") if isinstance(body.get("error"), dict) else body
        message = inner.get("message") if isinstance(inner, dict) else None
        if isinstance(message, str) and message:
            return message
    if _named(cause, *_NAMES["length"]):
        return "the answer was cut off at the token limit"
    under = cause.__cause__
    text = str(cause) or type(cause).__name__
    return f"{text} ({under})" if _named(cause, "APIConnectionError") and under is not None and str(under) else text


def _named(error: BaseException, *names: str) -> bool:
    return any(kind.__name__ in names for kind in type(error).__mro__)


def _broke_off(cause: BaseException) -> bool:
    """Whether there was no connection, or it ended before the answer was whole."""
    names = {kind.__name__ for error in (cause, cause.__cause__) for kind in type(error).__mro__}
    if names & _TIMEOUTS:
        return bool(names & _UNSENT)
    return bool(names & {"APIConnectionError", "ConnectError", "ConnectionError", "TransportError"})


def _until(date: str) -> float:
    from email.utils import mktime_tz, parsedate_tz  # noqa: PLC0415 - only some endpoints write a date

    try:
        parsed = parsedate_tz(date)
        return mktime_tz(parsed) - time.time() if parsed else math.nan
    except (ValueError, OverflowError):
        return math.nan


def _header(error: Any, name: str) -> str | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get(name) if headers is not None else None
    return str(value) if value is not None else None
