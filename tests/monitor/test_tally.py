"""Tallies: counts over runs."""

from __future__ import annotations

import pytest

from trail_callbacks.monitor import SIGNALS, Observation, Tally

BAD = {"supported": 1, "contradicted": 1}


def run(n, at, *, outcomes=None, state="assessed", rate=1.0):
    return Observation(id=f"r{n}", at=at, state=state, outcomes=outcomes or {"supported": 1}, rate=rate)


RUNS = [
    run(1, 10.0),
    run(2, 20.0, outcomes=BAD),
    run(3, 30.0, outcomes=BAD, rate=0.1),
    run(4, 40.0, state="error", outcomes={"not_judged": 1}),
]


def test_what_nobody_knows_counts_neither_way():
    found = Tally.of(RUNS[3:], SIGNALS["contradiction"])
    assert (found.runs, found.decided, found.share, found.effective) == (1, 0, None, 0.0)


def test_a_run_stands_for_those_that_were_not_judged():
    found = Tally.of(RUNS, SIGNALS["contradiction"])
    assert (found.runs, found.decided, found.bad) == (4, 3, 2)
    assert found.share == pytest.approx(11 / 12)
    assert found.effective == pytest.approx(12**2 / 102)
