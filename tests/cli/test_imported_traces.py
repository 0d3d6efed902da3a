"""What other tools recorded, on the command line: shown, verified, diagnosed; of a bad file one sentence."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "importing"))
import spans_by_hand as made

CONTENT = made.lines([made.otlp([each]) for each in made.run(answer="The bridge opened in 1986.")])


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "spans.jsonl"
    path.write_text(CONTENT, encoding="utf-8")
    return path


def test_a_file_of_spans_is_shown(trail, recorded):
    status, out, _ = trail("show", str(recorded))
    assert status == 0
    assert f"trace {made.TRACE}" in out
    assert "search retrieved 1 for: When did the bridge open?" in out
    status, out, _ = trail("show", str(recorded), "--json")
    assert json.loads(out)["answer"] == "The bridge opened in 1986."


def test_it_is_verified_and_diagnosed(trail, recorded):
    status, out, _ = trail("check", str(recorded), "--json")
    report = json.loads(out)
    assert (status, report["run_id"], report["hallucination_score"]) == (0, made.TRACE, 1.0)
    status, out, _ = trail("check", str(recorded), "--diagnose", "--json")
    assert (status, json.loads(out)["diagnosis"]["signature"]) == (0, "grounding_failure")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty: expected traces"),
        (b"\x00\x01\x02", "is a binary file, not text: expected traces as JSON"),
        (b'{"a": 1}', "looked for OpenTelemetry spans"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(trail, tmp_path, content, message):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    status, out, err = trail("check", str(path))
    assert (status, out) == (2, "")
    assert str(path) in err.replace("\n", "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err
