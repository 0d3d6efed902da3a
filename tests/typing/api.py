"""Checked by mypy, never run: what a user's type checker sees of the public names."""

from collections.abc import Awaitable, Mapping
from typing import Any, assert_type

from pydantic import BaseModel

from trail_callbacks import (
    Claim,
    Edge,
    EncoderJudge,
    ErrorType,
    Evidence,
    Node,
    ProvenanceGraph,
    Report,
    Retention,
    SupportClass,
    Verdict,
    VerifyOptions,
    acheck,
    averify,
    check,
    verify,
)
from trail_callbacks.canary import Answered, App, Ask, Strategy, Twin
from trail_callbacks.canary.serving.exposure import exposed
from trail_callbacks.canary.serving.source import refuse_fictive
from trail_callbacks.models import Call, Failure, Message, Model, Reply
from trail_callbacks.redaction import presets


def engine() -> None:
    report = check("It opened in 1962.", ["It opened in May 1962."], question="When did it open?")
    assert_type(report, Report)
    assert_type(check("It opened.", ["It opened."], judge=EncoderJudge("some/model", margin=0.0)), Report)
    assert_type(report.hallucination_score, float | None)
    assert_type(report.interval, tuple[float, float] | None)
    assert_type(report.claims, tuple[Claim, ...])
    assert_type(report.verdict("c1"), Verdict)
    assert_type(report.verdicts[0].support, SupportClass | None)
    assert_type(report.verdicts[0].error_type, ErrorType | None)
    assert_type(report.verdicts[0].evidence, tuple[Evidence, ...])
    assert_type(report.verdicts[0].introduced_at, str | None)
    assert_type(report.class_counts, dict[SupportClass, int])
    assert_type(report.error_counts, dict[ErrorType, int])
    assert_type(report.summary(), dict[str, Any])
    assert_type(Report.from_json(report.to_json()), Report)
    graph = ProvenanceGraph(
        nodes=(Node(id="d", kind="document", text="It opened."), Node(id="a", kind="answer", text="It opened.")),
        edges=(Edge(source="d", target="a"),),
    )
    assert_type(graph.leaves(), tuple[Node, ...])
    assert_type(graph.answer, Node | None)
    assert_type(verify(graph, judge="local", options=VerifyOptions(read_tokens=400)), Report)


async def engine_async() -> None:
    assert_type(await acheck("It opened.", "It opened."), Report)
    assert_type(await averify(ProvenanceGraph.from_texts("It opened.", "It opened.")), Report)


def langchain() -> None:
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda
    from langchain_trail import TrailCallbackHandler, TrailGuard, TrailResult, guarded, traced, trail, trail_node

    found = [Document("It opened.")]
    assert_type(check("It opened.", found), Report)
    handler = TrailCallbackHandler(evaluate="never")
    assert_type(handler.report(timeout=1.0), Report)
    assert_type(handler.reports, Mapping[str, Report])
    chain: RunnableLambda[str, int] = RunnableLambda(len)
    assert_type(chain.invoke("four", config={"callbacks": [handler]}), int)
    assert_type(traced(chain).invoke("four"), TrailResult[int])
    with trail() as recording:
        chain.invoke("four")
    assert_type(recording.report, Report)
    assert_type(guarded(chain, judge="local", on_fail="block").invoke("four"), int)
    assert_type(TrailGuard(judge="local", max_score=0.5, on_fail="retry", max_retries=2).name, str)
    assert_type(trail_node(judge="local", key="trail").invoke({}), dict[str, Any])


def langchain_canary() -> None:
    from langchain_core.documents import Document
    from langchain_core.runnables import Runnable, RunnableLambda
    from langchain_trail import CanaryRetriever, canary_app

    def build(retriever: CanaryRetriever, strategy: Strategy) -> Runnable[str, str]:
        assert_type(strategy.name, str)
        return retriever | RunnableLambda(str)

    def run(found: Runnable[str, list[Document]], model: Runnable[str, str], twin: Twin) -> App:
        retriever = CanaryRetriever(found, twin)
        assert_type(retriever.invoke("When?"), list[Document])
        assert_type(retriever.under("fictive"), CanaryRetriever)
        retriever.under("fictional")  # type: ignore[arg-type]
        with exposed("fictive", twin) as exposure:
            assert_type(exposure.passages, list[str])
        assert_type(refuse_fictive([Document("It opened.")], twin), list[Document])
        app: App = canary_app(build, retriever, model=model)
        asked = app(Ask(probe="p", question="When?", arm="real", strategy=Strategy("s")))
        assert_type(asked, Answered | str | Awaitable[Answered | str])
        return canary_app(build(retriever, Strategy("s")), retriever, verify=True)

    assert callable(run)


