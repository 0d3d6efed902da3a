"""A real app for `trail canary demo`: a query engine over a vector index, for each strategy one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from llama_index.core import Document, PromptTemplate, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode

from llama_index_trail.canary import CanaryRetriever
from llama_index_trail.canary_application import canary_app as asked
from llama_index_trail.demo import ChatModel, Words
from trail_callbacks.canary import App, Strategy, Twin
from trail_callbacks.demo.build import PASSAGES, PROMPT, Build

__all__ = ["canary_app"]

_PROMPT = PromptTemplate(PROMPT.format(context="{context_str}", question="{query_str}"))


def canary_app(twin: Twin, builds: Sequence[Build], *, verify: Collection[str]) -> App:
    """Makes the app: an engine for each strategy, whose retriever shows what an arm may see.

    Args:
        twin: The corpus and its twin. The engines index the corpus; the twin has an index of its own.
        builds: The strategies.
        verify: Ids of the probes whose answers are judged, offline.
    """
    apps = {build.strategy.name: _app(twin, build, verify) for build in builds}
    return lambda ask: apps[ask.strategy.name](ask)


def _app(twin: Twin, build: Build, verify: Collection[str]) -> App:
    model = ChatModel(writer=build.chat)

    def index(documents: list[Document]) -> BaseRetriever:
        nodes = [
            TextNode(
                text=chunk,
                id_=f"{each.doc_id}#{i}",  # passages that are equally near are found in the order of their ids
                metadata=each.metadata,
                excluded_llm_metadata_keys=list(each.metadata),
                excluded_embed_metadata_keys=list(each.metadata),
            )
            for each in documents
            for i, chunk in enumerate(build.cut(each.text))
        ]
        return VectorStoreIndex(nodes, embed_model=Words()).as_retriever(similarity_top_k=PASSAGES)

    def engine(retriever: CanaryRetriever, _: Strategy) -> RetrieverQueryEngine:
        return RetrieverQueryEngine.from_args(retriever, llm=model, text_qa_template=_PROMPT)

    documents = [Document(text=each.text, id_=each.id, metadata=dict(each.metadata)) for each in twin.real]
    retriever = CanaryRetriever(index(documents), twin, embedding="fictive", index=index)
    plain, verified = (asked(engine, retriever, model=model, mode="sync", verify=each) for each in (False, True))
    return lambda ask: (verified if ask.probe in verify else plain)(ask)
