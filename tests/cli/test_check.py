"""`trail check`, `estimate` and `show` as a user types them: what they print where, and how they exit."""

import json

import pytest
from tower import FALSE, SOURCE, TRUE

from trail_callbacks import Report, check

GIVEN = ("--answer", TRUE, "--source", SOURCE)


def test_check_reads_files_and_names_them(trail, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file("a.txt", b"\xef\xbb\xbf" + FALSE.encode())  # a byte order mark is no text
    file("my notes.txt", SOURCE)
    status, out, err = trail("check", "--answer", "a.txt", "--source", "my notes.txt")
    assert (status, err) == (0, "")
    assert f'contradicted (number)\n  "{FALSE}"' in out
    assert "my notes.txt" in out


def test_check_takes_texts_and_prints_one_json_object(trail):
    status, out, err = trail("check", "--answer", FALSE, "--source", SOURCE, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["hallucination_score"] == 1.0
    assert Report.from_json(out).class_counts == check(FALSE, [SOURCE]).class_counts


def test_standard_input_is_read_once(shell):
    done = shell("check", "--answer", "-", "--source", SOURCE, "--json", stdin=FALSE.encode())
    assert json.loads(done.stdout)["hallucination_score"] == 1.0
    twice = shell("check", "--answer", "-", "--source", "-")
    assert twice.returncode == 2
    assert b"only once" in twice.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give the answer"),
        (("--answer", TRUE), "at least one source"),
        (("--answer", "missing.txt", "--source", SOURCE), "missing.txt does not exist"),
        (("--answer", "my missing.txt", "--source", SOURCE), "my missing.txt does not exist"),
        (("--answer", ".", "--source", SOURCE), ". is a folder"),
        ((*GIVEN, "--max-score", "1.5"), "--max-score is 1.5"),
        ((*GIVEN, "--max-score", "nan"), "--max-score is nan"),
        ((*GIVEN, "--max-score", "high"), "--max-score"),
        ((*GIVEN, "--judge", "magic"), "magic"),
        ((*GIVEN, "--judge", "local@http://127.0.0.1"), "base_url"),
        ((*GIVEN, "-o", "no/such/folder/r.json"), "cannot be written"),
        ((*GIVEN, "--diagnose"), "give TRACES"),
    ],
)
def test_wrong_use_exits_with_two_and_says_what(trail, args, words):
    status, _, err = trail("check", *args)
    assert status == 2
    assert words in err


@pytest.mark.parametrize(("content", "words"), [(b"caf\xe9", "not UTF-8 (byte 3 is 0xe9)"), (b"T\0h\0", "binary")])
def test_a_file_that_is_no_text_is_named(trail, file, content, words):
    path = file("odd.bin", content)
    status, out, err = trail("check", "--answer", TRUE, "--source", path)
    assert (status, out) == (2, "")
    assert path in err
    assert words in err


def test_a_report_is_written_whole_and_shown_again(trail, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    status, printed, _ = trail("check", "--answer", FALSE, "--source", SOURCE, "-o", str(path))
    assert status == 0
    assert list(tmp_path.iterdir()) == [path]
    assert trail("show", str(path))[:2] == (0, printed)
    assert "stage 0" in trail("show", str(path), "--graph")[1]
    assert Report.from_json(trail("show", str(path), "--json")[1]) == Report.from_json(path.read_text())


@pytest.mark.parametrize("content", ["", "[1]", '{"version": 99}', '{"version": 1'])
def test_show_refuses_what_is_no_report(trail, file, content):
    path = file("r.json", content)
    status, out, err = trail("show", path)
    assert (status, out) == (2, "")
    assert path in err


def test_estimate_counts_without_asking(trail):
    status, out, _ = trail("estimate", *GIVEN, "--json")
    assert status == 0
    assert json.loads(out) == {"calls": 0, "claims": 1, "completion_tokens": 0, "more_calls": 0, "prompt_tokens": 0}
    status, out, _ = trail("estimate", *GIVEN, "--judge", "openai/m@http://127.0.0.1:9/v1", "--json")
    assert status == 0
    assert json.loads(out)["calls"] >= 1
    assert json.loads(out)["prompt_tokens"] > 100


def test_a_fault_of_ours_is_one_line(trail, monkeypatch):
    def broken(*args):
        raise KeyError("surprise")

    monkeypatch.setattr("trail_callbacks.cli.check.pipeline.verify", broken)
    status, out, err = trail("check", *GIVEN)
    assert (status, out) == (70, "")
    assert "internal error" in err
    assert err.count("\n") == 1


OLD, RED, BLUE, BLACK = (f"The boat is {word}." for word in ("old", "red", "blue", "black"))
FAIL = ("--on-undecided", "fail")


@pytest.mark.parametrize(
    ("answer", "source", "options", "status", "says"),
    [
        (FALSE, SOURCE, ("0.5",), 1, "score 1.00 is over --max-score 0.50"),
        (FALSE, SOURCE, ("1",), 0, ""),
        (TRUE, SOURCE, ("0",), 0, ""),
        (TRUE, "", ("1",), 1, "no source reached the answer"),
        (
            "```python\nprint(fares.total + 12)\n```",
            SOURCE,
            ("1",),
            1,
            "nothing that the answer states could be checked",
        ),
        (f"{OLD} {BLUE}", None, ("0",), 0, ""),
        (f"{OLD} {BLUE}", None, ("0", *FAIL), 1, "(1 undecided claim counted as unsupported) 0.50 is over"),
        (f"{OLD} {BLUE}", None, ("0.5", *FAIL), 0, ""),
        (f"{BLUE} {BLUE}", None, ("1",), 1, "nothing that the answer states could be checked"),
        (f"{OLD} {RED} {BLUE}", None, ("0.4",), 1, "score 0.50 is over"),
        (f"{OLD} {BLUE} {BLACK}", None, ("1", *FAIL), 1, "some claims were not judged"),
    ],
)
def test_the_threshold_decides_the_exit_status(  # noqa: PLR0917 - pytest names them
    trail, monkeypatch, by_colour, answer, source, options, status, says
):
    given = ("check", "--answer", answer, "--source", "The boat in the harbour is old." if source is None else source)
    if source is None:
        monkeypatch.setattr("trail_callbacks.cli.check.judge_of", lambda _: by_colour)
    found, _, err = trail(*given, "--max-score", *options)
    assert (found, says in err, bool(err.strip())) == (status, True, bool(status))
    assert trail(*given)[0] == 0


@pytest.mark.parametrize("threshold", [(), ("--max-score", "1")])
def test_a_judge_that_fails_is_an_error_with_or_without_a_threshold(trail, threshold):
    status, out, err = trail("check", *GIVEN, "--judge", "openai/none@http://127.0.0.1:9/v1", *threshold, "--json")
    assert (status, json.loads(out)["state"]) == (2, "error")
    assert "unreachable" in err
