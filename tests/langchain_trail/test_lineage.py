"""Which text reached which: small apps of real LangChain and LangGraph parts, in every way of calling them."""

import asyncio
import json
import operator
import sys
from typing import Annotated, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableBranch, RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, Send

KEPLER = "Johannes Kepler published his third law of planetary motion in the year 1619."
TITAN = "Saturn's largest moon Titan was discovered by Christiaan Huygens in 1655."
ANSWER = "Kepler's third law appeared in 1619."

template = ChatPromptTemplate.from_template


@pytest.fixture(params=["invoke", "ainvoke", "stream", "astream", "batch", "abatch"])
def drive(request, handler):
    """Calls an app in one of the ways LangChain offers, under the handler; returns the graph of the last run."""
    carries = request.node.get_closest_marker("carries_context")
    if carries and request.param.startswith("a") and sys.version_info < (3, 11):
        pytest.skip("before Python 3.11 LangChain's callbacks do not reach nested asynchronous calls by themselves")

    def run(app, given):
        config = {"callbacks": [handler]}
        if request.param == "invoke":
            app.invoke(given, config)
        elif request.param == "ainvoke":
            asyncio.run(app.ainvoke(given, config))
        elif request.param == "stream":
            list(app.stream(given, config))
        elif request.param == "batch":
            app.batch([given, given], config)
        elif request.param == "abatch":
            asyncio.run(app.abatch([given, given], config))
        else:

            async def consume():
                return [chunk async for chunk in app.astream(given, config)]

            asyncio.run(consume())
        return handler.graph()

    return run


def joined(documents):
    return "\n".join(document.page_content for document in documents)


def test_a_retrieval_chain_leads_from_documents_and_question_to_the_answer(drive, says, shelf, link):
    retrieve = {"context": shelf(KEPLER, TITAN) | joined, "question": RunnablePassthrough()}
    app = retrieve | template("Context: {context}\nQuestion: {question}") | says(ANSWER) | StrOutputParser()
    graph = drive(app, "When was the third law published?")
    assert graph.answer.text == ANSWER
    assert graph.question.text == "When was the third law published?"
    documents = [leaf for leaf in graph.leaves() if leaf.kind == "document"]
    assert {leaf.text for leaf in documents} == {KEPLER, TITAN}
    assert link(graph, KEPLER, ANSWER) == link(graph, "third law published?", ANSWER) == "firm"
    assert link(graph, "third law published?", KEPLER) == "firm", "the query led to the documents"


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


def test_a_parallel_branch_that_the_prompt_does_not_use_stays_out(drive, says, link):
    branches = RunnableParallel(
        law=template("About the law: {topic}") | says("The law binds periods to distances.") | StrOutputParser(),
        moon=template("About the moon: {topic}") | says("The moon has lakes of methane.") | StrOutputParser(),
    )
    graph = drive(branches | template("Sum up: {law}") | says("Periods grow with distance."), {"topic": "sky"})
    assert link(graph, "binds periods", "Periods grow") == "firm"
    assert link(graph, "lakes of methane", "Periods grow") is None
    assert link(graph, "lakes of methane", "binds periods") is None


def test_equal_short_texts_of_two_branches_are_told_apart(drive, says, shelf, link):
    def vote(evidence):
        return shelf(evidence) | joined | template("True? {evidence}") | says("no") | StrOutputParser()

    app = RunnableParallel(left=vote(KEPLER), right=vote(TITAN)) | template("Votes: {right}") | says("Rejected it is.")
    graph = drive(app, "Is it true?")
    assert link(graph, TITAN, "Rejected") == "firm"
    assert link(graph, KEPLER, "Rejected") is None


def test_assigned_keys_and_picked_branches_keep_their_sources(drive, says, shelf, link):
    app = (
        RunnablePassthrough.assign(context=(lambda x: x["question"]) | shelf(KEPLER) | joined)
        | RunnablePassthrough.assign(draft=template("{context} {question}") | says("Draft: 1619.") | StrOutputParser())
        | RunnableBranch(
            (lambda x: "1619" in x["draft"], template("Polish {draft}") | says("It was in 1619.") | StrOutputParser()),
            RunnableLambda(lambda x: x["draft"]),
        )
    )
    graph = drive(app, {"question": "Which year was the law?"})
    assert graph.answer.text == "It was in 1619."
    assert link(graph, "Draft: 1619.", "It was in 1619.") == link(graph, KEPLER, "Draft: 1619.") == "firm"


