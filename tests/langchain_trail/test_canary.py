"""A retriever of a real LangChain app under the arms of a canary run."""

import asyncio
import sys
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import TrailCallbackHandler
from langchain_trail.canary import CanaryRetriever

from trail_callbacks.canary import TAG
from trail_callbacks.canary.serving.exposure import SWITCH, CanaryOffError, exposed

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import small

TWIN = small()
REAL, FICTIVE = "The ferry to Lorne takes 40 minutes", "The ferry to Garvane takes 53 minutes"
WHALES = "Whales breathe air."


@pytest.fixture
def plain():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    metadata = {"source": "ferry.md", "title": "The Lorne ferry", "score": 0.5}
    store.add_documents([Document(REAL, id="c1", metadata=metadata), Document(WHALES, id="c2")])
    return store.as_retriever()


@pytest.fixture
def retriever(plain):
    return CanaryRetriever(retriever=plain, twin=TWIN)


def texts(documents):
    return sorted(each.page_content for each in documents)


def every_way(retriever, question="x"):
    """The results of all ways to call a retriever."""

    async def awaited():
        streamed = [found async for found in retriever.astream(question)]
        return [await retriever.ainvoke(question), *await retriever.abatch([question, question]), *streamed]

    batches = retriever.batch([question, question])
    return [retriever.invoke(question), *batches, *retriever.stream(question), *asyncio.run(awaited())]


def test_outside_of_a_run_it_is_the_wrapped_retriever(plain, retriever):
    for found in every_way(retriever):
        assert found == plain.invoke("x")


@pytest.mark.parametrize(("arm", "expected"), [("real", [REAL, WHALES]), ("fictive", [FICTIVE, WHALES]), ("empty", []), ("closed_book", [])])  # fmt: skip
def test_every_way_to_call_it_serves_the_arm(retriever, arm, expected):
    with exposed(arm, TWIN) as exposure:
        for found in every_way(retriever):
            assert texts(found) == expected
    assert exposure.calls == 8
    assert set(exposure.passages) == set(expected)
    for found in every_way(retriever.under(arm)):
        assert texts(found) == expected


def test_ids_scores_and_order_stay_and_the_app_keeps_its_documents(plain, retriever):
    before = [each.model_copy(deep=True) for each in plain.invoke("x")]
    with exposed("fictive", TWIN):
        found = retriever.invoke("x")
    assert [each.id for each in found] == [each.id for each in before]
    ferry = next(each for each in found if each.id == "c1")
    assert ferry.metadata == {"source": "ferry.md", "title": "The Garvane ferry", "score": 0.5, TAG: "t1"}
    assert plain.invoke("x") == before


def test_the_graph_has_what_was_served_and_nothing_real(retriever, says):
    handler = TrailCallbackHandler(evaluate="never")
    chain = {"context": retriever | (lambda found: "\n".join(texts(found))), "question": RunnablePassthrough()} | (
        RunnableLambda(lambda given: f"{given['context']}\n{given['question']}") | says("It takes 53 minutes.")
    )
    with exposed("fictive", TWIN):
        chain.invoke("How long?", {"callbacks": [handler]})
    graph = handler.graph()
    assert {node.text for node in graph.leaves() if node.kind == "document"} == {FICTIVE, WHALES}
    assert not any("40 minutes" in node.text for node in graph.nodes)
    assert handler.errors == []


def test_switched_off_no_fictive_text_is_served(retriever, monkeypatch):
    bound = retriever.under("fictive")
    assert any("Garvane" in each.page_content for each in bound.invoke("x"))

    def run():
        with exposed("fictive", TWIN):
            monkeypatch.setenv(SWITCH, "off")
            assert texts(retriever.invoke("x")) == [REAL, WHALES]

    with pytest.raises(CanaryOffError, match="says nothing"):
        run()
    for found in (*every_way(retriever), *every_way(bound), *every_way(retriever.under("empty"))):
        assert texts(found) == [REAL, WHALES]


def test_the_config_reaches_the_wrapped_retriever_and_its_callbacks_do_not():
    seen = []

    def find(question, config):
        seen.append((config["configurable"], config["tags"], bool(config["callbacks"].handlers)))
        return [Document(REAL)]

    retriever = CanaryRetriever(retriever=RunnableLambda(find), twin=TWIN)
    handler = TrailCallbackHandler(evaluate="never")
    config = {"configurable": {"user": "u1"}, "tags": ["t"], "callbacks": [handler]}
    with exposed("fictive", TWIN):
        retriever.invoke("x", config)
        asyncio.run(retriever.ainvoke("x", config))
    assert seen == [({"user": "u1"}, ["t"], False)] * 2


def test_switched_off_during_a_search_nothing_is_served(monkeypatch):
    def find(question):
        monkeypatch.setenv(SWITCH, "off")
        return [Document(REAL)]

    for way in (lambda each: each.invoke("x"), lambda each: asyncio.run(each.ainvoke("x"))):
        monkeypatch.delenv(SWITCH, raising=False)
        with pytest.raises(CanaryOffError, match="while passages were searched"), exposed("fictive", TWIN):
            way(CanaryRetriever(RunnableLambda(find), TWIN))
