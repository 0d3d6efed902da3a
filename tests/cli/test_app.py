"""The command as a user types it: what it prints where, and how it exits."""

import json

import pytest
from tower import FALSE, SOURCE, TRUE

from trail_callbacks import Report, check


def test_check_reads_files_and_names_them(trail, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file("a.txt", FALSE)
    file("notes.txt", SOURCE)
    status, out, err = trail("check", "--answer", "a.txt", "--source", "notes.txt")
    assert status == 0
    assert "contradicted (number)" in out
    assert "notes.txt" in out
    assert err == ""


def test_check_prints_one_json_object(trail):
    status, out, err = trail("check", "--answer-text", FALSE, "--source-text", SOURCE, "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert data["hallucination_score"] == 1.0
    assert Report.from_json(out).class_counts == check(FALSE, [SOURCE]).class_counts


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give the answer once"),
        (("--answer-text", "a", "--answer", "b"), "give the answer once"),
        (("--answer-text", "a"), "at least one source"),
        (("--answer", "missing.txt", "--source-text", "x"), "missing.txt does not exist"),
        (("--answer", ".", "--source-text", "x"), ". is a folder"),
        (("--answer", "a\0b", "--source-text", "x"), "cannot be read"),
        (("--answer-text", "a", "--source-text", "b", "--max-score", "1.5"), "--max-score is 1.5"),
        (("--answer-text", "a", "--source-text", "b", "--max-score", "nan"), "--max-score is nan"),
        (("--answer-text", "a", "--source-text", "b", "--max-score", "high"), "--max-score"),
        (("--answer-text", "a", "--source-text", "b", "--judge", "magic"), "magic"),
        (("--answer-text", "a", "--source-text", "b", "--base-url", "http://127.0.0.1"), "base_url"),
        (("--answer-text", "a", "--source-text", "b", "-o", "no/such/folder/r.json"), "cannot be written"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_wrong_use_exits_with_two_and_says_what(trail, args, words):
    status, _, err = trail("check", *args)
    assert status == 2
    assert words in err


def test_a_report_is_written_whole_and_shown_again(trail, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    status, printed, _ = trail("check", "--answer-text", FALSE, "--source-text", SOURCE, "-o", str(path))
    assert status == 0
    assert list(tmp_path.iterdir()) == [path]
    status, shown, _ = trail("show", str(path))
    assert (status, shown) == (0, printed)


def test_show_graph_width_and_json(trail, file):
    report = check(FALSE, [SOURCE])
    path = file("r.json", report.to_json())
    _, out, _ = trail("show", path, "--graph", "--width", "50")
    assert "stage 0" in out
    assert max(map(len, out.splitlines())) <= 50
    _, out, _ = trail("show", path, "--json")
    assert Report.from_json(out) == report


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"version": 99}', '{"version": 1', "nothing"])
def test_show_refuses_what_is_no_report(trail, file, content):
    path = file("r.json", content)
    status, out, err = trail("show", path)
    assert (status, out) == (2, "")
    assert path in err


def test_estimate_counts_without_asking(trail):
    status, out, _ = trail("estimate", "--answer-text", TRUE, "--source-text", SOURCE, "--json")
    assert status == 0
    assert json.loads(out) == {"calls": 0, "claims": 1, "completion_tokens": 0, "more_calls": 0, "prompt_tokens": 0}
    status, out, _ = trail(
        "estimate", "--answer-text", TRUE, "--source-text", SOURCE, "--judge", "openai/m", "--json"
    )  # fmt: skip
    assert status == 0
    assert json.loads(out)["calls"] >= 1
    assert json.loads(out)["prompt_tokens"] > 100


def test_a_fault_of_ours_is_one_line(trail, monkeypatch):
    def broken(*args):
        raise KeyError("surprise")

    monkeypatch.setattr("trail_callbacks.cli.check.pipeline.verify", broken)
    status, out, err = trail("check", "--answer-text", TRUE, "--source-text", SOURCE)
    assert (status, out) == (70, "")
    assert "internal error" in err
    assert err.count("\n") == 1