def test_history_goes_through_a_placeholder_unchanged(drive, says, link):
    prompt = ChatPromptTemplate.from_messages(
        [
            ("system", "Answer as an astronomer of the seventeenth century would."),
            MessagesPlaceholder("history"),
            ("user", "{question}"),
        ]
    )
    history = [HumanMessage("My favourite planet is Saturn."), AIMessage("A fine choice, it has ears.")]
    graph = drive(prompt | says("You like Saturn."), {"history": history, "question": "What do I like?"})
    assert link(graph, "favourite planet is Saturn", "You like Saturn.") == "firm"
    assert link(graph, "What do I like?", "You like Saturn.") == "firm"
    assert graph.question.text == "What do I like?"


@tool
def catalogue(name: str) -> str:
    """Look a body up in the catalogue of moons."""
    return "Titan: diameter 5150 km, discovered 1655, second largest moon."


@pytest.mark.carries_context
def test_an_agent_s_answer_rests_on_the_tool_result_and_the_call_that_fetched_it(drive, says, link):
    call = AIMessage("", tool_calls=[{"name": "catalogue", "args": {"name": "Saturn\u2019s largest"}, "id": "c1"}])
    model = says(("diameter 5150", "Titan measures 5150 km."), call, tools=True)
    agent = create_agent(model, [catalogue], system_prompt="Use the catalogue of moons for every number you give.")
    graph = drive(agent, {"messages": [("user", "How wide is Saturn's largest moon?")]})
    assert graph.answer.text == "Titan measures 5150 km."
    assert link(graph, "diameter 5150 km", "Titan measures") == "firm"
    assert link(graph, 'catalogue({"name": "Saturn\u2019s largest"})', "diameter 5150 km") == "firm"
    assert link(graph, "How wide is", "catalogue({") == "firm"
    assert "tool_result" in {leaf.kind for leaf in graph.leaves()}
    assert graph.question.text == "How wide is Saturn's largest moon?"


def test_two_tool_calls_of_one_turn_keep_their_results_apart(drive, says, link):
    @tool
    def orbit(name: str) -> str:
        """Orbit."""
        return f"The orbit of {name} takes sixteen terrestrial days."

    calls = [{"name": "orbit", "args": {"name": n}, "id": f"c-{n}"} for n in ("Titan", "Rhea")]
    model = says(("sixteen", "Both take sixteen days."), AIMessage("", tool_calls=calls), tools=True)
    graph = drive(create_agent(model, [orbit]), {"messages": [("user", "Compare the orbits.")]})
    for name in ("Titan", "Rhea"):
        assert link(graph, f"The orbit of {name} takes", "Both take sixteen days.") == "firm"
    results = [node for node in graph.nodes if node.kind == "tool_result"]
    assert len(results) == 2


class Draft(TypedDict):
    topic: str
    draft: str
    edited: str
    verdict: str


@pytest.mark.parametrize(
    "edit", [str.upper, lambda t: t[:30], lambda t: json.dumps([t]), lambda t: t.replace(" ", "  ")]
)
def test_a_graph_node_that_rewrites_text_passes_its_origin_on(drive, says, link, edit):
    write, judge = says("Titan hides its surface under orange haze."), says("Accepted without changes.")
    graph = StateGraph(Draft)
    graph.add_node("write", lambda s: {"draft": write.invoke("Write on " + s["topic"]).text})
    graph.add_node("edit", lambda s: {"edited": edit(s["draft"])})
    graph.add_node("judge", lambda s: {"verdict": judge.invoke("Judge: " + s["edited"]).text})
    graph.add_edge(START, "write").add_edge("write", "edit").add_edge("edit", "judge").add_edge("judge", END)
    found = drive(graph.compile(), {"topic": "the atmosphere of a distant moon"})
    assert found.answer.text == "Accepted without changes."
    assert link(found, "under orange haze", "Accepted") == "firm"
    assert link(found, "atmosphere of a distant moon", "under orange haze") == "firm"


