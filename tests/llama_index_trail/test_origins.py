"""Real apps in which a model's words come back as something else, or a source arrives in an unusual way."""

import asyncio

import pytest
from llama_index.core import Document, SummaryIndex, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.llms import ChatMessage, LLMMetadata
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer, Memory
from llama_index.core.node_parser import SentenceWindowNodeParser
from llama_index.core.postprocessor import MetadataReplacementPostProcessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import TextNode
from llama_index.core.tools import FunctionTool
from llama_index_trail import instrument, trail, uninstrument

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

FERRY = "The ferry crossing takes 40 minutes and costs 12 euros."
MUSEUM = "The museum opened in 1968. The museum has 4 halls."
INVENTED = "The ferry crossing takes 53 minutes. It costs 17 euros."
DENIED = ["contradicted", "contradicted"]  # what FERRY says of it, unless a model's words count as a source
PROMPTED = ["absent", "absent"]  # what FERRY says of it as the wording of a prompt, which is no source
UNKNOWN = ["None", "None"]  # where no source speaks of it


@pytest.fixture(params=["chat", "achat", "stream_chat", "astream_chat"])
def chat(request):
    """Asks a chat engine in one of the ways; returns the text the app gets."""

    async def astream(engine, message):
        response = await engine.astream_chat(message)
        return "".join([token async for token in response.async_response_gen()])

    def ask(engine, message):
        if request.param == "chat":
            return str(engine.chat(message))
        if request.param == "achat":
            return str(asyncio.run(engine.achat(message)))
        if request.param == "stream_chat":
            return "".join(engine.stream_chat(message).response_gen)
        return asyncio.run(astream(engine, message))

    return ask


def evidence_is_no_models(report):
    for verdict in report.verdicts:
        for item in verdict.evidence:
            node = report.graph.node(item.node_id)
            assert node.is_evidence
            assert not any(start < item.end and item.start < end for start, end in node.model_spans)


def supports(report):
    evidence_is_no_models(report)
    return [str(report.verdict(claim.id).support) for claim in report.claims]


def origins(graph, text):
    return {(node.kind, node.origin) for node in graph.nodes if text in node.text}


# -- agents


@pytest.mark.parametrize("recorder", ["trail", "instrument"])
def test_the_reason_for_a_hand_off_supports_nothing(models, recorder):
    first = FunctionAgent(
        name="first", description="asks", tools=[], can_handoff_to=["second"],
        llm=models.Turns(steps=[[("handoff", {"to_agent": "second", "reason": INVENTED})]]),
    )  # fmt: skip
    second = FunctionAgent(
        name="second", description="writes", tools=[], llm=models.Turns(steps=[INVENTED]), system_prompt=FERRY
    )
    team = AgentWorkflow(agents=[first, second], root_agent="first")

    async def main():
        return await team.run(user_msg="How long does the ferry take?")

    if recorder == "trail":
        with trail() as t:
            asyncio.run(main())
        report = t.report
    else:
        recording = instrument()
        asyncio.run(main())
        report = recording.report
        uninstrument()
    assert supports(report) == PROMPTED
    assert origins(report.graph, "due to the following reason") == {("tool_result", "model")}


@pytest.mark.parametrize(("told", "expected"), [(FERRY, PROMPTED), (None, UNKNOWN)])
def test_a_tool_that_notes_down_what_it_is_given_supports_nothing(models, told, expected):
    def note(text: str) -> str:
        return f"Notes recorded: {text}"

    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(note)],
        llm=models.Turns(steps=[[("note", {"text": INVENTED})], INVENTED]),
        system_prompt=told,
    )

    async def main():
        return await agent.run("How long does the ferry take?")

    with trail() as t:
        asyncio.run(main())
    assert supports(t.report) == expected


