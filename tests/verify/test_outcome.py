"""What a report says of a run of which texts are missing; the other states are tested with the pipeline."""

import pytest

from trail_callbacks import check
from trail_callbacks.verify.outcome import lacking

SOURCE = "The bridge opened in 1968 and was painted red."


def test_what_is_missing_makes_an_assessed_report_partial_and_comes_first():
    report = check("The bridge opened in 1968.", [SOURCE])
    assert report.state == "assessed"
    found = lacking(report, ["a", "b", "a"])
    assert (found.state, found.warnings) == ("partial", ("a", "b", *report.warnings))
    assert found.hallucination_score == 0.0


def test_a_whole_run_changes_nothing():
    report = check("The bridge opened in 1968.", [SOURCE])
    assert lacking(report, ()) is report


@pytest.mark.parametrize(
    ("answer", "sources", "state"),
    [("I do not know.", [SOURCE], "abstained"), ("Hello!", [SOURCE], "no_checkable_claims")],
)
def test_a_report_without_a_score_gets_none(answer, sources, state):
    report = lacking(check(answer, sources), ["a document"])
    assert (report.state, report.hallucination_score) == (state, None)
    assert "a document" in report.warnings
