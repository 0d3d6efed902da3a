"""The cookbook's recipes run as a reader runs them, without a network, and print what they promise."""

import os
import re
import runpy
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from trail_callbacks import Claim, ErrorType, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.judges.judge import Judge

ROOT = Path(__file__).parents[2]
COOKBOOK = ROOT / "cookbook"
RECIPES = sorted(path.name for path in COOKBOOK.glob("*.py"))

# A recipe that looked for a host would fail here, and not only where there is no network.
OFFLINE = """
import runpy, socket, sys
def refuse(*args, **kwargs): raise RuntimeError(f"the recipe tried to reach {args[1:]}")
connect = socket.socket.connect
def local(self, address): return refuse(self, address) if isinstance(address, tuple) else connect(self, address)
socket.socket.connect = socket.socket.connect_ex = local
socket.getaddrinfo = refuse
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(*command, cwd):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    # No key of any provider; and of pytest's plugins those of a recipe's reader, who may have none.
    env = {**kept, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=240, check=False
    )


@pytest.fixture
def printed(tmp_path):
    """Runs a recipe in a process of its own and returns what it prints."""

    def printing(name):
        done = run("-c", OFFLINE, str(COOKBOOK / name), cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not done.stderr
        assert not list(tmp_path.iterdir())  # nothing is left behind
        return done.stdout

    return printing


def test_a_chain_over_a_retriever(printed):
    pytest.importorskip("langchain_core")
    out = printed("langchain_rag.py")
    assert "3 claims: 1 supported, 1 contradicted, 1 absent" in out
    assert "hallucination score 0.67" in out
    assert 'against:    history.md (d2): "The Alder library opened in May 1962 in a former bakery."' in out
    assert "\u2205 c3 absent (entity: fabricated addition)" in out
    assert "bus.md" not in out  # what was not retrieved is no evidence


def test_an_agent_whose_guard_repairs_an_answer(printed):
    pytest.importorskip("langchain", minversion="1.2.9", reason="needs the dev dependencies: make test")
    lines = printed("langgraph_guard.py").splitlines()
    assert lines[0].startswith("rejected: 'The lighthouse of Genoa is 97 metres tall.' is contradicted (number)")
    assert "is 77 metres tall" in lines[0]
    assert lines[1] == "answer:   The lighthouse of Genoa is 77 metres tall. It may be visited at weekends."
    assert lines[2] == "score:    0.0 after 2 attempts, blocked: False"
    assert lines[3] == "messages: ['human', 'ai', 'tool', 'ai']"


def test_a_query_engine_whose_responses_carry_reports(printed):
    pytest.importorskip("llama_index.core")
    lines = printed("llama_index_engine.py").splitlines()
    assert lines[1] == "score 0.5, {'supported': 1, 'contradicted': 1}"
    assert lines[2] == "contradicted (number): The ferry to Fern Island carries 210 passengers."
    assert lines[3].startswith("  the source: The ferry to Fern Island carries 120 passengers")


def test_a_server_whose_requests_each_get_their_own_report(printed):
    pytest.importorskip("langchain_core")
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("the recipe's server is on a Unix socket")
    lines = printed("server.py").splitlines()
    assert lines == [
        "Aster seats 120 people. 0.0",
        "Birch seats 640 people. 1.0 ['Birch seats 140 people.']",
        "Cedar seats 160 people. 0.0",
        "Dahlia seats 680 people. 1.0 ['Dahlia seats 180 people.']",
        "logged: ['assessed', 'assessed', 'assessed', 'assessed']",
    ]


def test_a_summary_of_summaries_names_the_guilty_step(printed):
    pytest.importorskip("langchain_core")
    out = printed("hierarchical_summary.py")
    assert "\u25d0 c2 partially supported (temporal)" in out
    assert "carried by: overview (answer)" in out
    assert "warning" not in out
    assert out.splitlines()[-1] == "'A third deck was built by 2030.' was introduced at 'summary of chapter 2'."


def test_a_judge_of_ones_own(printed):
    before, after = printed("own_judge.py").split("judge tickets/1")
    assert "3 claims: 1 supported, 2 undecided" in before
    assert "3 claims: 2 supported, 1 contradicted" in before
    assert "hallucination score 0.33" in before
    assert "5 times 8 is 40, the answer says 35." in after


@pytest.mark.parametrize("count", ["two", "three", "five"])
@pytest.mark.parametrize("said", range(0, 48, 8))
def test_the_judge_calculates(count, said):
    judge = runpy.run_path(str(COOKBOOK / "own_judge.py"))["TicketJudge"]()
    assert isinstance(judge, Judge)
    report = check(f"{count.title()} tickets cost {said} euros.", ["A ticket costs 8 euros."], judge=judge)
    right = {"two": 16, "three": 24, "five": 40}[count] == said
    (verdict,) = report.verdicts
    assert verdict.support is (SupportClass.SUPPORTED if right else SupportClass.CONTRADICTED)
    assert verdict.error_type is (None if right else ErrorType.NUMBER)
    assert verdict.evidence[0].quote == "A ticket costs 8 euros."


def test_the_judge_leaves_the_rest_to_the_other():
    judge = runpy.run_path(str(COOKBOOK / "own_judge.py"))["TicketJudge"]()
    sources = ["The museum opens at 10 o'clock. It has a garden."]
    for answer in ("The museum opens at 11 o'clock.", "Two tickets cost 16 euros.", "It has a garden."):
        mine, theirs = check(answer, sources, judge=judge), check(answer, sources)
        assert [v.support for v in mine.verdicts] == [v.support for v in theirs.verdicts]


def test_a_gate_that_passes_and_shows_what_a_failing_build_says(tmp_path):
    copied = tmp_path / "test_answers.py"
    copied.write_text((COOKBOOK / "test_answers.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = run("-c", OFFLINE, str(copied), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
    assert "contradicted (number)" in done.stdout
    assert "It says '90 days' where the source says '30 days'." in done.stdout


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ('"Orders are shipped within two', '"Orders are shipped within five', "contradicted (number)"),
        ("weekdays from 9 to 17 o'clock.\",\n}", 'weekdays by carrier pigeon from Mount Doom.",\n}', "absent"),
    ],
)
def test_a_wrong_answer_fails_the_build(tmp_path, right, wrong, why):
    head, mark, recorded = (COOKBOOK / "test_answers.py").read_text(encoding="utf-8").partition("RECORDED = {")
    assert right in recorded
    (tmp_path / "test_answers.py").write_text(head + mark + recorded.replace(right, wrong), encoding="utf-8")
    done = run("-m", "pytest", "-p", "no:cacheprovider", "test_answers.py", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert why in done.stdout


@pytest.mark.parametrize("state", ["partial", "error", "no_evidence"])
def test_the_gate_is_closed_where_it_cannot_see(state):
    gate = runpy.run_path(str(COOKBOOK / "test_answers.py"))["gate"]
    graph = ProvenanceGraph.from_texts("It rains.", ["It rains."])
    claim = Claim(id="c1", text="It rains.", quote="It rains.", start=0, end=9)
    verdict = Verdict(claim_id="c1", support=SupportClass.SUPPORTED)
    with pytest.raises(AssertionError, match="not verified"):
        gate(Report(state=state, graph=graph, claims=(claim,), verdicts=(verdict,)))


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_short_says_what_is_simulated_and_is_listed(name):
    text = (COOKBOOK / name).read_text(encoding="utf-8")
    index = (COOKBOOK / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 70
    top = text.split('"""')[1]
    assert "simulated" in top.lower()
    assert "pip install" in top
    assert f"cookbook/{name}" in top
    assert f"[{name}]({name})" in index


