"""A retriever of a real LlamaIndex app under the arms of a canary run."""

import asyncio
import sys
from pathlib import Path

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter, SentenceWindowNodeParser
from llama_index.core.postprocessor import MetadataReplacementPostProcessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import Document, MetadataMode, TextNode
from llama_index_trail import CanaryRetriever, FictiveFilter, trail

from trail_callbacks.canary import TAG
from trail_callbacks.canary.serving.exposure import exposed
from trail_callbacks.canary.serving.source import FictiveDataError, refuse_fictive

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import FERRY, small

TWIN = small()
REAL, FICTIVE = "The ferry to Lorne takes 40 minutes", "The ferry to Garvane takes 53 minutes"
WHALES = "Whales breathe air."
EMBEDDING = MockEmbedding(embed_dim=4)


def production():
    nodes = [
        TextNode(text=REAL, id_="c1", metadata={"file_name": "ferry.md", "title": "The Lorne ferry"}),
        TextNode(text=WHALES, id_="c2"),
    ]
    return VectorStoreIndex(nodes, embed_model=EMBEDDING)


def canary(own=None, **more):
    return CanaryRetriever((own or production()).as_retriever(), TWIN, **more)


def texts(found):
    return sorted(each.node.get_content() for each in found)


def both_ways(retriever, question="How long does the ferry take?"):
    return [retriever.retrieve(question), asyncio.run(retriever.aretrieve(question))]


def test_outside_of_a_run_it_is_the_wrapped_retriever():
    index = production()
    plain = [(each.node_id, each.text, each.score, each.metadata) for each in index.as_retriever().retrieve("x")]
    for found in both_ways(canary(index), "x"):
        assert sorted((each.node_id, each.text, each.score) for each in found) == sorted(each[:3] for each in plain)
        assert all(TAG not in each.metadata for each in found)


@pytest.mark.parametrize(("arm", "expected"), [("real", [REAL, WHALES]), ("fictive", [FICTIVE, WHALES]), ("empty", []), ("closed_book", [])])  # fmt: skip
def test_both_ways_to_call_it_serve_the_arm(arm, expected):
    retriever = canary()
    with exposed(arm, TWIN) as exposure:
        for found in both_ways(retriever):
            assert texts(found) == expected
    assert exposure.calls == 2
    assert len(exposure.passages) == 2 * len(expected)
    for found in both_ways(retriever.under(arm)):
        assert texts(found) == expected


def test_ids_and_scores_stay_and_the_app_keeps_its_nodes():
    index = production()
    before = {each.node_id: (each.score, each.node.to_json()) for each in index.as_retriever().retrieve("x")}
    with exposed("fictive", TWIN):
        found = canary(index).retrieve("x")
    assert {each.node_id: each.score for each in found} == {id_: score for id_, (score, _) in before.items()}
    ferry = next(each for each in found if each.node_id == "c1")
    assert ferry.metadata == {"file_name": "ferry.md", "title": "The Garvane ferry", TAG: "t1"}
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        shown = ferry.node.get_content(mode)
        assert TAG not in shown
        assert "Lorne" not in shown
    assert {each.node_id: (each.score, each.node.to_json()) for each in index.as_retriever().retrieve("x")} == before


def test_the_window_around_a_sentence_is_fictive_as_well():
    parser = SentenceWindowNodeParser.from_defaults(window_size=1)
    index = VectorStoreIndex(
        parser.get_nodes_from_documents([Document(text=FERRY, id_="ferry.md")]), embed_model=EMBEDDING
    )
    every_sentence = CanaryRetriever(index.as_retriever(similarity_top_k=10), TWIN)
    with exposed("fictive", TWIN):
        found = every_sentence.retrieve("x")
    replaced = MetadataReplacementPostProcessor(target_metadata_key="window").postprocess_nodes(found)
    shown = "\n".join(texts(replaced))
    assert "53 minutes" in shown
    for real in ("Lorne", "40 minutes", "12.50", "Dogs"):
        assert real not in shown


def test_the_graph_has_what_was_served_and_nothing_real(models):
    engine = RetrieverQueryEngine.from_args(canary(), llm=models.Rules(rules=[("", "It takes 53 minutes.")]))
    with exposed("fictive", TWIN), trail(evaluate="never") as recording:
        engine.query("How long?")
    graph = recording.graph
    assert any(FICTIVE in node.text for node in graph.leaves())
    assert not any("40 minutes" in node.text or "Lorne" in node.text for node in graph.nodes)
    assert recording.errors == []


def test_the_guard_keeps_what_was_served_out_of_an_index_and_of_a_pipeline():
    own = production()
    with exposed("fictive", TWIN):
        served = canary(own).retrieve("x")
    with pytest.raises(FictiveDataError):
        own.insert_nodes([each.node for each in refuse_fictive(served)])
    documents = [Document(text=each.text, metadata=dict(each.metadata)) for each in TWIN.fictive]
    bare = [Document(text=each.text) for each in TWIN.fictive]
    for given, guard in ((documents, FictiveFilter()), (bare, FictiveFilter(twin=TWIN))):
        pipeline = IngestionPipeline(transformations=[guard, SentenceSplitter(), EMBEDDING])
        with pytest.raises(FictiveDataError):
            pipeline.run(documents=given)
        with pytest.raises(FictiveDataError):
            asyncio.run(pipeline.arun(documents=given))
        assert not pipeline.cache.cache.get_all(pipeline.cache.collection)
        with pytest.raises(FictiveDataError):
            VectorStoreIndex.from_documents(given, transformations=[SentenceSplitter(), guard], embed_model=EMBEDDING)
    assert set(own.docstore.docs) == {"c1", "c2"}
    pipeline = IngestionPipeline(transformations=[SentenceSplitter(), FictiveFilter(twin=TWIN)])
    assert len(pipeline.run(documents=[Document(text=each.text) for each in TWIN.real])) == 2


def test_an_index_that_was_polluted_is_an_error_of_the_run_and_not_of_the_app():
    index = VectorStoreIndex([TextNode(text=FICTIVE, metadata={TAG: "t0"})], embed_model=EMBEDDING)
    retriever = canary(index)
    assert texts(retriever.retrieve("x")) == [FICTIVE]
    for arm in ("real", "fictive"):
        with exposed(arm, TWIN), pytest.raises(FictiveDataError, match="in the app's index"):
            retriever.retrieve("x")
