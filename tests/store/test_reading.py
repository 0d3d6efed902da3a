"""Lists of runs, in pages, and of documents; counts over time and segments."""

from __future__ import annotations

from itertools import pairwise

import pytest

from trail_callbacks import check
from trail_callbacks.monitor import SIGNALS, DocumentUse, Observation
from trail_callbacks.store.counting import VersionSeen, Window, by_value, rollouts
from trail_callbacks.store.reading import listed, sources

ALL = Window(since=0.0, until=1e9)


def run(n, **changes):
    score = None if n % 5 == 0 else (n % 3) / 4
    outcomes = {"supported": 2} if not score else {"supported": 1, "absent": 1}
    values = {"id": f"r{n}", "at": float(n // 2), "state": "assessed", "score": score, "outcomes": outcomes}
    return Observation(**{**values, **changes})


@pytest.mark.parametrize(
    ("sort", "by", "downwards"),
    [("newest", "at", True), ("best", "score", False)],
)
def test_pages_follow_one_another_without_gap_or_repeat(store, sort, by, downwards):
    store.put_observations(run(n) for n in range(47))
    rows, after, pages = [], None, 0
    while True:
        with store.connected() as connection:
            page = listed(connection, ALL, sort=sort, after=after, size=10)
        rows += page.rows
        pages += 1
        if page.after is None:
            break
        after = page.after
    wanted = [n for n in range(47) if by == "at" or n % 5]
    assert sorted(row["run"] for row in rows) == sorted(f"r{n}" for n in wanted)
    assert pages == -(-len(wanted) // 10)
    pairs = list(pairwise((row[by], row["n"]) for row in rows))
    assert all(one > two if downwards else one < two for one, two in pairs)


def test_what_is_listed(store):
    store.put_observations(
        [
            run(1, fields={"kind": "a"}),
            run(2, state="error", outcomes={}),
            run(3, broken="packing", diagnosed=True),
            run(4, outcomes={"contradicted": 1}),
        ]
    )

    def names(**how):
        window = Window(since=0.0, until=9.0, segment=how.pop("segment", {}))
        with store.connected() as connection:
            return {row["run"] for row in listed(connection, window, **how).rows}

    assert names() == {"r1", "r2", "r3", "r4"}
    assert names(state="error") == {"r2"}
    assert names(stage="packing") == {"r3"}
    assert names(signal=SIGNALS["contradiction"]) == {"r4"}
    assert names(segment={"kind": "a"}) == {"r1"}
    assert names(words="nowhere") == set()


@pytest.mark.parametrize("words", ["FERRY", "40 min", "how LONG", "100%", "a_b"])
def test_words_are_found_in_question_and_answer(store, words):
    store.put(
        [
            (check("The ferry takes 40 minutes.", ["The ferry takes 40 minutes."], "How long? 100% a_b"), None),
            (check("Boats are red.", ["Boats are red."], "What colour? 1000 axb"), None),
        ]
    )
    with store.connected() as connection:
        (found,) = listed(connection, Window(since=0.0, until=1e12), words=words).rows
    assert found["question"] == "How long? 100% a_b"


def test_documents_by_how_often_they_were_retrieved(store):
    old, new = DocumentUse(name="a.md", passages=2, selected=1, updated=10.0, ingested=70.0), DocumentUse(name="b.md")
    store.put_observations([run(1, documents=(old, new)), run(3, documents=(old,), outcomes={"absent": 1})])
    with store.connected() as connection:
        first, second = sources(connection, ALL)
    assert (first["name"], first["runs"], first["passages"], first["selected"]) == ("a.md", 2, 4, 2)
    assert (first["updated"], first["ingested"], first["decided"], first["flawed"]) == (10.0, 70.0, 2, 2)
    assert (second["name"], second["updated"], second["runs"]) == ("b.md", None, 1)


def a_run(n, at, **changes):
    return Observation(**{"id": f"r{n}", "at": at, "state": "assessed", "outcomes": {"supported": 1}, **changes})


def test_counts_by_the_value_of_a_segment(store):
    store.put_observations(
        [
            a_run(1, 1.0, fields={"kind": "a", "tenant": "x"}),
            a_run(2, 2.0, fields={"kind": "b", "tenant": "x"}, outcomes={"absent": 1}),
            a_run(3, 3.0, fields={"kind": "b", "tenant": "y"}),
            a_run(4, 4.0),
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
            a_run(1, 1.0, release="v1", versions={"app": "v1", "index": "i1"}),
            a_run(2, 5.0, release="v2", versions={"app": "v2", "index": "i1"}),
            a_run(3, 6.0, release="v1", versions={"app": "v1", "index": "i2"}),
        ]
    )
    with store.connected() as connection:
        found = rollouts(connection, ("release", "index"), Window(since=2.0, until=9.0))
        none = rollouts(connection, ("release", "index"), Window(since=7.0, until=9.0))
    assert found == [VersionSeen(at=5.0, name="release", value="v2"), VersionSeen(at=6.0, name="index", value="i2")]
    assert none == []
