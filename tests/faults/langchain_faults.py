"""The planned pipeline in LangChain: rewriter, vector store, reranker, packer, prompt and model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cases import Plan
from embedding import embed
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import TrailCallbackHandler

from trail_callbacks.trace import Trace


class Hashed(Embeddings):
    """`embed` for LangChain."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [embed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return embed(text)


class Without(BaseDocumentCompressor):
    """Throws out documents that hold some words."""

    words: str

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,
    ) -> Sequence[Document]:
        return [document for document in documents if self.words not in document.page_content]


def played(plan: Plan) -> Trace:
    """Runs the pipeline and returns what was recorded."""
    handler = TrailCallbackHandler(evaluate="never")
    chain(plan).invoke(plan.question, config={"callbacks": [handler]})
    return handler.trace()


def chain(plan: Plan) -> Runnable[str, Any]:
    """Builds the pipeline."""
    model = GenericFakeChatModel(messages=iter([AIMessage(plan.answer)]))
    if not plan.retrieves:
        return ChatPromptTemplate.from_messages([("human", "{question}")]) | model
    retriever = index(plan)
    if plan.drop is not None:
        retriever = ContextualCompressionRetriever(base_compressor=Without(words=plan.drop), base_retriever=retriever)
    context: Any = retriever
    if plan.rewritten is not None:
        context = RunnableLambda(lambda _: plan.rewritten).with_config(run_name="rewrite") | context
    if plan.keep is not None:
        context |= RunnableLambda(lambda documents: documents[: plan.keep]).with_config(run_name="keep_best")
    context |= RunnableLambda(lambda documents: "\n\n".join(_cut(each.page_content, plan.room) for each in documents))
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from these passages:\n\n{context}"), ("human", "{question}")]
    )
    return {"context": context, "question": RunnablePassthrough()} | prompt | model


def index(plan: Plan) -> Any:
    """The pipeline's retriever."""
    store = InMemoryVectorStore(Hashed())
    ids = ["gold" if plan.world.sentence(plan.asked) in text else f"d{n}" for n, text in enumerate(plan.documents)]
    store.add_documents([Document(text, id=id_) for id_, text in zip(ids, plan.documents, strict=True)])
    return store.as_retriever(search_kwargs={"k": plan.k})


def _cut(text: str, room: int | None) -> str:
    return text if room is None else " ".join(text.split(" ")[:room])