@pytest.mark.parametrize("true", [True, False])
def test_an_agent_remembers_its_tools_but_not_its_own_words(models, true):
    said = "The ferry takes 40 minutes." if true else "The ferry takes 53 minutes."
    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(lambda: "Ferry: the ferry takes 40 minutes.", name="timetable")],
        llm=models.Turns(steps=[[("timetable", {})], said, said]),
    )
    first = "How long does the ferry to the island take?"

    async def main():
        memory = Memory.from_defaults()
        await agent.run(first, memory=memory)
        await agent.run("Again?", memory=memory)

    with trail() as t:
        asyncio.run(main())
    assert t.graph.question.text == "Again?"
    assert supports(t.report) == ["supported" if true else "contradicted"]
    assert origins(t.graph, first) == {("question", "user")}


# -- chat engines


@pytest.fixture(params=["context", "condense_plus_context"])
def engine(request, shelf, models):
    """A chat engine that retrieves, with a model that gives one answer."""

    def make(answer, *texts, **options):
        kind = ContextChatEngine if request.param == "context" else CondensePlusContextChatEngine
        retriever = shelf(*texts).as_retriever(similarity_top_k=len(texts))
        llm = models.Rules(rules=[("tandalone question", "How long does the ferry crossing take?"), ("", answer)])
        return kind.from_defaults(retriever=retriever, llm=llm, **options)

    return make


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The ferry crossing takes 53 minutes.", ["contradicted"]),
        ("The ferry crossing takes 40 minutes.", ["supported"]),
        ("40 minutes", ["None"]),
    ],
)
def test_the_answer_of_a_chat_is_what_its_model_wrote(chat, engine, answer, expected):
    with trail() as t:
        assert chat(engine(answer, FERRY, MUSEUM), "How long?") == answer
    graph = t.graph
    assert [node.text for node in graph.nodes if node.origin == "model"] == [answer]
    assert {FERRY, MUSEUM} <= {node.text for node in graph.inputs(graph.answer.id)}
    assert supports(t.report) == expected


@pytest.fixture(params=["text", "messages"])
def talker(request, models):
    """A model that takes one text, or messages."""

    class ChatRules(models.Rules):
        @property
        def metadata(self):
            return LLMMetadata(context_window=3900, num_output=64, model_name="rules", is_chat_model=True)

    return models.Rules if request.param == "text" else ChatRules


def test_the_turns_of_a_condensed_chat_keep_their_authors(chat, shelf, talker):
    llm = talker(rules=[("tandalone", "How long does the ferry take, 53 minutes?"), ("", INVENTED)])
    first = "hello there, how long does it take me?"
    engine = CondenseQuestionChatEngine.from_defaults(
        shelf(FERRY).as_query_engine(llm=llm),
        llm=llm,
        chat_history=[ChatMessage(role="user", content=first), ChatMessage(role="assistant", content=INVENTED)],
    )
    with trail() as t:
        chat(engine, "and again?")
    assert origins(t.graph, first) == {("question", "user")}
    assert {origin for _, origin in origins(t.graph, INVENTED)} == {"model"}
    assert supports(t.report) == DENIED


def test_a_summary_of_a_conversation_is_a_models(chat, models):
    llm = models.Rules(rules=[("Write a concise summary", f"They said: {INVENTED}"), ("", INVENTED)])
    history = [
        ChatMessage(role="user", content="How long does the ferry take, and what does it cost for two of us?"),
        ChatMessage(role="assistant", content=INVENTED),
        ChatMessage(role="user", content="Thank you."),
    ]
    memory = ChatSummaryMemoryBuffer.from_defaults(
        chat_history=history, llm=llm, token_limit=16, count_initial_tokens=False, tokenizer_fn=str.split
    )
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
    with trail() as t:
        chat(engine, "Please repeat that.")
    assert supports(t.report) == UNKNOWN


def test_a_summary_made_before_the_recording_supports_nothing(chat, models):
    llm = models.Rules(rules=[("", INVENTED)])
    history = [ChatMessage(role="system", content=f"They said: {INVENTED}")]
    memory = ChatSummaryMemoryBuffer.from_defaults(chat_history=history, llm=llm, token_limit=400)
    with trail() as t:
        chat(SimpleChatEngine.from_defaults(llm=llm, memory=memory), "Please repeat that.")
    assert supports(t.report) == UNKNOWN


