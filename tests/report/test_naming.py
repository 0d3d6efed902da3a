"""How a node is called for people."""

import pytest

from trail_callbacks import Node, ProvenanceGraph
from trail_callbacks.graph import named


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (Node(id="d1", kind="document", text="", attributes={"file_name": "history.md"}), "history.md (d1)"),
        (Node(id="d1", kind="document", text="", attributes={"source": " ", "title": "History"}), "History (d1)"),
        (Node(id="m2", kind="model_output", text="", step="summarise"), "summarise (m2)"),
        (Node(id="m2", kind="model_output", text="", attributes={"title": "a document's"}), "model output (m2)"),
        (Node(id="question", kind="question", text=""), "question"),
    ],
)
def test_a_node_is_named_by_what_a_reader_knows_it_by(node, name):
    assert named(node.id, ProvenanceGraph(nodes=(node,))) == name
