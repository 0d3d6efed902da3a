"""A decision as rows, Markdown and JUnit XML, and what its rules refuse."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.decision import COLUMNS, Policy, measure_rows, remarks, to_junit, to_markdown
from trail_callbacks.monitor.gate import decide

HOSTILE = ["a|b", "`code`", "@everyone", "<img src=x>", "[x](http://x)", "x\n\n# y", "\x1b[31m", "", "\u202e", "\\"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin": float("nan")}, "margin is nan, expected above 0.0 and below 1.0"),
        ({"minimum": 3}, "minimum is 3, expected 10 or more"),
        ({"max_undecided": 1.5}, "max_undecided is 1.5"),
        ({"on_undecided": "ignore"}, "on_undecided is 'ignore', expected 'pass' or 'fail'"),
        ({"critical": frozenset({"x"})}, "say of which one"),
    ],
)
def test_values_out_of_range_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        Policy(**given)


def test_a_row_for_each_measure_of_each_segment(release):
    arm = release(600, kind="a") + release(600, kind="b")
    decision = decide(arm, arm, Policy(segment="kind", critical=frozenset({"b"})))
    rows = list(measure_rows(decision.segments, str.upper))
    assert [row[0] for row in rows] == ["B (critical)"] * 2 + ["A"] * 2
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert rows[0][1:5] == ("unsupported claims", "2.0%", "2.0%", "+0.0")
    assert rows[0][-2:] == ("600", "passes")


def test_remarks_say_what_was_merged_paired_and_left_open(release, answer):
    other = [answer("x", key="q", fields={"kind": "a"})]
    arm = [*release(600, kind="a", keyed=True), *release(9, kind="b", keyed=True), *release(9, kind="c", keyed=True)]
    words = list(remarks(decide(arm, arm + other, Policy(segment="kind")), lambda name: f"<{name}>"))
    assert "judged by <judge>; paired by question" in words[0]
    assert "left out, because their question is in one release only: 0 and 1 runs" in words[0]
    assert "<rest>: 2 segments with fewer than 30 questions were merged: <b>, <c>" in words
    assert any("design effect" in each and "correlation of claims" in each for each in words)


def test_a_hostile_segment_changes_no_table(release):
    arm = [run for name in HOSTILE for run in release(40, kind=name)]
    text = to_markdown(decide(arm, arm, Policy(segment="kind")), "v1|x", "`v2`")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 2 * len(HOSTILE)
    assert {line.count("|") for line in rows} == {9}
    assert not set(text) & {"\x1b", "\u202e"}
    assert re.sub(r"`[^`]*`", "", text).count("<") == 4  # <details> and <summary>


def test_markdown_says_outcome_reasons_and_figures(release):
    text = to_markdown(decide(release(600), release(600, 2)), "v1", "v2")
    assert text.startswith("### Release gate: The candidate is worse than the baseline.\n\n`v2`, compared with `v1`.\n")
    assert "- `all`: the share of unsupported claims rose" in text


@pytest.mark.parametrize(("rule", "skipped", "failures"), [(None, "1", "1"), ("pass", "0", "1"), ("fail", "0", "2")])
def test_junit_has_a_case_for_each_segment(release, rule, skipped, failures):
    old = release(600, kind="a") + release(600, kind="b") + release(20, kind="<\x00&>")
    new = release(600, kind="a") + release(600, 2, kind="b") + release(20, kind="<\x00&>")
    suite = ET.fromstring(to_junit(decide(old, new, Policy(segment="kind")), rule))[0]  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", failures, skipped)
    cases = {case.get("name"): case for case in suite}
    assert set(cases) == {"a", "b", "<\\x00&>"}
    assert "rose by 8.0 points" in cases["b"].find("failure").get("message")
    assert "change +8.0" in cases["b"].find("system-out").text
