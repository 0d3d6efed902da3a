"""What begins, gets worse and ends between two checks, remembered in a file, and told to a web service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.monitor.evaluation import Alert, segment_text

__all__ = ["CALM", "Event", "EventKind", "History", "WebhookError", "checked_url", "message", "post"]


EventKind: TypeAlias = Literal["begins", "worse", "ends"]

CALM = 15 * 60  # seconds for which an alert must be quiet before its end is told: else it begins every few minutes
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to tell."""

    kind: EventKind  # `begins`, `worse` (a ticket has become a page), or `ends`
    id: str
    since: float  # when it began, seconds since the epoch
    alert: Alert | None = None  # the alert; of one that ends, what is said of it now. None if its objective is gone.

    def to_dict(self) -> dict[str, Any]:
        """As JSON objects hold it."""
        alert = self.alert.to_dict() if self.alert else None
        return {"kind": self.kind, "id": self.id, "since": self.since, "alert": alert}


@dataclass(slots=True)
class History:
    """Alerts that were told and have not ended.

    Attributes:
        told: By the id of the alert: when it began, when it called last, and its severity.
    """

    told: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> History:
        """Reads a state file; an empty history if there is none yet."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the state file {path} cannot be read: {error}") from error
        try:
            data = json.loads(text)
            told = data["alerts"] if data["version"] == _VERSION else None
        except (ValueError, TypeError, KeyError, RecursionError):
            told = None
        if not isinstance(told, dict) or not all(map(_usable, told.values())):
            raise InputError(
                f"{path} is no state file of this release: name another, or delete it, and alerts that were told "
                "are told once more"
            )
        return cls(told)

    def write(self, path: str) -> None:
        """Writes the state file."""
        write(path, json.dumps({"version": _VERSION, "alerts": self.told}, indent=1, sort_keys=True) + "\n")

    def update(self, alerts: Iterable[Alert], at: float) -> tuple[Event, ...]:
        """Takes note of what is said at a time, and returns what of it is new.

        An end is told when the alert has been quiet for 15 minutes. What nobody can tell ends nothing: without data,
        and with too few runs to judge, an alert stays.
        """
        events = []
        known = {each.id: each for each in alerts}
        for each in known.values():
            before = self.told.get(each.id)
            if each.severity is not None:
                worse = before is not None and before["severity"] == "ticket" and each.severity == "page"
                since = before["since"] if before else at
                severity = "page" if before and before["severity"] == "page" else each.severity
                self.told[each.id] = {"since": since, "last": at, "severity": severity}
                if before is None or worse:
                    events.append(Event(kind="worse" if worse else "begins", id=each.id, since=since, alert=each))
        for id_, before in list(self.told.items()):
            now = known.get(id_)
            over = now is None or (now.state in ("quiet", "held_back") and at - before["last"] >= CALM)
            if over:
                del self.told[id_]
                events.append(Event(kind="ends", id=id_, since=before["since"], alert=now))
        return tuple(events)


def _usable(told: Any) -> bool:
    return (
        isinstance(told, Mapping)
        and all(isinstance(told.get(name), int | float) and isfinite(told[name]) for name in ("since", "last"))
        and told.get("severity") in ("page", "ticket")
    )


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
