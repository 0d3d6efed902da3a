"""Which text reached which: small apps of langchain-core's parts, in every way of calling them."""

import json
import sys
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnableParallel

sys.path.insert(0, str(Path(__file__).parent))
from astronomy import ANSWER, KEPLER, TITAN, template


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
