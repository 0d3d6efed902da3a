"""The command as a user types it: what it prints where, and how it exits."""

import json
import os
import subprocess
import sys

import pytest

from trail_callbacks import LocalJudge, Report, check

SOURCE = "The tower was finished in 1874. It is 31 metres high."
TRUE = "The tower was finished in 1874."
FALSE = "The tower was finished in 1847."


@pytest.fixture
def file(tmp_path):
    def make(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return make


def shell(*args, stdin=b"", **env):
    return subprocess.run(
        [sys.executable, "-m", "trail_callbacks.cli", *args],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **env},
        timeout=60,
    )


# ---------------------------------------------------------------- check


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


def test_several_sources_and_a_question(trail, file):
    status, out, _ = trail(
        "check", "--answer-text", f"{TRUE} It is 31 metres high.", "--question", "How high is it?", "--json",
        "--source", file("a.txt", "The tower was finished in 1874."), "--source-text", "The tower is 31 metres high.",
    )  # fmt: skip
    graph = json.loads(out)["graph"]
    assert status == 0
    assert [node["kind"] for node in graph["nodes"]] == ["question", "document", "document", "answer"]


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


def test_an_estimate_needs_no_key_and_no_model(trail):
    status, out, _ = trail(
        "estimate", "--answer-text", TRUE, "--source-text", SOURCE, "--judge", "openai/none", "--json"
    )
    assert status == 0
    assert json.loads(out)["calls"] == 2


def test_a_cache_folder_that_cannot_be_written_is_wrong_use(trail, file):
    status, out, err = trail(
        "check", "--answer-text", TRUE, "--source-text", SOURCE, "--judge", "openai/m", "--base-url",
        "http://127.0.0.1:9/v1", "--cache", file("taken", "x"),
    )  # fmt: skip
    assert (status, out) == (2, "")
    assert "the cache folder" in err
    assert "cannot be written" in err


def test_an_answer_that_declines_passes(trail):
    status, out, _ = trail(
        "check", "--answer-text", "I do not know.", "--source-text", SOURCE, "--max-score", "0", "--json"
    )
    assert status == 0
    assert json.loads(out)["state"] == "abstained"


def test_standard_input_is_read_once():
    done = shell("check", "--answer", "-", "--source-text", SOURCE, "--json", stdin=FALSE.encode())
    assert json.loads(done.stdout)["hallucination_score"] == 1.0
    twice = shell("check", "--answer", "-", "--source", "-")
    assert twice.returncode == 2
    assert b"only once" in twice.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"caf\xe9 au lait", "not UTF-8 (byte 3 is 0xe9)"),
        (b"\x89PNG\r\n\0\0", "binary"),
        (b"T\0h\0e\0", "binary"),
    ],
)
def test_a_file_that_is_no_text_is_named(trail, file, content, words):
    path = file("odd.bin", content)
    status, out, err = trail("check", "--answer-text", TRUE, "--source", path)
    assert (status, out) == (2, "")
    assert path in err
    assert words in err


def test_a_byte_order_mark_is_no_text(trail, file):
    _, out, _ = trail(
        "check", "--answer", file("a", b"\xef\xbb\xbf" + TRUE.encode()), "--source-text", SOURCE, "--json"
    )
    assert json.loads(out)["claims"][0]["quote"] == TRUE


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


def test_hostile_file_names_and_texts_cannot_steer_the_terminal(trail):
    _, out, err = trail("check", "--answer", "\x1b[2Jx", "--source-text", "x")
    assert "\x1b" not in out + err
    _, out, _ = trail(
        "check", "--answer-text", "It is 5 m\x1b[31m high [bold]\u202e.", "--source-text", "It is 6 m high."
    )
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[bold]" in out


