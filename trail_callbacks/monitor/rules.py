"""Objectives as recording and alerting rules of Prometheus: the same decisions as `evaluate`, made over there.

They differ in some points. Counters grow when a run is judged, so that late judges need no lag. A short window is not
widened. The minimum is one of effective runs, see `Tally.effective`. A cause may burn in another window, and a segment
is the cause of nothing of all runs. And what is not counted is refused, see `counted`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.evaluation import CALM, EXPLAINS, ambiguous, explanatory
from trail_callbacks.monitor.objectives import ANY, QUIET, STAGES, BurnRate, Objective, Objectives, spoken

_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")  # what JSON leaves as it is and YAML does not take


def _quoted(text: str) -> str:
    """A text in quotes, as both Prometheus and YAML read it."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def counted(objectives: Objectives) -> list[Objective]:
    """Returns objectives in the order of the evidence path, and refuses what the counters do not tell."""
    for each in objectives:
        instead = "or run trail alerts check for it"
        if len(each.segment) > 1:
            names = ", ".join(each.segment)
            raise InputError(
                f"{each.name}: counters are kept for one segment at a time, not for {names} together; leave one, "
                f"{instead}"
            )
        if each.threshold not in (None, each.signal.threshold):
            raise InputError(
                f"{each.name}: counters are kept at the threshold of the signal, {each.signal.threshold:g}, not at "
                f"{each.threshold:g}; leave it out, {instead}"
            )
    return objectives.ordered


def _increase(metric: str, objective: Objective, window: str, *, signal: bool = True, late: str = "") -> str:
    """The growth of the counters of an objective in a window."""
    labels = [f"signal={_quoted(objective.signal.name)}"] if signal else []
    for name, value in objective.segment.items():
        labels += [f"segment={_quoted(name)}", 'value!=""' if value == ANY else f"value={_quoted(value)}"]
    labels += [] if objective.segment else ['segment=""']
    return f"sum by (segment, value) (increase(trail_{metric}_total{{{','.join(labels)}}}[{window}]{late}))"


def runs(objective: Objective, window: str, late: str = "") -> str:
    """Runs of a window, and those like them that were not sampled."""
    return _increase("runs", objective, window, signal=False, late=late)


def decided(objective: Objective, window: str) -> str:
    """Those of which the signal is known, likewise."""
    return _increase("decided_runs", objective, window)


def share(objective: Objective, window: str) -> str:
    """Weighted share of bad runs; nothing if none was decided."""
    return f"{_increase('bad_runs', objective, window)}\n/ ({decided(objective, window)} > 0)"


def _effective(objective: Objective, window: str) -> str:
    """Effective number of decided runs, see `Tally.effective`; nothing if none was."""
    squares = _increase("squared_weight", objective, window)
    return f"({decided(objective, window)}) ^ 2\n/ ({squares} > 0)"


def _low(share: str, n: str) -> str:
    """Lower end of the 95 % Wilson interval, of a share and the effective number behind it."""
    z = 1.96
    return (
        f"({share} + {z * z / 2} / {n}\n"
        f"  - {z} * sqrt(({share} * (1 - {share}) + {z * z / 4} / {n}) / {n}))\n"
        f"/ (1 + {z * z} / {n})"
    )


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    expression: str
    labels: Mapping[str, str]
    summary: str = ""
    wait: str = ""

    def lines(self) -> Iterator[str]:
        yield f"      - {'alert' if self.summary else 'record'}: {self.name}"
        yield "        expr: |"
        yield from (f"          {line}" for line in self.expression.splitlines())
        if self.wait:
            yield f"        for: {self.wait}"
        if self.summary:
            yield f"        keep_firing_for: {spoken(CALM)}"
        yield "        labels:"
        yield from (f"          {name}: {_quoted(value)}" for name, value in self.labels.items())
        if self.summary:
            yield "        annotations:"
            yield f"          summary: {_quoted(self.summary)}"


def prometheus_rules(objectives: Objectives) -> str:
    """Writes the rules as YAML."""
    ordered = counted(objectives)
    judge = [each for each in ordered if each.stage == "evaluator"]
    groups = {
        "trail-counts": [rule for each in ordered for rule in _counts(each)],
        "trail-alerts": [
            *(rule for each in ordered for rule in _burning(each)),
            *(rule for each in ordered for rule in _calls(each, ordered)),
            *(rule for each in ordered for rule in _no_data(each, judge)),
        ],
    }
    lines = ["groups:"]
    for name, rules in groups.items():
        lines += [f"  - name: {name}", "    interval: 1m", "    rules:"]
        lines += [line for rule in rules for line in rule.lines()]
    return "\n".join(lines) + "\n"


