"""Counters that only grow."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks import check
from trail_callbacks.trace import Trace, Versions


def judged(n):
    report = check("The ferry takes 53 minutes. It is blue.", ["The ferry takes 40 minutes. It is blue."])
    return replace(report, run_id=f"run{n}")


def traced(name):
    return Trace(id=name, events=(), versions=Versions(app="1"))


def test_totals_only_grow_and_count_live_runs(store):
    store.put([(judged("0"), None)])
    assert store.totals() == [], "it was imported"
    store.add(judged("1"), traced("run1"), rate=0.5)
    store.add(judged("2"), traced("run2"))
    assert store.flush(20)

    def count(counter, name="", value=""):
        return {(each.counter, each.name, each.value): each.count for each in store.totals()}[counter, name, value]

    assert (count("runs"), count("bad.contradiction"), count("decided.contradiction")) == (3, 3, 3)
    assert count("bad.abstention") == 0
    assert count("claims.contradicted", "release", "1") == 3
    store.prune(1e12)
    assert count("runs") == 3
