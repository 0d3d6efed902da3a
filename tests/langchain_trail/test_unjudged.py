"""What a model returns beside its answer is judged, or the summary names it; in the strict setting it is left out."""

import re

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableParallel
from langchain_core.tools import tool
from langchain_trail import TrailGuard, guarded

from trail_callbacks import LLMJudge
from trail_callbacks.guard import BLOCKED
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
ASKED = f"{FACT} How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa is 97 metres tall."
CALL = {"name": "look", "args": {}, "id": "1"}
TEXT = {"type": "text", "text": GOOD}
BESIDE = {
    "reasoning block": (AIMessage([{"type": "thinking", "thinking": BAD}, TEXT]), "reasoning"),
    "reasoning key": (AIMessage(GOOD, additional_kwargs={"reasoning_content": BAD}), "reasoning"),
    "annotation": (AIMessage([{**TEXT, "annotations": [{"type": "url_citation", "title": BAD}]}]), "annotations"),
    "transcript": (AIMessage(GOOD, additional_kwargs={"audio": {"transcript": BAD}}), "audio"),
    "extras of a block": (AIMessage([{**TEXT, "extras": {"note": BAD}}]), "extras"),
    "metadata": (AIMessage(GOOD, response_metadata={"grounding": {"said": BAD}}), "grounding"),
    "name": (AIMessage(GOOD, name=BAD), "name"),
    "another block": (AIMessage([TEXT, {"type": "code_result", "output": BAD}]), "code_result"),
}
WITHIN = {
    "code or formulas": "```mermaid\ngraph TD\n  A[It is 97 metres tall] --> B[It fell]\n```\n\n$$h = 97$$",
    "addresses": "[More](https://x.org/it-is-97-metres-tall), <mailto:a@b.c?body=97%20metres>",
    "hidden characters": "".join(chr(0xE0000 + ord(sign)) for sign in BAD),
    "signs": ".. - / .. ... / ----. --...",
}
REFUSED = {
    "key": AIMessage("", additional_kwargs={"refusal": BAD}),
    "block": AIMessage([{"type": "refusal", "refusal": BAD}]),
}
WAYS = ["invoke", "stream", "ainvoke"]


async def call(app, way, given=ASKED):
    if way == "stream":
        total = None
        for chunk in app.stream(given):
            total = chunk if total is None else total + chunk
        return total
    return app.invoke(given) if way == "invoke" else await app.ainvoke(given)


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("name", BESIDE)
async def test_what_is_beside_the_answer_is_named_or_left_out(says, name, way):
    message, kind = BESIDE[name]
    out = await call(guarded(says(message), judge="local"), way)
    summary = out.response_metadata["trail"]
    assert kind in summary["unjudged"]
    assert BAD in repr(out)
    out = await call(guarded(says(message), judge="local", on_undecided="fail"), way)
    assert out.text == (BLOCKED if name == "another block" else GOOD)  # of which a marker is judged, and undecided
    assert kind in out.response_metadata["trail"]["unjudged"]
    assert BAD not in repr(out)


@pytest.mark.parametrize("name", WITHIN)
async def test_what_is_in_the_answer_and_no_claim_is_named_or_withheld(says, name):
    said = f"{GOOD}\n\n{WITHIN[name]}"
    out = await call(guarded(says(said), judge="local"), "ainvoke")
    assert out.response_metadata["trail"]["unjudged"] == [name]
    out = await call(guarded(says(said), judge="local", on_undecided="fail", max_retries=1), "invoke")
    summary = out.response_metadata["trail"]
    assert (out.text, summary["attempts"], summary["unjudged"]) == (BLOCKED, 2, [name])
    (known,) = guarded(says(said), judge="local").batch([f"{FACT} {said}"])
    assert ("addresses" in known.response_metadata["trail"].get("unjudged", ())) is False


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("name", REFUSED)
async def test_a_refusal_is_judged(says, name, way):
    out = await call(guarded(says(REFUSED[name]), judge="local", on_fail="block"), way)
    assert out.response_metadata["trail"]["blocked"]
    assert "97" not in str(out.content)
    assert BAD not in repr(out)


@pytest.mark.parametrize("way", WAYS)
async def test_text_beside_tool_calls(says, way):
    message = AIMessage(BAD, tool_calls=[CALL])
    if way != "stream":
        out = await call(guarded(says(message), judge="local"), way)
        assert out.response_metadata["trail"] == {
            "unjudged": ["text beside tool calls"],
            "passed": False,
            "blocked": False,
        }
    out = await call(guarded(says(message), judge="local", on_undecided="fail"), way)
    assert out.tool_calls
    assert BAD not in repr(out)


