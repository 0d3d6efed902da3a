"""Which text reached which: small apps of langchain-core's parts, in every way of calling them."""

from __future__ import annotations

import json
import operator
import re
from operator import itemgetter
from typing import Annotated, TypedDict

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.compressor import BaseDocumentCompressor
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import (
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
    RunnableWithMessageHistory,
)
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import trail
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from .calling import MODES, run

KEPLER = "Johannes Kepler published his third law of planetary motion in the year 1619."
TITAN = "Saturn's largest moon Titan was discovered by Christiaan Huygens in 1655."
ANSWER = "Kepler's third law appeared in 1619."
template = ChatPromptTemplate.from_template


def joined(documents):
    return "\n".join(document.page_content for document in documents)


def test_a_parallel_branch_that_the_prompt_does_not_use_stays_out(drive, says, link):
    branches = RunnableParallel(
        law=template("About the law: {topic}") | says("The law binds periods to distances.") | StrOutputParser(),
        moon=template("About the moon: {topic}") | says("The moon has lakes of methane.") | StrOutputParser(),
    )
    graph = drive(branches | template("Sum up: {law}") | says("Periods grow with distance."), {"topic": "sky"})
    assert link(graph, "binds periods", "Periods grow") == "firm"
    assert link(graph, "lakes of methane", "Periods grow") is None
    assert link(graph, "lakes of methane", "binds periods") is None


def test_of_several_attempts_only_the_one_that_answered_counts(drive, says, link):
    broken = template("First way: {q}") | says(ValueError("overloaded"))
    spare = template("Second way: {q}") | says("The spare model answers.")
    graph = drive(broken.with_fallbacks([spare]) | StrOutputParser(), {"q": "Who answers?"})
    assert graph.answer.text == "The spare model answers."
    assert link(graph, "Who answers?", "The spare model answers.") == "firm"


def test_a_history_handed_through_is_not_the_answer(drive, says, shelf, link):
    pytest.importorskip("langchain_classic")
    from langchain_classic.chains import create_history_aware_retriever, create_retrieval_chain
    from langchain_classic.chains.combine_documents import create_stuff_documents_chain

    ask = ChatPromptTemplate.from_messages([MessagesPlaceholder("chat_history"), ("user", "Search for: {input}")])
    reply = ChatPromptTemplate.from_messages(
        [("system", "Use {context}"), MessagesPlaceholder("chat_history"), ("user", "{input}")]
    )
    retriever = create_history_aware_retriever(says("publication year third law"), shelf(KEPLER), ask)
    app = create_retrieval_chain(retriever, create_stuff_documents_chain(says(ANSWER), reply))
    history = [HumanMessage("Who was Kepler?"), AIMessage("An astronomer at the court of Rudolf.")]
    graph = drive(app, {"input": "And when was his third law?", "chat_history": history})
    assert graph.answer.text == ANSWER
    assert graph.question.text == "And when was his third law?"
    assert link(graph, "publication year third law", KEPLER) == link(graph, KEPLER, ANSWER) == "firm"


def test_one_field_of_parsed_json_carries_the_completion_into_the_next_prompt(drive, says, link):
    reply = json.dumps({"moon": "Titan, \u201cthe hazy one\u201d", "year": 1655})
    app = (
        template("Facts on {topic}")
        | says(reply)
        | JsonOutputParser()
        | template("Doubt: {moon} in {year}")
        | says("Confirmed by telescope.")
        | StrOutputParser()
    )
    graph = drive(app, {"topic": "moons of Saturn"})
    assert graph.answer.text == "Confirmed by telescope."
    assert link(graph, "the hazy one", "Confirmed by telescope.") == "firm"
    assert link(graph, "moons of Saturn", "the hazy one") == "firm"


def test_mapped_summaries_come_from_their_own_document_only(drive, says, link):
    one = (
        template("Shorten: {text}")
        | says(("Kepler", "A law of 1619."), ("Titan", "A moon of 1655."))
        | StrOutputParser()
    )
    app = (
        RunnableLambda(lambda documents: [{"text": document.page_content} for document in documents])
        | one.map()
        | RunnableLambda(lambda parts: {"parts": " / ".join(parts)})
        | template("Merge: {parts}")
        | says("Two discoveries of one century.")
        | StrOutputParser()
    )
    graph = drive(app, [Document(KEPLER), Document(TITAN)])
    assert link(graph, "law of 1619", "Two discoveries") == link(graph, "moon of 1655", "Two discoveries") == "firm"
    assert link(graph, KEPLER, "law of 1619") == link(graph, TITAN, "moon of 1655") == "firm"
    assert link(graph, KEPLER, "moon of 1655") is None
    assert link(graph, TITAN, "law of 1619") is None


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


