"""Counters that only grow, for those who scrape: what live runs added, whatever was deleted since.

A run counts once, as it was first written. Runs that were imported or audited do not count: they happened at another
time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from trail_callbacks.monitor import SIGNALS, Observation
from trail_callbacks.store.schema import OUTCOMES, plain, totals
from trail_callbacks.store.writing import insert
from trail_callbacks.text import encodable

_FIELDS = ("counter", "name", "value", "count")


@dataclass(frozen=True, slots=True)
class Total:
    """A counter."""

    # `runs`, `lost`, or for a signal `decided.NAME` and `bad.NAME`: runs of which it is known whether they are bad, and
    # those that are, each standing for 1 / rate, with `squares.NAME` as in `Tally`; for claims `claims.OUTCOME`
    counter: str
    name: str  # name of a segment, and its value; empty for all runs
    value: str  # see `name`
    count: float  # how many by now


def count(connection: sa.Connection, found: Iterable[Observation], names: Collection[str], lost: int = 0) -> None:
    """Adds runs to the counters."""
    added: Counter[tuple[str, str, str]] = Counter()
    for run in found:
        own = [("", ""), *((name, value) for name, value in run.segments.items() if name in names)]
        for counter, amount in _counts(run).items():
            for name, value in own:
                added[counter, plain(name), plain(value)] += amount  # type: ignore[assignment]  # a weight
    if lost:
        added["lost", "", ""] += lost
    if not added:
        return
    rows = [dict(zip(_FIELDS, (*key, float(added[key])), strict=True)) for key in sorted(added)]
    statement = insert(connection, totals)
    grown = {"count": totals.c.count + statement.excluded.count}
    connection.execute(statement.on_conflict_do_update(index_elements=["counter", "name", "value"], set_=grown), rows)


def _counts(run: Observation) -> dict[str, float]:
    weight = 1.0 / run.rate
    found = {"runs": weight} | {f"claims.{outcome}": weight * n for outcome, n in run.outcomes.items()}
    for name, signal in SIGNALS.items():
        is_bad = signal.bad(run)
        found[f"decided.{name}"] = weight * (is_bad is not None)
        found[f"squares.{name}"] = weight**2 * (is_bad is not None)
        found[f"bad.{name}"] = weight * bool(is_bad)  # also if there are none: a counter is to begin at 0
    return found


def read(connection: sa.Connection) -> list[Total]:
    """Returns the counters, sorted."""
    asked = sa.select(totals).order_by(totals.c.counter, totals.c.name, totals.c.value)
    rows = connection.execute(asked).mappings()
    return [Total(row["counter"], row["name"], row["value"], float(row["count"])) for row in rows]


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_SIGNALS = tuple(SIGNALS)
_METRICS: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("trail_runs_total", "runs", "", (), "Runs; one that was sampled stands for those like it."),
    ("trail_lost_runs_total", "lost", "", (), "Runs that could not be stored."),
    ("trail_decided_runs_total", "decided", "signal", _SIGNALS, "Runs of which the signal is known, likewise."),
    ("trail_bad_runs_total", "bad", "signal", _SIGNALS, "Those that are bad, likewise."),
    ("trail_squared_weight_total", "squares", "signal", _SIGNALS, "Sum of the squares of what decided runs stand for."),
    ("trail_claims_total", "claims", "outcome", OUTCOMES, "Claims, likewise."),
)
"""Name, counter, label, values of the label, and what it is."""


def exposition(totals: Iterable[Total], segments: Iterable[tuple[str, str]] = ()) -> str:
    """Writes counters in Prometheus' text format.

    Each counter is there from the start, at 0: `increase` does not see what a counter is born with.
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
    inside = ",".join(f'{name}="{encodable(value).translate(_ESCAPES)}"' for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
