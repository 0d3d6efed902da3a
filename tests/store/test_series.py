"""Counts over time and segments."""

from __future__ import annotations

from trail_callbacks.monitor import Observation
from trail_callbacks.store.counting import VersionSeen, Window, by_value, rollouts


def run(n, at, **changes):
    return Observation(**{"id": f"r{n}", "at": at, "state": "assessed", "outcomes": {"supported": 1}, **changes})


def test_counts_by_the_value_of_a_segment(store):
    store.put_observations(
        [
            run(1, 1.0, fields={"kind": "a", "tenant": "x"}),
            run(2, 2.0, fields={"kind": "b", "tenant": "x"}, outcomes={"absent": 1}),
            run(3, 3.0, fields={"kind": "b", "tenant": "y"}),
            run(4, 4.0),
        ]
    )
    with store.connected() as connection:
        whole = by_value(connection, "kind", Window(since=0.0, until=9.0))
        part = by_value(connection, "kind", Window(since=0.0, until=9.0, segment={"tenant": "x"}), ["unsupported"])
    assert {value: found.tally("unsupported").share for value, found in whole.items()} == {"a": 0.0, "b": 0.5}
    assert {value: found.tally("unsupported").share for value, found in part.items()} == {"a": 0.0, "b": 1.0}


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