def _own(objective: Objective) -> str:
    return f"{{objective={_quoted(objective.name)}}}"


def _counts(objective: Objective) -> Iterator[_Rule]:
    labels = {"objective": objective.name}
    own = _own(objective)
    long = {spoken(each.long) for each in objective.rates}
    for window in dict.fromkeys(spoken(x) for each in objective.rates for x in (each.short, each.long)):
        yield _Rule(f"trail:share:{window}", share(objective, window), labels)
        if window in long:
            yield _Rule(f"trail:decided:{window}", decided(objective, window), labels)
            yield _Rule(f"trail:effective:{window}", _effective(objective, window), labels)
            least = _low(f"trail:share:{window}{own}", f"trail:effective:{window}{own}")
            yield _Rule(f"trail:low:{window}", least, labels)


def _exceeds(objective: Objective, rate: BurnRate, factor: float) -> str:
    """The share of the long window, where the budget burns at a factor."""
    own = _own(objective)
    long, short, limit = spoken(rate.long), spoken(rate.short), f"{factor * objective.budget:.12g}"
    return (
        f"(trail:share:{long}{own}\n  and trail:low:{long}{own} > {limit}\n  and trail:share:{short}{own} > {limit}\n"
        f"  and trail:effective:{long}{own} >= {objective.minimum})"
    )


def _burning(objective: Objective) -> Iterator[_Rule]:
    labels = {"objective": objective.name}
    yield _Rule("trail:burning", "\nor ".join(_exceeds(objective, rate, 1) for rate in objective.rates), labels)
    for severity in ("page", "ticket"):
        rates = [_exceeds(objective, rate, rate.factor) for rate in objective.rates if rate.severity == severity]
        yield _Rule(f"trail:{severity}", "\nor ".join(rates), labels)


def _calls(objective: Objective, ordered: Sequence[Objective]) -> Iterator[_Rule]:
    own = _own(objective)
    for severity in ("page", "ticket"):
        called = [f"trail:{severity}{own}"]
        for later in ordered:
            if match := _match(objective, later):
                explained = _explained(f"trail:{severity}{_own(later)}", objective, match)
                called.append(f"(trail:burning{own} and {match} ({explained}))")
        expression = "(" + "\n or ".join(called) + ")"
        for earlier in ordered:
            if match := _match(earlier, objective):
                expression = f"({expression}\nunless ({_explained(expression, earlier, match)}))"
        if ambiguous(objective):
            known = [each for each in ordered if each.stage == "retrieval" and _match(each, objective)]
            if not known:
                continue
            window = spoken(objective.rates[-1].long)
            shown = (
                f"(({expression}) and {_match(each, objective)} trail:decided:{window}{_own(each)} > 0)"
                for each in known
            )
            expression = "\nor ".join(shown)
        if severity == "ticket":
            expression += f"\nunless trail:page{own}"
        yield _Rule(
            f"Trail{severity.title()}",
            expression,
            {"severity": severity, **_labels(objective)},
            f"{_literal(objective.name)}{_OF}: {{{{ $value | humanizePercentage }}}} of the runs are bad "
            f"(objective {objective.objective:g}): {objective.signal.about}",
            wait="1m",
        )


_OF = "{{ with $labels.value }} for {{ $labels.segment }}={{ . }}{{ end }}"


def _explained(expression: str, cause: Objective, match: str) -> str:
    """Of what an expression finds, that which an earlier stage explains."""
    return f"{EXPLAINS} * {expression} <= {match} group_left () trail:burning{_own(cause)}"


def _match(earlier: Objective, later: Objective) -> str | None:
    """How the earlier of two stages is joined to the later; None if it says nothing of that."""
    if "evaluator" in (earlier.stage, later.stage) or not explanatory(earlier, later):
        return None
    if STAGES.index(earlier.stage) >= STAGES.index(later.stage):
        return None
    if not earlier.segment:
        return "on ()"
    return "on (segment, value)" if earlier.segment.keys() == later.segment.keys() else None