def test_of_a_state_s_channels_the_one_written_last_is_the_answer(drive, says, link):
    write = says("Titan hides its surface under orange haze.")
    graph = StateGraph(Draft)
    graph.add_node("write", lambda s: {"draft": write.invoke("Write on " + s["topic"]).text})
    graph.add_node("edit", lambda s: {"edited": s["draft"].upper()})
    graph.add_edge(START, "write").add_edge("write", "edit").add_edge("edit", END)
    found = drive(graph.compile(), {"topic": "the atmosphere of a distant moon"})
    assert found.answer.text == "TITAN HIDES ITS SURFACE UNDER ORANGE HAZE."
    assert link(found, "under orange haze", "UNDER ORANGE HAZE") == "firm"


class Fan(TypedDict):
    subjects: list[str]
    notes: Annotated[list[str], operator.add]
    verdict: str


@pytest.mark.carries_context
def test_sent_tasks_write_one_channel_together(drive, says, link):
    note = says(("law", "Note: the law is harmonic."), ("moon", "Note: the moon is hazy."))
    merge = says("Harmony and haze.")
    graph = StateGraph(Fan)
    graph.add_node("note", lambda s: {"notes": [note.invoke("Note on " + s["subject"]).text]})
    graph.add_node("merge", lambda s: {"verdict": merge.invoke("Merge: " + " | ".join(s["notes"])).text})
    graph.add_conditional_edges(START, lambda s: [Send("note", {"subject": x}) for x in s["subjects"]], ["note"])
    graph.add_edge("note", "merge").add_edge("merge", END)
    found = drive(graph.compile(), {"subjects": ["the law of periods", "the moon of Saturn"]})
    assert found.answer.text == "Harmony and haze."
    for subject, text in (("law of periods", "law is harmonic"), ("moon of Saturn", "moon is hazy")):
        assert link(found, text, "Harmony and haze.") == link(found, subject, text) == "firm"
    assert link(found, "law of periods", "moon is hazy") is None


@pytest.mark.carries_context
def test_commands_and_subgraphs_write_channels_too(drive, says, link):
    class Inner(TypedDict):
        draft: str
        edited: str

    edit = says("Edited: Huygens saw Titan first.")
    inner = StateGraph(Inner)
    inner.add_node("edit", lambda s: {"edited": edit.invoke("Edit: " + s["draft"]).text})
    inner.add_edge(START, "edit").add_edge("edit", END)
    write, judge = says("Huygens was the first to see Titan."), says("Well told.")

    def first(state):
        return Command(update={"draft": write.invoke("Tell of " + state["topic"]).text}, goto="polish")

    graph = StateGraph(Draft)
    graph.add_node("first", first, destinations=("polish",))
    graph.add_node("polish", inner.compile())
    graph.add_node("judge", lambda s: {"verdict": judge.invoke("Judge: " + s["edited"]).text})
    graph.add_edge(START, "first").add_edge("polish", "judge").add_edge("judge", END)
    found = drive(graph.compile(), {"topic": "the discovery of moons"})
    assert (
        link(found, "first to see Titan", "Edited: Huygens") == link(found, "Edited: Huygens", "Well told.") == "firm"
    )
    assert link(found, "discovery of moons", "first to see Titan") == "firm"


@pytest.mark.carries_context
def test_an_agent_used_as_a_tool_is_one_line_of_descent(drive, says, link):
    expert = create_agent(says("The expert says: haze of methane.", tools=True), [], name="expert")

    @tool
    def ask_expert(question: str) -> str:
        """Ask the expert."""
        return expert.invoke({"messages": [("user", question)]})["messages"][-1].text

    call = AIMessage("", tool_calls=[{"name": "ask_expert", "args": {"question": "What hides Titan?"}, "id": "e1"}])
    boss = create_agent(says(("haze of methane", "Methane haze hides it."), call, tools=True), [ask_expert])
    found = drive(boss, {"messages": [("user", "Why can we not see Titan's ground?")]})
    assert found.answer.text == "Methane haze hides it."
    assert link(found, "The expert says", "Methane haze hides it.") == "firm"
    assert link(found, "What hides Titan?", "The expert says") == "firm"