def test_a_conversation_as_plain_text_keeps_its_authors(answer, mode, ask):
    engine = ask([FERRY], [("", INVENTED)], streaming="stream" in mode)
    with trail() as t:
        answer(engine, f"user: How long is the ferry?\nassistant: {INVENTED}\nuser: And once more?", mode)
    assert supports(t.report) == DENIED


def test_documents_of_earlier_turns_stay_evidence(chat, shelf, models):
    memory = ChatMemoryBuffer.from_defaults()
    llm = models.Rules(rules=[("", "The ferry crossing takes 40 minutes.")])
    asked = ContextChatEngine.from_defaults(retriever=shelf(FERRY).as_retriever(), llm=llm, memory=memory)
    later = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
    with trail() as t:
        asked.chat("How long?")
        chat(later, "Say it again, please.")
    second, first = t.report, next(iter(t.reports.values()))
    assert supports(first) == supports(second) == ["supported"]
    assert [node.attributes.get("turn") for node in second.graph.nodes if node.kind == "document"] == [1]


def test_another_conversation_lends_no_documents(chat, shelf, models):
    llm = models.Rules(rules=[("", "The ferry crossing takes 40 minutes.")])
    asked = ContextChatEngine.from_defaults(retriever=shelf(FERRY).as_retriever(), llm=llm)
    with trail() as t:
        asked.chat("How long?")
        chat(SimpleChatEngine.from_defaults(llm=llm), "Say it again, please.")
    assert supports(t.report) == ["None"]


# -- streams closed early


# -- response modes


@pytest.mark.parametrize("response_mode", ["accumulate", "compact_accumulate"])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_numbers_of_accumulated_answers_are_not_claimed(ask, answer, mode, response_mode):
    long = " ".join([MUSEUM] * 200)  # so that no two nodes fit into one prompt
    engine = ask(
        [f"{FERRY} {long}", f"{long} {FERRY}"], "The ferry crossing takes 40 minutes.", response_mode=response_mode
    )
    with trail() as t:
        answer(engine, "How long?", mode)
    assert all(claim.text == "The ferry crossing takes 40 minutes." for claim in t.report.claims)
    assert set(supports(t.report)) == {"supported"}
    written = [node.id for node in t.graph.nodes if node.kind == "completion"]
    assert len(written) > 1
    assert set(written) <= {node.id for node in t.graph.inputs(t.graph.answer.id)}


@pytest.mark.parametrize("count", [5, 70])
def test_the_existing_answer_of_a_refinement_is_a_models(models, answer, mode, count):
    nodes = [TextNode(text=FERRY)] + [TextNode(text=f"Fact {i}: hall {i} has {i + 3} doors.") for i in range(1, count)]
    llm = models.Rules(rules=[("", INVENTED)])
    engine = SummaryIndex(nodes).as_query_engine(llm=llm, response_mode="refine", streaming="stream" in mode)
    with trail() as t:
        answer(engine, "How long does the ferry take?", mode)
    assert {origin for _, origin in origins(t.graph, INVENTED)} == {"model"}
    assert supports(t.report) == DENIED
    assert sum(node.origin == "retrieved" for node in t.graph.upstream(t.graph.answer.id)) == count


# -- node postprocessors


class Shorten(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes, query_bundle=None):
        for node in nodes:
            node.node.text = node.node.text.split(".")[0] + "."
        return nodes


class ShortenLater(Shorten):
    """Works only when it is awaited."""

    async def _apostprocess_nodes(self, nodes, query_bundle=None):
        return super()._postprocess_nodes(nodes)

    def _postprocess_nodes(self, nodes, query_bundle=None):
        raise NotImplementedError


class Copied(BaseNodePostprocessor):
    """Shortens a copy that keeps the id."""

    def _postprocess_nodes(self, nodes, query_bundle=None):
        copies = [node.model_copy(deep=True) for node in nodes]
        for node in copies:
            node.node.set_content(node.node.get_content().split(".")[0] + ".")
        return copies


