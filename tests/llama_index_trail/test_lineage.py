"""Which text reached which: small apps of real LlamaIndex parts, in every way of calling them."""

import asyncio
from importlib.metadata import version

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events.llm import LLMChatStartEvent
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.postprocessor import LLMRerank
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import IndexNode, NodeWithScore, TextNode
from llama_index.core.tools import FunctionTool, QueryEngineTool
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from llama_index_trail import trail

# LlamaIndex's own: it looks at deprecated attributes of every workflow and leaves its memory's database open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

CORE = tuple(int(part) for part in version("llama-index-core").split(".")[:3])
MILL = "The water mill at Aarle grinds nine sacks of rye on a working day."
OVEN = "The village oven is heated with beech wood before every market."
WEIR = "A stone weir above the mill was raised twice by Joost Maas."
HOW = "How much rye does the mill at Aarle grind?"
NINE = "Nine sacks a day."


def recorded(work):
    """The graph of what runs inside."""
    with trail(evaluate="never") as t:
        result = work()
        if asyncio.iscoroutine(result):
            asyncio.run(result)
    assert t.errors == []
    return t.graph


@pytest.mark.parametrize("response_mode", ["compact", "refine", "tree_summarize", "simple_summarize"])
def test_every_response_mode_leads_from_the_documents_to_the_answer(  # noqa: PLR0917 - fixtures
    ask, answer, shows, kinds, written, mode, response_mode
):
    engine = ask([MILL, WEIR], NINE, response_mode=response_mode, streaming=mode.endswith("stream"))
    texts = []
    graph = recorded(lambda: texts.append(answer(engine, HOW, mode)))
    assert texts == [NINE]
    assert graph.answer.text == NINE
    assert graph.question.text == HOW
    assert kinds(graph, MILL) == {"document"}
    assert shows(graph, MILL, NINE)
    assert shows(graph, HOW, NINE)
    assert written(graph) == (2 if response_mode == "refine" else 1)


async def by_hand(engine, model, mode):
    """Asks an engine, and a model to improve what it answered."""
    if mode in ("sync", "stream"):
        draft = "".join(getattr(engine.query(HOW), "response_gen", NINE))
        asked = f"Improve the draft: {draft}"
        return model.complete(asked).text if mode == "sync" else [each.delta for each in model.stream_complete(asked)]
    response = await engine.aquery(HOW)
    draft = str(response) if mode == "async" else "".join([each async for each in response.async_response_gen()])
    messages = [ChatMessage(role="user", content=f"Improve the draft: {draft}")]
    if mode == "async":
        return await model.achat(messages)
    return [each async for each in await model.astream_chat(messages)]


def test_what_a_block_calls_by_hand_is_one_run_and_its_drafts_are_no_evidence(ask, models, shows, mode):
    engine = ask([MILL], NINE, streaming=mode.endswith("stream"))
    graph = recorded(lambda: by_hand(engine, models.Rules(rules=[("", f"{NINE} It is green.")]), mode))
    assert graph.question.text == HOW
    assert shows(graph, MILL, "It is green.")
    assert NINE not in [leaf.text for leaf in graph.leaves()]


def test_a_retriever_called_by_hand_is_read_by_the_model_after_it(shelf, models, shows):
    def work():
        found = shelf(MILL).as_retriever().retrieve(HOW)
        models.Rules(rules=[("", NINE)]).chat([ChatMessage(role="user", content=f"{HOW}\n{found[0].text}")])

    graph = recorded(work)
    assert graph.answer.text == NINE
    assert graph.question.text == HOW
    assert shows(graph, MILL, NINE)


def test_a_model_without_callbacks_is_recorded_in_full(ask, answer, models, shows, mode, written):  # noqa: PLR0917 - fixtures
    engine = ask([MILL], NINE, model=models.Bare, streaming=mode.endswith("stream"))
    graph = recorded(lambda: answer(engine, HOW, mode))
    assert graph.answer.text == NINE
    assert shows(graph, MILL, NINE)
    assert written(graph) == 1


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_retrieval_alone_brings_documents_and_no_answer(shelf, mode):
    retriever = shelf(MILL, OVEN).as_retriever(similarity_top_k=2)
    graph = recorded(lambda: retriever.retrieve(HOW) if mode == "sync" else retriever.aretrieve(HOW))
    assert graph.answer is None
    assert {node.text for node in graph.nodes if node.kind == "document"} == {MILL, OVEN}
    assert graph.question.text == HOW


def test_nothing_retrieved_means_no_evidence(ask, answer, mode, shelf):
    engine = shelf(MILL).as_query_engine(
        similarity_top_k=1, node_postprocessors=[Nothing()], streaming="stream" in mode
    )
    graph = recorded(lambda: answer(engine, HOW, mode))
    assert "Empty Response" in graph.answer.text
    assert {leaf.kind for leaf in graph.leaves()} <= {"question"}


