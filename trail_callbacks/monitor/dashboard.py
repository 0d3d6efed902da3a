"""A dashboard for Grafana, over the counters alone: it needs none of our rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from trail_callbacks.monitor.objectives import Objective, Objectives, spoken
from trail_callbacks.monitor.rules import counted, decided, runs, share

_WIDTH = 24  # of Grafana's grid
_HEIGHT = 8
_OF = "{{segment}} {{value}}"


@dataclass(frozen=True, slots=True)
class _Panel:
    title: str
    expressions: Sequence[tuple[str, str]]  # with what each is called
    unit: str
    about: str
    line: float | None = None  # above which it is bad


def dashboard(objectives: Objectives) -> dict[str, Any]:
    """Returns a dashboard as Grafana's JSON holds it: an overview, and a row for each objective."""
    ordered = counted(objectives)
    panels: list[dict[str, Any]] = []
    top = 0
    for row in (list(_overview(ordered)), *(list(_of(each)) for each in ordered)):
        width = _WIDTH // len(row)
        for place, panel in enumerate(row):
            at = {"h": _HEIGHT, "w": width, "x": place * width, "y": top}
            panels.append(_json(panel, len(panels) + 1, at))
        top += _HEIGHT
    names = ",".join(each.name for each in ordered)
    return {
        "uid": f"trail-{sha256(names.encode()).hexdigest()[:12]}",
        "title": "Evidence path",
        "tags": ["trail-callbacks"],
        "schemaVersion": 36,
        "editable": True,
        "refresh": "1m",
        "time": {"from": "now-7d", "to": "now"},
        "templating": {
            "list": [{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "panels": panels,
    }


def _overview(objectives: Sequence[Objective]) -> Iterator[_Panel]:
    burning = [(f"{share(each, '1d')}\n/ {each.budget:.12g}", _named(each)) for each in objectives]
    yield _Panel(
        "Budget burnt, last day",
        burning,
        "short",
        "Bad runs as a multiple of what the objective allows. The first stage above 1 is where to look.",
        1,
    )
    yield _Panel("Runs an hour", [('sum(increase(trail_runs_total{segment=""}[1h]))', "runs")], "short", "All runs.")


def _of(objective: Objective) -> Iterator[_Panel]:
    windows = [spoken(each.long) for each in objective.rates]
    shares = [(share(objective, each), f"{each} {_OF}") for each in windows]
    yield _Panel(
        f"{objective.name}: bad runs",
        shares,
        "percentunit",
        f"{objective.stage}, {objective.owner}: {objective.signal.about}. The line is what the objective allows.",
        objective.budget,
    )
    day = f"{decided(objective, '1d')}\n/ ({runs(objective, '1d')} > 0)"
    yield _Panel(
        f"{objective.name}: known",
        [(day, _OF)],
        "percentunit",
        "Share of the runs of which the signal is known. Where it falls, nobody can tell: unknown is not good.",
    )


def _named(objective: Objective) -> str:
    return f"{objective.name} {_OF}" if objective.segment else objective.name


def _json(panel: _Panel, n: int, at: dict[str, int]) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    steps += [] if panel.line is None else [{"color": "red", "value": panel.line}]
    limit = "off" if panel.line is None else "line"
    return {
        "id": n,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.about,
        "gridPos": at,
        "datasource": source,
        "fieldConfig": {
            "defaults": {
                "unit": panel.unit,
                "min": 0,
                "thresholds": {"mode": "absolute", "steps": steps},
                "custom": {"thresholdsStyle": {"mode": limit}},
            },
            "overrides": [],
        },
        "targets": [
            {"refId": _ref(place), "datasource": source, "expr": expression, "legendFormat": name}
            for place, (expression, name) in enumerate(panel.expressions)
        ],
    }


def _ref(place: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (_ref(place // 26 - 1) if place > 25 else "") + chr(ord("A") + place % 26)  # noqa: PLR2004 - letters
