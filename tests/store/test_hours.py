"""Figures by the hour: kept, and never older than the runs."""

from __future__ import annotations

import random
import threading

import pytest

from trail_callbacks.monitor import SIGNALS, Observation
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.store import Store
from trail_callbacks.store.counting import HOUR, Sums, Window

BEGUN = 1_000 * HOUR


def runs(n, seed=1, start=0):
    rng = random.Random(seed)  # noqa: S311 - plays traffic
    for i in range(start, start + n):
        bad = rng.random() < 0.3
        yield Observation(
            id=f"run{i}",
            at=BEGUN + rng.random() * 5 * HOUR,
            state=rng.choice(["assessed", "assessed", "abstained", "error"]),
            outcomes={"supported": 2, **({"contradicted": 1} if bad else {})},
            figures={"query_coverage": Figure(value=rng.random(), n=3, decided_by="judge")}
            if rng.random() < 0.8
            else {},
            broken="retrieval" if bad else None,
            diagnosed=rng.random() < 0.9,
            fields={"kind": rng.choice("ab")},
            rate=rng.choice([1.0, 0.5]),
        )


def whole(store, window):
    found = Sums()
    for figures in store.figures(window).values():
        found += figures
    return found


def expected(found, store, window):
    for name, signal in SIGNALS.items():
        counted, wanted = found.tally(name), store.tally(signal, window.since, window.until, window.segment)
        assert (counted.runs, counted.decided, counted.bad) == (wanted.runs, wanted.decided, wanted.bad)
        assert counted.weight == pytest.approx(wanted.weight)
        assert counted.squares == pytest.approx(wanted.squares)
    seen = list(store.observations(window.since, window.until, window.segment))
    assert found.diagnosed == sum(run.diagnosed for run in seen)
    assert found.breaks["retrieval"] == sum(run.diagnosed and run.broken == "retrieval" for run in seen)


@pytest.mark.parametrize("segment", [{}, {"kind": "a"}, {"kind": "a", "release": "none"}])
def test_hours_add_up_to_what_is_counted_at_once(store, segment):
    store.put_observations(runs(200))
    window = Window(since=float(BEGUN), until=float(BEGUN + 5 * HOUR), segment=segment)
    if segment.get("release"):
        assert whole(store, window).runs == 0
        return
    for _ in range(2):  # made, and kept
        expected(whole(store, window), store, window)


def test_nobody_sees_old_figures_while_others_write(where):
    stores = [Store(where) for _ in range(3)]
    window = Window(since=float(BEGUN), until=float(BEGUN + 5 * HOUR))
    done = threading.Event()

    def write():
        for n in range(20):
            stores[0].put_observations(runs(5, seed=n, start=5 * n))
        done.set()

    def read(store):
        while not done.is_set():
            whole(store, window)

    threads = [threading.Thread(target=write), *(threading.Thread(target=read, args=(each,)) for each in stores[1:])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done.is_set()
    expected(whole(stores[1], window), stores[1], window)
    for each in stores:
        each.close(5)


def test_what_is_deleted_is_counted_no_more(store):
    store.put_observations(runs(60))
    window = Window(since=float(BEGUN), until=float(BEGUN + 5 * HOUR))
    of_a = Window(since=window.since, until=window.until, segment={"kind": "a"})
    assert whole(store, window).runs == 60
    assert whole(store, of_a).runs > 0
    store.prune(BEGUN + 2 * HOUR)
    expected(whole(store, window), store, window)
    store.prune(BEGUN + 9 * HOUR)
    assert (store.figures(window), store.figures(of_a)) == ({}, {})
    store.put_observations(runs(10, seed=3))
    expected(whole(store, of_a), store, of_a)
