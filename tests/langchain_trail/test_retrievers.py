"""Which text reached which where retrievers, memory and routing work together."""

import sys
from operator import itemgetter
from pathlib import Path

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import (
    RunnableWithMessageHistory,
)
from langchain_core.vectorstores import InMemoryVectorStore

sys.path.insert(0, str(Path(__file__).parent))
from astronomy import ANSWER, KEPLER, TITAN, joined, template

LONG = (
    "The rings of Saturn are made of ice. They are ten metres thick in most places. "
    "Cassini saw the gap between them in 1675. Maxwell proved that they cannot be solid."
)


def rag(retriever, model):
    found = {"context": itemgetter("question") | retriever | joined, "question": itemgetter("question")}
    return found | template("Context: {context}\nQuestion: {question}") | model | StrOutputParser()


def test_an_ensemble_brings_what_each_of_its_retrievers_found(drive, says, shelf, link):
    pytest.importorskip("langchain_classic")
    from langchain_classic.retrievers import EnsembleRetriever

    both = EnsembleRetriever(retrievers=[shelf(KEPLER), shelf(TITAN)], weights=[0.5, 0.5])
    graph = drive(rag(both, says(ANSWER)), {"question": "When was the third law published?"})
    assert graph.answer.text == ANSWER
    assert link(graph, KEPLER, ANSWER) == link(graph, TITAN, ANSWER) == "firm"
    assert sum(node.kind == "document" for node in graph.nodes) == 2, "what passes through the ensemble is no new text"


def test_a_parent_document_stands_for_the_chunk_that_was_found(drive, says, link):
    pytest.importorskip("langchain_classic")
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_classic.storage import InMemoryStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0)
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(DeterministicFakeEmbedding(size=8)),
        docstore=InMemoryStore(),
        child_splitter=splitter,
    )
    retriever.add_documents([Document(LONG)])
    graph = drive(rag(retriever, says("Ice.")), {"question": "What are rings made of?"})
    assert link(graph, LONG, "Ice.") == link(graph, "What are rings", LONG) == "firm"


@pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainDeprecationWarning")
def test_a_memory_of_messages_brings_the_first_turn_into_the_second(handler, says, link):
    memory = InMemoryChatMessageHistory()
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("user", "{question}")])
    model = says(("What is mine", "Your moon is Rhea."), ("", "A good choice of moon."))
    app = RunnableWithMessageHistory(
        prompt | model, lambda session: memory, input_messages_key="question", history_messages_key="history"
    )
    config = {"callbacks": [handler], "configurable": {"session_id": "s"}}
    app.invoke({"question": "My favourite moon is Rhea."}, config)
    app.invoke({"question": "What is mine?"}, config)
    graph = handler.graph()
    assert graph.answer.text == "Your moon is Rhea."
    assert graph.question.text == "What is mine?"
    assert link(graph, "My favourite moon is Rhea.", "Your moon is Rhea.") == "firm"
    assert link(graph, "A good choice of moon.", "Your moon is Rhea.") == "firm"
