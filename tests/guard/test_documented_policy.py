"""The tables of `docs/guards.md` say what the code does."""

import asyncio
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_trail.grounded import refusal as grounding

from trail_callbacks import LLMJudge, LocalJudge, ProvenanceGraph, Report, SupportClass
from trail_callbacks.cli.check import refusal
from trail_callbacks.cli.gate import regression
from trail_callbacks.guard import Checker, GuardSettings, JudgeDraft, decide
from trail_callbacks.judges import Assessment, Judgement
from trail_callbacks.models.call import Budget, Failure, Reply, Usage
from trail_callbacks.monitor import observe
from trail_callbacks.monitor.gate import Answer
from trail_callbacks.report.comparison import compare
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa is 97 metres tall."
ODD = "The keeper of the lighthouse likes to sing in the evening."
MODES = ("retry", "strip", "block", "annotate", "raise")
PAGE = (Path(__file__).parents[2] / "docs" / "guards.md").read_text(encoding="utf-8")


def table(heading):
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return rows[2:]


ROWS = {row[0]: row[1:] for row in table("What happens to an answer")}


def claims(*quotes):
    return {"claims": [{"quote": q, "claim": q, "checkable": True} for q in quotes], "abstained": False}


def scripted(extracted, verdicts):
    """A judge whose model finds these claims, and then answers with these verdicts."""
    return LLMJudge(ScriptedModel(lambda call: extracted if call.purpose == "claims" else verdicts))


def unable(call):
    if call.purpose == "claims":
        return claims(GOOD, ODD)
    shown = {"claim": "c1", "supporting": ["s1"], "comparison": "The same.", "support": "supported", "error_type": None}
    return {"verdicts": [shown]}


def unread():
    raise OSError("no record of this run")


def slow():
    time.sleep(1)  # longer than the timeout of the row
    return ProvenanceGraph.from_texts(GOOD, [FACT])


class Praising(LocalJudge):
    """Takes all claims for praise."""

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        unevaluatable = SupportClass.UNEVALUATABLE
        return Assessment(judgements=tuple(Judgement(claim_id=q.claim.id, support=unevaluatable) for q in questions))


class Abstains(LocalJudge):
    """Takes all answers for refusals."""

    def extract(self, answer, question):
        return replace((yield from super().extract(answer, question)), abstained=True)


DOWN = LLMJudge(ScriptedModel(lambda call: Reply(failure=Failure("failed", "the service is down"))))
CASES = {
    "all claims supported": (LocalJudge(), GOOD, {}),
    "a claim contradicted or absent": (LocalJudge(), BAD, {}),
    "it abstained from some claims": (LocalJudge(), f"{GOOD} {ODD}", {}),
    "it abstained from all claims": (LocalJudge(), ODD, {}),
    "it says that no source could settle a claim": (Praising(), GOOD, {}),
    "it says that a statement declines": (Abstains(), GOOD, {}),
    "it left out a statement": (scripted(claims(), {}), GOOD, {}),
    "it failed on some claims": (LLMJudge(ScriptedModel(unable)), f"{GOOD} {ODD}", {}),
    "it raised, or could not be reached": (DOWN, GOOD, {}),
    "it was out of calls or tokens": (scripted(claims(GOOD), {}), GOOD, {"budget": Budget(calls=0)}),
    "it was late": (LocalJudge(), slow, {"timeout": 0.2}),
    "the run was not captured": (LocalJudge(), unread, {}),
    "nothing was read": (LocalJudge(), GOOD, {}),
    "the answer declines": (LocalJudge(), "I do not know.", {}),
    "the answer states nothing": (LocalJudge(), "Hello!", {}),
}
"""Each row that a real judge can be brought to: the judge, the answer or what makes its graph, and settings."""
MADE = {
    "it found no claim in statements": Report(state="unverified", graph=ProvenanceGraph(nodes=())),
    "the run waits for its user": Report(state="interrupted", graph=ProvenanceGraph(nodes=())),
}


async def judged(name, **more):
    """The reports on a row, with and without an event loop."""
    if name in MADE:
        return [MADE[name]]
    judge, answer, settings = CASES[name]
    sources = [] if name == "nothing was read" else [FACT]
    graph = answer if callable(answer) else lambda: ProvenanceGraph.from_texts(answer, sources)
    checker = Checker(GuardSettings(judge=judge, **settings, **more))
    step = JudgeDraft(graph, Usage())
    return [await asyncio.to_thread(checker.check, step), await checker.acheck(step)]


@pytest.mark.parametrize("name", ROWS)
async def test_each_row_is_what_the_code_does(name):
    *actions, command, gate, tested, other = ROWS[name]
    for report in await judged(name):
        done = [decide(GuardSettings(judge="local", on_fail=mode), report, 0) for mode in MODES]
        assert done == actions, report.state
        assert (refusal(report, 0.0) is None) == (command == "pass")
        unchanged = regression(compare(replace(report, state="assessed"), report), 0.0)
        assert (unchanged is None) == (command == "pass" or name == "a claim contradicted or absent")
        left = Answer.read(observe(report)).left
        assert ("counted" if not left else "open" if left == 1.0 else "in part") == gate
        assert (grounding(report, 0.0, []) is None) == (tested == "pass")
        if other:
            setting, _, action = other.partition(": ")
            key, value = re.fullmatch(r"`(\w+)=(.+)`", setting).groups()
            changed = {key: float(value) if key == "max_score" else value.strip('"')}
            assert decide(GuardSettings(judge="local", **changed), report, 0) == action
        blocked = decide(GuardSettings(judge="local", exhausted="annotate"), report, 0)
        assert blocked == ("annotate" if actions[0] == "block" else actions[0])


def test_all_that_can_happen_is_in_the_table():
    assert set(ROWS) == {*CASES, *MADE}
    states = {row[0] for row in table("What is not judged")}
    assert len(states) == 11


async def test_an_answer_that_was_judged_late_is_not_asked_for_again():
    report = (await judged("it was late"))[0]
    assert type(report).__name__ == "LateReport"
    assert decide(GuardSettings(judge="local"), replace(report, state="partial"), 0) == "block"
