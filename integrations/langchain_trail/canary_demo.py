"""A real app for `trail canary demo`: a chain over a vector store, for each strategy one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from zlib import crc32

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_trail.canary import CanaryRetriever
from langchain_trail.canary_application import canary_app as asked
from langchain_trail.demo import ChatModel
from trail_callbacks.canary import App, Strategy, Twin
from trail_callbacks.canary.passages.html_text import text_of_html
from trail_callbacks.demo.build import PASSAGES, PROMPT, Build
from trail_callbacks.language.terms import keys

__all__ = ["Words", "canary_app"]

_DIMENSIONS = 256  # the store of langchain-core makes arrays of them for each question


class Words(Embeddings):
    """Hashed bag of words: finds what shares words with the question, offline."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embeds texts."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embeds a text."""
        vector = [0.0] * _DIMENSIONS
        for word in set(keys(text_of_html(text)[0])):
            vector[crc32(word.encode()) % _DIMENSIONS] = 1.0
        return vector


def canary_app(twin: Twin, builds: Sequence[Build], *, verify: Collection[str]) -> App:
    """Makes the app: a chain for each strategy, whose retriever shows what an arm may see.

    Args:
        twin: The corpus and its twin. The chains index the corpus; the twin has an index of its own.
        builds: The strategies.
        verify: Ids of the probes whose answers are judged, offline.
    """
    apps = {build.strategy.name: _app(twin, build, verify) for build in builds}
    return lambda ask: apps[ask.strategy.name](ask)


def _app(twin: Twin, build: Build, verify: Collection[str]) -> App:
    model = ChatModel(chat=build.chat)
    prompt = ChatPromptTemplate.from_template(PROMPT)

    def index(documents: list[Document]) -> BaseRetriever:
        store = InMemoryVectorStore(Words())
        chunks = [(chunk, each.metadata) for each in documents for chunk in build.cut(each.page_content)]
        store.add_documents([Document(chunk, metadata=metadata) for chunk, metadata in chunks])
        return store.as_retriever(search_kwargs={"k": PASSAGES})

    def chain(retriever: CanaryRetriever, _: Strategy) -> Runnable[str, str]:
        found = {"context": retriever | _joined, "question": RunnablePassthrough()}
        return found | prompt | model | StrOutputParser()

    documents = [Document(each.text, id=each.id, metadata=dict(each.metadata)) for each in twin.real]
    retriever = CanaryRetriever(retriever=index(documents), twin=twin, embedding="fictive", index=index)
    plain, verified = (asked(chain, retriever, model=model, mode="invoke", verify=each) for each in (False, True))
    return lambda ask: (verified if ask.probe in verify else plain)(ask)


def _joined(found: list[Document]) -> str:
    return "\n\n".join(each.page_content for each in found)
