"""A plain RAG app of LangChain, as strategies build it."""

import asyncio
import itertools
import sys
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_trail import rag_app
from langchain_trail.canary_rag import KeywordRetriever

from trail_callbacks.canary import Ask, Strategy
from trail_callbacks.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import small

TWIN = small()
QUESTION = "When did the museum open, and how long does the ferry take?"
REAL_WORDS, FICTIVE_WORDS = ("Lorne", "40 minutes", "1968", "</b>68", "2,400"), ("Garvane", "53 minutes", "1975")
CHUNKERS = ("sentence", "paragraph", "document", "60/20", "500/100")


def answered(app, arm, **parameters):
    pytest.importorskip("langchain_text_splitters")
    strategy = Strategy(repr(sorted(parameters.items())), parameters)

    async def run():
        return await app(Ask(probe="p", question=QUESTION, arm=arm, strategy=strategy))

    return asyncio.run(run())


@pytest.mark.parametrize(("retriever", "embedding"), list(itertools.product(("bm25", "vector"), ("real", "fictive"))))
def test_every_strategy_serves_its_arm(says, retriever, embedding):
    app = rag_app(TWIN, says("x"), embeddings=DeterministicFakeEmbedding(size=8))
    for chunker, html in itertools.product(CHUNKERS, (True, False)):
        parameters = {"chunker": chunker, "html": html, "retriever": retriever, "embedding": embedding, "k": 9}
        shown = {arm: "\n".join(answered(app, arm, **parameters).passages) for arm in ("real", "fictive", "empty")}
        assert shown["empty"] == ""
        assert not any(word in shown["fictive"] for word in REAL_WORDS), (chunker, html)
        assert not any(word in shown["real"] for word in FICTIVE_WORDS), (chunker, html)
        assert "40 minutes" in shown["real"]
        assert "53 minutes" in shown["fictive"]
        if retriever == "vector":
            assert ("<h1>" in shown["real"]) is html
    assert app.handler.errors == []


def test_prompts_and_models_are_those_of_the_strategy(says):
    models = {"big": says("big"), "small": says("small")}
    app = rag_app(TWIN, models, prompts={"strict": "Only {context}! {question}"})
    assert answered(app, "fictive", model="big", prompt="strict").text == "big"
    assert models["big"].asked[-1].startswith("Human: Only ") or "Only " in models["big"].asked[-1]
    assert answered(app, "closed_book", model="small").text == "small"
    assert models["small"].asked[-1] == QUESTION
    assert answered(app, "real", model="small", prompt="{question} {context}").text == "small"
    for parameters, words in (({}, "model None is none of big, small"), ({"model": "huge"}, "none of big, small"), ({"size": 3}, "unknown parameter")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            answered(app, "fictive", **parameters)


def test_keywords_find_documents(says):
    documents = [Document("The ferry takes an hour."), Document("Whales breathe air.")]
    found = KeywordRetriever(documents=documents, k=1)
    assert found.invoke("How do whales breathe?") == [documents[1]]
    assert found.invoke("nothing") == []
