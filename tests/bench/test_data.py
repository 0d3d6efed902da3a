"""The labelled answers that ship keep what their README says."""

import json
from importlib.resources import files

import pytest

from trail_callbacks import Edge, ErrorType, Node, ProvenanceGraph, SupportClass
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


def test_half_of_the_answers_hold_something_wrong():
    assert [row["id"] for row in ROWS] == [f"a{n:02d}" for n in range(1, len(ROWS) + 1)]
    assert sum(bool(row["wrong"]) for row in ROWS) * 2 == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_is_wrong_is_part_of_one_sentence_and_came_in_upstream_of_the_answer(row):
    run = graph(row)
    assert run.answer is not None
    assert {node.kind for node in run.leaves()} <= {"document", "tool_result", "question"}
    parts = [each.text for each in sentences(run.answer.text, row["language"])]
    for wrong in row["wrong"]:
        assert sum(wrong["quote"] in part for part in parts) == 1, wrong["quote"]
        assert SupportClass(wrong["support"]) in UNSUPPORTED
        assert ErrorType(wrong["error_type"])
        assert wrong["why"]
        if "nodes" in row:
            assert wrong["entry"] in {run.answer.id, *(node.id for node in run.upstream(run.answer.id))}
            assert run.inputs(wrong["entry"]), "a leaf cannot invent"
