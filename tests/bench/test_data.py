"""The labelled answers that ship keep what their README says."""

import json
from collections import Counter
from importlib.resources import files

import pytest

from trail_callbacks import Edge, ErrorType, Node, ProvenanceGraph
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import sentences

DATA = files("trail_callbacks.bench").joinpath("data/answers.jsonl").read_text(encoding="utf-8")
ROWS = [json.loads(line) for line in DATA.splitlines()]


def graph(row):
    if "nodes" not in row:
        return ProvenanceGraph.from_texts(row["answer"], [each["text"] for each in row["sources"]], row["question"])
    return ProvenanceGraph(
        nodes=[Node(id=each["id"], kind=each["kind"], text=each["text"], step=each["step"]) for each in row["nodes"]],
        edges=[Edge(source=source, target=each["id"]) for each in row["nodes"] for source in each["inputs"]],
    )


def test_the_set_is_as_large_and_as_mixed_as_promised():
    assert [row["id"] for row in ROWS] == [f"a{n:02d}" for n in range(1, 61)]
    assert sum(bool(row["wrong"]) for row in ROWS) == 30
    languages = Counter(row["language"] for row in ROWS)
    assert languages["en"] == 30
    assert set(languages) == {"en", "de", "es", "ja", "ar"}
    tags = Counter(tag for row in ROWS for tag in row["tags"])
    assert {tag: tags[tag] for tag in ("table", "versions", "steps")} == {"table": 12, "versions": 8, "steps": 11}
    wrong = [each for row in ROWS for each in row["wrong"]]
    assert len(wrong) == 37
    assert {each["error_type"] for each in wrong} == set(ErrorType)
    assert {each["support"] for each in wrong} == UNSUPPORTED


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_is_wrong_is_part_of_one_sentence_and_came_in_upstream_of_the_answer(row):
    run = graph(row)
    assert run.answer is not None
    assert {node.kind for node in run.leaves()} <= {"document", "tool_result", "question"}
    parts = [each.text for each in sentences(run.answer.text, row["language"])]
    for wrong in row["wrong"]:
        assert sum(wrong["quote"] in part for part in parts) == 1, wrong["quote"]
        assert wrong["why"]
        if "nodes" in row:
            assert wrong["entry"] in {run.answer.id, *(node.id for node in run.upstream(run.answer.id))}
            assert run.inputs(wrong["entry"]), "a leaf cannot invent"
