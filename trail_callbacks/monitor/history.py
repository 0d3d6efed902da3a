"""What begins, gets worse and ends between two checks, remembered in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.monitor.evaluation import Alert

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
    """Alerts that were told and have not ended."""

    # by the id of the alert: when it began, when it called last, and its severity
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