def test_there_are_eleven():
    assert len(RECIPES) == 11


def test_an_open_model_for_several_requests(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "judges" / "encoder"))
    import graphs  # a model with one rule: "confirms" entails, "denies" contradicts

    folder = graphs.entailment(tmp_path / "model")
    told = (COOKBOOK / "open_model.py").read_text(encoding="utf-8")
    told = told.replace("40 minutes. It carries", "40 minutes. Its owner confirms it carries")
    recipe = tmp_path / "open_model.py"
    recipe.write_text(told.replace("The museum on Fern", "The guide denies the museum on Fern"), encoding="utf-8")
    done = run("-c", OFFLINE, str(recipe), folder, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    verdicts = [line.partition(" - ")[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert len(verdicts) == 6
    assert set(verdicts) <= {"supported", "contradicted"}
    assert "'Its owner confirms it carries 120 passengers and no cars.'" in done.stdout


def test_a_reranker_that_dropped_the_answer_is_named(printed):
    pytest.importorskip("langchain_core")
    out = printed("diagnose_langchain.py")
    assert "evidence path: selection failure; at reranking (rerank)" in out
    assert "contradicts 'The Alder library opened in May 1971.'" in out


def test_a_passage_that_was_cut_is_named(printed):
    pytest.importorskip("llama_index.core")
    out = printed("diagnose_llama_index.py")
    assert "evidence path: truncation; at reranking (Short)" in out
    assert "'The Alder library opened in May 1971.' rests on no passage" in out
    assert "rests on ['The Alder library is closed on Mondays.']" in out


def test_a_model_that_sings_a_third_of_what_it_knows_is_caught(printed):
    lines = printed("canary.py").splitlines()
    assert re.match(r"for example: .+ became .+", lines[0])
    rates = dict(line.split(": ", 1) for line in lines[2:6])
    said = re.match(r"\S+ % \((\d+) of (\d+), 95 % interval (\S+) to (\S+) %\)", rates["leak_known"])
    leaked, asked, low, high = said.groups()
    assert int(leaked) > 0
    assert int(asked) >= 30
    assert float(low) <= 33 <= float(high)
    assert "without a single leak, the leak rate would be below" in lines[6]
