"""LangChain RAG that answers wrongly: did retrieval, the reranker or the model lose the fact?

Simulated here: the model (a recorded answer) and the embedding (shared words). The reranker prefers short passages and
drops the one with the answer. In your app add `options=VerifyOptions(diagnose=True)` to the handler that you have, and
give it a judge with a model: the offline judge of this recipe knows names and numbers only.

    pip install "trail-callbacks[langchain]"
    python cookbook/diagnose_langchain.py
"""

import re

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import TrailCallbackHandler

from trail_callbacks import VerifyOptions

PAGES = [
    Document("The Alder library opened in May 1962 in a former bakery on the market square.", id="history"),
    Document("The Alder library is closed on Mondays.", id="hours"),
    Document("The Alder library lends sewing machines.", id="things"),
]
MODEL = FakeListChatModel(responses=["The Alder library opened in May 1971."])


class Words(Embeddings):
    """Stands in for an embedding model: texts that share words are alike."""

    def embed_query(self, text: str) -> list[float]:
        words = set(re.findall(r"\w+", text.casefold()))
        return [float(len(words & set(re.findall(r"\w+", page.page_content.casefold())))) + 0.1 for page in PAGES]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def shortest(pages: list[Document]) -> list[Document]:
    """A reranker with a bad idea."""
    return sorted(pages, key=lambda page: len(page.page_content))[:2]


def main() -> None:
    store = InMemoryVectorStore(Words())
    store.add_documents(PAGES)
    context = (
        store.as_retriever(search_kwargs={"k": 3})
        | RunnableLambda(shortest).with_config(run_name="rerank")
        | (lambda pages: "\n".join(page.page_content for page in pages))
    )
    prompt = ChatPromptTemplate.from_template("Answer from these passages:\n{context}\n\n{question}")
    chain = {"context": context, "question": RunnablePassthrough()} | prompt | MODEL

    handler = TrailCallbackHandler(options=VerifyOptions(diagnose=True))
    chain.invoke("When did the Alder library open?", config={"callbacks": [handler]})
    print(handler.report().diagnosis)


if __name__ == "__main__":
    main()
