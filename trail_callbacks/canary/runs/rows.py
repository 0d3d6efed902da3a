"""What the rows of a journal say: its plan, probes, trials, and what was left out; read inside of `readable`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final, TypeAlias

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.plan import Plan
from trail_callbacks.canary.trial import OUTCOMES, Finding, Trial
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage

__all__ = ["FORMAT", "Cell", "about_of", "data_of", "left_out_of", "plan_of", "readable", "trials_of"]

FORMAT: Final = "trail-canary-1"
_DAMAGED: Final = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # the first: another table

Cell: TypeAlias = tuple[int, int, int]
"""Numbers of strategy, probe and arm in the plan, from 0."""


def data_of(value: Probe | Trial | Finding | Usage) -> dict[str, Any]:
    """The fields of a value, JSON-like; without those at their default."""
    found = {}
    for each in fields(value):
        item = getattr(value, each.name)
        default = each.default if each.default_factory is MISSING else each.default_factory()
        if item != default:
            if each.name == "dropped":
                item = [[one.place, one.why] for one in item]
            found[each.name] = data_of(item) if isinstance(item, Finding | Usage) else item
    return found


def _probe(data: Mapping[str, Any]) -> Probe:
    """A probe of what `data_of` gave; may raise TypeError."""
    values: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in data.items()}
    return Probe(**values)


def _trial(data: Mapping[str, Any]) -> Trial:
    """A trial, likewise."""
    finding = {**data["finding"], "states": tuple(data["finding"].get("states", ()))}
    made = {
        "finding": Finding(**finding),
        "dropped": tuple(Skipped(*each) for each in data.get("dropped", ())),
        "usage": Usage(**data.get("usage", {})),
    }
    return Trial(**{**data, **made})


def about_of(db: sqlite3.Connection) -> dict[str, Any]:
    """What a journal tells beside probes and trials, by name."""
    return {name: json.loads(data) for name, data in db.execute("SELECT name, data FROM about")}


def plan_of(db: sqlite3.Connection, path: Path) -> Plan:
    """The plan of a journal.

    Raises:
        InputError: If it is of another format.
    """
    about = about_of(db)
    if about["format"] != FORMAT:
        raise InputError(f"{path} is of another release ({about['format']}, here {FORMAT}): name a new folder")
    probes = [_probe(json.loads(data)) for (data,) in db.execute("SELECT data FROM probe ORDER BY n")]
    return Plan.of_data(about, probes)


def trials_of(db: sqlite3.Connection, plan: Plan) -> Iterator[tuple[Cell, Trial, str | None]]:
    """Yields the trials of a journal by strategy, probe and arm, with the name of their judge."""
    query = "SELECT strategy, probe, arm, judge, data FROM trial ORDER BY strategy, probe, arm"
    for strategy, probe, arm, judge, data in db.execute(query):
        names = (plan.strategies[strategy].name, plan.probes[probe].id, plan.arms[arm])
        trial = _trial(json.loads(data))
        if names != (trial.strategy, trial.probe, trial.arm) or trial.finding.outcome not in OUTCOMES:
            raise ValueError(f"trial {strategy}, {probe}, {arm} is of {trial.probe}, {trial.finding.outcome}")
        yield (strategy, probe, arm), trial, judge


def left_out_of(db: sqlite3.Connection, plan: Plan) -> Iterator[Skipped]:
    """Yields arms that a strategy could not be asked under, and other notes."""
    for strategy, arm, why in db.execute("SELECT strategy, arm, why FROM unavailable ORDER BY strategy, arm"):
        yield Skipped(f"{plan.arms[arm]} of {plan.strategies[strategy].name}", why)
    for place, why in db.execute("SELECT place, why FROM note ORDER BY rowid"):
        yield Skipped(place, why)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Says of what is in a journal that it makes no sense, if it does not."""
    try:
        yield
    except InputError:
        raise
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
            raise
        raise InputError(f"{path} is damaged: {error}; name a new folder, or bring back a copy") from error
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise InputError(f"{path} was not written by a canary run, or is damaged: {error}") from error