class Nothing(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes, query_bundle=None):
        return []


def test_metadata_that_the_model_saw_is_part_of_the_document(ask, answer, shows):
    node = TextNode(
        text=MILL, metadata={"surveyed": "autumn 1911", "secret": "x"}, excluded_llm_metadata_keys=["secret"]
    )
    engine = ask([node], NINE)
    graph = recorded(lambda: answer(engine, HOW))
    document = next(node for node in graph.nodes if node.kind == "document")
    assert "autumn 1911" in document.text
    assert "secret" not in document.text
    assert shows(graph, "autumn 1911", NINE)
    assert sum(edge.source == document.id and edge.coverage > 0.95 for edge in graph.edges) == 1


def test_a_reranking_model_does_not_stand_between_document_and_answer(ask, answer, shows, kinds, models):
    judge = models.Rules(rules=[("", "Doc: 2, Relevance: 9\nDoc: 1, Relevance: 3")])
    engine = ask([MILL, WEIR, OVEN], NINE, node_postprocessors=[LLMRerank(llm=judge, top_n=2)])
    graph = recorded(lambda: answer(engine, HOW))
    assert kinds(graph, WEIR) == {"document"}
    assert shows(graph, WEIR, NINE)


def test_a_hypothetical_document_is_no_evidence(ask, answer, shows, models):
    guess = "A mill of that size surely grinds forty sacks of rye a day."
    hyde = HyDEQueryTransform(llm=models.Rules(rules=[("", guess)]), include_original=True)
    graph = recorded(lambda: answer(TransformQueryEngine(ask([MILL, OVEN], NINE, similarity_top_k=1), hyde), HOW))
    assert {node.text for node in graph.leaves() if node.kind == "document"} == {MILL}
    assert {node.kind for node in graph.nodes if guess in node.text} == {"completion"}


def test_fused_retrieval_brings_each_document_once(shelf, answer, models, kinds, shows):
    index = shelf(MILL, WEIR)
    fusion = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=2), index.as_retriever(similarity_top_k=1)],
        llm=models.Rules(rules=[("", "how many sacks of rye\nwhat does the weir do")]),
        num_queries=3,
        use_async=False,
        similarity_top_k=2,
    )
    engine = RetrieverQueryEngine.from_args(fusion, llm=models.Rules(rules=[("", NINE)]))
    graph = recorded(lambda: answer(engine, HOW))
    assert shows(graph, MILL, NINE)
    assert kinds(graph, MILL) == {"document"}
    assert graph.answer.text == NINE


class Fixed(BaseRetriever):
    """Always brings the same nodes."""

    def __init__(self, *nodes):
        super().__init__()
        self.nodes = nodes

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=node, score=1.0) for node in self.nodes]


def test_an_engine_behind_an_index_node_leaves_no_verdict_in_a_prompt(ask, answer, models, shows):
    inner = ask([MILL], "The mill at Aarle grinds nine sacks.")
    node = IndexNode(text="everything about mills", index_id="mills", obj=inner)
    llm = models.Rules(rules=[("", NINE)])
    engine = RetrieverQueryEngine.from_args(Fixed(node), llm=llm)
    with trail() as t:
        assert answer(engine, HOW) == NINE
    assert "hallucination_score" not in llm.asked[0]
    assert "The mill at Aarle grinds nine sacks." in llm.asked[0]
    assert shows(t.graph, MILL, NINE)
    assert "The mill at Aarle grinds nine sacks." not in {leaf.text for leaf in t.graph.leaves()}


# --- chat engines -------------------------------------------------------------------------------------------------


# --- agents and workflows -----------------------------------------------------------------------------------------


def depth(place: str) -> str:
    """The depth of a pond."""
    return f"The pond of {place} is two fathoms deep in spring."


@pytest.mark.parametrize("streaming", [False, True])
def test_an_agents_tools_are_sources_and_engines_among_them_are_not(ask, models, shows, kinds, streaming):
    inner = QueryEngineTool.from_defaults(ask([MILL], NINE), name="mills", description="mills")
    llm = models.Turns(
        steps=[[("mills", {"input": HOW})], [("depth", {"place": "Aarle"})], "Nine sacks, and two fathoms of water."]
    )
    agent = FunctionAgent(tools=[inner, FunctionTool.from_defaults(depth)], llm=llm, streaming=streaming)

    async def main():
        return str(await agent.run("Mill and pond?"))

    graph = recorded(main)
    final = "Nine sacks, and two fathoms of water."
    assert graph.answer.text == final
    assert graph.question.text == "Mill and pond?"
    assert kinds(graph, "two fathoms deep in spring") == {"tool_result"}
    assert kinds(graph, NINE) == {"completion"}
    assert shows(graph, "two fathoms deep in spring", final)
    assert shows(graph, MILL, NINE)
    assert shows(graph, NINE, final)
    assert NINE not in {leaf.text for leaf in graph.leaves()}


