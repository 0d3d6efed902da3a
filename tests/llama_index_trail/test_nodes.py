from __future__ import annotations

import json

import pytest
from llama_index.core import Document
from llama_index.core.schema import ImageNode, IndexNode, MetadataMode, NodeWithScore, TextNode
from llama_index_trail.messages import documents
from llama_index_trail.records import pieces

SLUICE = "The sluice at Ommen opens at dusk."


class Shouting(TextNode):
    """An app's own way to render a node."""

    def get_content(self, metadata_mode=MetadataMode.NONE):
        return super().get_content(metadata_mode).upper()


def test_a_node_is_its_text_as_the_model_sees_it_with_id_score_and_metadata():
    node = TextNode(text=SLUICE, metadata={"page": 3, "box": object()}, excluded_llm_metadata_keys=["box"])
    (piece,) = pieces(documents([NodeWithScore(node=node, score=0.5)], ("documents",)))
    assert (piece.form, piece.id, piece.path) == ("document", node.node_id, ("documents", 0))
    assert SLUICE in piece.text
    assert "page: 3" in piece.text
    assert "box" not in piece.text
    assert piece.attributes == {"rank": 0, "score": 0.5, "page": 3}


@pytest.mark.parametrize("score", [None, float("nan"), 1])
def test_odd_scores_are_no_fault(score):
    (piece,) = pieces(documents([NodeWithScore(node=TextNode(text=SLUICE), score=score)], ()))
    json.dumps(piece.attributes, allow_nan=False)


def test_an_image_node_may_have_no_text():
    (piece,) = pieces(documents([NodeWithScore(node=ImageNode(image="aGk="))], ()))
    assert piece.text == ""


NODES = {
    "text": lambda **more: TextNode(text=SLUICE, **more),
    "index": lambda **more: IndexNode(text=SLUICE, index_id="i", **more),
    "document": lambda **more: Document(text=SLUICE, **more),
    "own class": lambda **more: Shouting(text=SLUICE, **more),
}


@pytest.mark.parametrize("made", NODES.values(), ids=NODES)
@pytest.mark.parametrize("metadata", [{}, {"page": 3}, {"page": 3, "tags": ["a", "b"]}, {"page": None}], ids=str)
@pytest.mark.parametrize("excluded", [[], ["page"]], ids=str)
def test_a_snapshot_is_what_the_model_was_shown_whatever_becomes_of_the_node(made, metadata, excluded):
    node = made(
        metadata=dict(metadata), excluded_llm_metadata_keys=list(excluded), metadata_template="{key} is {value}"
    )
    hit = NodeWithScore(node=node, score=0.5)
    shown = node.get_content(metadata_mode=MetadataMode.LLM)
    raws = documents([hit], ())
    node.set_content("gone")
    node.metadata.get("tags", []).append("c")
    node.metadata["page"], hit.score, node.text_template = 4, 9.0, "{content}"
    node.excluded_llm_metadata_keys.append("tags")
    (piece,) = pieces(raws)
    assert piece.text == shown
    assert (piece.attributes["score"], piece.attributes.get("page")) == (0.5, metadata.get("page"))


def test_a_node_that_holds_its_own_sentence_says_that_it_was_retrieved():
    node = TextNode(text=SLUICE, metadata={"window": f"{SLUICE} It is old.", "original_text": SLUICE})
    assert [piece.origin for piece in pieces(documents([node, TextNode(text=SLUICE)], ()))] == ["retrieved", None]
