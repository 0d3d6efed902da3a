"""Apps of more unusual shapes: who read what, held against what is known about each."""

import asyncio
import gc
import json
from types import SimpleNamespace

import pytest
from llama_index.core import SQLDatabase, get_response_synthesizer
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.indices.query.query_transform.base import StepDecomposeQueryTransform
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import (
    CustomQueryEngine,
    MultiStepQueryEngine,
    NLSQLTableQueryEngine,
    RetrieverQueryEngine,
    SubQuestionQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.tools import FunctionTool, QueryEngineTool
from llama_index.core.workflow import Context, Event, StartEvent, StopEvent, Workflow, step
from llama_index_trail import report_for, status, trail
from llama_index_trail.tracker import TRACKER
from sqlalchemy import create_engine, text
from sqlalchemy.pool import StaticPool

from trail_callbacks import Retention

pytestmark = [  # LlamaIndex's own, as in the other tests of lineage
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Skipping serialization"),
]

QUAY = "The quay at Sluiskil takes three barges of gravel at a time."
CRANE = "Its only crane was built by Marta Bos in the year of the great frost."
HOW = "How many barges of gravel does the quay at Sluiskil take?"
THREE = "Three barges of gravel at a time."
BOS = "Marta Bos built the crane."
BOTH = "The quay takes three barges, and its crane is by Bos."


def graph_of(work):
    """The graph of what runs inside, made in one call or in a coroutine."""
    with trail(evaluate="never") as t:
        result = work()
        if asyncio.iscoroutine(result):
            asyncio.run(result)
    assert t.errors == []
    assert status().open_runs == 0
    return t.graph


def leaves(graph):
    return {leaf.text for leaf in graph.leaves()}


def tools(ask, said=(THREE, BOS), **options):
    return [
        QueryEngineTool.from_defaults(ask([QUAY], said[0], **options), name="quay", description="the quay"),
        QueryEngineTool.from_defaults(ask([CRANE], said[1], **options), name="crane", description="the crane"),
    ]


def sub_questions(ask, models, *, use_async, said=(THREE, BOS), **options):
    items = [
        {"sub_question": "What does the quay take?", "tool_name": "quay"},
        {"sub_question": "Who built the crane?", "tool_name": "crane"},
    ]
    llm = models.Rules(rules=[("tool_name", f"```json\n{json.dumps({'items': items})}\n```"), ("", BOTH)])
    return SubQuestionQueryEngine.from_defaults(
        tools(ask, said, **options), llm=llm, use_async=use_async, verbose=False,
        question_gen=LLMQuestionGenerator.from_defaults(llm=llm),
        response_synthesizer=get_response_synthesizer(llm=llm, use_async=use_async),
    )  # fmt: skip


@pytest.mark.parametrize(("mode", "streaming"), [("sync", False), ("sync", True), ("async", False)])
def test_sub_answers_are_completions_also_where_they_were_streamed(ask, models, answer, shows, kinds, mode, streaming):  # noqa: PLR0917 - fixtures
    engine = sub_questions(ask, models, use_async=mode == "async", streaming=streaming)
    graph = graph_of(lambda: answer(engine, "Quay and crane?", mode))
    assert graph.answer.text == BOTH
    for source, said in ((QUAY, THREE), (CRANE, BOS)):
        assert shows(graph, source, said)
        assert shows(graph, said, BOTH)
        assert kinds(graph, said) == {"completion"}
        assert said not in leaves(graph)
    assert not shows(graph, QUAY, BOS)


@pytest.mark.parametrize("said", [("3", "Bos"), ("Yes", "No."), ("3", "3")])
def test_answers_of_one_word_count(ask, models, answer, shows, said):
    engine = sub_questions(ask, models, use_async=False, said=said)
    graph = graph_of(lambda: answer(engine, "Quay and crane?"))
    assert shows(graph, QUAY, BOTH)
    assert shows(graph, CRANE, BOTH)


@pytest.mark.parametrize(
    ("said", "read"), [("1809", "It dates from {} it seems."), ("Bos", "Built by: {}"), ("3", "{}")]
)
def test_a_word_that_a_model_gave_leads_to_the_prompt_that_the_app_puts_it_in(shelf, models, shows, said, read):
    def work():
        found = shelf(CRANE).as_retriever().retrieve(HOW)[0].text
        word = models.Rules(rules=[("", said)]).complete(f"In a word: {found}").text
        models.Rules(rules=[("", BOTH)]).complete(read.format(word))

    assert shows(graph_of(work), CRANE, BOTH)


@pytest.mark.parametrize("read", ["1. A list with a number", "Answer yes or no.", "See [1]", "Is it 1 or more?"])
def test_a_word_that_stands_there_for_another_reason_leads_nowhere(shelf, models, read):
    def work():
        found = shelf(CRANE).as_retriever().retrieve(HOW)[0].text
        models.Rules(rules=[("", "yes" if "yes" in read else "1")]).complete(f"{found}\n{read}")
        models.Rules(rules=[("", BOTH)]).complete(f"Say it. {HOW}\n{read}")

    assert CRANE not in leaves(graph_of(work))


class Rewrites(BaseNodePostprocessor):
    """Has a model rewrite each node, in place."""

    llm: object
    before: str

    def _postprocess_nodes(self, nodes, query_bundle=None):
        for node in nodes:
            node.node.set_content(self.before + self.llm.complete(f"Sum up: {node.node.text}").text)
        return nodes


class RewritesAsync(Rewrites):
    """LlamaIndex has no span for it."""

    async def _apostprocess_nodes(self, nodes, query_bundle=None):
        for node in nodes:
            node.node.set_content(self.before + (await self.llm.acomplete(f"Sum up: {node.node.text}")).text)
        return nodes


@pytest.mark.parametrize("kind", [Rewrites, RewritesAsync])
@pytest.mark.parametrize("before", ["", "Summary: "])
def test_what_a_postprocessor_made_of_a_node_in_place_is_its_models(ask, models, answer, shows, kind, before):  # noqa: PLR0917 - fixtures
    change = kind(llm=models.Rules(rules=[("", BOS)]), before=before)
    engine = ask([CRANE], BOTH, node_postprocessors=[change])
    graph = graph_of(lambda: answer(engine, "Who built the crane?", "async"))
    assert shows(graph, CRANE, BOS)
    assert shows(graph, BOS, BOTH)
    assert not any(BOS in leaf for leaf in leaves(graph))


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_steps_of_a_multi_step_query_feed_each_other(  # noqa: PLR0917 - fixtures
    ask, models, answer, shows, kinds, mode
):
    inner = ask([QUAY, CRANE], [("Who built the crane", BOS), ("how many barges", THREE)], similarity_top_k=1)
    steps = models.Rules(
        rules=[(BOS, "And how many barges of gravel does the quay take at a time?"), ("", "Who built the crane, in the frost?")]
    )  # fmt: skip
    engine = MultiStepQueryEngine(
        inner, StepDecomposeQueryTransform(llm=steps), num_steps=2, index_summary="a port",
        response_synthesizer=get_response_synthesizer(llm=models.Rules(rules=[("", BOTH)])),
    )  # fmt: skip
    graph = graph_of(lambda: answer(engine, "Crane and barges?", mode))
    assert shows(graph, BOS, "how many barges of gravel does the quay take")
    assert shows(graph, BOS, BOTH)
    assert shows(graph, THREE, BOTH)
    assert kinds(graph, BOS) == kinds(graph, THREE) == {"completion"}
    assert {QUAY, CRANE} <= leaves(graph)
    assert not leaves(graph) & {BOS, THREE}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_rows_that_a_written_query_brought_are_evidence(models, answer, shows, kinds, mode):
    database = create_engine("sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool)
    with database.begin() as connection:
        connection.execute(text("create table quays (name text, barges int)"))
        connection.execute(text("insert into quays values ('Sluiskil', 3)"))
    query = "SELECT name, barges FROM quays WHERE name = 'Sluiskil'"
    llm = models.Rules(rules=[("SQL Response", THREE), ("", query)])
    engine = NLSQLTableQueryEngine(SQLDatabase(database), tables=["quays"], llm=llm, embed_model=models.Words())
    graph = graph_of(lambda: answer(engine, HOW, mode))
    database.dispose()
    assert kinds(graph, "('Sluiskil', 3)") == {"document"}
    assert kinds(graph, query) == {"completion"}
    assert shows(graph, "('Sluiskil', 3)", THREE)
    assert query not in leaves(graph)


@pytest.mark.parametrize("mode", ["sync", "stream"])
@pytest.mark.parametrize("kind", ["simple", "context", "condense", "condense_plus_context"])
def test_an_earlier_reply_is_no_evidence_in_a_later_turn(models, shelf, mode, kind):
    """A model that takes no messages gets the conversation as one text, the replies in it unmarked."""
    claim = "The quay takes four hundred barges of gravel at a time."
    standalone = "Why does the quay at Sluiskil take so few barges?"
    rules = [("tandalone question", standalone), (("few", claim), "Because of the crane."), ("few", "Because of the crane."), ("", claim)]  # fmt: skip
    llm, memory = models.Rules(rules=rules), ChatMemoryBuffer.from_defaults(token_limit=3000)
    retriever = shelf(QUAY).as_retriever()
    if kind == "simple":
        engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
    elif kind == "context":
        engine = ContextChatEngine.from_defaults(retriever=retriever, llm=llm, memory=memory)
    elif kind == "condense":
        inner = RetrieverQueryEngine.from_args(retriever, llm=llm, streaming=mode == "stream")
        engine = CondenseQuestionChatEngine.from_defaults(query_engine=inner, llm=llm, memory=memory)
    else:
        engine = CondensePlusContextChatEngine.from_defaults(retriever=retriever, llm=llm, memory=memory)

    def turn(message):
        with trail() as t:
            said = engine.chat(message) if mode == "sync" else engine.stream_chat(message)
            text = str(said) if mode == "sync" else "".join(said.response_gen)
            state = "no_evidence" if kind == "simple" else "assessed" if text == claim else "unverified"
            assert t.report.state == state, "there after the last token"
            assert report_for(said) is t.report
            assert said.metadata["trail"] == t.report.summary()
        return text, t.graph

    assert turn("How many barges does it take?")[0] == claim
    assert turn("Why so few?")[0] == "Because of the crane."
    text, graph = turn("And why so few, again?")
    assert graph.question.text == "And why so few, again?"
    assert graph.answer.text == text
    assert not [leaf for leaf in leaves(graph) if claim in leaf], "what a model said earlier is no source"
    assert {node.kind for node in graph.nodes if claim in node.text} == {"completion"}
    assert not [prompt for prompt in llm.asked if "hallucination_score" in prompt]


class Aloud(CustomQueryEngine):
    """Reads the stream of another engine itself."""

    inner: object

    def custom_query(self, query_str):
        return "".join(self.inner.query(query_str).response_gen).upper()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_stream_that_the_apps_own_code_read_up(ask, answer, shows, kinds, mode):
    graph = graph_of(lambda: answer(Aloud(inner=ask([QUAY], THREE, streaming=True)), HOW, mode))
    assert graph.answer.text == THREE.upper()
    assert kinds(graph, THREE) == {"completion"}
    assert shows(graph, QUAY, THREE)
    assert shows(graph, THREE, THREE.upper())


async def test_a_run_past_its_time_is_given_up_and_its_stream_still_readable(ask, monkeypatch):
    now = [1_000.0]
    for module in ("open_runs", "tracker"):
        monkeypatch.setattr(f"llama_index_trail.{module}.time", SimpleNamespace(monotonic=lambda: now[0]))
    engine = ask([QUAY], THREE, streaming=True)
    with trail(evaluate="never", keep=Retention(seconds=60.0)):
        response = await engine.aquery(HOW)
        assert status().open_runs == 1
        now[0] += 61.0
        assert status().open_runs == 0
        assert TRACKER._spans == {}
        assert "".join([token async for token in response.async_response_gen()]) == THREE
    assert status().open_runs == 0


# --- agents ----------------------------------------------------------------------------------------------------------


def levels(place: str) -> dict:
    """Water levels as JSON."""
    return {"place": place, "april": {"mean_cm": 388, "by": "the gauge of Ida Holm"}}


def agent(models, steps, *parts, **options):
    functions = [part if isinstance(part, QueryEngineTool) else FunctionTool.from_defaults(part) for part in parts]
    return FunctionAgent(tools=functions, llm=models.Turns(steps=steps), **options)


@pytest.mark.parametrize("streaming", [False, True])
def test_the_output_of_an_agent_has_the_summary_and_its_report_all_sources(models, ask, streaming):
    quay = tools(ask)[0]
    app = agent(
        models, [[("quay", {"input": HOW})], [("levels", {"place": "Sluiskil"})], QUAY],
        quay, levels, streaming=streaming,
    )  # fmt: skip

    async def main():
        with trail() as t:
            output = await app.run("Barges and level?")
            return output, await t.areport()

    output, report = asyncio.run(main())
    assert dict(output["trail"]) == report.summary()
    assert json.loads(json.dumps(dict(output["trail"])))["state"] == "assessed"
    assert report_for(output) is report
    sources = {leaf.kind: leaf.text for leaf in report.graph.leaves() if leaf.kind in ("document", "tool_result")}
    assert sources["document"] == QUAY
    assert "388" in sources["tool_result"]
    assert str(output) == QUAY
    assert json.loads(output.model_dump_json())["_data"]["trail"]["state"] == "assessed"


def test_an_agent_inside_a_tool_is_part_of_the_run(models, shows, kinds):
    expert = agent(
        models, [[("levels", {"place": "Sluiskil"})], "It stood at 388 on the gauge."], levels, name="expert"
    )

    async def consult(question: str) -> str:
        """Asks the expert."""
        return str(await expert.run(question))

    app = FunctionAgent(
        tools=[FunctionTool.from_defaults(async_fn=consult)],
        llm=models.Turns(steps=[[("consult", {"question": "Which level?"})], "The level was 388."]),
    )

    async def main():
        return await app.run("Level?")

    graph = graph_of(main)
    assert graph.answer.text == "The level was 388."
    assert kinds(graph, "on the gauge.") == {"completion"}
    assert {node.step for node in graph.nodes if "on the gauge." in node.text} == {"expert"}
    assert shows(graph, "mean_cm", "on the gauge.")
    assert shows(graph, "on the gauge.", "The level was 388.")
    assert "It stood at 388 on the gauge." not in leaves(graph)


def test_who_wrote_what_is_told_after_a_hand_over(models, shows):
    first = agent(
        models, [[("levels", {"place": "Sluiskil"})], [("handoff", {"to_agent": "writer", "reason": "write it up"})]], levels,
        name="gauge", description="reads", can_handoff_to=["writer"],
    )  # fmt: skip
    second = agent(models, ["It was 388 in April."], name="writer", description="writes")
    team = AgentWorkflow(agents=[first, second], root_agent="gauge")

    async def main():
        return await team.run(user_msg="Level?")

    graph = graph_of(main)
    assert shows(graph, "mean_cm", "It was 388 in April.")
    assert graph.answer.step == "writer"
    assert {node.step for node in graph.nodes if node.text.startswith("levels(")} == {"gauge"}


# --- workflows -------------------------------------------------------------------------------------------------------


class Grade(Event):
    value: str


class Count(Event):
    value: int


class Words(Event):
    text: str


class ByHand(Workflow):
    """Sends short events by hand: too short to be found by their text, so that only their identity tells."""

    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Grade | Count | None:
        grade = await self.llm.acomplete(f"Grade this: {QUAY}")
        ctx.send_event(Grade(value=grade.text))
        count = await self.llm.acomplete(f"Count this: {CRANE}")
        ctx.send_event(Count(value=int(count.text)))
        await asyncio.sleep(0.05)  # the receivers are done before the sender is

    @step
    async def grade(self, ev: Grade) -> Words:
        return Words(text=(await self.llm.acomplete(f"In words, the grade: {ev.value}")).text)

    @step
    async def count(self, ev: Count) -> Words:
        return Words(text=(await self.llm.acomplete(f"In words, the count: {ev.value}")).text)

    @step
    async def join(self, ctx: Context, ev: Words) -> StopEvent | None:
        found = ctx.collect_events(ev, [Words, Words])
        if found is None:
            return None
        return StopEvent(result=(await self.llm.acomplete(f"Join: {'; '.join(sorted(e.text for e in found))}")).text)


def test_events_sent_and_collected_by_hand_are_followed_by_identity(models, shows):
    flow = ByHand(timeout=10)
    rules = [("Grade this", "C"), ("Count this", "7"), ("the grade", "ok"), ("the count", "two"), ("Join", "Fair, and seven.")]  # fmt: skip
    flow.llm = models.Rules(rules=rules)
    plain = Context.send_event, Context.collect_events

    async def main():
        return await flow.run(topic="a port")

    graph = graph_of(main)
    by_text = {node.text: node.id for node in graph.nodes}
    edges = {(edge.source, edge.target) for edge in graph.edges if edge.basis != "scope"}
    assert (by_text["C"], by_text["ok"]) in edges
    assert (by_text["7"], by_text["two"]) in edges
    assert (by_text["C"], by_text["two"]) not in edges
    assert (by_text["7"], by_text["ok"]) not in edges
    assert (by_text["ok"], "answer") in edges
    assert (by_text["two"], "answer") in edges
    assert (Context.send_event, Context.collect_events) == plain, "the class is as it was"


class Ended(StopEvent):
    verdict: str
    cited: list


class Handing(Workflow):
    """Returns what an engine answered as it is."""

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=await self.engine.aquery(ev.question))


class Wrapping(Workflow):
    """Returns it as an event of its own."""

    @step
    async def only(self, ev: StartEvent) -> Ended:
        response = await self.engine.aquery(ev.question)
        return Ended(verdict=str(response), cited=[hit.node.get_content() for hit in response.source_nodes])


@pytest.mark.parametrize("flow", [Handing, Wrapping])
def test_a_workflow_may_return_an_engines_answer(ask, shows, flow):
    app = flow(timeout=10)
    app.engine = ask([QUAY], THREE)

    async def main():
        return await app.run(question=HOW)

    graph = graph_of(main)
    assert graph.answer.text == THREE
    assert shows(graph, QUAY, THREE)


@pytest.mark.parametrize("read", ["all", "none"])
def test_a_workflow_may_return_a_stream(ask, shows, read):
    flow = Handing(timeout=10)
    flow.engine = ask([QUAY], THREE, streaming=True)

    async def main():
        with trail(evaluate="never") as t:
            response = await flow.run(question=HOW)
            assert status().open_runs == 1
            if read == "all":
                assert "".join([token async for token in response.async_response_gen()]) == THREE
            return t.graph if read == "all" else t

    result = asyncio.run(main())
    gc.collect()
    assert status().open_runs == 0
    graph = result if read == "all" else result.graph
    assert graph.question.text == HOW
    assert (graph.answer.text if graph.answer else None) == (THREE if read == "all" else None)
    assert QUAY in {node.text for node in graph.nodes}
    if read == "all":
        assert shows(graph, QUAY, THREE)