def settings() -> None:
    """Each `ignore` is an error that a type checker finds: mypy reports one that it does not need."""
    from langchain_core.runnables import RunnableLambda
    from langchain_trail import TrailCallbackHandler, TrailGuard, guarded, traced, trail
    from langchain_trail.guarded_runnable import Guarded

    from trail_callbacks.guard import GuardKeywords, GuardSettings
    from trail_callbacks.session import CaptureSettings

    chain: RunnableLambda[str, int] = RunnableLambda(len)
    shared: GuardKeywords = {"max_score": 0.2, "on_fail": "block", "options": VerifyOptions(read_tokens=400)}
    TrailGuard("local", name="first", **shared)
    assert_type(guarded(chain, "local", stream="buffer", revise=None, **shared), Guarded[str, int])
    assert_type(GuardSettings(judge="local", **shared).max_score, float)
    assert_type(CaptureSettings(evaluate="never").keep.seconds, float)
    TrailGuard(judge="local", max_score="high")  # type: ignore[arg-type]
    TrailGuard(judge="local", max_scores=0.5)  # type: ignore[call-arg]
    TrailGuard(judge="local", on_fail="shrug")  # type: ignore[arg-type]
    TrailGuard(judge="local", stream="sentences")  # type: ignore[arg-type]
    guarded(chain, judge="local", stream="sentences")  # type: ignore[arg-type]
    TrailCallbackHandler(
        None, "inline", sample_rate=0.5, redact=str.upper, on_report=print, keep=Retention(runs=8, seconds=60)
    )
    TrailCallbackHandler(on_report=keep)
    TrailCallbackHandler(evaluate="sometimes")  # type: ignore[arg-type]
    trail(sample_rate="all")  # type: ignore[arg-type]
    traced(chain, keep=Retention(runs=8))
    traced(chain, sample_rate=0.5)  # type: ignore[call-arg]


def llama_index() -> None:
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index_trail import instrument, trail, uninstrument

    node = TextNode(text="It opened.")
    assert_type(check("It opened.", [node, NodeWithScore(node=node)]), Report)
    instrument(evaluate="never", redact=str.upper)
    instrument(
        evaluate="never", redact=(str.upper, presets("email", "card")), keep=Retention(texts=False, text_key=b"k" * 16)
    )
    presets("e-mail")  # type: ignore[arg-type]
    instrument(redact="names")  # type: ignore[arg-type]
    uninstrument()
    with trail() as recording:
        pass
    assert_type(recording.report, Report)
    assert_type(recording.graph, ProvenanceGraph)


async def keep(report: Report) -> None:
    """A hook may be a coroutine function."""


def llama_index_canary() -> None:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms import LLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.schema import NodeWithScore
    from llama_index_trail import CanaryRetriever, FictiveFilter, canary_app

    def run(found: BaseRetriever, llm: LLM, twin: Twin) -> App:
        retriever = CanaryRetriever(found, twin)
        assert_type(retriever.under("real").retrieve("When?"), list[NodeWithScore])
        assert_type(FictiveFilter(twin=twin), FictiveFilter)
        app: App = canary_app(lambda own, _: RetrieverQueryEngine.from_args(own, llm=llm), retriever, model=llm)
        assert callable(app)
        return canary_app(RetrieverQueryEngine.from_args(retriever, llm=llm), retriever)

    assert callable(run)


async def llama_index_guards() -> None:
    from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
    from llama_index.core.base.response.schema import Response
    from llama_index.core.chat_engine import SimpleChatEngine
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index_trail import (
        GuardedChatEngine,
        GuardedQueryEngine,
        TrailEvaluationResult,
        TrailEvaluator,
        areport_for,
        guard_agent,
    )

    def guard(engine: RetrieverQueryEngine, agent: FunctionAgent, workflow: AgentWorkflow) -> None:
        assert_type(GuardedQueryEngine(engine, "local", on_fail="block"), GuardedQueryEngine)
        assert_type(guard_agent(agent, judge="local", max_retries=1), FunctionAgent)
        assert_type(guard_agent(workflow, judge="local"), AgentWorkflow)
        guard_agent(agent, judge="local", on_error="maybe")  # type: ignore[arg-type]
        GuardedQueryEngine(engine, judge="local", stream="sentences")  # type: ignore[arg-type]
        chat = SimpleChatEngine.from_defaults()
        assert_type(GuardedChatEngine(chat, judge="local", on_fail="block", on_report=keep), GuardedChatEngine)

    assert_type(await areport_for(Response("It opened."), timeout=1.0), Report)
    result = await TrailEvaluator().aevaluate_response("When?", Response("It opened."))
    assert_type(result, TrailEvaluationResult)
    assert_type(result.claims, tuple[Claim, ...])
    assert callable(guard)


class OwnModel:
    name = "own/model"

    def ask(self, call: Call) -> Reply:
        return Reply(failure=Failure("busy", f"no time for {call.purpose}"), retry_after=1.0)

    async def aask(self, call: Call) -> Reply:
        return self.ask(call)


def model_of_ones_own() -> None:
    model: Model = OwnModel()
    reply = model.ask(Call(messages=(Message("user", "Hello."),), schema=BaseModel, purpose="test"))
    assert_type(reply.failure, Failure | None)
    Failure("sleepy", "not a kind of failure")  # type: ignore[arg-type]
