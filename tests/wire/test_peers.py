"""The benchmark beside other tools, over real HTTP: what it counts, keeps and prints."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from endpoint import error, fair

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "peers.py"
TRUE, FALSE = "The tower was finished in 1874.", "It is 60 metres high."
MODULES = {
    "trail": "instructor",
    "ragas": "ragas",
    "deepeval": "deepeval",
    "llama_index": "llama_index.llms.openai_like",
}


def asked_in_words(asked):
    """What the prompts of other tools want, from a reader who knows that only `FALSE` is made up."""
    prompt = asked.body["messages"][-1]["content"]
    wrong = FALSE in prompt
    if "Please tell if a given piece of information" in prompt:
        return "NO" if wrong else "YES"
    verdict = {"reason": "Read.", "verdict": 0 if wrong else 1, "statement": FALSE if wrong else TRUE}
    if "faithfulness of a series of statements" in prompt:
        return {"statements": [verdict]}
    said = {"statements": [verdict["statement"]], "truths": [TRUE], "claims": [verdict["statement"]], "reason": "Read."}
    return said | {"verdicts": [{"verdict": "no" if wrong else "yes", "reason": "Read."}]}


@pytest.fixture
def peers(tmp_path):
    """Runs the benchmark over two answers, one of them with a made-up sentence."""
    rows = [
        {"id": "good", "question": "When?", "sources": [TRUE], "answer": TRUE, "sentences": [{"text": TRUE, "ok": True}]},
        {"id": "bad", "question": "How?", "sources": [TRUE], "answer": f"{TRUE} {FALSE}",
         "sentences": [{"text": TRUE, "ok": True}, {"text": FALSE, "ok": False}]},
    ]  # fmt: skip
    (tmp_path / "natural_dev.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def run(*arguments, data=tmp_path):
        environment = {**os.environ, "TRAIL_DATA_DIR": str(data)}
        command = [sys.executable, str(BENCHMARK), *map(str, arguments)]
        done = subprocess.run(command, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in done.stdout.splitlines()
            if line.startswith("|")
        ], done.stderr

    return run


@pytest.mark.parametrize("tool", MODULES)
def test_a_wrong_answer_is_told_from_a_right_one(peers, endpoints, tool):
    pytest.importorskip(MODULES[tool])
    endpoint = endpoints(fair if tool == "trail" else asked_in_words)
    (_, _, (name, by, *figures), *rest), said = peers("--base-url", endpoint.url, "--sets", "natural", "--tools", tool)
    assert (name, by.split()[0], figures[0]) == ("natural", tool, "2"), said
    assert [cell.split()[0] for cell in figures[1:4]] == ["1/1", "0/1", "1.00"], said
    assert figures[4:6] == ["0", "0"], said
    assert float(figures[6]) == len(endpoint.asked) / 2
    assert all(float(cell.replace(",", "")) > 0 for cell in (figures[7], figures[9]))
    assert [[cell.split()[0] for cell in row[2:5]] for row in rest] == (
        [["3", "1/1", "0/2"]] if tool == "trail" else []
    )


def test_what_was_answered_is_not_asked_twice(peers, endpoints, tmp_path):
    saved = tmp_path / "results.jsonl"
    command = ("--sets", "natural", "--tools", "trail", "--save", saved)
    broken = endpoints(lambda asked: error(400, "no") if FALSE in asked.prompt else fair(asked))
    (_, _, (*_, failed, _, _, _, _), _), _ = peers("--base-url", broken.url, *command)
    assert failed == "1"
    mended = endpoints(fair)
    table, _ = peers("--base-url", mended.url, *command)
    assert mended.asked
    assert all(FALSE in asked.prompt for asked in mended.asked)
    assert table[2][7] == "0"
    assert peers("--load", saved)[0] == table


def test_without_data_it_skips(peers):
    assert peers("--base-url", "http://127.0.0.1:9/v1", data="") == ([], "skipped: name the data with TRAIL_DATA_DIR and the endpoint with --base-url\n")  # fmt: skip
