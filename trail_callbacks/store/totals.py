"""Counters that only grow, for those who scrape: what live runs added, whatever was deleted since.

A run that is judged again counts again. Runs that were imported or audited do not count: they happened at another time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from trail_callbacks.observations import SIGNALS, Observation
from trail_callbacks.store.rows import segments_of
from trail_callbacks.store.schema import plain, totals
from trail_callbacks.store.writing import insert

__all__ = ["Total", "count", "read"]


_FIELDS = ("counter", "name", "value", "count")


@dataclass(frozen=True, slots=True)
class Total:
    """A counter.

    Attributes:
        counter: `runs`, `lost`, or for a signal `decided.NAME` and `bad.NAME`: runs of which it is known whether they
            are bad, and those that are, each standing for 1 / rate; for claims `claims.OUTCOME`.
        name: Name of a segment, and its value; empty for all runs.
        value: See `name`.
        count: How many by now.
    """

    counter: str
    name: str
    value: str
    count: float


def count(connection: sa.Connection, found: Iterable[Observation], names: Collection[str], lost: int = 0) -> None:
    """Adds runs to the counters.

    Args:
        connection: In a transaction, near its end: from here on others wait for it.
        found: The runs.
        names: Segments that have counters of their own.
        lost: Runs that were lost since the last time.
    """
    added: Counter[tuple[str, str, str]] = Counter()
    for run in found:
        own = [("", ""), *((name, value) for name, value in segments_of(run).items() if name in names)]
        for counter, amount in _counts(run).items():
            for name, value in own:
                added[counter, plain(name), plain(value)] += amount  # type: ignore[assignment]  # a weight
    if lost:
        added["lost", "", ""] += lost
    if not added:
        return
    rows = [{"counter": c, "name": n, "value": v, "count": float(added[c, n, v])} for c, n, v in sorted(added)]
    statement = insert(connection, totals)
    grown = {"count": totals.c.count + statement.excluded.count}
    connection.execute(statement.on_conflict_do_update(index_elements=["counter", "name", "value"], set_=grown), rows)


def _counts(run: Observation) -> dict[str, float]:
    weight = 1.0 / run.rate
    found = {"runs": weight} | {f"claims.{outcome}": weight * n for outcome, n in run.outcomes.items()}
    for name, signal in SIGNALS.items():
        is_bad = signal.bad(run)
        found[f"decided.{name}"] = weight * (is_bad is not None)
        found[f"bad.{name}"] = weight * bool(is_bad)  # also if there are none: a counter is to begin at 0
    return found


def read(connection: sa.Connection) -> list[Total]:
    """Returns the counters, sorted."""
    asked = sa.select(totals).order_by(totals.c.counter, totals.c.name, totals.c.value)
    return [Total(*(row[name] for name in _FIELDS)) for row in connection.execute(asked).mappings()]
