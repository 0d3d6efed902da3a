"""Counters as Prometheus reads them, made of totals that only grow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from trail_callbacks.observations import SIGNALS
from trail_callbacks.taxonomy import SupportClass

if TYPE_CHECKING:  # counters of a store; without one there are none, and what it needs is not installed
    from trail_callbacks.store.totals import Total

__all__ = ["CONTENT_TYPE", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


_SIGNALS = tuple(SIGNALS)
_OUTCOMES = (*(each.value for each in SupportClass), "undecided", "not_judged")
_METRICS: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("trail_runs_total", "runs", "", (), "Runs; one that was sampled stands for those like it."),
    ("trail_lost_runs_total", "lost", "", (), "Runs that could not be stored."),
    ("trail_decided_runs_total", "decided", "signal", _SIGNALS, "Runs of which the signal is known, likewise."),
    ("trail_bad_runs_total", "bad", "signal", _SIGNALS, "Those that are bad, likewise."),
    ("trail_squared_weight_total", "squares", "signal", _SIGNALS, "Sum of the squares of what decided runs stand for."),
    ("trail_claims_total", "claims", "outcome", _OUTCOMES, "Claims, likewise."),
)
"""Name, counter, label, values of the label, and what it is."""


def exposition(totals: Iterable[Total], segments: Iterable[tuple[str, str]] = ()) -> str:
    """Writes counters in Prometheus' text format.

    Each counter is there from the start, at 0: `increase` does not see what a counter is born with.

    Args:
        totals: The counts.
        segments: Names and values of segments that are to be there though nothing was counted of them yet.
    """
    found = {(each.counter, each.name, each.value): each.count for each in totals}
    places = sorted({("", ""), *segments, *((name, value) for _, name, value in found)})
    return "".join(f"{line}\n" for line in _lines(found, places))


def _lines(found: Mapping[tuple[str, str, str], float], places: Iterable[tuple[str, str]]) -> Iterator[str]:
    for metric, counter, label, values, about in _METRICS:
        yield f"# HELP {metric} {about}"
        yield f"# TYPE {metric} counter"
        for name, value in [("", "")] if counter == "lost" else places:
            of = {"segment": name, "value": value} if name else {}
            for each in values or ("",):
                key = f"{counter}.{each}" if label else counter
                labels = {label: each, **of} if label else of
                yield f"{metric}{_labels(labels)} {_number(found.get((key, name, value), 0.0))}"


def _labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def _escaped(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode()  # a lone surrogate would spoil the whole page
    return whole.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
