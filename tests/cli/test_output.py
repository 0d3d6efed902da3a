"""What the commands print and write: one JSON object, text or a page, whole or not at all."""

import csv
import io
import json
import os
import stat
import subprocess
import sys

import pytest
from tower import FALSE, SOURCE

from trail_callbacks import check
from trail_callbacks.cli import output
from trail_callbacks.export import to_csv, to_mermaid, to_prov_json, to_test

REPORT = check("The tower was finished in 1847.", ["The tower was finished in 1874. Caf\u00e9 \u6e2f."])
WRITERS = {"prov-json": to_prov_json, "mermaid": to_mermaid, "csv": to_csv, "test": to_test}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(REPORT.to_json(), encoding="utf-8")
    return path


def test_the_page_is_written(trail, saved, tmp_path):
    page = tmp_path / "out.html"
    status, out, err = trail("show", str(saved), "--html", str(page))
    assert (status, err) == (0, "")
    assert "written to" in out
    assert page.read_text("utf-8") == REPORT.to_html()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.html", "r.json"]


@pytest.mark.parametrize("there", [True, False])
def test_the_browser_opens_what_was_written(trail, saved, tmp_path, monkeypatch, there):
    asked = []
    monkeypatch.setattr(output.webbrowser, "open", lambda url: asked.append(url) or there)
    page = tmp_path / "a page.html"
    status, _, err = trail("show", str(saved), "--html", str(page), "--open")
    assert status == 0
    assert asked == [page.as_uri()]
    assert ("could not start a browser" in err) != there


def test_of_a_newer_report_what_there_is_is_shown(trail, saved, tmp_path):
    stored = json.loads(saved.read_text("utf-8"))
    stored |= {"version": 2, "mood": "grim"}
    stored["verdicts"][0]["support"] = "dubious"
    saved.write_text(json.dumps(stored), encoding="utf-8")
    page = tmp_path / "out.html"
    status, out, _ = trail("show", str(saved), "--html", str(page))
    assert status == 0
    html = page.read_text("utf-8")
    assert "written by a newer release (version 2" in html
    assert "mood" in html
    assert "1847" in html
    status, out, _ = trail("show", str(saved))
    assert "newer release" in out


def test_hostile_file_names_and_texts_cannot_steer_the_terminal(trail):
    _, out, err = trail("check", "--answer", "\x1b[2Jx", "--source", "x")
    assert "\x1b" not in out + err
    _, out, _ = trail("check", "--answer", "It is 5 m\x1b[31m high [bold]\u202e.", "--source", "It is 6 m high.")
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[bold]" in out


def test_a_narrow_stream_gets_ascii_marks_and_json_and_exports_as_they_are(shell, saved):
    narrow = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    given = ("check", "--answer", FALSE, "--source", f"{SOURCE} \u2603")
    text = shell(*given, **narrow).stdout.decode("ascii")
    assert "X c1 contradicted" in text
    done = json.loads(shell(*given, "--json", **narrow).stdout)
    assert done["graph"]["nodes"][0]["text"].endswith("\u2603")
    assert shell("export", str(saved), "-f", "csv", **narrow).stdout.decode() == to_csv(REPORT)


@pytest.mark.parametrize("kind", WRITERS)
def test_each_format_is_written_whole_and_nothing_is_printed(trail, saved, tmp_path, kind):
    out = tmp_path / "out"
    assert trail("export", str(saved), "-f", kind, "-o", str(out)) == (0, "", "")
    assert out.read_bytes() == WRITERS[kind](REPORT).encode()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out", "r.json"]


def test_a_batch_names_its_reports_and_leaves_out_what_is_broken(trail, saved, file):
    path, broken = str(saved), file("broken.json", "{}")
    status, out, err = trail("export", path, broken, "missing.json", path, "-f", "csv")
    assert status == 2
    assert [row["report"] for row in csv.DictReader(io.StringIO(out, newline=""))] == [path, path]
    assert f"skipped: {broken}: not a report" in err
    assert "skipped: missing.json does not exist" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("R", "R", "-f", "mermaid"), "takes one report"),
        (("-", "-", "-f", "csv"), "only once"),
        (("R", "-f", "pdf"), "pdf"),
        (("R",), "--format"),
        (("missing.json", "-f", "csv"), "missing.json does not exist"),
    ],
)
def test_a_wrong_export_exits_with_two_and_says_what(trail, saved, args, words):
    status, out, err = trail("export", *(str(saved) if arg == "R" else arg for arg in args))
    assert (status, out) == (2, "")
    assert words in err


def test_a_closed_pipe_is_no_fault():
    command = f"{sys.executable} -m trail_callbacks.cli check --answer 'a b.' --source 'a b.' | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


OTHERS = {
    "dangling link": lambda path: path.symlink_to("nothing"),
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
}


@pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("command", [["show", "{}", "--html"], ["export", "{}", "-f", "csv", "-o"]])
def test_only_a_file_is_replaced(trail, saved, tmp_path, make, command):
    there = tmp_path / "out"
    make(there)
    before = there.lstat()
    status, _, err = trail(*(part.format(saved) for part in command), str(there))
    assert status == 2
    assert f"{there} cannot be written: it is" in err
    after = there.lstat()
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)
    assert not (tmp_path / "nothing").exists()
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".out")]


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--answer", "missing", "--source", "missing", "-o"],
        ["check", "missing", "-o"],
        ["gate", "missing", "missing", "-o"],
        ["demo", "missing", "--html"],
        ["canary", "perturb", "missing", "-o"],
        ["canary", "probes", "missing", "-o"],
        ["canary", "report", "missing", "--html"],
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_written_is_refused_before_any_work(trail, tmp_path, command):
    out = tmp_path / "none" / "out"
    status, printed, err = trail(*command, str(out))
    assert (status, printed) == (2, "")
    assert f"{out} cannot be written: No such file or directory" in err
    assert "missing" not in err


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_what_is_new_is_private_and_what_was_there_keeps_its_permissions(trail, saved, tmp_path):
    fresh, there = tmp_path / "new.csv", tmp_path / "there.csv"
    there.touch()
    there.chmod(0o640)
    for path in (fresh, there):
        assert trail("export", str(saved), "-f", "csv", "-o", str(path))[0] == 0
    assert (stat.S_IMODE(fresh.stat().st_mode), stat.S_IMODE(there.stat().st_mode)) == (0o600, 0o640)
