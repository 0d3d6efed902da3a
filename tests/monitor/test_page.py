"""The page about alerts says what the code does."""

import re
from pathlib import Path

import pytest

from trail_callbacks.monitor import SIGNALS
from trail_callbacks.monitor.objectives import parse

PAGE = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")


def test_the_example_is_taken():
    (text,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    found = parse(text)
    assert [each.name for each in found] == [
        "query_coverage",
        "evidence_overlap",
        "contradiction",
        "answers-by-tenant",
        "evaluator",
    ]
    assert found.lag == 600


@pytest.mark.parametrize("name", SIGNALS)
def test_each_signal_is_listed_with_its_stage_and_owner(name):
    each = parse(f'[[objective]]\nsignal = "{name}"\nobjective = 0.95\n').every[0]
    (row,) = re.findall(rf"^\| `{name}` \| ([^|]*) \| (\w+) \| (\w+) \|$", PAGE, re.MULTILINE)
    assert row[1:] == (each.stage, each.owner)
    if each.signal.threshold is not None:
        assert f"below {each.signal.threshold:g}" in row[0]