def test_short_fields_beside_an_answer(says):
    app = RunnableParallel(height=says("97 metres") | StrOutputParser(), text=says(GOOD) | StrOutputParser())
    out = guarded(app, judge="local").invoke(ASKED)
    assert out["trail"]["unjudged"] == ["height"]
    strict = guarded(app, judge="local", on_undecided="fail", message="No.").invoke(ASKED)
    assert strict["text"] == GOOD
    assert strict["height"] == "No."


@pytest.mark.parametrize(("strict", "blocked"), [("pass", False), ("fail", True)])
def test_what_a_tool_returns_directly(says, strict, blocked):
    pytest.importorskip("langchain", minversion="1.2.9")
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from langchain_trail import TrailGuard

    @tool(return_direct=True)
    def look() -> str:
        """Looks it up."""
        return BAD

    model = says(AIMessage("", tool_calls=[CALL]), tools=True)
    agent = create_agent(model, [look], middleware=[TrailGuard(judge="local", on_undecided=strict)])
    out = agent.invoke({"messages": [("user", ASKED)]})
    assert out["trail"] == {"unjudged": ["result of the tool look"], "passed": False, "blocked": blocked}
    assert (BAD in repr(out)) is not blocked


@pytest.mark.parametrize("strict", ["pass", "fail"])
def test_an_agent_s_message_that_calls_tools_and_its_answer(says, strict):
    pytest.importorskip("langchain", minversion="1.2.9")
    from langchain.agents import create_agent
    from langchain_trail import TrailGuard

    def look() -> str:
        """Looks it up."""
        return FACT

    model = says((FACT, BESIDE["reasoning block"][0]), ("", AIMessage(BAD, tool_calls=[CALL])), tools=True)
    agent = create_agent(model, [look], middleware=[TrailGuard(judge="local", on_undecided=strict)])
    out = agent.invoke({"messages": [("user", "How high is it?")]})
    assert out["trail"]["passed"]
    assert out["trail"]["unjudged"] == ["text beside tool calls", "reasoning"]
    assert (BAD in repr(out)) is (strict == "pass")


pytest.importorskip("langchain", minversion="1.2.9", reason="needs the dev dependencies: make test")
TRUE = "The lighthouse of Genoa is 77 metres tall."
LIE = "It was designed by Quixodoro Vexx."
ANSWER = f"{TRUE} {LIE}"
LOOK_UP = AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": "lighthouse"}, "id": "call-1"}])
QUOTES = [(), (TRUE,), ("It",), (TRUE, "The lighthouse", "lighthouse of Genoa is 77 metres tall"), (TRUE, "It was")]


@tool
def look_up(what: str) -> str:
    """Looks something up."""
    return FACT


def hostile(quotes, abstained=False):
    def reply(call):
        if call.purpose == "claims":
            listed = [{"quote": quote, "claim": quote, "checkable": True} for quote in quotes if quote in str(call)]
            return {"claims": listed, "abstained": abstained}
        ids = dict.fromkeys(re.findall(r"\bc\d+\b", call.messages[-1].content))
        return {"verdicts": [{"claim": id_, "supporting": ["s1"], "support": "supported"} for id_ in ids]}

    return LLMJudge(ScriptedModel(reply))


@pytest.mark.parametrize("on_undecided", ["pass", "fail"])
@pytest.mark.parametrize("abstained", [False, True])
@pytest.mark.parametrize("quotes", QUOTES)
def test_an_agent_s_answer_is_withheld(says, quotes, abstained, on_undecided):
    guard = TrailGuard(hostile(quotes, abstained), on_error="closed", on_undecided=on_undecided)
    agent = create_agent(says((FACT, ANSWER), ("", LOOK_UP), tools=True), [look_up], middleware=[guard])
    out = agent.invoke({"messages": [("user", "How high is it?")]})
    assert out["messages"][-1].text == BLOCKED
    assert not out["trail"]["passed"]
    assert out["trail"]["uncovered"]
    assert "Quixodoro" not in str(out["trail"])


@pytest.mark.parametrize("quotes", QUOTES)
def test_a_chain_s_answer_is_withheld_and_an_open_guard_says_so(says, quotes):
    prompt = ChatPromptTemplate.from_template(f"{FACT}\n{{question}}")
    chain = prompt | says(ANSWER) | StrOutputParser()
    asked = {"question": "How high is it?"}
    closed = guarded(chain, judge=hostile(quotes), on_error="closed", no_evidence="pass")
    assert closed.invoke(asked) == BLOCKED
    assert "".join(closed.stream(asked)) == BLOCKED
    message = guarded(prompt | says(ANSWER), judge=hostile(quotes), on_error="open", no_evidence="pass").invoke(asked)
    assert not message.response_metadata["trail"]["passed"]
    assert message.response_metadata["trail"]["uncovered"]
