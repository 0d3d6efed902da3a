"""GraphML is read back by networkx, typed, and says there what the report says."""

import io
import json
import re
import subprocess
import sys

import pytest
from any_report import reports
from hypothesis import given, settings

from trail_callbacks.export import to_graphml

nx = pytest.importorskip("networkx")


def read(text):
    graph = nx.read_graphml(io.BytesIO(text.encode()))
    return nx.relabel_nodes(graph, nx.get_node_attributes(graph, "node_id"))


def test_nodes_edges_and_roles_come_back_typed(report):
    graph = read(to_graphml(report))
    assert graph.is_directed()
    assert set(graph) == {node.id for node in report.graph.nodes}
    assert graph.nodes["d1"]["label"] == "tower.md (d1)"
    assert json.loads(graph.nodes["d1"]["attributes"]) == {"source": "tower.md", "rank": 1}
    assert graph.nodes["m1"]["stage"] == 2
    assert graph.nodes["m1"]["introduces"] == "c1"
    assert graph.nodes["answer"]["carries"] == "c1"
    assert graph.nodes["d2"]["evidence_for"] == "c2"
    assert graph.edges["d1", "m1"]["coverage"] == 0.75
    assert type(graph.edges["q1", "d1"]["coverage"]) is float
    assert type(graph.edges["d1", "m1"]["ambiguous"]) is int
    assert graph.edges["d2", "answer"]["basis"] == "scope"


@given(reports())
@settings(max_examples=50)
def test_any_report_round_trips(report):
    text = to_graphml(report)
    graph = nx.read_graphml(io.BytesIO(text.encode()))
    legal = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    assert list(graph) == [f"n{i}" for i in range(len(report.graph.nodes))]
    for key, node in zip(graph, report.graph.nodes, strict=True):
        found = graph.nodes[key]
        assert found["node_id"] == legal.sub("\ufffd", node.id)
        assert found.get("text", "") == legal.sub("\ufffd", node.text)
        assert len(found.get("text", "")) == len(node.text)
        assert (found["kind"], found["stage"]) == (node.kind, node.stage)
    places = {node.id: key for key, node in zip(graph, report.graph.nodes, strict=True)}
    assert set(graph.edges) == {(places[edge.source], places[edge.target]) for edge in report.graph.edges}


def test_without_networkx_the_error_has_the_line_to_type():
    code = """
import sys
sys.modules["networkx"] = None
from trail_callbacks import check
from trail_callbacks.export import to_csv, to_graphml, to_mermaid, to_prov_json
report = check("It is so.", ["It is so."])
for write in (to_csv, to_mermaid, to_prov_json):
    write(report)
try:
    to_graphml(report)
except ImportError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "trail-callbacks[export]"' in found.stdout
