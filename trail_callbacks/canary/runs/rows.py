"""Probes and trials as JSON objects, in the journal of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Finding, Trial
from trail_callbacks.models.call import Usage

__all__ = ["data_of", "probe_of", "trial_of"]


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


def probe_of(data: Mapping[str, Any]) -> Probe:
    """A probe of what `data_of` gave; may raise TypeError."""
    values: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in data.items()}
    return Probe(**values)


def trial_of(data: Mapping[str, Any]) -> Trial:
    """A trial, likewise."""
    finding = {**data["finding"], "states": tuple(data["finding"].get("states", ()))}
    made = {
        "finding": Finding(**finding),
        "dropped": tuple(Skipped(*each) for each in data.get("dropped", ())),
        "usage": Usage(**data.get("usage", {})),
    }
    return Trial(**{**data, **made})
