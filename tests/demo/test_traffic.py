"""`trail demo --serve`: played traffic in which the page shows what broke, since when, and where."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from trail_callbacks.demo.traffic import BAD, DAYS, traffic
from trail_callbacks.monitor import SIGNALS, Tally, observe

NOW = 1_790_000_000.0


@pytest.fixture(scope="module")
def played():
    return [observe(each.judged(), each.trace) for each in traffic(240, NOW)]


def test_runs_are_spread_over_the_days(played):
    times = [run.at for run in played]
    assert all(one < two for one, two in pairwise(times))
    assert times[-1] < NOW
    assert times[-1] - times[0] > (DAYS - 1) * 86_400
    assert len({run.id for run in played}) == 240


def in_both(run, kind, index):
    return (run.segment("query_class"), run.segment("index")) == (kind, index)


def test_one_rollout_breaks_retrieval_for_one_kind_of_question(played):
    signal = SIGNALS["abstention"]
    shares = {
        (kind, index): Tally.of([run for run in played if in_both(run, kind, index)], signal).share
        for kind in ("billing", "delivery", BAD)
        for index in ("index-1", "index-2")
    }
    assert shares[BAD, "index-2"] > 0.3
    assert all(share < 0.1 for key, share in shares.items() if key != (BAD, "index-2"))
    assert {run.broken for run in played if run.state == "abstained"} == {"retrieval"}
    assert Counter(run.release for run in played).keys() == {"shop-1", "shop-2"}


def test_what_the_rollout_broke_broke_at_retrieval(played):
    bad = [run for run in played if SIGNALS["query_coverage"].bad(run)]
    assert bad
    assert {(run.state, run.broken) for run in bad} == {("abstained", "retrieval")}
