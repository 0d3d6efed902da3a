"""Decisions for pull requests."""

from __future__ import annotations

import re

import pytest

from trail_callbacks.monitor import Policy, decide, to_markdown
from trail_callbacks.monitor.markdown import quoted

HOSTILE = ["a|b", "`code`", "@everyone", "<img src=x>", "[x](http://x)", "x\n\n# y", "\x1b[31m", "", "\u202e", "\\"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_one_code_span(name):
    assert re.fullmatch(r"`[^`\n\x1b\u202e|]+`", quoted(name))


def test_a_hostile_segment_changes_no_table(release):
    arm = [run for name in HOSTILE for run in release(40, kind=name)]
    text = to_markdown(decide(arm, arm, Policy(segment="kind")), "v1|x", "`v2`")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 2 * len(HOSTILE)
    assert {line.count("|") for line in rows} == {9}
    assert re.sub(r"`[^`]*`", "", text).count("<") == 4  # <details> and <summary>


def test_says_outcome_reasons_and_figures(release):
    text = to_markdown(decide(release(600), release(600, 2)), "v1", "v2")
    assert text.startswith("### Release gate: The candidate is worse than the baseline.\n\n`v2`, compared with `v1`.\n")
    assert "- `all`: the share of unsupported claims rose by 8.0 points" in text
    assert "| `all` | unsupported | 2.0% | 10.0% | +8.0 |" in text
