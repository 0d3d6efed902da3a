"""`trail bench` as a user types it."""

import json
import sys
from pathlib import Path

import pytest

from trail_callbacks.bench import Bench

sys.path.insert(0, str(Path(__file__).parents[1] / "wire"))
from endpoint import Endpoint, fair

JUDGES = """
import os
from pathlib import Path
from trail_callbacks import LocalJudge

class Mortal(LocalJudge):
    def extract(self, answer, question):
        with open("read.txt", "a") as file:
            file.write(question + chr(10))
        n = len(Path("read.txt").read_text().splitlines())
        if n == int(os.environ.get("DIES", 0)):
            os._exit(9)
        if n == int(os.environ.get("STOPS", 0)):
            raise KeyboardInterrupt
        if n <= int(os.environ.get("FAILS", 0)):
            raise LookupError("no weights")
        return super().extract(answer, question)

mortal = Mortal()
"""
OWN = "own:mortals:mortal"


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Labelled answers in a file, in a folder that has a judge of the user, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mortals", raising=False)
    (tmp_path / "mortals.py").write_text(JUDGES)
    row = {"sources": ["A ticket costs 12 euros."], "answer": "A ticket costs 15 euros.", "wrong": ["15"]}
    lines = [json.dumps({**row, "id": f"a{n}", "question": f"What is fare {n}?"}) for n in range(6)]
    Path("rows.jsonl").write_text("\n".join(lines), "utf-8")
    return "rows.jsonl"


def test_judges_are_shown_side_by_side_and_the_file_can_be_shown_again(trail, rows):
    given = ("bench", "--judge", "local", "--judge", OWN, "--data", rows)
    status, out, err = trail(*given)
    assert (status, out.count("100%")) == (0, 4)  # of both: wrong found, and flags that are right
    assert "local: no calls of a model" in err
    assert [each.judge for each in Bench.load("bench.json").judges] == ["local", OWN]
    assert trail("bench", "show", "bench.json")[1] in out
    assert json.loads(trail(*given, "--json")[1])["written"] == "bench.json"
    assert len(Path("read.txt").read_text().splitlines()) == 6


def test_the_set_that_ships_is_read_by_default(trail, rows):
    status, out, _ = trail("bench", "--judge", "local", "-o", "shipped.json")
    assert status == 0
    assert out.startswith("shipped: ")


@pytest.mark.parametrize("end", ["DIES", "STOPS"])
def test_what_was_read_before_the_end_is_not_read_again(end, shell, rows):
    ended = shell("bench", "--judge", OWN, "--data", rows, **{end: "4"})
    assert ended.returncode == {"DIES": 9, "STOPS": 130}[end]
    assert not Path("bench.json").exists()
    if end == "STOPS":
        assert b"kept in bench.readings, and the same command goes on" in ended.stderr
    assert shell("bench", "--judge", OWN, "--data", rows).returncode == 0
    assert len(Bench.load("bench.json").judges[0].readings) == 6
    assert len(Path("read.txt").read_text().splitlines()) == 7  # the fourth twice


def test_a_judge_that_fails_on_a_third_is_named_and_the_others_go_on(trail, rows, monkeypatch):
    monkeypatch.setenv("FAILS", "2")
    status, out, err = trail("bench", "--judge", OWN, "--judge", "local", "--data", rows)
    assert status == 3
    assert f"failed on a third of the answers or more: {OWN}; the same command asks again" in err
    told = f"{OWN} failed on 2 of 6: do not trust its figures; the first time: LookupError: no weights"
    assert told in " ".join(out.split())
    assert "6/6" in out  # of the other
    assert trail("bench", "--judge", OWN, "--judge", "local", "--data", rows)[0] == 0


def test_what_cannot_be_used_is_named_and_the_rest_is_measured(trail, rows):
    with Path(rows).open("a") as file:
        file.write('\n{"id": "z", "sources": ["x"], "answer": "It is so.", "wrong": ["It is not"]}\n')
    status, out, err = trail("bench", "--judge", "local", "--data", rows)
    assert (status, "6/6" in out) == (2, True)
    assert "skipped: rows.jsonl, line 7 has the quote 'It is not', which is not in the answer" in err
    assert len(Bench.load("bench.json").left_out) == 1
    Path("none.jsonl").write_text('{"answer": "x", "sources": ["x"]}\n')
    status, _, err = trail("bench", "--judge", "local", "--data", "none.jsonl")
    assert (status, "no labelled answer is left: none.jsonl, line 1 has no labels" in err) == (2, True)
    assert trail("bench")[0] == 2


@pytest.mark.loopback
def test_the_cost_is_said_and_the_budget_kept(trail, rows):
    pytest.importorskip("instructor")
    server = Endpoint(fair)
    try:
        name = f"openai/m@{server.url}"
        given = ("bench", "--judge", name, "--data", rows)
        status, out, _ = trail(*given, "--dry-run", "--price", f"{name}=1000,1000", "--rounds", "2", "--json")
        cost = json.loads(out)[name]
        assert (status, cost["calls"], server.asked) == (0, 12, [])
        assert cost["money"] == pytest.approx((cost["prompt_tokens"] + cost["completion_tokens"]) / 1000)
        status, _, err = trail(*given, "--limit", "money=1")
        assert (status, "needs the prices of openai/m@" in err) == (2, True)
        status, _, err = trail(*given, "--limit", "money=0", "--price", f"{name}=1,1")
        assert (status, server.asked) == (1, [])
        assert f"the budget is used up: {name} did not read all; the same command with more goes on" in err
        status, _, err = trail(*given)
        assert (status, len(server.asked)) == (0, 6)
        assert f"trail: {name}: about 6 calls" in err
    finally:
        server.close()
