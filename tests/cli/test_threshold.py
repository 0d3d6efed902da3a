"""With a threshold, the exit status says whether a report may pass."""

import json

import pytest
from tower import FALSE, SOURCE, TRUE

from trail_callbacks import check


@pytest.mark.parametrize(("answer", "limit", "status"), [(FALSE, 0.5, 1), (FALSE, 1.0, 0), (TRUE, 0.0, 0)])
def test_the_threshold_decides_the_exit_status(trail, answer, limit, status):
    found, _, err = trail("check", "--answer", answer, "--source", SOURCE, "--max-score", str(limit))
    assert found == status
    assert ("over --max-score" in err) == bool(status)


def test_no_evidence_fails_closed_where_a_threshold_is_asked_for(trail):
    given = ("check", "--answer", TRUE, "--source", "")
    assert trail(*given)[0] == 0
    status, out, err = trail(*given, "--max-score", "1.0")
    assert status == 1
    assert "no score" in out
    assert "no source reached the answer" in err


def test_an_answer_of_which_nothing_can_be_checked_fails_closed_likewise(trail):
    given = ("check", "--answer", "```python\nprint(fares.total + 12)\n```", "--source", SOURCE)
    assert trail(*given)[0] == 0
    status, _, err = trail(*given, "--max-score", "1.0")
    assert status == 1
    assert "nothing that the answer states could be checked" in err


@pytest.mark.parametrize("threshold", [(), ("--max-score", "1")])
def test_a_judge_that_fails_is_an_error_with_or_without_a_threshold(trail, threshold):
    status, out, err = trail(
        "check", "--answer", TRUE, "--source", SOURCE, "--judge", "openai/none@http://127.0.0.1:9/v1", *threshold,
        "--json",
    )  # fmt: skip
    assert status == 2
    assert json.loads(out)["state"] == "error"
    assert "unreachable" in err
    assert "Traceback" not in err


SHED = "The boat in the harbour is old."
OLD, RED, BLUE, BLACK = (f"The boat is {word}." for word in ("old", "red", "blue", "black"))
FAIL = ("--on-undecided", "fail")


@pytest.fixture
def abstaining(monkeypatch, by_colour):
    monkeypatch.setattr("trail_callbacks.cli.check.judge_of", lambda _: by_colour)


@pytest.mark.usefixtures("abstaining")
@pytest.mark.parametrize(
    ("answer", "limit", "more", "status", "says"),
    [
        (f"{OLD} {BLUE}", "0", (), 0, ""),
        (
            f"{OLD} {BLUE}",
            "0",
            FAIL,
            1,
            "score (1 undecided claim counted as unsupported) 0.50 is over --max-score 0.00",
        ),
        (f"{OLD} {BLUE}", "0.5", FAIL, 0, ""),
        (f"{BLUE} {BLUE}", "1", (), 1, "nothing that the answer states could be checked"),
        (f"{BLUE} {BLUE}", "0", FAIL, 1, "2 undecided claims counted as unsupported) 1.00 is over"),
        (f"{OLD} {RED} {BLUE}", "0.4", (), 1, "score 0.50 is over"),
        (f"{OLD} {BLUE} {BLACK}", "1", (), 1, "some claims were not judged"),
        (f"{OLD} {BLUE} {BLACK}", "1", FAIL, 1, "some claims were not judged"),
    ],
)
def test_what_undecided_claims_do_to_the_threshold(trail, answer, limit, more, status, says):  # noqa: PLR0917 - pytest names them
    found, _, err = trail("check", "--answer", answer, "--source", SHED, "--max-score", limit, *more)
    assert (found, says in err) == (status, True)
    assert bool(err.strip()) == bool(status)


@pytest.mark.parametrize(
    ("before", "after", "more", "status"),
    [
        (f"{OLD} {BLUE}", f"{OLD} {BLUE}", (), 0),
        (f"{OLD} {BLUE}", f"{OLD} {BLUE}", FAIL, 0),
        (f"{OLD} {OLD}", f"{OLD} {BLUE}", (), 0),
        (f"{OLD} {OLD}", f"{OLD} {BLUE}", FAIL, 1),
        (f"{RED} {BLUE} {BLUE} {BLUE}", f"{RED} {BLUE} {BLUE} {BLUE}", (), 0),  # as bad as before, not worse
        (f"{OLD} {BLUE}", f"{RED} {BLUE}", (), 1),
        (OLD, BLUE, (), 1),
        (OLD, BLUE, FAIL, 1),
        (f"{RED} {BLACK}", f"{RED} {OLD}", (), 0),
        (OLD, f"{OLD} {BLUE} {BLACK}", (), 1),
    ],
)
def test_undecided_claims_are_no_change_for_the_worse(trail, tmp_path, by_colour, before, after, more, status):  # noqa: PLR0917 - pytest names them
    paths = []
    for name, answer in (("old", before), ("new", after)):
        paths.append(str(tmp_path / f"{name}.json"))
        (tmp_path / f"{name}.json").write_text(check(answer, [SHED], judge=by_colour).to_json(), encoding="utf-8")
    assert trail("gate", *paths, *more)[0] == status
