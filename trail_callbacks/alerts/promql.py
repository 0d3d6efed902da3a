"""Expressions over our counters in Prometheus' language."""

from __future__ import annotations

import json
import re

from trail_callbacks.alerts.objectives import ANY, Objective
from trail_callbacks.errors import InputError

__all__ = ["counted", "decided", "effective", "low", "quoted", "runs", "selector", "share"]

_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")  # what JSON leaves as it is and YAML does not take


def quoted(text: str) -> str:
    """A text in quotes, as both Prometheus and YAML read it."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def counted(objective: Objective) -> None:
    """Refuses what the counters do not tell.

    Raises:
        InputError: If it is about more than one segment, or has a threshold of its own.
    """
    if len(objective.segment) > 1:
        names = ", ".join(objective.segment)
        raise InputError(
            f"{objective.name}: counters are kept for one segment at a time, not for {names} together; "
            "leave one, or run trail alerts check for it"
        )
    if objective.threshold not in (None, objective.signal.threshold):
        raise InputError(
            f"{objective.name}: counters are kept at the threshold of the signal, {objective.signal.threshold:g}, "
            f"not at {objective.threshold:g}; leave it out, or run trail alerts check for it"
        )


def selector(objective: Objective, *, signal: bool = True) -> str:
    """What selects the counters of an objective."""
    parts = [f"signal={quoted(objective.signal.name)}"] if signal else []
    if not objective.segment:
        return "{" + ",".join([*parts, 'segment=""']) + "}"
    ((name, value),) = objective.segment.items()
    parts.append(f"segment={quoted(name)}")
    parts.append('value!=""' if value == ANY else f"value={quoted(value)}")
    return "{" + ",".join(parts) + "}"


def _increase(metric: str, objective: Objective, window: str) -> str:
    return f"sum by (segment, value) (increase({metric}{selector(objective)}[{window}]))"


def runs(objective: Objective, window: str, offset: str = "") -> str:
    """Runs of a window, likewise."""
    late = f" offset {offset}" if offset else ""
    of = selector(objective, signal=False)
    return f"sum by (segment, value) (increase(trail_runs_total{of}[{window}]{late}))"


def decided(objective: Objective, window: str) -> str:
    """Runs of which the signal is known, and those like them that were not sampled."""
    return _increase("trail_decided_runs_total", objective, window)


def share(objective: Objective, window: str) -> str:
    """Weighted share of bad runs; nothing if none was decided."""
    bad, weight = (_increase(f"trail_{name}_runs_total", objective, window) for name in ("bad", "decided"))
    return f"{bad}\n/ ({weight} > 0)"


def effective(objective: Objective, window: str) -> str:
    """Effective number of decided runs, see `Tally.effective`; nothing if none was."""
    squares = _increase("trail_squared_weight_total", objective, window)
    return f"({decided(objective, window)}) ^ 2\n/ ({squares} > 0)"


def low(share: str, n: str) -> str:
    """Lower end of the 95 % Wilson interval.

    Args:
        share: Expression of the share.
        n: Expression of the effective number.
    """
    z = 1.96
    return (
        f"({share} + {z * z / 2} / {n}\n"
        f"  - {z} * sqrt(({share} * (1 - {share}) + {z * z / 4} / {n}) / {n}))\n"
        f"/ (1 + {z * z} / {n})"
    )
