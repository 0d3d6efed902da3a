"""A run is bad, good, or neither, because nobody knows; and counts over runs."""

from dataclasses import replace

import pytest

from trail_callbacks.monitor import SIGNALS, Observation, Tally
from trail_callbacks.report.diagnosis import Figure

RUN = Observation(id="r1", at=0.0, state="assessed", claims=2, outcomes={"supported": 2})


@pytest.mark.parametrize(
    ("name", "change", "bad"),
    [
        ("contradiction", {}, False),
        ("contradiction", {"outcomes": {"supported": 1, "contradicted": 1}}, True),
        ("contradiction", {"state": "error", "outcomes": {}}, None),
        ("unsupported", {"outcomes": {"supported": 1, "absent": 1}}, True),
        ("unsupported", {"state": "partial", "outcomes": {"supported": 1, "undecided": 1}}, False),
        ("abstention", {"state": "abstained"}, True),
        ("abstention", {"state": "unverified"}, None),
        ("undecided", {"state": "error"}, True),
        ("undecided", {"state": "partial", "outcomes": {"not_judged": 2}}, True),
        ("undecided", {"state": "partial", "outcomes": {"supported": 1, "undecided": 1}}, False),
        ("query_coverage", {}, None),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.79, n=4)}}, True),
        ("evidence_overlap", {"figures": {"selection": Figure(value=0.5, n=4)}}, True),
        (
            "evidence_overlap",
            {"figures": {"selection": Figure(value=0.5, n=4), "evidence_overlap": Figure(value=1.0, n=3)}},
            False,
        ),
    ],
)
def test_a_run_is_bad_good_or_unknown(name, change, bad):
    assert SIGNALS[name].bad(replace(RUN, **change)) is bad


BAD = {"supported": 1, "contradicted": 1}


def run(n, at, *, outcomes=None, state="assessed", rate=1.0):
    return Observation(id=f"r{n}", at=at, state=state, outcomes=outcomes or {"supported": 1}, rate=rate)


RUNS = [
    run(1, 10.0),
    run(2, 20.0, outcomes=BAD),
    run(3, 30.0, outcomes=BAD, rate=0.1),
    run(4, 40.0, state="error", outcomes={"not_judged": 1}),
]


def test_what_nobody_knows_counts_neither_way():
    found = Tally.of(RUNS[3:], SIGNALS["contradiction"])
    assert (found.runs, found.decided, found.share, found.effective) == (1, 0, None, 0.0)


def test_a_run_stands_for_those_that_were_not_judged():
    found = Tally.of(RUNS, SIGNALS["contradiction"])
    assert (found.runs, found.decided, found.bad) == (4, 3, 2)
    assert found.share == pytest.approx(11 / 12)
    assert found.effective == pytest.approx(12**2 / 102)
