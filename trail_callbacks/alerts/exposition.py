"""Counters as Prometheus reads them, made of totals that only grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from trail_callbacks.observations import SIGNALS, SignalName, Tally

__all__ = ["CONTENT_TYPE", "METRICS", "Totals", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Totals: TypeAlias = Mapping[tuple[SignalName, str, str], Tally]
"""Counts since ever, of runs that were kept and of those deleted since, by signal, name and value of a segment.

Name and value are empty for all runs.
"""

_RUNS = "trail_runs_total"
METRICS: Mapping[str, tuple[str, Callable[[Tally], float]]] = {
    _RUNS: ("Runs that were observed.", lambda tally: tally.runs),
    "trail_decided_runs_total": ("Runs of which the signal is known.", lambda tally: tally.decided),
    "trail_bad_runs_total": ("Those that are bad.", lambda tally: tally.bad),
    "trail_decided_weight_total": ("Runs that those decided stand for.", lambda tally: tally.weight),
    "trail_bad_weight_total": ("Runs that those that are bad stand for.", lambda tally: tally.bad_weight),
    "trail_squared_weight_total": ("Sum of the squares of what each decided run stands for.", lambda x: x.squares),
}
"""The metrics: what each says, and how it is made of a tally. All but the first have a label for the signal."""


def exposition(totals: Totals, segments: Iterable[tuple[str, str]] = ()) -> str:
    """Writes counters in Prometheus' text format.

    Each counter is there from the start, at 0: `increase` does not see what a counter is born with.

    Args:
        totals: The counts.
        segments: Names and values of segments that are to be there though nothing was counted of them yet.
    """
    places = sorted({("", ""), *segments, *((name, value) for _, name, value in totals)})
    return "".join(f"{line}\n" for line in _lines(totals, places))


def _lines(totals: Totals, places: Iterable[tuple[str, str]]) -> Iterator[str]:
    places = list(places)
    none = Tally()
    for metric, (about, value) in METRICS.items():
        yield f"# HELP {metric} {about}"
        yield f"# TYPE {metric} counter"
        for name, text in places:
            of = {"segment": name, "value": text} if name else {}
            if metric == _RUNS:
                # Runs are the same for each signal; a store need not have totals of all
                most = max((value(totals.get((signal, name, text), none)) for signal in SIGNALS), default=0)
                yield f"{metric}{_labels(of)} {_number(most)}"
                continue
            for signal in SIGNALS:
                count = value(totals.get((signal, name, text), none))
                yield f"{metric}{_labels({'signal': signal, **of})} {_number(count)}"


def _labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def _escaped(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()  # a lone surrogate would spoil the whole page
    return whole.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
