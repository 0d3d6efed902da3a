"""Decisions as rows and sentences."""

from __future__ import annotations

from trail_callbacks.monitor import Policy, decide
from trail_callbacks.monitor.markdown import COLUMNS, measure_rows, remarks


def test_a_row_for_each_measure_of_each_segment(release):
    arm = release(600, kind="a") + release(600, kind="b")
    decision = decide(arm, arm, Policy(segment="kind", critical=frozenset({"b"})))
    rows = list(measure_rows(decision.segments, str.upper))
    assert [row[:2] for row in rows] == [
        ("B (critical)", "unsupported"), ("B (critical)", "contradictions"),
        ("A", "unsupported"), ("A", "contradictions"),
    ]  # fmt: skip
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert rows[0][2:5] == ("2.0%", "2.0%", "+0.0")
    assert rows[0][-2:] == ("600", "passes")


def test_remarks_say_what_was_merged_paired_and_left_open(release, answer):
    other = [answer("x", key="q", fields={"kind": "a"})]
    arm = [*release(600, kind="a", keyed=True), *release(9, kind="b", keyed=True), *release(9, kind="c", keyed=True)]
    words = list(remarks(decide(arm, arm + other, Policy(segment="kind")), lambda name: f"<{name}>"))
    assert "judged by <judge>; paired by question" in words[0]
    assert "left out, because their question is in one release only: 0 and 1 runs" in words[0]
    assert "<rest>: 2 segments with fewer than 30 questions were merged: <b>, <c>" in words
    assert any("design effect" in each and "correlation of claims" in each for each in words)
    assert any("margin +2.0" in each and "margin +5.0" in each for each in words)
