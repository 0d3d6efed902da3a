"""`trail export` as a user types it: each format, to a file and to standard output, and files that are no reports."""

import csv
import io
import os
import subprocess
import sys

import pytest

from trail_callbacks import check
from trail_callbacks.cli import main
from trail_callbacks.export import to_csv, to_mermaid, to_prov_json, to_test

SOURCE = "The tower was finished in 1874. Caf\u00e9 \u6e2f."
REPORT = check("The tower was finished in 1847.", [SOURCE], "\u0645\u0631\u062d\u0628\u0627?")
WRITERS = {"prov-json": to_prov_json, "mermaid": to_mermaid, "csv": to_csv, "test": to_test}


@pytest.fixture
def trail():
    def run(*args, **env):
        done = subprocess.run(
            [sys.executable, "-m", "trail_callbacks.cli", *args], capture_output=True, check=False, env={**os.environ, **env}, timeout=120
        )  # fmt: skip
        assert b"Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr.decode()

    return run


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "r.json"
    file.write_text(REPORT.to_json(), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("kind", ["csv"])
def test_each_format_is_printed_as_utf_8_whatever_the_terminal_speaks(trail, path, kind):
    status, out, err = trail("export", path, "--format", kind, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (status, err) == (0, "")
    assert out.decode().removesuffix("\n") == WRITERS[kind](REPORT).removesuffix("\n")


@pytest.mark.parametrize("kind", WRITERS)
def test_each_format_is_written_whole_and_nothing_is_printed(path, tmp_path, capsys, kind):
    out = tmp_path / "out"
    assert main(["export", path, "-f", kind, "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert out.read_bytes() == WRITERS[kind](REPORT).encode()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out", "r.json"]


def test_a_batch_names_its_reports_and_leaves_out_what_is_broken(path, tmp_path, capsys):
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    assert main(["export", path, str(broken), "missing.json", path, "-f", "csv"]) == 2
    out, err = capsys.readouterr()
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
        (("R", "-f", "csv", "-o", "no/such/folder/x"), "cannot be written"),
    ],
)
def test_wrong_use_exits_with_two_and_says_what(path, capsys, args, words):
    assert main(["export", *(path if arg == "R" else arg for arg in args)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
