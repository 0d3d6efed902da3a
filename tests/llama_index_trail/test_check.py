"""Nodes and documents of LlamaIndex as sources of `check`, without an instrumentation."""

import pytest
from llama_index.core.schema import Document, NodeWithScore, TextNode

from trail_callbacks import check

ANSWER = "The pier opened in 1820. Entry costs 9 euros."
TEXT = "The pier opened in 1820. Entry costs 4 euros."


@pytest.mark.parametrize(
    ("source", "score"),
    [
        (TextNode(text=TEXT, id_="n-1", metadata={"file_name": "pier.md"}), {}),
        (Document(text=TEXT, id_="n-1", metadata={"file_name": "pier.md"}), {}),
        (
            NodeWithScore(node=TextNode(text=TEXT, id_="n-1", metadata={"file_name": "pier.md"}), score=0.5),
            {"score": 0.5},
        ),
    ],
)
def test_retrieved_nodes_are_sources_as_they_are(source, score):
    for sources in ([source], source):
        report = check(ANSWER, sources)
        assert [str(verdict.support) for verdict in report.verdicts] == ["supported", "contradicted"]
        node = report.graph.node("n-1")
        assert (node.text, node.origin, dict(node.attributes)) == (TEXT, "given", {"file_name": "pier.md", **score})
        assert "pier.md (n-1)" in str(report)
