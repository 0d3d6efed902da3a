"""Retrievers and steps that shorten documents: each link leads to the document that was shortened."""

from __future__ import annotations

import pytest
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.compressor import BaseDocumentCompressor
from langchain_core.runnables import RunnableLambda

from .calling import MODES, run

HOURS = "Opening hours are nine to five daily, except on public holidays."
KEPLER = f"Kepler found his third law in 1618. {HOURS} He lived in Linz."
HUYGENS = f"Huygens saw Titan in 1655. {HOURS} He lived in The Hague."
GALILEO = f"Galileo saw rings in 1610. {HOURS} He lived in Padua."
CUTS = {"its first words": slice(0, 12), "what all have in common": None, "its end": slice(-17, None)}


def shortened(document, cut, named):
    text = HOURS if cut is None else document.page_content[cut]
    score = {**document.metadata, "relevance_score": 0.5}
    return Document(text, id=document.id) if named == "id" else Document(text, metadata=score)


def only_huygens(cut, named):
    return lambda documents: [shortened(each, cut, named) for each in documents if "Titan" in each.page_content]


class Compressor(BaseDocumentCompressor):
    cut: object

    def compress_documents(self, documents, query, callbacks=None):
        return self.cut(documents)


class Transformer(BaseDocumentTransformer):
    def __init__(self, cut):
        self.cut = cut

    def transform_documents(self, documents, **kwargs):
        return self.cut(documents)


def compressing(retriever, cut):
    classic = pytest.importorskip("langchain_classic.retrievers")
    return classic.ContextualCompressionRetriever(base_compressor=Compressor(cut=cut), base_retriever=retriever)


def transforming(retriever, cut):
    return retriever | RunnableLambda(Transformer(cut).transform_documents)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [compressing, transforming])
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("named", ["id", "metadata"])
def test_a_shortened_document_comes_from_its_own_original(handler, says, shelf, *, made, cut, named, mode):
    retriever = shelf()
    retriever.documents = [
        Document(text, **({"id": f"d{i}"} if named == "id" else {"metadata": {"source": f"{i}.txt"}}))
        for i, text in enumerate((KEPLER, HUYGENS, GALILEO))
    ]
    app = made(retriever, only_huygens(cut, named)) | (lambda found: "Use: " + found[0].page_content) | says("In 1655.")
    run(app, "When was Titan seen?", {"callbacks": [handler]}, mode)
    graph = handler.graph()
    sources = {node.text for node in graph.leaves() if node.kind == "document"}  # the original, or what of it was shown
    assert sources
    assert all(text in HUYGENS for text in sources)
    assert not [edge for edge in graph.edges if edge.basis == "scope"]
