"""An answer declines if code sees that it does, whatever its judge says."""

import pytest
from trail_callbacks.verify.declining import states_something

from trail_callbacks import Claim, ProvenanceGraph, Report

FALSE = "The lighthouse of Genoa is 97 metres tall."


@pytest.mark.parametrize(
    ("answer", "state", "states"),
    [
        (FALSE, "abstained", True),
        (f"I do not know. {FALSE}", "abstained", True),
        ("I do not know.", "abstained", False),
        ("Je ne sais pas.", "abstained", False),
        ("\u308f\u304b\u308a\u307e\u305b\u3093\u3002", "abstained", False),
        (FALSE, "assessed", False),
    ],
)
def test_what_its_judge_says_declines(answer, state, states):
    claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer))
    report = Report(state=state, graph=ProvenanceGraph.from_texts(answer, ["A source."]), claims=(claim,))
    assert states_something(report) is states


def test_without_an_answer_nothing_is_stated():
    assert not states_something(Report(state="abstained", graph=ProvenanceGraph(nodes=())))
