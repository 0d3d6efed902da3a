"""LangChain RAG: which sentence of an answer is made up, and what the retrieved documents say instead.

Simulated here: the model (a recorded answer with a wrong year and an invented prize) and the embedding (shared words).
In your app replace MODEL by `init_chat_model("openai:gpt-5-mini")` and Words by your embeddings; the rest stays.

    pip install "trail-callbacks[langchain]"
    python cookbook/langchain_rag.py
"""

from zlib import crc32

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import TrailCallbackHandler

MODEL = FakeListChatModel(
    responses=["The Alder library opened in 1926. It lends books, maps and tools. It won the Golden Shelf award."]
)
PAGES = {
    "history.md": "The Alder library opened in May 1962 in a former bakery. Its first librarian was Mara Holt.",
    "services.md": "The Alder library lends books, maps and tools. Tools may be kept for a week.",
    "bus.md": "Bus 7 stops at the market every ten minutes.",
}


class Words(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        present = {crc32(word.strip(".,?").encode()) % 256 for word in text.lower().split()}
        return [float(n in present) for n in range(256)]


def main() -> None:
    store = InMemoryVectorStore(Words())
    store.add_documents([Document(text, id=name, metadata={"source": name}) for name, text in PAGES.items()])
    prompt = ChatPromptTemplate.from_template("Answer from the context.\n\n{context}\n\nQuestion: {question}")
    chain = (
        {"context": store.as_retriever(search_kwargs={"k": 2}), "question": RunnablePassthrough()}
        | prompt
        | MODEL.with_config(run_name="write")  # named steps are easier to find in a report
        | StrOutputParser()
    )

    handler = TrailCallbackHandler()  # judge="openai/gpt-5-mini" uses a model instead of the offline judge
    answer = chain.invoke("When did the Alder library open, and what does it lend?", {"callbacks": [handler]})

    print(answer, end="\n\n")  # the app's answer is unchanged
    print(handler.report())  # each claim with its class and evidence


if __name__ == "__main__":
    main()
