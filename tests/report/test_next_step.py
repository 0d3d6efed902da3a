"""The one next step of a report: a line for each state, and for each class with and without an entry step."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from judged import ABSENT, NO, ODD, SOME, YES, graph_of, node, quoted
from judged import report as judged

from trail_callbacks import Report, SupportClass, check
from trail_callbacks.render.terminal import to_text
from trail_callbacks.report.diagnosis import Break, Diagnosis
from trail_callbacks.report.report import State
from trail_callbacks.report.verdict import Layer, Scoring
from trail_callbacks.report.withheld import without_texts

sys.path.insert(0, str(Path(__file__).parent.parent / "export"))
from any_report import reports

SAID, SOURCE = "It opened in 1847.", "The mill opened in 1874."
HOSTILE = '\x1b[2J\r\n<script>alert(1)</script>\u202e "\x00'
NODES = (
    node("q1", "question", "When?", "user"),
    node("d1", "document", SOURCE, "shelf", origin="retrieved", attributes={"source": "mill.md"}),
    node("m1", "completion", SAID, "summarise"),
    node("answer", "answer", SAID, "combine"),
)
ASKED, READ, WROTE = ("q1", "m1"), ("d1", "m1"), ("m1", "answer")
GRAPH = graph_of(NODES, ASKED, READ, WROTE)
UNREAD = graph_of(NODES, ASKED, WROTE, ("d1", "answer"))
APART = graph_of(NODES, ASKED, WROTE)
NO_SOURCE = graph_of((NODES[0], *NODES[2:]), ASKED, WROTE)
UNANSWERED = graph_of(NODES[:3], ASKED, READ)
WALK = (Layer(nodes=("m1",)),)
A, M = "the step combine (answer)", "the step summarise (m1)"
SAYS = f'mill.md (d1) says "{SOURCE}"'
DECIDES = (
    f'Name a judge that can decide "{SAID}": judge="openai/gpt-5-mini", judge=as_model(model) of your app, or '
    "judge=EncoderJudge(), which runs here; the offline judge could not."
)


def a_report(support=None, state="assessed", *, graph=GRAPH, relation="contradicts", cites=True, quote=SAID, **verdict):
    evidence = {"evidence": (quoted(NODES[1], SOURCE, relation),)} if cites else {}
    return judged((quote, support, {**evidence, **verdict}), answer=quote, graph=graph, state=state, judge="llm/x")


def failed(reason, state="partial"):
    return a_report(state=state, error=reason, cites=False)


def bare(state, graph=GRAPH, **more):
    return Report(state=state, graph=graph, judge="llm/x", **more)


def left_out():
    report = a_report(state="partial", undecided="not covered", cites=False)
    return replace(report, claims=(replace(report.claims[0], uncovered=True),))


NEAREST = a_report(state="unverified", undecided="too vague", relation="nearest")
ENTERED, SUPPORTS, SILENT = {"introduced_at": "m1"}, {"relation": "supports"}, {"cites": False}
BREAK = Break(stage="reranking", signature="selection_failure", step="top_3")
DIAGNOSED = Diagnosis(signature="selection_failure", first_break=BREAK, look_at=("Look at the ranks.",))
MISSING = {"warnings": ("the file lacks 2 texts", "another")}
SPENT = "budget: 3 calls are used up"
NO_STEP = f'Find the step that introduced "{SAID}" (VerifyOptions(localize=True) looks for it)'
READ_YOURSELF = f'Read "{SAID}" yourself: no source that the run read settles it.'

OF_STATES = [
    (bare("interrupted", UNANSWERED), "Resume the run: it waits for its user and has not answered yet."),
    (bare("error", UNANSWERED), f"Look for an error after {M}: the run gave no answer."),
    (
        bare("error", claims_error="unauthorised: no such key"),
        "Check the key of the judge llm/x: it did not find all claims (unauthorised: no such key).",
    ),
    (
        failed("unreachable: no route", "error"),
        f'Check the endpoint and the network of the judge llm/x: it did not decide "{SAID}" (unreachable: no route).',
    ),
    (
        bare("error", warnings=("verification failed: KeyError()",)),
        f"Look at the warnings of this report: verifying the answer of {A} failed.",
    ),
    (bare("no_evidence", NO_SOURCE), f"Declare what {A} read with sources=: no source of it was recorded."),
    (bare("no_evidence", APART), f"Pass mill.md (d1) to {A}: it was recorded but did not reach the answer."),
    (bare("abstained"), f"Check if mill.md (d1) answers the question: {A} declined to."),
    (bare("abstained", NO_SOURCE), f"Find a source that answers the question: {A} declined to."),
    (
        bare("no_checkable_claims"),
        f"If {A} should have stated facts, check its prompt: its answer has none to check.",
    ),
    (bare("unverified"), f"Read the answer of {A} yourself: no claim was found in it that could be checked."),
    (
        replace(NEAREST, judge="local/4"),
        DECIDES,
    ),
    (NEAREST, f'Read "{SAID}" yourself or name another judge in judge=: llm/x abstained; {SAYS}.'),
    (left_out(), f'Read "{SAID}" yourself or name another judge in judge=: llm/x left it out.'),
    (
        failed(SPENT),
        f'Raise VerifyOptions.budget, which is used up, for the judge llm/x: it did not decide "{SAID}" ({SPENT}).',
    ),
    (failed("it fell silent"), f'Check the judge llm/x: it did not decide "{SAID}" (it fell silent).'),
    (
        replace(a_report(YES, "partial"), **MISSING),
        "Record the run whole and verify it again: a part of it is missing: the file lacks 2 texts.",
    ),
    (a_report(ODD, "partial", history=WALK), READ_YOURSELF),
]

OF_CLASSES = [
    (a_report(YES, **SUPPORTS), None),
    (a_report(YES, **SUPPORTS, **ENTERED), None),
    (a_report(NO, **ENTERED), f'Check the prompt of {M}: it wrote "{SAID}", but {SAYS}, which it read.'),
    (a_report(NO, **ENTERED, graph=UNREAD), f'Pass mill.md (d1) to {M}: it wrote "{SAID}" without it; {SAYS}.'),
    (a_report(NO), f"{NO_STEP}; {SAYS}."),
    (a_report(NO, history=WALK), f'Find the step that introduced "{SAID}" (start at {A}); {SAYS}.'),
    (a_report(SOME, **ENTERED, **SUPPORTS), f'Check the prompt of {M}: it wrote "{SAID}", but {SAYS}, which it read.'),
    (a_report(SOME, **SUPPORTS), f"{NO_STEP}; {SAYS}."),
    (
        a_report(ABSENT, introduced_at="answer", **SILENT),
        f'Check if the index behind shelf lacks "{SAID}": no text that reached {A} says it.',
    ),
    (
        replace(a_report(ABSENT, introduced_at="answer", **SILENT), diagnosis=DIAGNOSED),
        f'The evidence path broke first at reranking top_3, for "{SAID}": Look at the ranks.',
    ),
    (
        a_report(ABSENT, **ENTERED, **SILENT),
        f'Check the prompt of {M}: it added "{SAID}", which nothing that it read says.',
    ),
    (
        a_report(ABSENT, introduced_at="answer", graph=NO_SOURCE, **SILENT),
        f'Check the prompt of {A}: it added "{SAID}", which nothing that it read says.',
    ),
    (a_report(ABSENT, **SILENT), f"{NO_STEP}; no source says it."),
    *((replace(a_report(ODD, introduced_at=at), scoring=Scoring(strict=True)), READ_YOURSELF) for at in (None, "m1")),
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
    assert known == {(support, entry) for support in SupportClass for entry in (True, False)}


@pytest.mark.parametrize("quote", [HOSTILE, "long " * 10_000])
def test_a_quote_is_cut_and_only_read(quote):
    report = a_report(NO, quote=quote, introduced_at="m1")
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


def test_of_texts_that_no_step_wrote_the_answer_is_what_to_correct():
    wrong = check("The ferry takes 53 minutes.", ["The ferry takes 40 minutes."])
    assert wrong.next_step == (
        'Correct the answer where it says "The ferry takes 53 minutes.": source (source-1) says "The ferry takes 40 minutes.".'
    )
