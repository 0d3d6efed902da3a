"""A Mermaid chart has only lines of ours, whatever the texts are, and says what the graph says.

That Mermaid itself reads such charts was tried with its version 11 in a browser: these tests hold what was learnt there.
"""

import re

import pytest
from any_report import reports
from hypothesis import given, settings
from judged import ABSENT, graph_of, node
from judged import report as judged

from trail_callbacks.export import to_mermaid

_LABEL = r"(?:[^\x00-\x7f]|[A-Za-z0-9 ,]|\#\d+;|<br/>|\(empty\)|introduced\ here:\ |stages?\ \d+:\ )*"
_LINES = re.compile(
    rf"""flowchart\ TB | \ \ none\["nothing\ was\ recorded"\] | \ \ subgraph\ g\d+\["{_LABEL}"\] | \ \ \ \ n\d+\["{_LABEL}"\]
    | \ \ end | \ \ n\d+\ (?:-->|-\.->)\ n\d+ | \ \ more\["\d+\ more\ arrows\ are\ not\ drawn"\]
    | \ \ classDef\ [a-z]+\ [a-z0-9#:, -]+ | \ \ class\ n\d+(?:,n\d+)*\ [a-z]+""",
    re.VERBOSE,
)


def boxes(chart):
    """Labels by box, as a reader sees them."""
    found = re.findall(rf'^    (n\d+)\["({_LABEL})"\]$', chart, re.MULTILINE)
    return {box: decoded(label) for box, label in found}


def decoded(label):
    return re.sub(r"#(\d+);", lambda m: chr(int(m[1])), label.replace("<br/>", "\n")).replace("\u2060", "")


def titles(chart):
    return [decoded(label) for label in re.findall(rf'subgraph g\d+\["({_LABEL})"\]', chart)]


def members(chart, name):
    found = re.search(rf"^  class (.*) {name}$", chart, re.MULTILINE)
    return found[1].split(",") if found else []


def test_steps_are_subgraphs_and_entries_are_marked(report):
    chart = to_mermaid(report)
    assert titles(chart) == ["stage 0: user", "stage 1: shelf", "stage 2: summarise", "stage 3: combine"]
    labels = boxes(chart)
    assert labels["n1"] == "tower.md (d1)\ngiven by the app\nThe tower was finished in 1874."
    assert labels["n3"].endswith("introduced here: ✗ c1")
    assert members(chart, "entry") == ["n3", "n4"]
    assert "  n1 --> n3" in chart.splitlines()
    assert "  n2 -.-> n4" in chart.splitlines()


@given(reports())
@settings(max_examples=50)
def test_no_text_gets_out_of_its_label(report):
    chart = to_mermaid(report)
    chart.encode()
    for line in chart.splitlines():
        assert _LINES.fullmatch(line), line
    assert len(boxes(chart)) == len(report.graph.nodes)
    assert chart.count("> n") == len(report.graph.edges)


def long_graph(shape, n=10_000):
    ids = [f"m{i}" for i in range(90 if shape == "dense" else n)]
    edges = {
        "star": lambda: [(a, "answer") for a in ids],
        "chain": lambda: zip(ids, [*ids[1:], "answer"], strict=True),
        "dense": lambda: [(a, b) for i, a in enumerate(ids) for b in [*ids[i + 1 :], "answer"]],
    }[shape]()
    nodes = [node(id_, "completion", "A text.", f"step {i}") for i, id_ in enumerate(ids)]
    return graph_of((*nodes, node("answer", "answer", "An answer.")), *edges)


@pytest.mark.parametrize("shape", ["star", "chain", "dense"])
def test_a_graph_too_large_to_draw_is_folded_and_keeps_what_matters(shape):
    report = judged(("An answer.", ABSENT, {"introduced_at": "m7"}), graph=long_graph(shape))
    chart = to_mermaid(report)
    labels = boxes(chart)
    assert len(labels) <= 100
    assert chart.count("> n") <= 500
    assert len(chart) < 50_000
    (entry,) = members(chart, "entry")
    assert labels[entry] == "step 7 (m7)\nA text.\nintroduced here: ∅ c1"
    (answer,) = members(chart, "answer")
    assert labels[answer] == "answer\nAn answer."
    folded = sum(int(label.split()[0]) for label in labels.values() if label.endswith("texts"))
    assert folded + sum(not label.endswith("texts") for label in labels.values()) == len(report.graph.nodes)
