"""Signals: a run is bad, good, or neither, because nobody knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trail_callbacks.monitor import SIGNALS, Observation
from trail_callbacks.report.diagnosis import Figure

RUN = Observation(id="r1", at=0.0, state="assessed", claims=2, outcomes={"supported": 2})


@pytest.mark.parametrize(
    ("name", "change", "bad"),
    [
        ("contradiction", {}, False),
        ("contradiction", {"outcomes": {"supported": 1, "contradicted": 1}}, True),
        ("contradiction", {"outcomes": {"supported": 1, "absent": 1}}, False),
        ("contradiction", {"state": "error", "outcomes": {}}, None),
        ("contradiction", {"state": "abstained", "outcomes": {}, "claims": 0}, None),
        ("unsupported", {"outcomes": {"supported": 1, "absent": 1}}, True),
        ("unsupported", {"state": "partial", "outcomes": {"supported": 1, "undecided": 1}}, False),
        ("abstention", {}, False),
        ("abstention", {"state": "abstained"}, True),
        ("abstention", {"state": "unverified"}, None),
        ("undecided", {}, False),
        ("undecided", {"state": "error"}, True),
        ("undecided", {"state": "unverified"}, True),
        ("undecided", {"state": "partial", "outcomes": {"not_judged": 2}}, True),
        ("undecided", {"state": "partial", "outcomes": {"supported": 1, "undecided": 1}}, False),
        ("query_coverage", {}, None),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.79, n=4)}}, True),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.8, n=4)}}, False),
        ("evidence_overlap", {"figures": {"selection": Figure(value=0.5, n=4)}}, True),
        (
            "evidence_overlap",
            {"figures": {"selection": Figure(value=0.5, n=4), "evidence_overlap": Figure(value=1.0, n=3)}},
            False,
        ),
        ("citation_coverage", {"figures": {"citation_recall": Figure(value=0.2, n=5)}}, True),
    ],
)
def test_a_run_is_bad_good_or_unknown(name, change, bad):
    assert SIGNALS[name].bad(replace(RUN, **change)) is bad
