"""`trail bench show` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benches import bench, judged

from trail_callbacks.cli import main

FORTY = ["wr"] * 40


@pytest.fixture
def saved(tmp_path):
    def make(name, made):
        made.save(tmp_path / name)
        return str(tmp_path / name)

    return make


def test_a_row_a_judge_in_a_hundred_columns_with_what_differs_and_ties(saved, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    long = "openai/a-model-with-a-long-name@https://gateway.example.org/v1"
    path = saved("a.json", bench(FORTY, judged("local", ["us"] * 40), judged(long, ["cs"] * 40)))
    assert main(["bench", "show", path]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 100 for line in out.splitlines())
    assert "40 answers, 40 of 80 sentences wrong" in out
    assert "2 finds more wrong sentences than 1, by 100 points (95 % interval 88 to 100" in out
    assert "not told apart in right sentences flagged: 1, 2 (40 answers have such a sentence; about" in out
    assert "40/80" in out  # half of the sentences are not decided by local
    assert " 0/40" in out  # and its denominator is all wrong sentences


def test_no_number_is_cut_off_in_eighty_columns(saved, capsys):
    main(["bench", "show", saved("a.json", bench(["wr"] * 600, judged("local", *[["cc"] * 600] * 2)))])
    assert "\u2026" not in (out := capsys.readouterr().out)
    assert "1200/2400" in out


def test_how_far_a_judge_agrees_with_itself_is_said_of_those_that_were_asked_again(saved, capsys):
    path = saved("a.json", bench(FORTY, judged("a", ["cs"] * 40), judged("b", ["cs"] * 40, ["cc"] * 40)))
    main(["bench", "show", path])
    out = capsys.readouterr().out
    assert "2 flags the same in two rounds: 50 % (40 of 80, 95 % interval" in out
    assert "1 flags the same" not in out


def test_files_of_the_same_data_are_compared_and_others_are_not(saved, capsys):
    old = saved("old.json", bench(FORTY, judged("local", ["ss"] * 40)))
    new = saved("new.json", bench(FORTY, judged("local", ["cs"] * 40)))
    other = saved("other.json", bench(FORTY, judged("local", ["cs"] * 40), digest="other"))
    assert main(["bench", "show", old, new, other, "--json"]) == 0
    same, apart = json.loads(capsys.readouterr().out)["data"]
    assert [each["judge"] for each in same["judges"]] == [f"local ({old})", f"local ({new})"]
    assert [(each["measure"], each["verdict"]) for each in same["comparisons"]] == [
        ("wrong_found", "differ"), ("right_flagged", "tie"),
    ]  # fmt: skip
    assert (apart["comparisons"], apart["judges"][0]["shares"]["wrong_found"]["k"]) == ([], 40)
    main(["bench", "show", old, other])
    assert "judges are compared within each table only" in " ".join(capsys.readouterr().out.split())


def test_a_file_of_another_version_or_kind_exits_with_two(saved, file, capsys):
    good = saved("a.json", bench(["w"], judged("a", ["c"])))
    later = file("later.json", '{"format": "trail-bench", "version": 2}')
    assert main(["bench", "show", good, later]) == 2
    assert "is a bench of version 2" in capsys.readouterr().err
    assert main(["bench", "show", file("no.json", "{}")]) == 2


def test_a_file_that_was_edited_is_not_taken_for_what_a_bench_wrote(saved, file, capsys):
    good = saved("a.json", bench(["r", "r"], judged("a", ["s", "s"], ["s", "s"]), judged("b", ["s", "s"])))
    for old, new, told in (
        ('"a1"', '"a0"', "two answers"),
        ('"judge": "b"', '"judge": "a"', "two judges"),
        ('"round": 2', '"round": 1', "reads the answer 'a0' twice in round 1"),
        ('"supported"', '"fine"', "a says fine of the answer 'a0', which has 1 labels"),
        ('"seconds": 1.0', '"seconds": 1e999', "judges.0.readings.0.usage.seconds: Input should be a finite number"),
    ):
        assert main(["bench", "show", file("b.json", Path(good).read_text().replace(old, new))]) == 2
        said = capsys.readouterr().err
        assert "b.json is a damaged bench: " in said
        assert told in said


def test_the_picture_is_drawn_into_a_file(saved, tmp_path):
    path = saved("a.json", bench(FORTY, judged("local", ["cs"] * 40)))
    assert main(["bench", "show", path, "--picture", str(tmp_path / "a.svg")]) == 0
    assert (tmp_path / "a.svg").read_text().startswith("<svg ")
