"""Structured answers of engines, models and agents: the same claims and score from every way in."""

import asyncio
import json

import pytest
from llama_index.core import PromptTemplate
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index_trail import GuardedQueryEngine, TrailEvaluator, report_for, trail
from pydantic import BaseModel

from trail_callbacks import check

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex reads pydantic's old names

SOURCE = "Paid: false.\n\nNumber: 4711\n\nThe desk lamp has a price of 12.5 euros.\n\nOak chair, price: 40.0"
ASKED = "What is on the invoice?"
FIELDS = {
    "number": "4711",
    "paid": False,
    "items": [{"name": "desk lamp", "price": 12.5}, {"name": "oak chair", "price": 45.0}],
}
PATHS = ["number", "paid", "items[0].name", "items[0].price", "items[1].name", "items[1].price"]


class Item(BaseModel):
    name: str
    price: float


class Invoice(BaseModel):
    """An invoice."""

    number: str
    paid: bool
    note: str | None = None
    items: list[Item]


def said(report):
    """What must not depend on the way in."""
    text = report.graph.answer.text
    assert all(text[claim.start : claim.end] == claim.quote for claim in report.claims)
    supports = [report.verdict(claim.id).support for claim in report.claims]
    claims = [(claim.path, claim.text, claim.quote) for claim in report.claims]
    return claims, supports, report.hallucination_score


@pytest.fixture
def expected():
    report = check(json.dumps(FIELDS), [SOURCE], question=ASKED)
    assert [claim.path for claim in report.claims] == PATHS
    assert 0 < report.hallucination_score < 1
    return said(report)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", ["output_cls", "as_structured_llm"])
def test_an_engine_gives_the_same_from_recording_guard_evaluator_and_check(shelf, models, expected, kind, asynchronous):
    llm = models.Rules(rules=[("", json.dumps(FIELDS))])

    def engine():
        if kind == "output_cls":
            return shelf(SOURCE).as_query_engine(llm=llm, output_cls=Invoice)
        return shelf(SOURCE).as_query_engine(llm=llm.as_structured_llm(Invoice))

    def ask(engine):
        return asyncio.run(engine.aquery(ASKED)) if asynchronous else engine.query(ASKED)

    with trail() as t:
        recorded = ask(engine())
    assert recorded.response == Invoice(**FIELDS)
    judged = ask(GuardedQueryEngine(engine(), judge="local", on_fail="annotate"))
    evaluator = TrailEvaluator()
    found = [
        t.report,
        report_for(recorded),
        report_for(judged),
        evaluator.evaluate_response(ASKED, recorded).report,
        evaluator.evaluate_response(ASKED, ask(engine())).report,
        evaluator.evaluate(ASKED, json.dumps(FIELDS), [SOURCE]).report,
    ]
    assert [said(report) for report in found] == [expected] * len(found)


READ = PromptTemplate("Read:\n\n{context}\n\n{question}")
MESSAGES = [ChatMessage(role="system", content=SOURCE), ChatMessage(role="user", content=ASKED)]


async def consumed(stream):
    return [each async for each in await stream]


@pytest.mark.parametrize(
    "ask",
    [
        lambda llm: llm.structured_predict(Invoice, READ, context=SOURCE, question=ASKED),
        lambda llm: asyncio.run(llm.astructured_predict(Invoice, READ, context=SOURCE, question=ASKED)),
        lambda llm: list(llm.stream_structured_predict(Invoice, READ, context=SOURCE, question=ASKED)),
        lambda llm: llm.as_structured_llm(Invoice).chat(MESSAGES),
        lambda llm: asyncio.run(llm.as_structured_llm(Invoice).achat(MESSAGES)),
        lambda llm: list(llm.as_structured_llm(Invoice).stream_chat(MESSAGES)),
        lambda llm: llm.as_structured_llm(Invoice).complete(f"{SOURCE}\n{ASKED}"),
    ],
    ids=["predict", "apredict", "stream_predict", "chat", "achat", "stream_chat", "complete"],
)
def test_a_model_that_is_asked_for_an_object(models, expected, ask, request):
    with trail() as t:
        ask(models.Rules(rules=[("", json.dumps(FIELDS))]))
    claims, supports, score = expected
    if "chat" in request.node.callspec.id:  # a message is a request: it may support a claim, but contradicts none
        supports = ["absent" if support == "contradicted" else support for support in supports]
    assert said(t.report) == (claims, supports, score)


def look(what: str) -> str:
    """Looks something up."""
    return SOURCE


@pytest.mark.parametrize("in_workflow", [False, True])
async def test_the_object_that_an_agent_returns_is_its_answer(models, expected, in_workflow):
    llm = models.Turns(steps=[[("look", {"what": "invoice"})], "The desk lamp has a price of 12.5 euros."])
    agent = FunctionAgent(tools=[look], llm=llm, structured_output_fn=lambda _: FIELDS)
    with trail() as t:
        output = await (AgentWorkflow(agents=[agent]) if in_workflow else agent).run(ASKED)
    assert output.structured_response == FIELDS
    assert said(await asyncio.to_thread(lambda: t.report)) == expected
