"""A judge that is talked into leaving out a part of an answer opens no guard."""

import re

import pytest

pytest.importorskip("langchain", minversion="1.2.9", reason="needs the dev dependencies: make test")

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langchain_trail import TrailGuard, guarded

from trail_callbacks import LLMJudge
from trail_callbacks.guard import BLOCKED
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
TRUE = "The lighthouse of Genoa is 77 metres tall."
LIE = "It was designed by Quixodoro Vexx."
ANSWER = f"{TRUE} {LIE}"
CALL = AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": "lighthouse"}, "id": "call-1"}])
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
    agent = create_agent(says((FACT, ANSWER), ("", CALL), tools=True), [look_up], middleware=[guard])
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