def _no_data(objective: Objective, judge: Iterable[Objective]) -> Iterator[_Rule]:
    window = spoken(objective.rates[0].long)
    labels = {"severity": "ticket", **_labels(objective), "owner": "evaluator"}
    own = _own(objective)
    arriving = f"({runs(objective, window)} >= {objective.minimum})"
    expression = f"{arriving}\nunless on (segment, value) (trail:decided:{window}{own} > 0)"
    if objective.stage != "evaluator":
        for each in judge:
            expression += f"\nunless on () trail:page{_own(each)}"
    about = f"{_literal(objective.name)}{_OF}: runs arrive, and of none is it known whether {objective.signal.about}"
    yield _Rule("TrailNoData", expression, labels, about, wait="15m")
    if objective.stage == "evaluator":
        silent = "\nor ".join(
            f"(({runs(objective, length)} == 0)"
            + "".join(
                f"\nand on (segment, value) ({runs(objective, length, f' offset {ago}')} >= {objective.minimum})"
                for ago in (("1w",) if length == "1d" else ("1d", "1w"))
            )
            + ")"
            for length in map(spoken, QUIET)
        )
        yield _Rule(
            "TrailSilent", silent, labels, "no judged run comes, where many came a day and a week ago", wait="1m"
        )
        if not objective.segment:
            yield _Rule("TrailLost", f"{_LOST} > 0", labels, "runs could not be written to the store", wait="1m")
            yield _Rule("TrailAbsent", "absent(trail_runs_total)", labels, "the counters are not scraped", wait="15m")


def _labels(objective: Objective) -> dict[str, str]:
    names = {"objective": objective.name, "stage": objective.stage, "owner": objective.owner}
    return {name: _literal(value) for name, value in names.items()}


def _literal(text: str) -> str:
    """A text as templates of Prometheus print it."""
    return text.replace("{{", '{{ "{{" }}')


_LOST = "increase(trail_lost_runs_total[1h])"
_WIDTH = 24  # of Grafana's grid
_HEIGHT = 8
_LEGEND = "{{segment}} {{value}}"


def dashboard(objectives: Objectives) -> dict[str, Any]:
    """Returns a dashboard as Grafana's JSON holds it: an overview, and a row for each objective."""
    ordered = counted(objectives)
    panels: list[dict[str, Any]] = []
    top = 0
    for row in (list(_overview(ordered)), *(list(_of(each)) for each in ordered)):
        width = _WIDTH // len(row)
        for place, panel in enumerate(row):
            at = {"h": _HEIGHT, "w": width, "x": place * width, "y": top}
            panels.append({"id": len(panels) + 1, "gridPos": at, **panel})
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


def _overview(objectives: Sequence[Objective]) -> Iterator[dict[str, Any]]:
    burning = [(f"{share(each, '1d')}\n/ {each.budget:.12g}", _named(each)) for each in objectives]
    yield _panel(
        "Budget burnt, last day",
        burning,
        "short",
        "Bad runs as a multiple of what the objective allows. The first stage above 1 is where to look.",
        1,
    )
    yield _panel("Runs an hour", [('sum(increase(trail_runs_total{segment=""}[1h]))', "runs")], "short", "All runs.")
    yield _panel("Runs lost an hour", [(_LOST, "lost")], "short", "Runs that could not be written to the store.", 1)


def _of(objective: Objective) -> Iterator[dict[str, Any]]:
    windows = [spoken(each.long) for each in objective.rates]
    shares = [(share(objective, each), f"{each} {_LEGEND}") for each in windows]
    yield _panel(
        f"{objective.name}: bad runs",
        shares,
        "percentunit",
        f"{objective.stage}, {objective.owner}: {objective.signal.about}. The line is what the objective allows.",
        objective.budget,
    )
    day = f"{decided(objective, '1d')}\n/ ({runs(objective, '1d')} > 0)"
    yield _panel(
        f"{objective.name}: known",
        [(day, _LEGEND)],
        "percentunit",
        "Share of the runs of which the signal is known. Where it falls, nobody can tell: unknown is not good.",
    )


def _named(objective: Objective) -> str:
    return f"{objective.name} {_LEGEND}" if objective.segment else objective.name


def _panel(
    title: str, expressions: Sequence[tuple[str, str]], unit: str, about: str, line: float | None = None
) -> dict[str, Any]:
    """A chart of expressions, each with what it is called, and a line above which it is bad."""
    source = {"type": "prometheus", "uid": "${source}"}
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    steps += [] if line is None else [{"color": "red", "value": line}]
    return {
        "type": "timeseries",
        "title": title,
        "description": about,
        "datasource": source,
        "fieldConfig": {
            "defaults": {
                "unit": unit,
                "min": 0,
                "thresholds": {"mode": "absolute", "steps": steps},
                "custom": {"thresholdsStyle": {"mode": "off" if line is None else "line"}},
            },
            "overrides": [],
        },
        "targets": [
            {"refId": _ref(n), "datasource": source, "expr": expression, "legendFormat": name}
            for n, (expression, name) in enumerate(expressions)
        ],
    }


def _ref(place: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (_ref(place // 26 - 1) if place > 25 else "") + chr(ord("A") + place % 26)  # noqa: PLR2004 - letters
