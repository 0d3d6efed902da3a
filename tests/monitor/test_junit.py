"""Decisions as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from trail_callbacks.monitor import Policy, decide, to_junit


@pytest.fixture
def decision(release):
    old = release(600, kind="a") + release(600, kind="b") + release(20, kind="<\x00&>")
    new = release(600, kind="a") + release(600, 2, kind="b") + release(20, kind="<\x00&>")
    return decide(old, new, Policy(segment="kind"))


@pytest.mark.parametrize(("rule", "skipped", "failures"), [(None, "1", "1"), ("pass", "0", "1"), ("fail", "0", "2")])
def test_a_case_for_each_segment(decision, rule, skipped, failures):
    suite = ET.fromstring(to_junit(decision, rule))[0]  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", failures, skipped)
    cases = {case.get("name"): case for case in suite}
    assert set(cases) == {"a", "b", "<\\x00&>"}
    assert cases["a"].find("failure") is None
    assert "rose by 8.0 points" in cases["b"].find("failure").get("message")
    assert "change +8.0" in cases["b"].find("system-out").text
