"""A report as a pytest file: real pytest runs it on the answer that failed, and on corrected ones."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trail_callbacks import Evidence, Node, ProvenanceGraph, Report, check
from trail_callbacks.errors import InputError
from trail_callbacks.report.withheld import without_texts

ROOT = Path(__file__).parents[2]
HOSTILE = "\"\"\" ''' \\ \\' \\N {x} %s # \x00\x1b\r\n\u2028 \ud800 \u202eabc caf\u00e9 \u6e2f \U0001f600 \"'"
SOURCES = ["The tower was finished in 1874.", "Boats leave at noon."]
WRONG = "The tower was finished in 1847. Boats leave at noon."


@pytest.fixture
def outcomes(tmp_path):
    """Runs a generated file in a pytest of its own, its `app` filled in; returns the numbers of outcomes and output."""

    def run(source, answer):
        todo = '    raise NotImplementedError("fill in app() in this file")\n'
        assert source.count(todo) == 1
        filled = source.replace(todo, f"    return {answer!r}\n")
        (tmp_path / "test_answer.py").write_text(filled, encoding="utf-8")
        paths = [str(ROOT), str(ROOT / "integrations"), os.environ.get("PYTHONPATH", "")]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "pytest_trail.plugin", "-p", "no:cacheprovider", "-q", "--rootdir", str(tmp_path), str(tmp_path)],
            capture_output=True, check=False, env=env, cwd=tmp_path, text=True, encoding="utf-8", timeout=120,
        )  # fmt: skip
        found = re.findall(r"(\d+) (passed|failed|error)", done.stdout.splitlines()[-1])
        return {word: int(n) for n, word in found}, done.stdout

    return run


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (WRONG, {"failed": 2}),
        ("The tower was finished in 1850. Boats leave at noon.", {"failed": 1, "passed": 1}),  # wrong in another way
        ("The tower was finished in 1874. Boats leave at noon.", {"passed": 2}),
    ],
)
def test_it_fails_on_the_answer_that_failed_and_passes_on_a_corrected_one(outcomes, answer, found):
    numbers, output = outcomes(check(WRONG, SOURCES, "What is there?").to_test(), answer)
    assert numbers == found, output
    if answer == WRONG:
        assert 'expected: source (source-1) says "The tower was finished in 1874."' in output
        assert "1 answer checked" in output or "2 answers checked" in output


def test_what_a_model_wrote_in_a_source_is_no_evidence_in_the_test_either(outcomes):
    echo = "The tower was finished in 1847."
    text = f"You said: {echo} Boats leave at noon."
    node = Node(id="answer", kind="tool_result", text=text, step="note", model_spans=((10, 10 + len(echo)),))
    report = check(WRONG, [replace(node, id="t1"), SOURCES[0]], "What is there?")
    assert report.unsupported
    renamed = replace(report.graph.node("t1"), id="question")
    nodes = tuple(renamed if each.id == "t1" else each for each in report.graph.nodes if each.kind != "question")
    edges = tuple(
        replace(e, source="question" if e.source == "t1" else e.source)
        for e in report.graph.edges
        if e.source != "question"
    )
    clashing = replace(report, graph=ProvenanceGraph(nodes=nodes, edges=edges))
    for each in (report, clashing):
        assert outcomes(each.to_test(), WRONG)[0] == {"failed": 2}


def test_any_text_is_written_as_valid_python(outcomes, tmp_path):
    report = check(WRONG, [*SOURCES, HOSTILE, "x" * 200_000], HOSTILE)
    claim = replace(report.claims[0], quote=HOSTILE)
    where = report.graph.node("source-3").text
    item = Evidence(node_id="source-3", start=0, end=len(where), quote=where, relation="contradicts")
    hostile = replace(
        report,
        judge=HOSTILE,
        claims=(claim, *report.claims[1:]),
        verdicts=(replace(report.verdicts[0], evidence=(item,)), *report.verdicts[1:]),
    )
    source = hostile.to_test()
    numbers, output = outcomes(source, "The tower was finished in 1874. Boats leave at noon.")
    assert numbers == {"passed": 2}, output
    assert outcomes(source, WRONG)[0] == {"failed": 1, "passed": 1}
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", str(tmp_path)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert checked.returncode == 0, checked.stdout.decode()


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (check(SOURCES[0], SOURCES), "no claim of this report \\(assessed\\) was found unsupported"),
        (check(WRONG, []), "no claim of this report \\(no_evidence\\)"),
        (Report(state="error", graph=ProvenanceGraph(nodes=())), "no claim of this report \\(error\\)"),
        (without_texts(check(WRONG, SOURCES)), "this report has no texts"),
    ],
)
def test_there_is_no_test_of_what_was_not_found_wrong_or_not_kept(report, says):
    with pytest.raises(InputError, match=says):
        report.to_test()
