"""Counts over time and segments."""

from __future__ import annotations

from trail_callbacks.monitor import SIGNALS, Observation
from trail_callbacks.store.series import VersionSeen, Window, by_value, rollouts, series, stages


def run(n, at, **changes):
    return Observation(**{"id": f"r{n}", "at": at, "state": "assessed", "outcomes": {"supported": 1}, **changes})


def test_counts_by_bucket_from_the_begin_of_the_window(store):
    bad = {"outcomes": {"contradicted": 1}}
    store.put_observations([run(1, 99.0), run(2, 100.0), run(3, 119.9, **bad), run(4, 120.0), run(5, 140.0)])
    window = Window(since=100.0, until=140.0)
    with store.connected() as connection:
        found = series(connection, [SIGNALS["contradiction"]], {}, window, 20.0)
    assert {place: (t["contradiction"].runs, t["contradiction"].bad) for place, (t, _) in found.items()} == {
        0: (2, 1),
        1: (1, 0),
    }


def test_counts_by_the_value_of_a_segment(store):
    store.put_observations(
        [
            run(1, 1.0, fields={"kind": "a", "tenant": "x"}),
            run(2, 2.0, fields={"kind": "b", "tenant": "x"}, outcomes={"absent": 1}),
            run(3, 3.0, fields={"kind": "b", "tenant": "y"}),
            run(4, 4.0),
        ]
    )
    signal = SIGNALS["unsupported"]
    with store.connected() as connection:
        whole = by_value(connection, "kind", [signal], Window(since=0.0, until=9.0))
        part = by_value(connection, "kind", [signal], Window(since=0.0, until=9.0, segment={"tenant": "x"}))
    assert {value: found["unsupported"].share for value, (found, _) in whole.items()} == {"a": 0.0, "b": 0.5}
    assert {value: found["unsupported"].share for value, (found, _) in part.items()} == {"a": 0.0, "b": 1.0}


def test_stages_of_first_breaks(store):
    store.put_observations(
        [
            run(1, 1.0, diagnosed=True, broken="retrieval"),
            run(2, 2.0, diagnosed=True, broken="retrieval"),
            run(3, 3.0, diagnosed=True),
            run(4, 4.0),
        ]
    )
    with store.connected() as connection:
        assert stages(connection, Window(since=0.0, until=10.0), 10.0) == {0: ({"retrieval": 2}, 3)}


def test_the_first_version_of_a_part_is_no_rollout(store):
    store.put_observations(
        [
            run(1, 1.0, release="v1", versions={"app": "v1", "index": "i1"}),
            run(2, 5.0, release="v2", versions={"app": "v2", "index": "i1"}),
            run(3, 6.0, release="v1", versions={"app": "v1", "index": "i2"}),
        ]
    )
    with store.connected() as connection:
        found = rollouts(connection, ("release", "index"), Window(since=2.0, until=9.0))
        none = rollouts(connection, ("release", "index"), Window(since=7.0, until=9.0))
    assert found == [VersionSeen(at=5.0, name="release", value="v2"), VersionSeen(at=6.0, name="index", value="i2")]
    assert none == []
