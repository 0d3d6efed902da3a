"""Which text reached which where retrievers, memory and routing work together."""

import sys
from operator import itemgetter
from pathlib import Path

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, FewShotPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import (
    RunnableBranch,
    RunnableGenerator,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
    RunnableWithMessageHistory,
    chain,
)
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parent))
from astronomy import ANSWER, KEPLER, TITAN, joined, template

RHEA = "Rhea, the second largest moon of Saturn, was found by Giovanni Cassini in 1672."
LONG = (
    "The rings of Saturn are made of ice. They are ten metres thick in most places. "
    "Cassini saw the gap between them in 1675. Maxwell proved that they cannot be solid."
)


def rag(retriever, model):
    found = {"context": itemgetter("question") | retriever | joined, "question": itemgetter("question")}
    return found | template("Context: {context}\nQuestion: {question}") | model | StrOutputParser()


def store(*texts):
    vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    vectors.add_documents([Document(text, id=f"v{i}") for i, text in enumerate(texts)])
    return vectors


def test_an_ensemble_brings_what_each_of_its_retrievers_found(drive, says, shelf, link):
    pytest.importorskip("langchain_classic")
    from langchain_classic.retrievers import EnsembleRetriever

    both = EnsembleRetriever(retrievers=[shelf(KEPLER), shelf(TITAN)], weights=[0.5, 0.5])
    graph = drive(rag(both, says(ANSWER)), {"question": "When was the third law published?"})
    assert graph.answer.text == ANSWER
    assert link(graph, KEPLER, ANSWER) == link(graph, TITAN, ANSWER) == "firm"
    assert sum(node.kind == "document" for node in graph.nodes) == 2, "what passes through the ensemble is no new text"


def test_queries_that_a_model_wrote_lead_to_what_they_found(drive, says, link):
    pytest.importorskip("langchain_classic")
    from langchain_classic.retrievers import MultiQueryRetriever

    rewrite = says("Which year did the third law come out?\nWho published laws of planetary motion?")
    retriever = MultiQueryRetriever.from_llm(store(KEPLER, TITAN).as_retriever(search_kwargs={"k": 1}), rewrite)
    graph = drive(rag(retriever, says(ANSWER)), {"question": "When was it published?"})
    found = [node.text for node in graph.nodes if node.kind == "document"]
    assert found
    for text in found:
        assert link(graph, text, ANSWER) == link(graph, "Who published laws", text) == "firm"
    assert link(graph, "When was it published?", "Who published laws") == "firm"


class Keep(BaseDocumentCompressor):
    """Keeps the documents that hold a word."""

    word: str

    def compress_documents(self, documents, query, callbacks=None):
        return [document.model_copy() for document in documents if self.word in document.page_content]


def test_documents_that_a_reranker_dropped_stay_out(drive, says, shelf, link):
    pytest.importorskip("langchain_classic")
    from langchain_classic.retrievers import ContextualCompressionRetriever

    retriever = ContextualCompressionRetriever(
        base_compressor=Keep(word="1619"), base_retriever=shelf(TITAN, KEPLER, RHEA)
    )
    graph = drive(rag(retriever, says(ANSWER)), {"question": "When was it?"})
    assert link(graph, KEPLER, ANSWER) == "firm"
    for dropped in (TITAN, RHEA):
        assert not any(dropped in node.text for node in graph.nodes) or link(graph, dropped, ANSWER) is None


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


def test_a_query_with_a_filter_that_a_model_wrote_leads_to_the_documents(drive, says, shelf, link):
    def search(x):
        return shelf(RHEA if x["filter"]["moon"] == "rhea" else TITAN).invoke(x["query"])

    ask = template("Make a query: {question}") | says('{"query": "second largest moon", "filter": {"moon": "rhea"}}')
    found = RunnablePassthrough.assign(documents=ask | JsonOutputParser() | RunnableLambda(search))
    app = found | RunnableLambda(lambda x: {"text": joined(x["documents"]), "question": x["question"]})
    graph = drive(app | template("{text} {question}") | says("Cassini."), {"question": "Who found the second moon?"})
    assert link(graph, RHEA, "Cassini.") == link(graph, "Who found the second", "Cassini.") == "firm"
    assert link(graph, '"query": "second largest moon"', RHEA) == "firm"


def test_an_imagined_passage_leads_to_documents_but_is_none(drive, says, shelf, link):
    imagine = (
        template("Imagine a passage: {question}") | says("The law was surely written in 1700.") | StrOutputParser()
    )
    found = {"context": imagine | shelf(KEPLER) | joined, "question": itemgetter("question")}
    graph = drive(found | template("{context} {question}") | says(ANSWER), {"question": "When was it written?"})
    assert {leaf.text for leaf in graph.leaves() if leaf.kind == "document"} == {KEPLER}
    assert link(graph, "surely written in 1700", KEPLER) == link(graph, KEPLER, ANSWER) == "firm"
    (imagined,) = [node for node in graph.nodes if "surely written" in node.text]
    assert imagined.kind == "completion"
    assert all((edge.source, edge.target) != (imagined.id, graph.answer.id) for edge in graph.edges)


