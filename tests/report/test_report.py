"""A report as a value: its score and figures, its summary, and that it reads back as it was written or not at all."""

from __future__ import annotations

import doctest
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import ABSENT, NO, ODD, SOME, YES
from judged import report as judged

import trail_callbacks.report.verdict
from trail_callbacks import Claim, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.claims import Citation
from trail_callbacks.errors import ReportError
from trail_callbacks.graph import named
from trail_callbacks.report.verdict import Scoring, citation_figures, score

CLASSES = st.lists(st.sampled_from(list(SupportClass)), max_size=30)
SOURCE = Evidence(node_id="source-1", start=0, end=3, quote="src", relation="supports")


def a_report(*support, **more):
    found = [
        (f"s{n}", each, {"evidence": (SOURCE,), **({"introduced_at": "answer"} if each in {NO, ABSENT, SOME} else {})})
        for n, each in enumerate(support)
    ]
    return judged(*found, sources=["src"], **more)


def test_the_worked_example():
    report = a_report(YES, YES, YES, NO, ABSENT, ODD)
    assert report.hallucination_score == 0.4
    assert report.interval == pytest.approx((0.118, 0.769), abs=0.001)
    assert doctest.testmod(trail_callbacks.report.verdict) == (0, 3)


@given(CLASSES, st.booleans(), st.booleans(), st.booleans())
def test_a_score_is_a_share_or_nothing_and_never_nan(found, strict, severity, gate):
    value = score(found, Scoring(strict=strict, severity=severity, gate=gate))
    assert value is None or (0.0 <= value <= 1.0 and not math.isnan(value))


def test_scoring_options():
    found = [YES, SOME, ODD]
    assert score(found) == 0.5
    assert score(found, Scoring(strict=True)) == pytest.approx(2 / 3)
    assert score(found, Scoring(severity=True)) == 0.25
    assert score(found, Scoring(gate=True)) == 0.5
    assert score([*found, NO], Scoring(gate=True)) == 1.0


@pytest.mark.parametrize("state", ["abstained", "no_checkable_claims", "unverified", "no_evidence", "error"])
def test_a_state_instead_of_a_number(state):
    report = a_report(ABSENT, state=state)
    assert report.hallucination_score is report.interval is None
    assert report.summary()["state"] == state


def test_how_judging_ended():
    near = Evidence(node_id="source-1", start=0, end=3, quote="src", relation="nearest")
    undecided = Verdict(claim_id="", undecided="no sentence is about this", evidence=(near,))
    report = a_report(YES, ABSENT, undecided, None, state="partial", claims_error="refused: no")
    assert [verdict.outcome for verdict in report.verdicts] == ["supported", "absent", "undecided", "not_judged"]
    assert report.undecided == (report.claims[2],)
    assert report.hallucination_score == 0.5
    assert Verdict(claim_id="c1", undecided="x", error="y").outcome == "not_judged"


def claim(n, *statuses, checkable=True):
    citations = tuple(Citation(start=9, end=12, target="1", sources=(), status=status) for status in statuses)
    return Claim(id=f"c{n}", text="a", quote="a", start=0, end=1, checkable=checkable, citations=citations)


def test_shares_of_citations_are_over_checkable_claims_and_decided_citations():
    cited = [claim(1, "supported", "not_supported"), claim(2, "unknown_source"), claim(3, "undecided"), claim(4)]
    figures = citation_figures([*cited, claim(5, checkable=False)])
    assert (figures.claims, figures.cited, figures.coverage, figures.recall) == (4, 3, 0.75, 0.25)
    assert (figures.citations, figures.decided, figures.precision, figures.unknown) == (4, 3, 1 / 3, 1)
    assert citation_figures([]) is None
    assert citation_figures([claim(1), claim(2, checkable=False)]) is None
    assert citation_figures([claim(1, "undecided")]).precision is None


def test_the_summary_is_small_and_json_safe():
    summary = a_report(YES, NO).summary()
    assert json.loads(json.dumps(summary)) == summary
    assert summary["class_counts"] == {"supported": 1, "contradicted": 1}
    (entry,) = summary["unsupported"]
    assert {key: entry[key] for key in ("claim", "quote", "support", "error_type")} == {
        "claim": "s1", "quote": "s1", "support": "contradicted", "error_type": "other",
    }  # fmt: skip
    assert (entry["introduced_at"], entry["step"], entry["evidence"]) == ("answer", "answer", ["src"])


@given(st.lists(st.one_of(st.none(), st.sampled_from(list(SupportClass))), max_size=6))
def test_json_round_trip(found):
    report = a_report(*found, state="partial", warnings=("näher ansehen",), run_id="r1")
    assert Report.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["hallucination_score"] == report.hallucination_score


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("", "broken or truncated"),
        ('{"version": 1, "state"', "broken or truncated"),
        (b"\xff\xfe\x00", "broken or truncated"),
        ("[]", '"version" is missing'),
        ('{"version": 99}', "version 99"),
        ('{"version": 1}', "not a report"),
        ('{"version": 1, "state": "assessed", "graph": {"nodes": [{"id": 1}]}}', "graph.nodes.0"),
    ],
)
def test_what_is_no_report_says_so(data, says):
    with pytest.raises(ReportError, match=says):
        Report.from_json(data)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda stored: stored["verdicts"].pop(), "one verdict"),
        (lambda stored: stored["verdicts"][0].update(claim_id="c9"), "one verdict"),
        (lambda stored: stored["verdicts"][1].update(introduced_at="gone"), "no node 'gone'"),
        (lambda stored: stored["verdicts"][1].update(carried_through=["gone"]), "no node 'gone'"),
        (lambda stored: stored["verdicts"][0]["evidence"][0].update(node_id="gone"), "no node 'gone'"),
    ],
)
def test_a_report_whose_parts_do_not_belong_together_is_none(change, says):
    stored = json.loads(a_report(YES, ABSENT).to_json())
    change(stored)
    with pytest.raises(ReportError, match=says):
        Report.from_json(json.dumps(stored))


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (Node(id="d1", kind="document", text="", attributes={"file_name": "history.md"}), "history.md (d1)"),
        (Node(id="d1", kind="document", text="", attributes={"source": " ", "title": "History"}), "History (d1)"),
        (Node(id="m2", kind="completion", text="", step="summarise"), "summarise (m2)"),
        (Node(id="m2", kind="completion", text="", attributes={"title": "a document's"}), "completion (m2)"),
        (Node(id="question", kind="question", text=""), "question"),
    ],
)
def test_a_node_is_named_by_what_a_reader_knows_it_by(node, name):
    assert named(node.id, ProvenanceGraph(nodes=(node,))) == name
