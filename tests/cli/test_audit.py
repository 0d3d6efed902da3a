"""`trail audit` as a user types it."""

import json

import pytest
from tower import FALSE, SOURCE, TRUE


def rows(*answers, **more):
    return "".join(
        json.dumps({"id": f"r{n}", "question": "When?", "answer": answer, "sources": [SOURCE], **more}) + "\n"
        for n, answer in enumerate(answers, 1)
    )


def test_what_is_printed_and_written(trail, file, tmp_path):
    path, out = file("in.jsonl", rows(TRUE, FALSE, FALSE, tenant="x\x1b[31m")), tmp_path / "out"
    status, printed, complaints = trail("audit", path, "--out", str(out), "--workers", "1", "--by", "tenant")
    assert (status, complaints) == (0, "")
    assert "3 answers, 2 with an unsupported claim" in printed
    assert "3 claims: 2 contradicted, 1 supported; 66.7% of those decided are" in printed
    assert "error types: 2 number" in printed
    assert "by tenant" in printed
    assert "\x1b" not in printed
    assert "1.00  1 of 1  r2  When?" in printed
    assert "1 answers are equal to one before them and were judged once" in printed
    assert sorted(each.name for each in out.glob("*.json*")) == [
        "answers.jsonl", "audit.json", "broken.jsonl", "claims.jsonl", "summary.json",
    ]  # fmt: skip


def test_rows_that_cannot_be_read_make_status_2_and_the_rest_is_audited(trail, file, tmp_path):
    path = file("in.jsonl", rows(TRUE) + "{\n" * 12 + '{"answer": "half')
    status, printed, complaints = trail("audit", path, "--out", str(tmp_path / "out"), "--workers", "1")
    assert status == 2
    assert "1 answers, 0 with an unsupported claim" in printed
    assert f"skipped: {path}, line 2: the JSON is broken or truncated" in complaints
    assert f"3 more were skipped, see {tmp_path / 'out' / 'broken.jsonl'}" in complaints


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--where", "tenant"], "--where is 'tenant', expected NAME=VALUE"),
        (["--column", "reply=text"], "columns has 'reply'"),
        (["--sample", "2"], "sample is 2.0"),
        (["--limit", "money=5"], "needs price_in and price_out"),
        (["--limit", "tokens=many"], "--limit is tokens='many'"),
        (["--limit", "cost=5"], "--limit cost is unknown"),
        (["--judge", "nonsense"], "judge is 'nonsense'"),
        (["--workers", "0"], "workers"),
        (["--engine", "spark"], "engine"),
        (["--ray", "cpus=2"], "without --engine ray"),
        (["--engine", "ray", "--ray", "cpus=0"], "cpus is 0.0, expected over 0"),
        (["--engine", "ray", "--ray", "seal=much"], "expected a number"),
    ],
)
def test_wrong_options(options, message, trail, file, tmp_path):
    status, printed, complaints = trail("audit", file("in.jsonl", rows(TRUE)), "--out", str(tmp_path / "out"), *options)
    assert (status, printed) == (2, "")
    assert message in complaints
    assert not (tmp_path / "out" / "audit.sqlite").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--workers", "2", "--judge", "openai/m"], "no --workers"),
        (["--limit", "requests_per_minute=5", "--judge", "openai/m"], "and no pace"),
        ([], "--engine batch needs a judge that asks a model"),
    ],
)
def test_batches_are_refused_where_they_make_no_sense(options, complaint, trail, file, tmp_path):
    out = tmp_path / "out"
    status, _, complaints = trail(
        "audit", file("in.jsonl", rows(TRUE)), "--out", str(out), "--engine", "batch", *options
    )
    assert status == 2
    assert complaint in complaints
    assert not out.exists()
