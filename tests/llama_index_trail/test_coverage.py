"""A judge that is talked into leaving out a part of an answer opens no guard."""

import re

import pytest
from llama_index_trail import GuardedQueryEngine

from trail_callbacks import LLMJudge
from trail_callbacks.guard import BLOCKED
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
TRUE = "The lighthouse of Genoa is 77 metres tall."
LIE = "It was designed by Quixodoro Vexx."


def hostile(quotes, abstained):
    def reply(call):
        if call.purpose == "claims":
            return {"claims": [{"quote": quote, "claim": quote} for quote in quotes], "abstained": abstained}
        ids = dict.fromkeys(re.findall(r"\bc\d+\b", call.messages[-1].content))
        return {"verdicts": [{"claim": id_, "supporting": ["s1"], "support": "supported"} for id_ in ids]}

    return LLMJudge(ScriptedModel(reply))


@pytest.mark.parametrize("on_undecided", ["pass", "fail"])
@pytest.mark.parametrize("abstained", [False, True])
@pytest.mark.parametrize("quotes", [(), (TRUE,), ("It",), (TRUE, "It was"), (TRUE, "The lighthouse")])
def test_the_engine_s_answer_is_withheld(ask, quotes, abstained, on_undecided):
    engine = GuardedQueryEngine(
        ask([FACT], [("", f"{TRUE} {LIE}")]),
        judge=hostile(quotes, abstained),
        on_error="closed",
        on_undecided=on_undecided,
    )
    response = engine.query("How high is the lighthouse of Genoa?")
    assert str(response) == BLOCKED
    assert not response.metadata["trail"]["passed"]
    assert response.metadata["trail"]["uncovered"]
    assert "Quixodoro" not in str(response.metadata["trail"])
