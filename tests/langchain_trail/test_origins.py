"""Real apps in which a model's words come back as something else, or a source arrives under an unusual name."""

from __future__ import annotations

import json
from contextlib import closing
from operator import itemgetter

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import tool
from langchain_trail import TrailCallbackHandler

from trail_callbacks.text import outside

from .calling import run

INVENTED = "The ferry takes 53 minutes. Tickets cost 12 euros."
OTHERWISE = "The ferry takes 40 minutes. Tickets cost 9 euros. "
KNOWN = "The museum opened in 1968. Entry costs 4 euros."


class Played(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


def played(*replies):
    return Played(messages=iter([AIMessage(reply) if isinstance(reply, str) else reply for reply in replies]))


@pytest.fixture
def handler():
    made = TrailCallbackHandler(evaluate="never")
    yield made
    made.close()
    assert made.errors == []


def classes(handler):
    return {str(verdict.support) for verdict in handler.report().verdicts}


def evidence_is_no_models(report):
    for verdict in report.verdicts:
        for item in verdict.evidence:
            node = report.graph.node(item.node_id)
            assert node.is_evidence
            assert not any(start < item.end and item.start < end for start, end in node.model_spans)


NOTES: list[str] = []


@tool
def note(text: str) -> str:
    """Takes a note."""
    NOTES.append(text)
    return f"Notes recorded: {text}"


@tool
def notes() -> str:
    """Reads the notes."""
    return "\n".join(f"- {each}" for each in NOTES)


def call(name, **arguments):
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])


@pytest.mark.parametrize("replies", [[call("note", text=INVENTED)], [call("note", text=INVENTED), call("notes")]])
@pytest.mark.parametrize(("told", "expected"), [("", "None"), (OTHERWISE, "absent")])
def test_a_tool_that_echoes_or_keeps_what_a_model_wrote_supports_nothing(handler, replies, told, expected):
    NOTES.clear()
    agent = create_agent(played(*replies, INVENTED), [note, notes])
    agent.invoke({"messages": [("user", f"{told}How long does the ferry take?")]}, {"callbacks": [handler]})
    assert classes(handler) == {expected}
    evidence_is_no_models(handler.report())


@pytest.mark.parametrize("name", ["context", "kb", "notes", "facts_about_it"])
def test_a_value_of_a_prompt_is_a_source_whatever_its_variable_is_called(handler, name):
    prompt = ChatPromptTemplate.from_template(f"Use this: {{{name}}}\nQuestion: {{question}}")
    asked = {name: KNOWN, "question": "When did the museum open?"}
    (prompt | played("The museum opened in 1968. Entry costs 5 euros.")).invoke(asked, {"callbacks": [handler]})
    report = handler.report()
    assert [str(verdict.support) for verdict in report.verdicts] == ["supported", "contradicted"]
    assert not report.warnings
    assert {leaf.origin for leaf in report.graph.leaves()} == {"given", "user"}


def test_the_wording_of_a_prompt_of_several_messages_is_evidence_and_marked(handler):
    prompt = ChatPromptTemplate([("system", KNOWN), ("user", "{question}")])
    (prompt | played("The museum opened in 1968.")).invoke({"question": "When?"}, {"callbacks": [handler]})
    assert {leaf.origin for leaf in handler.graph().leaves()} == {"template", "user"}
    assert classes(handler) == {"supported"}


class Shelf(BaseRetriever):
    texts: dict[str, str]

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(text) for word, text in self.texts.items() if word in query.lower()]


@pytest.mark.parametrize("named", [True, False], ids=["thread", "message ids"])
def test_documents_of_an_earlier_turn_stay_evidence_with_their_turn(handler, named):
    shelf = Shelf(texts={"ferry": "The ferry takes 40 minutes and leaves at noon.", "museum": KNOWN})
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from: {context}"), MessagesPlaceholder("history"), ("user", "{question}")]
    )
    model = played("The ferry takes 40 minutes.", "The ferry takes 40 minutes. The museum opened in 1986.")
    context = itemgetter("question") | shelf | (lambda found: "\n".join(each.page_content for each in found))
    chain = {"context": context, "question": itemgetter("question"), "history": itemgetter("history")} | prompt | model
    config = {"callbacks": [handler]} | ({"metadata": {"session_id": "s"}} if named else {})
    history = []
    for asked in ("How long is the ferry?", "Are you sure? And the museum?"):
        reply = chain.invoke({"question": asked, "history": history}, config)
        history = [*history, HumanMessage(asked), reply]
    report = handler.report()
    assert [str(verdict.support) for verdict in report.verdicts] == ["supported", "contradicted"]
    quoted = report.graph.node(report.verdicts[0].evidence[0].node_id)
    assert (quoted.origin, quoted.attributes["turn"]) == ("retrieved", 1)


