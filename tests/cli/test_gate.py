"""With a threshold, the exit status says whether a report may pass."""

import json

import pytest
from tower import FALSE, SOURCE, TRUE


@pytest.mark.parametrize(("answer", "limit", "status"), [(FALSE, 0.5, 1), (FALSE, 1.0, 0), (TRUE, 0.0, 0)])
def test_the_threshold_decides_the_exit_status(trail, answer, limit, status):
    found, _, err = trail("check", "--answer-text", answer, "--source-text", SOURCE, "--max-score", str(limit))
    assert found == status
    assert ("over --max-score" in err) == bool(status)


def test_no_evidence_fails_closed_where_a_threshold_is_asked_for(trail):
    given = ("check", "--answer-text", TRUE, "--source-text", "")
    assert trail(*given)[0] == 0
    status, out, err = trail(*given, "--max-score", "1.0")
    assert status == 1
    assert "no score" in out
    assert "no source reached the answer" in err


def test_an_answer_of_which_nothing_can_be_checked_fails_closed_likewise(trail):
    given = ("check", "--answer-text", "# The ferry takes 53 minutes to cross", "--source-text", SOURCE)
    assert trail(*given)[0] == 0
    status, _, err = trail(*given, "--max-score", "1.0")
    assert status == 1
    assert "nothing that the answer states could be checked" in err


@pytest.mark.parametrize("threshold", [(), ("--max-score", "1")])
def test_a_judge_that_fails_is_an_error_with_or_without_a_threshold(trail, threshold):
    status, out, err = trail(
        "check", "--answer-text", TRUE, "--source-text", SOURCE, "--judge", "openai/none", *threshold,
        "--base-url", "http://127.0.0.1:9/v1", "--json",
    )  # fmt: skip
    assert status == 2
    assert json.loads(out)["state"] == "error"
    assert "unreachable" in err
    assert "Traceback" not in err


def test_an_answer_that_declines_passes(trail):
    status, out, _ = trail(
        "check", "--answer-text", "I do not know.", "--source-text", SOURCE, "--max-score", "0", "--json"
    )
    assert status == 0
    assert json.loads(out)["state"] == "abstained"
