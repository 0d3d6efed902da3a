"""A plain RAG app of LlamaIndex, built as a strategy says: for trying chunkers, prompts, models and retrievers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from llama_index.core import PromptTemplate, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, Document, NodeRelationship, NodeWithScore, QueryBundle, TextNode

from llama_index_trail.canary import CanaryRetriever
from llama_index_trail.canary_application import CanaryApp, Mode
from trail_callbacks.canary.arm import Arm, Strategy
from trail_callbacks.canary.serving.chunking import chunks
from trail_callbacks.canary.serving.keywords import Keywords
from trail_callbacks.canary.serving.rag_parameters import RagParameters, rag_parameters
from trail_callbacks.canary.twin import Twin
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["KeywordRetriever", "rag_app"]

Models = LLM | Mapping[str, LLM]


class KeywordRetriever(BaseRetriever):
    """Finds nodes by BM25, without embeddings.

    Args:
        nodes: What is searched.
        k: How many are returned at most.
    """

    def __init__(self, nodes: list[BaseNode], k: int = 3) -> None:
        super().__init__()
        self._nodes = nodes
        self._k = k
        self._index = Keywords([each.get_content() for each in nodes])

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._index.search(query_bundle.query_str, self._k)
        return [NodeWithScore(node=self._nodes[i], score=score) for i, score in found]


class _Rag:
    """Makes the apps of strategies; those that differ in prompt or model only share their indexes."""

    def __init__(
        self, twin: Twin, model: Models, embeddings: BaseEmbedding | None, prompts: Mapping[str, str] | None
    ) -> None:
        self._twin = twin
        self._model = model
        self._embeddings = embeddings
        self._prompts = dict(prompts or {})
        self._retrievers: dict[tuple[str, bool, str, str, int], CanaryRetriever] = {}
        self._lock = threading.Lock()

    def make(self, strategy: Strategy, arm: Arm) -> tuple[CanaryRetriever, RetrieverQueryEngine]:
        wanted = self._wanted(strategy)
        key = (wanted.chunker, wanted.html, wanted.retriever, wanted.embedding, wanted.k)
        with self._lock:
            if key not in self._retrievers:
                self._retrievers[key] = self._retriever(wanted)
        retriever = self._retrievers[key].under(arm)
        prompt = PromptTemplate(
            wanted.prompt.replace("{context}", "{context_str}").replace("{question}", "{query_str}")
        )
        engine = RetrieverQueryEngine.from_args(retriever, llm=self.model(strategy), text_qa_template=prompt)
        return retriever, engine

    def model(self, strategy: Strategy) -> LLM:
        if isinstance(self._model, LLM):
            return self._model
        name = self._wanted(strategy).model
        if name is None and len(self._model) == 1:
            return next(iter(self._model.values()))
        if name is None or name not in self._model:
            raise InputError(f"strategy {strategy.name!r}: model {name!r} is none of {', '.join(self._model)}")
        return self._model[name]

    def _wanted(self, strategy: Strategy) -> RagParameters:
        return rag_parameters(strategy, self._prompts, has_embeddings=self._embeddings is not None)

    def _retriever(self, wanted: RagParameters) -> CanaryRetriever:
        def index(documents: Iterable[Document]) -> BaseRetriever:
            nodes = [node for each in documents for node in _nodes(each, wanted)]
            if wanted.retriever == "bm25" or self._embeddings is None:
                return KeywordRetriever(nodes, wanted.k)
            store = VectorStoreIndex(nodes, embed_model=self._embeddings)
            return store.as_retriever(similarity_top_k=wanted.k)

        real = [Document(text=each.text, id_=each.id, metadata=dict(each.metadata)) for each in self._twin.real]
        return CanaryRetriever(
            index(real),
            self._twin,
            embedding=wanted.embedding,
            index=index if wanted.embedding == "fictive" else None,
        )


def rag_app(
    twin: Twin,
    model: Models,
    *,
    embeddings: BaseEmbedding | None = None,
    prompts: Mapping[str, str] | None = None,
    mode: Mode = "async",
    verify: bool = False,
    judge: JudgeLike = None,
) -> CanaryApp:
    """Makes a plain RAG app over the corpus of a twin, which each strategy builds anew from its parameters.

    Parameters of a strategy: `chunker` (`sentence`, `paragraph`, `document`, or characters and overlap: `1000/200`),
    `html` (whether tags are kept), `retriever` (`vector` or `bm25`), `embedding` (`real` or `fictive`), `k`, `prompt`
    (a template, or a name of `prompts`) and `model` (a name of `model`).

    Args:
        twin: The corpus and its twin. Indexes are in memory.
        model: The model that answers, or several by name.
        embeddings: Makes vectors; without, passages are found by keywords.
        prompts: Templates with `{context}` and `{question}`, by name.
        mode: See `canary_app`.
        verify: See `canary_app`.
        judge: See `canary_app`.

    Raises:
        InputError: If the mode is unknown; when asked, if a strategy has a parameter or value that is none.
        JudgeError: If the judge is unknown.
    """
    rag = _Rag(twin, model, embeddings, prompts)
    return CanaryApp(rag.make, model=rag.model, mode=mode, verify=verify, judge=judge)


def _nodes(document: Document, wanted: RagParameters) -> list[BaseNode]:
    texts = chunks(document.text, wanted.chunker, html=wanted.html, by_size=_by_size)
    return [
        TextNode(
            text=text,
            id_=f"{document.doc_id}#{i}",
            metadata=dict(document.metadata),
            excluded_llm_metadata_keys=[*document.metadata],
            excluded_embed_metadata_keys=[*document.metadata],
            relationships={NodeRelationship.SOURCE: document.as_related_node_info()},
        )
        for i, text in enumerate(texts)
    ]


def _by_size(text: str, size: int, overlap: int) -> list[str]:
    # A character is a token, so that sizes mean the same in both frameworks.
    return SentenceSplitter(chunk_size=size, chunk_overlap=overlap, tokenizer=list).split_text(text)
