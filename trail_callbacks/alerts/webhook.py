"""Tells a web service what began and what ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from trail_callbacks.alerts.history import Event
from trail_callbacks.alerts.reading import segment_text
from trail_callbacks.errors import InputError

__all__ = ["WebhookError", "checked_url", "message", "post"]

_TIMEOUT = 10.0
_SUCCESS = range(200, 300)
_VERBS = {"begins": "begins", "worse": "gets worse", "ends": "has ended"}


class WebhookError(InputError):
    """A web service that was not told; the message names its host, as the rest of the address may be a secret."""


def checked_url(url: str) -> str:
    """Returns the address of a web service.

    Raises:
        InputError: If it is none of http or https, or holds what no header can.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or not url.isascii() or any(each <= " " or each == "\x7f" for each in url):
        raise InputError("the address of the webhook cannot be used: it has to begin with http:// or https://")
    return url


def message(events: Sequence[Event], at: float) -> str:
    """Events as JSON: `text` in words, which chats show, and `events` for programs."""
    lines = [
        f"{each.id} {_VERBS[each.kind]}"
        + (f" ({each.alert.severity}, {each.alert.owner}): {each.alert.why}" if each.alert and each.alert.calls else "")
        + (f" [{segment_text(each.alert.segment)}]" if each.alert else "")
        for each in events
    ]
    stamp = datetime.fromtimestamp(at, UTC).isoformat()
    data = {"version": 1, "at": stamp, "text": "\n".join(lines), "events": [each.to_dict() for each in events]}
    return json.dumps(data)


def post(url: str, body: str, timeout: float = _TIMEOUT) -> None:
    """Posts JSON. Redirects are not followed: what was named is what is told.

    Args:
        url: The address, see `checked_url`.
        body: The JSON.
        timeout: Seconds for each step: connecting, sending, the first line of the reply.

    Raises:
        WebhookError: If it did not reply with a status of 2xx.
    """
    parts = urlsplit(checked_url(url))
    host = parts.hostname or ""
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(host, parts.port, timeout=timeout)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", target, body.encode(), {"Content-Type": "application/json", "Connection": "close"})
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        raise WebhookError(f"the webhook at {host} was not told: {type(error).__name__}: {error}") from error
    finally:
        connection.close()
    if status not in _SUCCESS:
        raise WebhookError(f"the webhook at {host} was not told: it replied with status {status}")
