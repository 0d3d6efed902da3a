"""`trail gate` as a user types it: of releases that were really judged, and of two reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tower import FALSE, SOURCE, TRUE

from trail_callbacks import check


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.fixture(scope="module")
def judged():
    """JSON of a report with a true answer and of one with a false one."""
    return {answer: json.loads(check(answer, [SOURCE], "When?").to_json()) for answer in (TRUE, FALSE)}


@pytest.fixture
def reports(judged, file):
    """Writes a file of reports, one question each."""

    def make(name, answers, prefix="question"):
        found = []
        for n, answer in enumerate(answers):
            text = json.dumps(judged[answer]).replace("When?", f"{prefix} {n}?")
            found.append(json.loads(text))
        return file(name, lines(found))

    return make


GOOD, WORSE, FEW = [TRUE] * 180, [TRUE, FALSE, FALSE] * 60, [TRUE] * 40
PASSES, IS_WORSE, TOO_FEW = "The candidate passes", "The candidate is worse", "There is not enough data"


@pytest.mark.parametrize(
    ("answers", "options", "expected"),
    [
        (GOOD, [], (0, PASSES)),
        (WORSE, [], (1, IS_WORSE)),
        (FEW, [], (3, TOO_FEW)),
        (FEW, ["--on-not-enough", "pass"], (0, TOO_FEW)),
        (FEW, ["--on-not-enough", "fail"], (1, TOO_FEW)),
        (WORSE, ["--margin", "0.99", "--rule", "contradiction=0.99"], (0, PASSES)),
    ],
)
def test_the_exit_status_is_the_decision(trail, reports, answers, options, expected):
    old, new = reports("old.jsonl", GOOD if len(answers) > 40 else FEW), reports("new.jsonl", answers)
    status, printed, complaints = trail("gate", old, new, *options)
    assert (status, complaints) == (expected[0], "")
    assert expected[1] in printed
    assert "paired by question" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_without_a_candidate_it_says_what_a_gate_could_show(trail, reports, tmp_path):
    old = reports("old.jsonl", GOOD)
    status, printed, _ = trail("gate", old)
    assert (status, max(map(len, printed.splitlines())) <= 80) == (0, True)
    assert "passes in 61% of cases at most" in " ".join(printed.split())
    assert json.loads(trail("gate", old, "--json")[1])["measures"][0]["questions"] == 180


def test_files_are_written_beside_what_is_printed(trail, reports, tmp_path):
    old, new = reports("old.jsonl", GOOD), reports("new.jsonl", WORSE)
    names = [str(tmp_path / name) for name in ("gate.md", "gate.xml", "gate.json")]
    status, printed, _ = trail("gate", old, new, "--json", *(each for name in names for each in ("-o", name)))
    data = json.loads(printed)
    assert status == 1
    assert (data["outcome"], data["baseline"], data["candidate"]) == ("worse", "old.jsonl", "new.jsonl")
    assert data["segments"][0]["measures"][0]["difference"] == pytest.approx(2 / 3)
    assert "`new.jsonl`, compared with `old.jsonl`" in (tmp_path / "gate.md").read_text()
    assert ET.parse(names[1]).getroot()[0].get("failures") == "1"  # noqa: S314 - our own
    assert json.loads((tmp_path / "gate.json").read_text()) == data
    beside = tmp_path / "usual"
    beside.touch()
    assert {Path(each).stat().st_mode for each in names} == {beside.stat().st_mode}, "no text of a run is in them"


def test_an_audit_has_segments(trail, file, tmp_path):
    rows = [
        {"id": f"r{n}", "question": f"{n}?", "answer": TRUE, "sources": [SOURCE], "kind": "x" if n % 2 else "dose"}
        for n in range(80)
    ]
    changed = [{**row, "answer": FALSE if row["kind"] == "dose" else TRUE} for row in rows]
    folders = []
    for name, found in (("old", rows), ("new", changed)):
        folders.append(str(tmp_path / name))
        assert trail("audit", file(f"{name}.jsonl", lines(found)), "--out", folders[-1], "--workers", "1")[0] == 0
    options = ["--segment", "kind", "--critical", "dose", "--json"]
    status, printed, _ = trail("gate", folders[0], folders[1], *options)
    data = json.loads(printed)
    assert status == 1
    assert [(each["name"], each["critical"], each["outcome"]) for each in data["segments"]] == [
        ("dose", True, "worse"), ("x", False, "not_enough_data"),
    ]  # fmt: skip
    assert data["paired"]


def test_an_audit_knows_whether_answers_cite(trail, file, tmp_path):
    folders = []
    for name, answer in (("old", TRUE.replace(".", " [1].")), ("new", TRUE)):
        rows = [{"id": f"r{n}", "question": f"{n}?", "answer": answer, "sources": [SOURCE]} for n in range(60)]
        folders.append(str(tmp_path / name))
        assert trail("audit", file(f"{name}.jsonl", lines(rows)), "--out", folders[-1], "--workers", "1")[0] == 0
    status, printed, _ = trail("gate", *folders)
    assert (status, "the share of runs without a citation rose by 100.0 points" in " ".join(printed.split())) == (
        1,
        True,
    )


def test_what_cannot_be_compared_is_status_2(trail, reports, file, judged, tmp_path):
    old = reports("old.jsonl", GOOD)
    other = file("other.jsonl", lines([{**judged[TRUE], "judge": "another/1"}] * 50))
    cases = {
        str(tmp_path / "none.jsonl"): "none.jsonl cannot be read: No such file",
        file("broken.jsonl", lines([judged[TRUE]]) + "{oops\n"): "broken.jsonl, line 2: the JSON is broken",
        file("rows.jsonl", '{"answer": "x", "sources": []}\n'): "rows.jsonl, line 1: not a report",
        other: "judged by one judge (baseline and candidate: 'local",
        old: "are the same runs",
    }
    for candidate, message in cases.items():
        status, printed, complaints = trail("gate", old, candidate)
        assert (status, printed) == (2, "")
        assert message in complaints, complaints


PAGE = (Path(__file__).parents[2] / "docs" / "releases.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["gate", "alerts triage"])
def test_the_page_shows_options_that_there_are(trail, command):
    shown = {option for line in re.findall(rf"trail {command} .*", PAGE) for option in re.findall(r"--[a-z-]+", line)}
    assert shown
    assert shown <= set(re.findall(r"--[a-z-]+", trail(*command.split(), "--help")[1]))


OLD, RED, BLUE, BLACK = (f"The boat is {word}." for word in ("old", "red", "blue", "black"))
FAIL = ("--on-undecided", "fail")


@pytest.fixture
def saved(tmp_path):
    """Writes a report; returns its path."""

    def save(name, report):
        (tmp_path / name).write_text(report.to_json(), encoding="utf-8")
        return str(tmp_path / name)

    return save


def test_a_change_of_two_reports_is_shown(trail, saved):
    paths = [saved(str(n), check(f"{each} It is 31 metres high.", [SOURCE])) for n, each in enumerate((TRUE, FALSE))]
    status, out, err = trail("gate", *paths, "--margin", "0.5")
    assert (status, err) == (0, "")
    assert out.startswith("hallucination score 0.00 -> 0.50: +0.50")
    assert "contradicted (number), was supported" in out
    data = json.loads(trail("gate", *paths, "--json")[1])
    assert (data["score"]["change"], data["changed"][0]["new"]["error_type"]) == (0.5, "number")


@pytest.mark.parametrize(
    ("before", "after", "options", "says"),
    [
        (f"{OLD} {OLD}", f"{OLD} {RED}", ("--margin", "0.5"), ""),
        (f"{OLD} {OLD}", f"{OLD} {RED}", ("--margin", "0.49"), "rose by 0.50 from 0.00, over --margin 0.49"),
        (f"{OLD} {RED}", OLD, (), ""),
        (OLD, "I do not know.", (), ""),  # it states nothing that could be wrong
        ("I do not know.", f"{OLD} {RED}", (), "rose by 0.50 from 0.00"),
        (f"{OLD} {BLUE}", f"{OLD} {BLUE}", FAIL, ""),
        (f"{OLD} {OLD}", f"{OLD} {BLUE}", (), ""),
        (f"{OLD} {OLD}", f"{OLD} {BLUE}", FAIL, "rose by 0.50"),
        (f"{RED} {BLUE} {BLUE}", f"{RED} {BLUE} {BLUE}", (), ""),  # as bad as before, not worse
        (f"{OLD} {BLUE}", f"{RED} {BLUE}", (), "rose by 1.00"),
        (OLD, BLUE, (), "nothing that the answer states could be checked"),
        (f"{RED} {BLACK}", f"{RED} {OLD}", (), ""),  # what was not judged counts for the old report
        (f"{RED} {BLACK}", f"{RED} {RED}", ("--margin", "0.4"), "rose by 0.50 from 0.50"),
        (OLD, f"{OLD} {BLACK}", ("--margin", "1"), "some claims were not judged"),
    ],
)
def test_a_report_that_is_worse_than_the_old_one_fails(trail, saved, by_colour, before, after, options, says):  # noqa: PLR0917 - pytest names them
    shed = ["The boat in the harbour is old."]
    paths = [saved(str(n), check(each, shed, judge=by_colour)) for n, each in enumerate((before, after))]
    status, out, err = trail("gate", *paths, *options)
    assert (status, bool(out), says in err, bool(err)) == (bool(says), True, True, bool(says))


def test_rounding_is_no_rise(trail, saved):
    def bad(n):
        years = [f"The tower number {i} was finished in 18{i + 10}." for i in range(10)]
        wrong = [text.replace("18", "17") if i < n else text for i, text in enumerate(years)]
        return check(" ".join(wrong), [" ".join(years)])

    old, new = bad(3), bad(4)
    assert new.hallucination_score - old.hallucination_score > 0.1
    assert trail("gate", saved("o", old), saved("n", new), "--margin", "0.1")[0] == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("missing.json", "missing.json"), "are the same runs"),
        (("missing.json", "other.json"), "missing.json cannot be read"),
        (("missing.json",), "missing.json cannot be read"),
        (("-", "-"), "only once"),
        (("a", "b", "--margin", "nan"), "--margin is nan"),
        (("a", "b", "--rule", "mood=1"), "--rule mood is unknown"),
    ],
)
def test_wrong_use_of_the_gate_exits_with_two_and_says_what(trail, args, words):
    status, out, err = trail("gate", *args)
    assert (status, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    "options", [("--segment", "tenant"), ("--critical", "acme"), ("--rule", "minimum=3"), ("-o", "gate.md")]
)
def test_what_is_only_of_releases_is_refused_of_two_reports(trail, saved, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    report = check("It is red.", ["It is red."])
    status, _, err = trail("gate", saved("o", report), saved("n", report), *options)
    assert status == 2
    assert "is for releases" in err
    assert not (tmp_path / "gate.md").exists()