def test_a_node_that_is_a_chain_of_its_own(drive, says, shelf, link):
    rag = (
        {
            "context": (lambda s: s["messages"][-1].text) | shelf(TITAN) | joined,
            "question": lambda s: s["messages"][-1].text,
        }
        | template("{context} {question}")
        | says("Huygens, in 1655.")
        | RunnableLambda(lambda message: {"messages": [message]})
    )
    graph = StateGraph(MessagesState)
    graph.add_node("rag", rag)
    graph.add_edge(START, "rag").add_edge("rag", END)
    found = drive(graph.compile(), {"messages": [HumanMessage("Who discovered Titan?")]})
    assert found.answer.text == "Huygens, in 1655."
    assert link(found, TITAN, "Huygens, in 1655.") == link(found, "Who discovered", "Huygens, in 1655.") == "firm"


def test_of_several_attempts_only_the_one_that_answered_counts(drive, says, link):
    broken = template("First way: {q}") | says(ValueError("overloaded"))
    spare = template("Second way: {q}") | says("The spare model answers.")
    graph = drive(broken.with_fallbacks([spare]) | StrOutputParser(), {"q": "Who answers?"})
    assert graph.answer.text == "The spare model answers."
    assert link(graph, "Who answers?", "The spare model answers.") == "firm"


def test_a_history_handed_through_is_not_the_answer(drive, says, shelf, link):
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


@pytest.mark.carries_context
def test_documents_that_two_stores_number_alike_are_told_apart(drive, says, shelf, link):
    class Two(TypedDict):
        topic: str
        left: list
        right: list
        verdict: str

    write = says("Only the law was read.")
    graph = StateGraph(Two)
    graph.add_node("laws", lambda s: {"left": shelf(KEPLER).invoke(s["topic"])})
    graph.add_node("moons", lambda s: {"right": shelf(TITAN).invoke(s["topic"])})
    graph.add_node("write", lambda s: {"verdict": write.invoke("Read: " + s["left"][0].page_content).text})
    graph.add_edge(START, "laws").add_edge(START, "moons").add_edge(["laws", "moons"], "write").add_edge("write", END)
    found = drive(graph.compile(), {"topic": "astronomy"})
    assert link(found, KEPLER, "Only the law was read.") == "firm"
    assert link(found, TITAN, "Only the law was read.") is None


@pytest.mark.carries_context
def test_what_a_failed_tool_said_is_a_tool_result(drive, says, link):
    from langgraph.prebuilt import ToolNode

    @tool
    def archive(name: str) -> str:
        """Search the archive."""
        raise ValueError("the archive is closed for the winter")

    call = AIMessage("", tool_calls=[{"name": "archive", "args": {"name": "Titan"}, "id": "a1"}])
    model = says(("closed for the winter", "The archive cannot be asked now."), call, tools=True)
    graph = StateGraph(MessagesState)
    graph.add_node("ask", lambda s: {"messages": [model.invoke(s["messages"])]})
    graph.add_node("tools", ToolNode([archive], handle_tool_errors=True))
    graph.add_edge(START, "ask").add_edge("tools", "ask")
    graph.add_conditional_edges("ask", lambda s: "tools" if s["messages"][-1].tool_calls else END, ["tools", END])
    found = drive(graph.compile(), {"messages": [("user", "Look Titan up.")]})
    assert found.answer.text == "The archive cannot be asked now."
    assert link(found, "closed for the winter", "The archive cannot be asked now.") == "firm"
    (result,) = [node for node in found.nodes if node.kind == "tool_result"]
    assert "closed for the winter" in result.text


