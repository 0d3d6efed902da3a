"""A plain RAG app of LlamaIndex, as strategies build it."""

import asyncio
import itertools
import sys
from pathlib import Path

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.schema import TextNode
from llama_index_trail import rag_app
from llama_index_trail.canary_rag import KeywordRetriever

from trail_callbacks.canary import Ask, Strategy
from trail_callbacks.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import small

TWIN = small()
QUESTION = "When did the museum open, and how long does the ferry take?"
REAL_WORDS, FICTIVE_WORDS = ("Lorne", "40 minutes", "1968", "</b>68", "2,400"), ("Garvane", "53 minutes", "1975")
CHUNKERS = ("sentence", "paragraph", "document", "60/20", "500/100")


def answered(app, arm, **parameters):
    strategy = Strategy(repr(sorted(parameters.items())), parameters)

    async def run():
        return await app(Ask(probe="p", question=QUESTION, arm=arm, strategy=strategy))

    return asyncio.run(run())


@pytest.mark.parametrize(("retriever", "embedding"), list(itertools.product(("bm25", "vector"), ("real", "fictive"))))
def test_every_strategy_serves_its_arm(models, retriever, embedding):
    app = rag_app(TWIN, models.Rules(rules=[("", "x")]), embeddings=MockEmbedding(embed_dim=4))
    for chunker, html in itertools.product(CHUNKERS, (True, False)):
        parameters = {"chunker": chunker, "html": html, "retriever": retriever, "embedding": embedding, "k": 20}
        shown = {arm: "\n".join(answered(app, arm, **parameters).passages) for arm in ("real", "fictive", "empty")}
        assert shown["empty"] == ""
        assert not any(word in shown["fictive"] for word in REAL_WORDS), (chunker, html)
        assert not any(word in shown["real"] for word in FICTIVE_WORDS), (chunker, html)
        assert "40 minutes" in shown["real"]
        assert "53 minutes" in shown["fictive"]
        if retriever == "vector":
            assert ("<h1>" in shown["real"]) is html


def test_prompts_and_models_are_those_of_the_strategy(models):
    named = {"big": models.Rules(rules=[("", "big")]), "small": models.Rules(rules=[("", "small")])}
    app = rag_app(TWIN, named, prompts={"strict": "Only {context}! {question}"})
    assert answered(app, "fictive", model="big", prompt="strict").text == "big"
    assert "Only " in named["big"].asked[-1]
    assert "53 minutes" in named["big"].asked[-1]
    assert answered(app, "closed_book", model="small").text == "small"
    assert named["small"].asked[-1] == QUESTION
    for parameters, words in (({}, "model None is none of big, small"), ({"model": "huge"}, "none of big, small"), ({"size": 3}, "unknown parameter")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            answered(app, "fictive", **parameters)


def test_keywords_find_nodes():
    nodes = [TextNode(text="The ferry takes an hour."), TextNode(text="Whales breathe air.")]
    found = KeywordRetriever(nodes, k=1)
    assert [each.node for each in found.retrieve("How do whales breathe?")] == [nodes[1]]
    assert found.retrieve("nothing") == []