@pytest.mark.skipif(CORE < (0, 14, 22), reason="LlamaIndex called plain functions in threads without their context")
def test_a_tool_that_asks_a_model_is_not_evidence_itself(models, shows, kinds):
    inner = models.Rules(rules=[("", "In short: nine sacks.")])

    def digest(topic: str) -> str:
        """Digest of the records."""
        return inner.complete(f"Records: {MILL}\nSummarise what matters about {topic}.").text

    llm = models.Turns(steps=[[("digest", {"topic": "rye"})], "Nine, says the digest."])
    agent = FunctionAgent(tools=[FunctionTool.from_defaults(digest)], llm=llm, streaming=False)

    async def main():
        return str(await agent.run("How much rye?"))

    graph = recorded(main)
    assert kinds(graph, "In short: nine sacks.") == {"completion"}
    assert kinds(graph, MILL) == {"instruction"}
    assert shows(graph, MILL, "Nine, says the digest.")


class Found(Event):
    notes: list
    place: str


class Draft(Event):
    text: str


class Village(Workflow):
    """Looks up, drafts with a model, edits in code."""

    @step
    async def look(self, ev: StartEvent) -> Found:
        return Found(notes=[f"Ledger of {ev.place}: nine sacks of rye left the mill each working day."], place=ev.place)

    @step
    async def draft(self, ev: Found) -> Draft:
        reply = await self.llm.acomplete(f"Write one line from: {' '.join(ev.notes)}")
        return Draft(text=reply.text)

    @step
    async def edit(self, ev: Draft) -> StopEvent:
        return StopEvent(result=ev.text.upper())


def test_steps_hand_on_text_by_event(models, shows, kinds):
    flow = Village(timeout=10)
    flow.llm = models.Rules(rules=[("", "The mill grinds nine sacks daily.")])

    async def main():
        return await flow.run(place="Aarle")

    graph = recorded(main)
    assert graph.answer.text == "THE MILL GRINDS NINE SACKS DAILY."
    assert shows(graph, "left the mill each working day", "The mill grinds nine sacks daily.")
    assert shows(graph, "The mill grinds nine sacks daily.", "THE MILL GRINDS")
    assert any("left the mill each working day" in leaf.text for leaf in graph.leaves())


def test_one_model_call_is_one_node_in_every_way_of_calling(models, written, mode):
    llm = models.Rules(rules=[("", NINE)])

    async def several():
        if mode == "async":
            await llm.achat([message(HOW)])
        else:
            async for _ in await llm.astream_chat([message(HOW)]):
                pass

    def once():
        if mode == "sync":
            llm.chat([message(HOW)])
        elif mode == "stream":
            list(llm.stream_chat([message(HOW)]))
        else:
            return several()
        return None

    graph = recorded(once)
    assert written(graph) == 1
    assert graph.answer.text == NINE


def message(text):
    return ChatMessage(role="user", content=text)


def hiding(rules, shape):
    """A model whose methods do not say what is the prompt."""

    class Hides(rules):
        async def acomplete(self, *a, **k):
            return await rules(rules=self.rules).acomplete(*a, **k)

        async def achat(self, **k):
            return await rules(rules=self.rules).achat(k["messages"])

        def complete(self, text, *rest):
            return CompletionResponse(text=self._reply(text))

        def chat(self, request):
            if shape == "told":
                get_dispatcher().event(LLMChatStartEvent(messages=request["m"], additional_kwargs={}, model_dict={}))
            return ChatResponse(message=ChatMessage(role="assistant", content=self._reply(str(request))))

    return Hides(rules=[("", NINE)])


@pytest.mark.parametrize("shape", ["acomplete", "achat", "complete", "told", "unseen"])
async def test_a_prompt_is_seen_where_the_model_hides_its_parameters_or_is_said_to_be_unseen(models, shows, shape):
    model, read = hiding(models.Rules, shape), [ChatMessage(role="user", content=f"{MILL} {HOW}")]
    with trail() as t:
        if shape == "acomplete":
            await model.acomplete(prompt=read[0].content)
        elif shape == "achat":
            await model.achat(messages=read)
        else:
            model.complete(read[0].content, 1) if shape == "complete" else model.chat({"m": read})
    report = await t.areport()
    if shape != "unseen":
        assert shows(report.graph, MILL, NINE)
        return
    assert report.state != "assessed"
    assert "the prompt of Hides was not seen" in report.warnings[0]