@pytest.mark.carries_context
def test_a_loop_uses_what_its_last_round_brought(drive, says, shelf, link):
    class Loop(TypedDict):
        question: str
        documents: list
        tries: int
        generation: str

    rewrite, write = says("year of the third law of Kepler"), says(ANSWER)

    def retrieve(state):
        store = shelf(KEPLER) if state.get("tries") else shelf(TITAN)
        return {"documents": store.invoke(state["question"])}

    def again(state):
        return {"question": rewrite.invoke("Rephrase: " + state["question"]).text, "tries": 1}

    def answer(state):
        return {"generation": write.invoke(f"{state['documents'][0].page_content} {state['question']}").text}

    graph = StateGraph(Loop)
    graph.add_node("retrieve", retrieve).add_node("again", again).add_node("answer", answer)
    graph.add_edge(START, "retrieve").add_edge("again", "retrieve").add_edge("answer", END)
    graph.add_conditional_edges("retrieve", lambda s: "answer" if s.get("tries") else "again", ["answer", "again"])
    found = drive(graph.compile(), {"question": "When did the harmony come out?"})
    assert found.answer.text == ANSWER
    assert link(found, KEPLER, ANSWER) == link(found, "year of the third law of Kepler", ANSWER) == "firm"
    assert link(found, TITAN, ANSWER) is None


@pytest.mark.carries_context
def test_a_channel_written_twice_counts_as_it_was_read(drive, says, link):
    first, second, judge = (
        says("Version one is about orbits."),
        says("Version two is about lakes."),
        says("Fine by me."),
    )
    graph = StateGraph(Draft)
    graph.add_node("first", lambda s: {"draft": first.invoke("Once: " + s["topic"]).text})
    graph.add_node("second", lambda s: {"draft": second.invoke("Again: " + s["topic"]).text})
    graph.add_node("judge", lambda s: {"verdict": judge.invoke("Judge: " + s["draft"]).text})
    graph.add_edge(START, "first").add_edge("first", "second").add_edge("second", "judge").add_edge("judge", END)
    found = drive(graph.compile(), {"topic": "the outer planets"})
    assert link(found, "Version two", "Fine by me.") == "firm"
    assert link(found, "Version one", "Fine by me.") is None


@pytest.mark.carries_context
def test_tasks_of_the_functional_api(drive, says, link, request):
    from langgraph.func import entrypoint, task

    write, judge = says("A page about Titan's lakes."), says("The page is sound.")

    @task
    async def awritten(topic):
        return (await write.ainvoke("Write on " + topic)).text

    @task
    def written(topic):
        return write.invoke("Write on " + topic).text

    @entrypoint()
    async def aflow(topic):
        return (await judge.ainvoke("Judge: " + await awritten(topic))).text

    @entrypoint()
    def flow(topic):
        return judge.invoke("Judge: " + written(topic).result()).text

    way = request.node.callspec.params["drive"]
    found = drive(aflow if way.startswith("a") else flow, "lakes of a distant moon")
    assert found.answer.text == "The page is sound."
    assert (
        link(found, "lakes of a distant moon", "A page about") == link(found, "A page about", "The page is") == "firm"
    )


def test_a_second_turn_knows_the_first_from_the_checkpoint(handler, says, link):
    from langgraph.checkpoint.memory import InMemorySaver

    model = says(("And who", "Huygens did."), "It was found in 1655.", tools=True)
    agent = create_agent(model, [], checkpointer=InMemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "one"}}
    for turn in ("When was Titan found?", "And who found it?"):
        agent.invoke({"messages": [("user", turn)]}, config)
    graph = handler.graph()
    assert (graph.question.text, graph.answer.text) == ("And who found it?", "Huygens did.")
    assert link(graph, "found in 1655", "Huygens did.") == "firm"


def test_a_cached_answer_belongs_to_the_run_that_asked(handler, says, shelf, link):
    from langchain_core.caches import InMemoryCache

    context = shelf(KEPLER) | joined
    app = {"context": context} | template("{context}") | says(ANSWER, cache=InMemoryCache()) | StrOutputParser()
    for _ in range(2):
        app.invoke("When?", {"callbacks": [handler]})
        graph = handler.graph()
        assert graph.answer.text == ANSWER
        assert link(graph, KEPLER, ANSWER) == "firm"