HOURS = "Opening hours are nine to five daily, except on public holidays."
LAW = f"Kepler found his third law in 1618. {HOURS} He lived in Linz."
HUYGENS = f"Huygens saw Titan in 1655. {HOURS} He lived in The Hague."
GALILEO = f"Galileo saw rings in 1610. {HOURS} He lived in Padua."
CUTS = {"its first words": slice(0, 12), "what all have in common": None, "its end": slice(-17, None)}


def shortened(document, cut, named):
    text = HOURS if cut is None else document.page_content[cut]
    score = {**document.metadata, "relevance_score": 0.5}
    return Document(text, id=document.id) if named == "id" else Document(text, metadata=score)


def only_huygens(cut, named):
    return lambda documents: [shortened(each, cut, named) for each in documents if "Titan" in each.page_content]


class Compressor(BaseDocumentCompressor):
    cut: object

    def compress_documents(self, documents, query, callbacks=None):
        return self.cut(documents)


class Transformer(BaseDocumentTransformer):
    def __init__(self, cut):
        self.cut = cut

    def transform_documents(self, documents, **kwargs):
        return self.cut(documents)


def compressing(retriever, cut):
    classic = pytest.importorskip("langchain_classic.retrievers")
    return classic.ContextualCompressionRetriever(base_compressor=Compressor(cut=cut), base_retriever=retriever)


def transforming(retriever, cut):
    return retriever | RunnableLambda(Transformer(cut).transform_documents)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [compressing, transforming])
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("named", ["id", "metadata"])
def test_a_shortened_document_comes_from_its_own_original(handler, says, shelf, *, made, cut, named, mode):
    retriever = shelf()
    retriever.documents = [
        Document(text, **({"id": f"d{i}"} if named == "id" else {"metadata": {"source": f"{i}.txt"}}))
        for i, text in enumerate((LAW, HUYGENS, GALILEO))
    ]
    app = made(retriever, only_huygens(cut, named)) | (lambda found: "Use: " + found[0].page_content) | says("In 1655.")
    run(app, "When was Titan seen?", {"callbacks": [handler]}, mode)
    graph = handler.graph()
    sources = {node.text for node in graph.leaves() if node.kind == "document"}  # the original, or what of it was shown
    assert sources
    assert all(text in HUYGENS for text in sources)
    assert not [edge for edge in graph.edges if edge.basis == "scope"]


BARE = {
    "cut inside a word": ([LAW, HUYGENS, GALILEO], lambda text: text[:14]),
    "with dots": ([LAW, HUYGENS, GALILEO], lambda text: text[:22] + "..."),
    "sentences swapped": ([LAW, HUYGENS, GALILEO], lambda text: " ".join(re.split(r"(?<=\.) ", text)[::-1])),
    "rows": (["| Elbe | 1998 | 120 cars |", "| Skye | 1971 | 36 cars |", "| Oslo | 1985 | 80 cars |"], lambda text: text[:15]),
    "what all have in common": ([LAW, HUYGENS, GALILEO], lambda text: HOURS),
    "all of another one": ([HOURS, HUYGENS, GALILEO], lambda text: HOURS),
}  # fmt: skip
UNDECIDED = {"what all have in common", "all of another one"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [compressing, transforming])
@pytest.mark.parametrize("shape", BARE)
def test_what_a_document_without_id_and_metadata_was_is_found_or_not_guessed(
    handler, says, shelf, *, made, shape, mode
):
    texts, cut = BARE[shape]
    retriever = shelf(*texts)
    app = (
        made(retriever, lambda documents: [Document(cut(documents[1].page_content))])
        | (lambda found: "Use: " + found[0].page_content)
        | says("In 1655.")
    )
    run(app, "When was Titan seen?", {"callbacks": [handler]}, mode)
    graph = handler.graph()
    originals = [node for node in graph.nodes if node.step == "Shelf"]
    upstream = {node.id for node in graph.upstream("answer")}
    assert [node.text for node in originals if node.id in upstream] == ([] if shape in UNDECIDED else [texts[1]])
    shown = cut(texts[1])
    assert any(shown in leaf.text or leaf.text == texts[1] for leaf in graph.leaves() if leaf.kind == "document")


CITING = "Dogs ride for free [1]. Tickets cost 12 euros [2]. The ferry takes 40 minutes [2]."


