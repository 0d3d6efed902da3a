"""The one next step of a report: a line for each state, and for each class with and without an entry step."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given

from trail_callbacks import (
    Claim,
    Edge,
    ErrorType,
    Evidence,
    Node,
    ProvenanceGraph,
    Report,
    SupportClass,
    Verdict,
)
from trail_callbacks.render.terminal import to_text
from trail_callbacks.report.diagnosis import Break, Diagnosis
from trail_callbacks.report.report import State
from trail_callbacks.report.verdict import Layer, Scoring
from trail_callbacks.report.withheld import without_texts

sys.path.insert(0, str(Path(__file__).parent.parent / "export"))
from any_report import reports

S = SupportClass
SAID, SOURCE = "It opened in 1847.", "The mill opened in 1874."
HOSTILE = '\x1b[2J\r\n<script>alert(1)</script>\u202e "\x00'
NODES = (
    Node(id="q1", kind="question", text="When?", step="user"),
    Node(id="d1", kind="document", text=SOURCE, step="shelf", origin="retrieved", attributes={"source": "mill.md"}),
    Node(id="m1", kind="completion", text=SAID, step="summarise"),
    Node(id="answer", kind="answer", text=SAID, step="combine"),
)
EDGES = tuple(Edge(source=a, target=b) for a, b in [("q1", "m1"), ("d1", "m1"), ("m1", "answer")])
GRAPH = ProvenanceGraph(nodes=NODES, edges=EDGES)
UNREAD = ProvenanceGraph(nodes=NODES, edges=(EDGES[0], EDGES[2], Edge(source="d1", target="answer")))
APART = ProvenanceGraph(nodes=NODES, edges=(EDGES[0], EDGES[2]))
NO_SOURCE = ProvenanceGraph(nodes=(NODES[0], *NODES[2:]), edges=(EDGES[0], EDGES[2]))
UNANSWERED = ProvenanceGraph(nodes=NODES[:3], edges=EDGES[:2])
WALK = (Layer(nodes=("m1",)),)


def a_report(state="assessed", *, graph=GRAPH, relation="contradicts", cites=True, quote=SAID, claim=None, **verdict):
    if verdict.get("support") in {S.CONTRADICTED, S.ABSENT, S.PARTIALLY_SUPPORTED}:
        verdict["error_type"] = ErrorType.OTHER
    if cites:
        verdict["evidence"] = (Evidence(node_id="d1", start=0, end=len(SOURCE), quote=SOURCE, relation=relation),)
    claims = (Claim(id="c1", text=quote, quote=quote, start=0, end=len(quote), **(claim or {})),)
    return Report(state=state, graph=graph, claims=claims, verdicts=(Verdict(claim_id="c1", **verdict),), judge="llm/x")


def unjudged(reason):
    return a_report("partial", error=reason, cites=False)


def bare(state, graph=GRAPH, **more):
    return Report(state=state, graph=graph, judge="llm/x", **more)


NEAREST = {"undecided": "too vague", "relation": "nearest"}
PARTIAL = {"support": S.PARTIALLY_SUPPORTED, "relation": "supports"}
ABSENT = {"support": S.ABSENT, "cites": False}
DIAGNOSED = Diagnosis(
    signature="selection_failure",
    first_break=Break(stage="reranking", signature="selection_failure", step="top_3"),
    look_at=("Look at the ranks.",),
)

OF_STATES = [
    (bare("interrupted", UNANSWERED), "Resume the run: it waits for its user and has not answered yet."),
    (bare("error", UNANSWERED), "Look for an error after the step summarise (m1): the run gave no answer."),
    (
        bare("error", claims_error="unauthorised: no such key"),
        "Check the key of the judge llm/x: it did not find all claims (unauthorised: no such key).",
    ),
    (
        a_report("error", error="unreachable: no route", cites=False),
        f'Check the endpoint and the network of the judge llm/x: it did not decide "{SAID}" (unreachable: no route).',
    ),
    (
        bare("error", warnings=("verification failed: KeyError()",)),
        "Look at the warnings of this report: verifying the answer of the step combine (answer) failed.",
    ),
    (
        bare("no_evidence", NO_SOURCE),
        "Declare what the step combine (answer) read with sources=: no source of it was recorded.",
    ),
    (
        bare("no_evidence", APART),
        "Pass mill.md (d1) to the step combine (answer): it was recorded but did not reach the answer.",
    ),
    (bare("abstained"), "Check if mill.md (d1) answers the question: the step combine (answer) declined to."),
    (
        bare("abstained", NO_SOURCE),
        "Find a source that answers the question: the step combine (answer) declined to.",
    ),
    (
        bare("no_checkable_claims"),
        "If the step combine (answer) should have stated facts, check its prompt: its answer has none to check.",
    ),
    (
        bare("unverified"),
        "Read the answer of the step combine (answer) yourself: no claim was found in it that could be checked.",
    ),
    (
        replace(a_report("unverified", **NEAREST), judge="local/4"),
        f'Name a model in judge=, such as "openai/gpt-5-mini": the offline judge could not decide "{SAID}".',
    ),
    (
        a_report("unverified", **NEAREST),
        f'Read "{SAID}" yourself or name another judge in judge=: llm/x abstained; mill.md (d1) says "{SOURCE}".',
    ),
    (
        a_report("partial", undecided="not covered", cites=False, claim={"uncovered": True}),
        f'Read "{SAID}" yourself or name another judge in judge=: llm/x left it out.',
    ),
    (
        unjudged("budget: the budget of 3 calls is used up"),
        (
            "Raise VerifyOptions.budget, which is used up, for the judge llm/x: it did not decide "
            f'"{SAID}" (budget: the budget of 3 calls is used up).'
        ),
    ),
    (unjudged("it fell silent"), f'Check the judge llm/x: it did not decide "{SAID}" (it fell silent).'),
    (
        replace(a_report("partial", support=S.SUPPORTED), warnings=("the file lacks 2 texts", "another")),
        "Record the run whole and verify it again: a part of it is missing: the file lacks 2 texts.",
    ),
    (
        a_report("partial", support=S.UNEVALUATABLE, history=WALK),
        f'Read "{SAID}" yourself: no source that the run read settles it.',
    ),
]

OF_CLASSES = [
    (a_report(support=S.SUPPORTED, relation="supports"), None),
    (a_report(support=S.SUPPORTED, relation="supports", introduced_at="m1"), None),
    (
        a_report(support=S.CONTRADICTED, introduced_at="m1"),
        (
            f'Check the prompt of the step summarise (m1): it wrote "{SAID}", but mill.md (d1) says "{SOURCE}", '
            "which it read."
        ),
    ),
    (
        a_report(support=S.CONTRADICTED, introduced_at="m1", graph=UNREAD),
        f'Pass mill.md (d1) to the step summarise (m1): it wrote "{SAID}" without it; mill.md (d1) says "{SOURCE}".',
    ),
    (
        a_report(support=S.CONTRADICTED),
        f'Find the step that introduced "{SAID}" (VerifyOptions(localize=True) looks for it); mill.md (d1) says "{SOURCE}".',
    ),
    (
        a_report(support=S.CONTRADICTED, history=WALK),
        f'Find the step that introduced "{SAID}" (start at the step combine (answer)); mill.md (d1) says "{SOURCE}".',
    ),
    (
        a_report(introduced_at="m1", **PARTIAL),
        (
            f'Check the prompt of the step summarise (m1): it wrote "{SAID}", but mill.md (d1) says "{SOURCE}", '
            "which it read."
        ),
    ),
    (
        a_report(**PARTIAL),
        f'Find the step that introduced "{SAID}" (VerifyOptions(localize=True) looks for it); mill.md (d1) says "{SOURCE}".',
    ),
    (
        a_report(introduced_at="answer", **ABSENT),
        f'Check if the index behind shelf lacks "{SAID}": no text that reached the step combine (answer) says it.',
    ),
    (
        replace(a_report(introduced_at="answer", **ABSENT), diagnosis=DIAGNOSED),
        f'The evidence path broke first at reranking top_3, for "{SAID}": Look at the ranks.',
    ),
    (
        a_report(introduced_at="m1", **ABSENT),
        f'Check the prompt of the step summarise (m1): it added "{SAID}", which nothing that it read says.',
    ),
    (
        a_report(introduced_at="answer", graph=NO_SOURCE, **ABSENT),
        f'Check the prompt of the step combine (answer): it added "{SAID}", which nothing that it read says.',
    ),
    (
        a_report(**ABSENT),
        f'Find the step that introduced "{SAID}" (VerifyOptions(localize=True) looks for it); no source says it.',
    ),
    *(
        (
            replace(a_report(support=S.UNEVALUATABLE, introduced_at=entry), scoring=Scoring(strict=True)),
            f'Read "{SAID}" yourself: no source that the run read settles it.',
        )
        for entry in (None, "m1")
    ),
]


@pytest.mark.parametrize(("report", "line"), OF_STATES + OF_CLASSES)
def test_each_fault_has_its_line(report, line):
    assert report.next_step == report.summary()["next_step"] == line
    joined = " ".join(to_text(report, 200).split())
    if line is None:
        assert "next:" not in joined
        assert "Next:" not in report.to_html()
    else:
        assert joined.endswith(f"next: {line}")


def test_the_table_has_every_state_and_every_class_with_and_without_an_entry_step():
    assert {report.state for report, _ in OF_STATES} == set(get_args(State)) - {"assessed"}
    known = {(v.support, v.introduced_at is not None) for report, _ in OF_CLASSES for v in report.verdicts}
    assert known == {(support, entry) for support in S for entry in (True, False)}


@pytest.mark.parametrize("quote", [HOSTILE, "long " * 10_000])
def test_a_quote_is_cut_and_only_read(quote):
    report = a_report(quote=quote, introduced_at="m1", support=S.CONTRADICTED)
    line = report.next_step
    assert len(line.splitlines()) == 1
    assert len(line) < 400
    for shown in (str(report), report._repr_html_()):
        assert not {"\x1b", "\x00", "\r", "\u202e"} & set(shown)
    for page in (report._repr_html_(), report.to_html()):
        assert page.count("Check the prompt") == 1
        assert "<script>alert" not in page


@pytest.mark.parametrize("report", [report for report, _ in OF_STATES + OF_CLASSES])
def test_without_texts_it_quotes_none(report):
    held = without_texts(report)
    line = held.next_step
    assert (line is None) == (report.next_step is None)
    for text in (SAID, SOURCE, "1847", "mill", "silent", "lacks 2 texts", "no such key", "no route"):
        assert text not in (line or "")


@given(reports())
def test_any_report_that_is_not_clean_has_one_line(report):
    clean = report.state == "assessed" and report.hallucination_score == 0 and not report.undecided
    line = report.next_step
    assert line is None if clean else line == " ".join(line.split()) != ""
