"""What a store counts is what is counted in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trail_callbacks.monitor import SIGNALS, FigureName, Observation, Tally
from trail_callbacks.report.diagnosis import DecidedBy, Figure
from trail_callbacks.report.report import State

OUTCOMES = ["supported", "contradicted", "absent", "partially_supported", "unevaluatable", "undecided", "not_judged"]
VALUES = st.sampled_from(["a", "b", "ä", "a'b", "", "\ufffd", "1"])
NAMES = st.sampled_from(["kind", "release", "app", "model", "tenant"])


@st.composite
def observations(draw):
    counts = draw(st.dictionaries(st.sampled_from(OUTCOMES), st.integers(0, 4)))
    shares = st.one_of(st.sampled_from([0.0, 0.8, 0.9, 1.0]), st.floats(0, 1))
    figures = draw(
        st.dictionaries(st.sampled_from(get_args(FigureName)), st.tuples(shares, st.sampled_from(get_args(DecidedBy))))
    )
    return Observation(
        id="",
        at=draw(st.floats(0, 100)),
        state=draw(st.sampled_from(get_args(State))),
        outcomes=counts,
        claims=sum(counts.values()),
        figures={
            name: Figure(value=value, n=3, interval=(0.1, 0.9), decided_by=by) for name, (value, by) in figures.items()
        },
        release=draw(st.none() | VALUES),
        versions=draw(st.dictionaries(NAMES, VALUES, max_size=3)),
        fields=draw(st.dictionaries(NAMES, VALUES, max_size=3)),
        rate=draw(st.sampled_from([1.0, 0.5, 0.1, 0.013])),
    )


@given(
    found=st.lists(observations(), min_size=1, max_size=30),
    window=st.tuples(st.floats(0, 100), st.floats(0, 100)).map(sorted),
    segment=st.none() | st.dictionaries(NAMES, VALUES, max_size=2),
    threshold=st.none() | st.floats(0, 1),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_what_is_counted_in_memory(store, found, window, segment, threshold):
    began = next(BEGINNINGS)  # examples share a store: each has a time of its own
    found = [replace(run, id=f"{began}.{n:02}", at=began + run.at) for n, run in enumerate(found)]
    store.put_observations(found)
    since, until = (began + each for each in window)
    wanted = (segment or {}).items()
    memory = [run for run in found if since <= run.at < until and all(run.segment(k) == v for k, v in wanted)]
    for signal in SIGNALS.values():
        expected = Tally.of(memory, signal, threshold)
        counted = store.tally(signal, since, until, segment, threshold)
        assert (counted.runs, counted.decided, counted.bad) == (expected.runs, expected.decided, expected.bad)
        assert counted.weight == pytest.approx(expected.weight)
        assert counted.bad_weight == pytest.approx(expected.bad_weight)
        assert counted.squares == pytest.approx(expected.squares)
    read = list(store.observations(began, began + 101))
    assert read == sorted(found, key=lambda run: (run.at, found.index(run)))


BEGINNINGS = iter(range(1000, 10**9, 1000))