def test_only_the_road_that_was_taken_counts(drive, says, shelf, link):
    laws = template("About laws: {question}") | says("Laws bind the planets.") | StrOutputParser()
    moons = template("About moons: {question}") | says("Moons circle the planets.") | StrOutputParser()
    route = template("Laws or moons? {question}") | says("moons") | StrOutputParser()
    roads = RunnableBranch((lambda x: x["topic"] == "laws", laws), (lambda x: x["topic"] == "moons", moons), laws)
    app = RunnablePassthrough.assign(topic=route, notes=itemgetter("question") | shelf(RHEA) | joined) | roads
    graph = drive(app, {"question": "What circles?"})
    assert graph.answer.text == "Moons circle the planets."
    assert link(graph, "What circles?", "Moons circle") == "firm"
    assert link(graph, RHEA, "Moons circle") is None, "retrieved, but no prompt shows it"


def test_a_step_that_succeeds_at_its_second_try(drive, says, link, request):
    if "stream" in request.node.callspec.params["drive"]:
        pytest.skip("LangChain does not try streams again")
    tries = []

    def flaky(x):
        tries.append(x)
        if len(tries) % 2:
            raise ValueError("try again")
        return f"Checked: {x}"

    app = (
        template("Write on {topic}")
        | says("Orbits are ellipses with two foci.")
        | StrOutputParser()
        | RunnableLambda(flaky).with_retry(stop_after_attempt=3, wait_exponential_jitter=False)
        | template("Judge: {x}")
        | says("Well said.")
    )
    graph = drive(app, {"topic": "orbits of the planets"})
    assert link(graph, "Orbits are ellipses", "Well said.") == "firm"


def test_the_last_of_several_spare_models_answers(drive, says, link):
    def way(number, reply):
        return template(f"Way {number}: {{q}}") | says(reply)

    app = way(1, ValueError("busy")).with_fallbacks([way(2, ValueError("busy")), way(3, "The third answers.")])
    graph = drive(app | StrOutputParser() | template("Polish: {x}") | says("The third has answered."), {"q": "Who?"})
    assert link(graph, "The third answers.", "The third has answered.") == "firm"
    assert link(graph, "Who?", "The third answers.") == "firm"


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


def test_a_parsed_object_goes_into_prompts_field_by_field(drive, says, link):
    class Moon(BaseModel):
        name: str
        finder: str

    read = template("Read: {text}") | says('{"name": "Rhea of Saturn", "finder": "Giovanni Cassini"}')
    app = (
        read
        | PydanticOutputParser(pydantic_object=Moon)
        | RunnableLambda(lambda moon: {"name": moon.name, "finder": moon.finder})
        | RunnableParallel(
            one=template("On {name}") | says("It is icy and old.") | StrOutputParser(),
            two=template("On {finder}") | says("He lived in Paris.") | StrOutputParser(),
        )
        | template("Join {one}")
        | says("Icy and old it is.")
    )
    graph = drive(app, {"text": RHEA})
    assert link(graph, "Rhea of Saturn", "It is icy") == link(graph, "It is icy", "Icy and old it is.") == "firm"
    assert link(graph, "He lived in Paris.", "Icy and old it is.") is None


def test_code_that_yields_and_code_that_calls(drive, says, link):
    def by_word(chunks):
        for chunk in chunks:
            yield str(chunk.text).upper()

    @chain
    def twice(text):
        return f"{text}\n{text}"

    async def aby_word(chunks):
        async for chunk in chunks:
            yield str(chunk.text).upper()

    app = template("On {topic}") | says("Rings of ice.") | RunnableGenerator(by_word, aby_word) | twice
    graph = drive(app | template("Judge: {x}") | says("Loud but right."), {"topic": "rings around a planet"})
    assert link(graph, "Rings of ice.", "Loud but right.") == "firm"


def test_examples_in_a_prompt_are_instructions_and_not_sources(drive, says, link):
    examples = [{"q": "Which planet has the largest ears?", "a": "Saturn has the largest ears of them all."}]
    prompt = FewShotPromptTemplate(
        examples=examples,
        example_prompt=PromptTemplate.from_template("Q: {q}\nA: {a}"),
        suffix="Q: {question}\nA:",
        input_variables=["question"],
    )
    graph = drive(prompt | says("Titan is the largest moon."), {"question": "Which moon is the largest?"})
    assert link(graph, "Which moon is the largest?", "Titan is") == "firm"
    assert {node.kind for node in graph.nodes if "largest ears" in node.text} == {"instruction"}
