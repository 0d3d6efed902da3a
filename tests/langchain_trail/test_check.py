"""Documents of LangChain as sources of `check`, without a callback."""

import asyncio

import pytest
from langchain_core.documents import Document

from trail_callbacks import acheck, check
from trail_callbacks.errors import GraphError

ANSWER = "The pier opened in 1820. Entry costs 9 euros."
FOUND = [
    Document("The pier opened in 1820.", id="d-1", metadata={"source": "pier.md", "page": 2}),
    Document("Entry costs 4 euros."),
]


@pytest.mark.parametrize("ask", [check, lambda *given: asyncio.run(acheck(*given))])
def test_retrieved_documents_are_sources_as_they_are(ask):
    report = ask(ANSWER, FOUND)
    assert [str(verdict.support) for verdict in report.verdicts] == ["supported", "contradicted"]
    (cited,) = report.verdict("c1").evidence
    node = report.graph.node("d-1")
    assert (cited.node_id, node.origin, dict(node.attributes)) == ("d-1", "given", {"source": "pier.md", "page": 2})
    assert "pier.md (d-1)" in str(report)
    assert report.to_json()


def test_one_document_alone_is_one_source():
    assert len(check(ANSWER, FOUND[0]).graph.leaves()) == 1


def test_documents_in_a_list_too_many_are_a_clear_error():
    with pytest.raises(GraphError, match="text is list, expected str"):
        check(ANSWER, [FOUND])