HOW = "How long is the ferry?"
TOLD = {
    "labels": f"Mensch: {HOW}\nKI: {INVENTED}",
    "full-width": f"\u4eba\u9593\uff1a{HOW}\nbot\uff1a{INVENTED}",
    "roles": f"**User:** {HOW}\n\n**Assistant:** {INVENTED}",
    "tags": f"<|im_start|>user\n{HOW}<|im_end|>\n<|im_start|>assistant\n{INVENTED}<|im_end|>",
    "JSON": json.dumps([{"role": "user", "content": HOW}, {"role": "assistant", "content": INVENTED}]),
    "YAML": f"- role: user\n  content: {HOW}\n- role: assistant\n  content: {INVENTED}",
    "pairs": str([("human", HOW), ("ai", INVENTED)]),
}


def told(handler, text, name="history", **inputs):
    prompt = ChatPromptTemplate.from_template(f"So far:\n{{{name}}}\n\n{'Now: {question}' if inputs else ''}")
    (prompt | played(INVENTED)).invoke({name: text, **inputs}, {"callbacks": [handler]})
    return handler.report()


@pytest.mark.parametrize("shape", TOLD)
def test_a_history_in_one_string_is_no_source_and_a_report_says_how_to_declare_one(handler, shape):
    report = told(handler, TOLD[shape], question="Say it again")
    assert report.state != "assessed"
    assert not classes(handler) & {"supported"}
    assert not any(INVENTED in outside(node.text, node.model_spans) for node in report.graph.leaves())
    unknown = any(node.origin == "unknown" for node in report.graph.nodes)
    assert any("sources=" in warning for warning in report.warnings) is unknown


@pytest.mark.parametrize("way", ["declared", "named", "nothing else is asked"])
def test_a_transcript_that_is_the_material_stays_a_source(way):
    keys = ["call"] if way == "declared" else []
    with closing(TrailCallbackHandler(evaluate="never", sources=keys)) as handler:
        asked = {} if way == "nothing else is asked" else {"question": "How long is the ferry?"}
        told(handler, TOLD["labels"], "transcript" if way == "named" else "call", **asked)
        assert classes(handler) == {"supported"}


@pytest.mark.parametrize("asked", [HOW, "And the pier?"], ids=["the same", "another question"])
def test_an_answer_of_another_run_is_found_again_behind_its_question(handler, asked):
    page = "The pier's shop is open, and the ferry to Lerwick leaves at noon from the northern end of the quay."
    first = ChatPromptTemplate.from_template("Use {context}. {question}") | played(page)
    first.invoke({"context": page, "question": HOW}, {"callbacks": [handler]})
    (ChatPromptTemplate.from_template("{memory}\n{question}") | played(page)).invoke(
        {"memory": f"{asked} -> {page}", "question": "Say it again"}, {"callbacks": [handler]}
    )
    report = handler.report()
    turns = {report.graph.node(each.node_id).attributes.get("turn") for each in report.verdicts[0].evidence}
    assert turns == {1 if asked == HOW else None}


PAGE = "The ferry leaves from the quay at noon. It takes 40 minutes to Lerwick. Dogs travel free of charge."
PROMPTS = {
    HOW: "user",
    f"Good morning.\n{HOW}\nThank you.": "user",
    "Tell me how long the ferry to Lerwick takes.": "user",
    "\u30d5\u30a7\u30ea\u30fc\u306f\u4f55\u5206\u304b\u304b\u308a\u307e\u3059\u304b\uff1f": "user",
    f"Summarise this: {PAGE}": "given",
    f"Context: The ferry takes 40 minutes.\n\nQuestion: {HOW}": "given",
}


@pytest.mark.parametrize("shape", ["text", "message", "after a system message"])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_question_is_no_source_for_its_answer_but_a_prompt_with_material_is(handler, prompt, shape):
    messages = [*([("system", "Be brief.")] if shape == "after a system message" else []), ("user", prompt)]
    played(INVENTED).invoke(prompt if shape == "text" else messages, {"callbacks": [handler]})
    report = handler.report()
    assert report.graph.question.origin == PROMPTS[prompt]
    assert (report.state == "no_evidence") == (PROMPTS[prompt] == "user")


# -- Nothing goes missing


@pytest.mark.parametrize("shape", ["chat", "text"])
@pytest.mark.parametrize("mode", ["invoke", "stream"])
def test_a_value_given_to_a_prompt_in_advance_is_a_source(handler, shape, mode):
    text = "Answer from {kb}\nToday is {day}.\n{question}"
    prompt = ChatPromptTemplate.from_template(text) if shape == "chat" else PromptTemplate.from_template(text)
    chain = prompt.partial(kb=KNOWN, day=lambda: "Monday") | played(KNOWN)
    run(chain, {"question": "How old is the museum?"}, {"callbacks": [handler]}, mode)
    assert classes(handler) == {"supported"}
    assert [node.origin for node in handler.graph().nodes if node.text == KNOWN] == ["given", "model"]
