"""When a request that failed is worth sending again, and how long to wait before."""

from __future__ import annotations

import random

from trail_callbacks.models.call import Reply
from trail_callbacks.models.provider_error import header, is_busy, retry_after, root

__all__ = ["again", "worth_repeating"]

_FIRST, _LONGEST = 0.5, 8.0  # seconds of the backoff: doubled each time, shortened by up to a quarter
_PATIENCE = 60.0  # seconds: who asks for more time gets no second request
_RETRIES, _WHILE_BUSY = 2, 8
_TRANSIENT = {408, 409, 425, 429}  # and 5xx
_SPENT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}  # waiting does not fill an account
_UNSENT = {"ConnectTimeout", "PoolTimeout"}  # timeouts before the request left


def worth_repeating(error: BaseException) -> float | None:
    """Returns how long to wait before a failed request may be sent again, or None if it should not be.

    A request that the endpoint did not answer in time is not repeated: it is paid for, and would take as long again.

    Args:
        error: What a client raised that repeats nothing by itself.

    Returns:
        Seconds, 0 or more; 0 if the endpoint does not say. See `Reply.retry_after`.
    """
    cause = root(error)
    status = getattr(cause, "status_code", None)
    if isinstance(status, int):
        advice = header(cause, "x-should-retry")
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

    Args:
        reply: What came back.
        tried: How often the call was repeated already.

    Returns:
        Seconds, about a minute at most: calls that were refused together do not come back together.
    """
    wait, failure = reply.retry_after, reply.failure
    if failure is None or wait is None or not wait <= _PATIENCE:
        return None
    most = reply.retries if reply.retries is not None else _WHILE_BUSY if failure.kind == "busy" else _RETRIES
    if tried >= most:
        return None
    return wait + 0.25 * _doubled(tried) if wait > 0 else _doubled(tried)


def _doubled(tried: int) -> float:
    return min(_FIRST * 2.0**tried, _LONGEST) * (1 - 0.25 * random.random())  # noqa: S311 - spreads load, no secret


def _broke_off(cause: BaseException) -> bool:
    """Whether there was no connection, or it ended before the answer was whole."""
    names = {kind.__name__ for error in (cause, cause.__cause__) for kind in type(error).__mro__}
    if "TimeoutException" in names or "APITimeoutError" in names or "TimeoutError" in names:
        return bool(names & _UNSENT)
    return bool(names & {"APIConnectionError", "ConnectError", "ConnectionError", "TransportError"})