class Docs(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        texts = ["The ferry takes 40 minutes.", "Tickets cost 12 euros.", "Dogs ride for free."]
        return [Document(text, metadata={"source": f"{text.split()[0]}.md"}) for text in texts]


def reranked(docs):
    return "\n".join(f"[{i}] {doc.page_content}" for i, doc in enumerate(reversed(docs), 1))


def chain():
    prompt = ChatPromptTemplate.from_template("Answer from {context}\n\nQuestion: {question}")
    sources = Docs() | RunnableLambda(reranked)
    model = GenericFakeChatModel(messages=iter([CITING]))
    return {"context": sources, "question": RunnablePassthrough()} | prompt | model


def statuses(report):
    return [(citation.target, report.graph.node(citation.sources[0]).text.split()[0], citation.status)
            for claim in report.claims for citation in claim.citations]  # fmt: skip


EXPECTED = [("1", "Dogs", "supported"), ("2", "Tickets", "supported"), ("2", "Tickets", "undecided")]


@pytest.mark.parametrize("way", ["invoke", "stream", "ainvoke"])
async def test_a_number_is_what_the_prompt_showed_under_it(way):
    with trail() as t:
        if way == "invoke":
            chain().invoke("What?")
        elif way == "stream":
            list(chain().stream("What?"))
        else:
            await chain().ainvoke("What?")
    report = await t.areport()
    assert statuses(report) == EXPECTED


SAME = "Both say that tides rise twice a day."
MERGED = "All in all, two tides a day."


class State(TypedDict, total=False):
    topics: list[str]
    topic: str
    parts: Annotated[list[str], operator.add]
    answer: str


def mapping_graph(writer, merger):
    graph = StateGraph(State)
    graph.add_node("summarise", lambda state: {"parts": [writer.invoke("Summarise: " + state["topic"]).text]})
    graph.add_node("merge", lambda state: {"answer": merger.invoke("Merge:\n" + "\n".join(state["parts"])).text})
    graph.add_conditional_edges(START, lambda s: [Send("summarise", {"topic": each}) for each in s["topics"]])
    return graph.add_edge("summarise", "merge").add_edge("merge", END).compile()


def mapping_chain(writer, merger):
    one = ChatPromptTemplate.from_template("Summarise: {topic}") | writer | StrOutputParser()
    return (
        RunnableLambda(lambda given: [{"topic": each} for each in given["topics"]])
        | one.map()
        | RunnableLambda(lambda parts: {"parts": "\n".join(parts)})
        | ChatPromptTemplate.from_template("Merge: {parts}")
        | merger
        | StrOutputParser()
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [mapping_graph, mapping_chain])
@pytest.mark.parametrize("times", [2, 3])
def test_equal_results_of_a_map_all_go_into_the_step_that_merges_them(handler, says, made, mode, times):
    topics = ["a report on the north sea", "a report on the south sea", "a report on the red sea"][:times]
    run(made(says(SAME), says(MERGED)), {"topics": topics}, {"callbacks": [handler]}, mode)
    graph = handler.graph()
    assert graph.answer.text == MERGED
    written = {node.id for node in graph.nodes if node.text == SAME}
    assert len(written) == times
    assert {node.id for node in graph.inputs(graph.answer.id)} >= written
    assert {topic for topic in topics if any(topic in node.text for node in graph.leaves())} == set(topics)


FERRIES = [
    "The Elbe ferry was built in 1998 in Hamburg and carries 120 cars.",
    "The Skye ferry was built in 1971 in Glasgow and carries 36 cars.",
    "The Oslo ferry was built in 1985 in Bergen and carries 80 cars.",
]
WRONG = [
    (["1998", "1973", "1985"], "The Skye ferry was built in 1973.", "1973"),
    (
        ["Elbe: built 1998.", "Skye: built 1973.", "Oslo: 80 cars."],
        "The Skye ferry was built in 1973.",
        "Skye: built 1973.",
    ),
    (
        ["120 cars go.", "63 cars go.", "80 cars go."],
        "The Skye ferry was built in 1971 in Glasgow and carries 63 cars.",
        "63",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [mapping_graph, mapping_chain])
@pytest.mark.parametrize(("parts", "merged", "wrong"), WRONG)
def test_an_error_of_a_map_step_is_not_reported_at_the_step_that_merges(
    handler, says, *, made, parts, merged, wrong, mode
):
    writer = says(*((ferry.split(" was")[0], part) for ferry, part in zip(FERRIES, parts, strict=True)))
    run(made(writer, says(merged)), {"topics": FERRIES}, {"callbacks": [handler]}, mode)
    report = handler.report()
    (verdict,) = (verdict for verdict in report.verdicts if str(verdict.support) != "supported")
    introduced = report.graph.node(verdict.introduced_at)
    assert introduced.kind == "completion"
    assert wrong in introduced.text
