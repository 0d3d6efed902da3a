"""Structured answers of chains and agents: the same claims and score from handler, guards, node and `check()`."""

import asyncio
import json

import pytest
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import tool
from langchain_trail import AnswerRejectedError, TrailCallbackHandler, guarded
from pydantic import BaseModel

from trail_callbacks import check

SOURCE = (
    "Invoice number 4711 is not paid yet.\n\n"
    "The desk lamp has a price of 12.5 euros. The oak chair has a price of 40 euros."
)
ASKED = "What is on the invoice?"
FIELDS = {
    "number": "4711",
    "paid": False,
    "note": "The desk lamp has a price of 12.5 euros. The oak chair has a price of 45 euros.",
    "items": [{"name": "desk lamp", "price": 12.5}, {"name": "oak chair", "price": 45.0}],
}
CLAIMS = [
    ("number", "number: 4711"),
    ("paid", "paid: false"),
    ("note", "The desk lamp has a price of 12.5 euros."),
    ("note", "The oak chair has a price of 45 euros."),
    ("items[0].name", "items: desk lamp"),
    ("items[0].price", "desk lamp, items price: 12.5"),
    ("items[1].name", "items: oak chair"),
    ("items[1].price", "oak chair, items price: 45.0"),
]
RATED = {"answer": "The oak chair has a price of 45 euros.", "price": 41}


class Item(BaseModel):
    """An item."""

    name: str
    price: float


class Invoice(BaseModel):
    """An invoice."""

    number: str
    paid: bool
    note: str | None = None
    items: list[Item]


SCHEMA = {
    "title": "Schema",
    "description": "An invoice.",
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "paid": {"type": "boolean"},
        "note": {"type": "string"},
        "items": {"type": "array"},
    },
}


def expected():
    report = check(json.dumps(FIELDS), [SOURCE], question=ASKED)
    assert [(claim.path, claim.text) for claim in report.claims] == CLAIMS
    assert {str(report.verdict(claim.id).support) for claim in report.claims if claim.path == "note"} == {
        "supported",
        "contradicted",
    }
    assert report.hallucination_score > 0
    return report


def said(report):
    """What must not depend on the way in."""
    text = report.graph.answer.text
    assert all(text[claim.start : claim.end] == claim.quote for claim in report.claims)
    supports = [report.verdict(claim.id).support for claim in report.claims]
    claims = [(claim.path, claim.text, claim.quote) for claim in report.claims]
    return claims, supports, report.hallucination_score, report.state


@pytest.fixture
def chain(says, shelf):
    """A chain that reads a document and ends with what is given."""

    def make(model):
        documents = shelf(SOURCE)
        prompt = ChatPromptTemplate.from_template("Use {context}. {question}")
        return RunnablePassthrough.assign(context=lambda given: documents.invoke(given["question"])) | prompt | model

    return make


@pytest.fixture(params=["pydantic", "schema", "raw", "parser", "text"])
def structured(request, says, chain):
    if request.param in {"parser", "text"}:
        model = says(f"```json\n{json.dumps(FIELDS)}\n```")
        return chain(model | JsonOutputParser()) if request.param == "parser" else chain(model)
    form = {"pydantic": Invoice, "raw": Invoice, "schema": SCHEMA}[request.param]
    name = form["title"] if isinstance(form, dict) else form.__name__
    model = says(AIMessage("", tool_calls=[{"name": name, "args": FIELDS, "id": "f1"}]), tools=True)
    return chain(model.with_structured_output(form, include_raw=request.param == "raw"))


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream", "astream", "batch"])
def test_a_chain_gives_the_same_claims_and_score_from_handler_guard_and_check(structured, mode):
    handler, reports, given = TrailCallbackHandler(), [], {"question": ASKED}
    config = {"callbacks": [handler]}
    guard = guarded(structured, judge="local", on_fail="annotate", on_report=reports.append)

    async def consume(app, config):
        return [chunk async for chunk in app.astream(given, config)]

    for app, with_config in ((structured, config), (guard, {})):
        if mode == "ainvoke":
            asyncio.run(app.ainvoke(given, with_config))
        elif mode == "stream":
            list(app.stream(given, with_config))
        elif mode == "astream":
            asyncio.run(consume(app, with_config))
        elif mode == "batch":
            app.batch([given], with_config)
        else:
            app.invoke(given, with_config)
    assert said(handler.report(timeout=60)) == said(reports[-1]) == said(expected())


def test_what_a_model_wrote_beside_the_answer_is_judged_too(chain, says):
    app, handler, reports = chain(says(json.dumps(RATED)) | JsonOutputParser()), TrailCallbackHandler(), []
    app.invoke({"question": ASKED}, {"callbacks": [handler]})
    guarded(app, judge="local", on_fail="annotate", on_report=reports.append).invoke({"question": ASKED})
    report = handler.report(timeout=60)
    assert said(report) == said(reports[-1]) == said(check(json.dumps(RATED), [SOURCE], question=ASKED))
    assert [claim.path for claim in report.claims] == ["answer", "price"]


def test_a_withheld_object_leaves_none_of_its_values(chain, says):
    app = guarded(
        chain(says(json.dumps(RATED)) | JsonOutputParser()), judge="local", on_fail="block", message="Ask a clerk."
    )
    out = app.invoke({"question": ASKED})
    assert (out["answer"], out["price"]) == ("Ask a clerk.", None)
    other = guarded(chain(says(json.dumps(FIELDS)) | JsonOutputParser()), judge="local", on_fail="block")
    with pytest.raises(AnswerRejectedError, match="no place for a message"):
        other.invoke({"question": ASKED})


@tool
def look_up(what: str) -> str:
    """Looks something up."""
    return SOURCE


CALL = AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": "invoice"}, "id": "c1"}])


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream"])
@pytest.mark.parametrize("form", ["tool", "provider"])
def test_an_agent_gives_the_same_claims_and_score_from_handler_guard_node_and_check(says, form, mode):
    pytest.importorskip("langchain", minversion="1.2.9", reason="needs the dev dependencies: make test")
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
    from langchain_trail import TrailGuard, trail_node

    wrote = Invoice(**FIELDS).model_dump_json()
    if form == "tool":
        wrote = AIMessage("", tool_calls=[{"name": "Invoice", "args": FIELDS, "id": "c2"}])
    handler, reports = TrailCallbackHandler(), []
    guard = TrailGuard(judge="local", on_fail="annotate", on_report=reports.append)
    strategy = ToolStrategy(Invoice) if form == "tool" else ProviderStrategy(Invoice)
    model = says(("not paid", wrote), CALL, tools=True)
    agent = create_agent(model, [look_up], response_format=strategy, middleware=[guard])
    given, config = {"messages": [("user", ASKED)]}, {"callbacks": [handler]}
    if mode == "ainvoke":
        out = asyncio.run(agent.ainvoke(given, config))
    elif mode == "stream":
        out = list(agent.stream(given, config, stream_mode="values"))[-1]
    else:
        out = agent.invoke(given, config)
    assert out["structured_response"] == Invoice(**FIELDS)
    trail_node(judge="local", on_report=reports.append).invoke(out)
    found = [said(report) for report in (handler.report(timeout=60), *reports)]
    assert len(found) == 3
    assert found == [said(expected())] * 3
