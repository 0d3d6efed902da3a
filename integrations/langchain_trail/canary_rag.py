"""A plain RAG app of LangChain, built as a strategy says: for trying chunkers, prompts, models and retrievers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.prompts import PromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import PrivateAttr, SkipValidation

from langchain_trail.canary import CanaryRetriever
from langchain_trail.canary_application import CanaryApp, Mode
from trail_callbacks.canary.arm import Arm, Strategy
from trail_callbacks.canary.serving.chunking import chunks
from trail_callbacks.canary.serving.keywords import Keywords
from trail_callbacks.canary.serving.rag_parameters import RagParameters, rag_parameters
from trail_callbacks.canary.twin import Twin
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["KeywordRetriever", "rag_app"]

Models = Runnable[Any, Any] | Mapping[str, Runnable[Any, Any]]


class KeywordRetriever(BaseRetriever):
    """Finds documents by BM25, without embeddings.

    Args:
        documents: What is searched.
        k: How many are returned at most.
    """

    documents: SkipValidation[list[Document]]
    k: int = 3
    _index: Keywords = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Indexes the documents."""
        super().model_post_init(context)
        self._index = Keywords([each.page_content for each in self.documents])

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - LangChain's signature
        return [self.documents[i] for i, _ in self._index.search(query, self.k)]


class _Rag:
    """Makes the apps of strategies; those that differ in prompt or model only share their indexes."""

    def __init__(
        self, twin: Twin, model: Models, embeddings: Embeddings | None, prompts: Mapping[str, str] | None
    ) -> None:
        self._twin = twin
        self._model = model
        self._embeddings = embeddings
        self._prompts = dict(prompts or {})
        self._retrievers: dict[tuple[str, bool, str, str, int], CanaryRetriever] = {}
        self._lock = threading.Lock()

    def make(self, strategy: Strategy, arm: Arm) -> tuple[CanaryRetriever, Runnable[Any, Any]]:
        wanted = self._wanted(strategy)
        key = (wanted.chunker, wanted.html, wanted.retriever, wanted.embedding, wanted.k)
        with self._lock:
            if key not in self._retrievers:
                self._retrievers[key] = self._retriever(wanted)
        retriever = self._retrievers[key].under(arm)
        question: Runnable[Any, Any] = RunnablePassthrough()
        found = {"context": retriever | RunnableLambda(_joined, name="joined"), "question": question}
        prompt = PromptTemplate(template=wanted.prompt, input_variables=["context", "question"])
        return retriever, found | prompt | self.model(strategy)

    def model(self, strategy: Strategy) -> Runnable[Any, Any]:
        if not isinstance(self._model, Mapping):
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
            split = [
                Document(text, id=f"{each.id}#{i}", metadata=dict(each.metadata))
                for each in documents
                for i, text in enumerate(chunks(each.page_content, wanted.chunker, html=wanted.html, by_size=_by_size))
            ]
            if wanted.retriever == "bm25" or self._embeddings is None:
                return KeywordRetriever(documents=split, k=wanted.k)
            store = InMemoryVectorStore.from_documents(split, self._embeddings)
            return store.as_retriever(search_kwargs={"k": wanted.k})

        real = (
            Document(each.text, id=each.id, metadata={"source": each.id, **each.metadata}) for each in self._twin.real
        )
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
    embeddings: Embeddings | None = None,
    prompts: Mapping[str, str] | None = None,
    mode: Mode = "ainvoke",
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
        InputError: If the mode is unknown; when asked, if a strategy has a parameter or value that is none, or sizes
            for a chunker without `langchain-text-splitters`.
        JudgeError: If the judge is unknown.
    """
    rag = _Rag(twin, model, embeddings, prompts)
    return CanaryApp(
        rag.make, model=rag.model, question=lambda text: text, answer=None, mode=mode, verify=verify, judge=judge
    )


def _by_size(text: str, size: int, overlap: int) -> list[str]:
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise InputError(
            "a chunker by sizes needs LangChain's splitters: pip install langchain-text-splitters"
        ) from error
    return RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap).split_text(text)


def _joined(documents: list[Document]) -> str:
    return "\n\n".join(document.page_content for document in documents)