def test_a_report_is_written_whole_and_shown_again(trail, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    status, printed, _ = trail("check", "--answer-text", FALSE, "--source-text", SOURCE, "-o", str(path))
    assert status == 0
    assert list(tmp_path.iterdir()) == [path]
    status, shown, _ = trail("show", str(path))
    assert (status, shown) == (0, printed)


# ---------------------------------------------------------------- show


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


# ---------------------------------------------------------------- estimate, doctor, demo


def test_estimate_counts_without_asking(trail):
    status, out, _ = trail("estimate", "--answer-text", TRUE, "--source-text", SOURCE, "--json")
    assert status == 0
    assert json.loads(out) == {"calls": 0, "claims": 1, "completion_tokens": 0, "more_calls": 0, "prompt_tokens": 0}
    status, out, _ = trail(
        "estimate", "--answer-text", TRUE, "--source-text", SOURCE, "--judge", "openai/m", "--base-url", "http://h/v1",
        "--json",
    )  # fmt: skip
    assert status == 0
    assert json.loads(out)["calls"] >= 1
    assert json.loads(out)["prompt_tokens"] > 100


def test_doctor_finds_the_planted_claim_everywhere(trail):
    pytest.importorskip("langchain_core")
    pytest.importorskip("llama_index.core")
    status, out, err = trail("doctor", "--json")
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert len(data["findings"]) == 3
    assert all(each["captured"] and each["judged"] and each["flagged"] for each in data["findings"])


def test_doctor_says_who_failed(trail):
    status, out, _ = trail("doctor", "--judge", "openai/none", "--base-url", "http://127.0.0.1:9/v1", "--json")
    findings = {each["subject"]: each for each in json.loads(out)["findings"]}
    assert status == 1
    assert findings.pop(f"judge {LocalJudge().name}")["flagged"]
    for each in findings.values():
        assert each["captured"]
        assert not each["judged"]
        assert each["trouble"]


@pytest.mark.parametrize("app", ["langchain", "langgraph", "llama-index"])
def test_demo_finds_and_places_every_planted_error(trail, app):
    pytest.importorskip(
        {"langchain": "langchain_core", "langgraph": "langgraph", "llama-index": "llama_index.core"}[app]
    )
    status, out, err = trail("demo", "--app", app, "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    (played,) = data["apps"]
    report = Report.from_json(json.dumps(played["report"]))
    assert data["model"] == "recorded"
    assert len(played["planted"]) >= 3
    assert played["planted_found"] == len(played["planted"])
    assert played["false_alarms"] == 0
    for claim in report.unsupported:
        origin = report.graph.node(report.verdict(claim.id).introduced_at)
        assert origin.kind in {"completion", "answer"}
        before = [node.text for node in report.graph.inputs(origin.id)]
        assert claim.quote in origin.text
        assert not any(claim.quote in text for text in before)


def test_demo_on_the_screen(trail):
    pytest.importorskip("langchain_core")
    status, out, _ = trail("demo", "--app", "langchain")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for words in ("recorded completions", "stage 0", "hallucination score", "entry step: summarise (m", "history.md"):
        assert words in " ".join(out.split())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--app", "cobol"), "--app is cobol"),
        (("--base-url", "http://127.0.0.1:9/v1"), "--base-url needs --model"),
    ],
)
def test_demo_refuses_what_it_does_not_know(trail, args, words):
    status, out, err = trail("demo", *args)
    assert (status, out) == (2, "")
    assert words in err


def test_a_model_that_cannot_be_reached_is_a_message(trail):
    pytest.importorskip("langchain_core")
    status, out, err = trail("demo", "--app", "langchain", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert (status, out) == (2, "")
    assert "did not answer" in err


# ---------------------------------------------------------------- streams


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_narrow_stream_gets_ascii_marks(encoding):
    done = shell(
        "check", "--answer-text", FALSE, "--source-text", SOURCE + " \u2603", PYTHONIOENCODING=encoding, PYTHONUTF8="0"
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    assert "X c1 contradicted" in text
    assert text.isascii()


def test_json_stays_json_on_a_narrow_stream():
    done = shell(
        "check",
        "--answer-text",
        "\u2603",
        "--source-text",
        "snow",
        "--json",
        PYTHONIOENCODING="ascii",
        PYTHONUTF8="0",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["graph"]["nodes"][-1]["text"] == "\u2603"


def test_a_closed_pipe_is_no_fault():
    command = f"{sys.executable} -m trail_callbacks.cli check --answer-text 'a b.' --source-text 'a b.' | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


def test_a_fault_of_ours_is_one_line(trail, monkeypatch):
    def broken(*args):
        raise KeyError("surprise")

    monkeypatch.setattr("trail_callbacks.cli.app.verify", broken)
    status, out, err = trail("check", "--answer-text", TRUE, "--source-text", SOURCE)
    assert (status, out) == (70, "")
    assert "internal error" in err
    assert err.count("\n") == 1