@pytest.mark.parametrize("postprocessor", [Shorten, ShortenLater, Copied])
def test_what_a_postprocessor_cut_away_is_not_evidence(ask, answer, mode, postprocessor):
    if postprocessor is ShortenLater and mode in {"sync", "stream"}:
        pytest.skip("it has no other way")
    engine = ask(
        [f"{FERRY} The museum opened in 1968."],
        "The museum opened in 1968. The ferry crossing takes 40 minutes.",
        node_postprocessors=[postprocessor()],
        streaming="stream" in mode,
    )
    with trail() as t:
        answer(engine, "How long?", mode)
    assert supports(t.report) == ["None", "supported"]
    shown = [node for node in t.graph.inputs(t.graph.answer.id) if node.text == FERRY]
    assert [(node.kind, node.origin) for node in shown] == [("document", "retrieved")]


def test_a_window_around_a_sentence_is_a_retrieved_document(models, answer, mode):
    text = "The museum opened in 1968. The ferry crossing takes 40 minutes. It costs 12 euros."
    nodes = SentenceWindowNodeParser(window_size=2).get_nodes_from_documents([Document(text=text)])
    engine = VectorStoreIndex(nodes, embed_model=models.Words()).as_query_engine(
        llm=models.Rules(rules=[("", "The museum opened in 1968. The ferry crossing takes 40 minutes.")]),
        node_postprocessors=[MetadataReplacementPostProcessor(target_metadata_key="window")],
        similarity_top_k=1,
        streaming="stream" in mode,
    )
    with trail() as t:
        answer(engine, "What costs 12 euros?", mode)
    assert supports(t.report) == ["supported", "supported"]
    graph = t.graph
    windows = [node for node in graph.inputs(graph.answer.id) if "opened in 1968" in node.text]
    assert [(node.kind, node.origin) for node in windows] == [("document", "retrieved")]
    edges = [edge for edge in graph.edges if edge.source == windows[0].id and edge.target == graph.answer.id]
    assert edges[0].coverage > 0


# -- Nothing goes missing


def tools_of(story):
    """A tool that finds something, and one that repeats what it is given."""
    return [
        FunctionTool.from_defaults(lambda about: story, name="look_up", description="finds"),
        FunctionTool.from_defaults(lambda text: f"Noted: {text}", name="note", description="notes"),
    ]


@pytest.mark.parametrize("streaming", [True, False])
def test_what_a_react_agent_looked_up_is_evidence_though_it_wrote_it_down_since(models, streaming):
    """The agent reads its thoughts and what its tools returned as one message of the assistant."""
    steps = [
        'Thought: I look.\nAction: look_up\nAction Input: {"about": "museum"}',
        f'Thought: I note it.\nAction: note\nAction Input: {{"text": "{MUSEUM}"}}',
        f"Thought: I know.\nAnswer: {MUSEUM}",
    ]
    agent = ReActAgent(tools=tools_of(MUSEUM), llm=models.Turns(steps=steps), streaming=streaming)
    assert set(answered(agent, 1)) == {"supported"}


@pytest.mark.parametrize("streaming", [True, False])
def test_what_a_react_agent_looked_up_a_turn_ago_is_evidence(models, streaming):
    steps = [
        'Thought: I look.\nAction: look_up\nAction Input: {"about": "museum"}',
        f"Thought: I know.\nAnswer: {MUSEUM}",
        f"Thought: I said so.\nAnswer: {MUSEUM} {INVENTED}",
    ]
    agent = ReActAgent(tools=tools_of(f"{MUSEUM} {FERRY}"), llm=models.Turns(steps=steps), streaming=streaming)
    assert answered(agent, 2) == ["supported", "supported", *DENIED]


def answered(agent, turns):
    async def main():
        memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)
        for question in ("What is known of the museum?", "Say it again, please.")[:turns]:
            await agent.run(question, memory=memory)

    with trail() as t:
        asyncio.run(main())
    return supports(t.report)
