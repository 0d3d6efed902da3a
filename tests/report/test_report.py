from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Claim, ErrorType, Evidence, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.errors import ReportError

S = SupportClass
classes = st.lists(st.sampled_from(list(S)), max_size=30)


def a_report(*support, state="assessed", **more):
    answer = " ".join(f"s{i}" for i in range(len(support)))
    graph = ProvenanceGraph.from_texts(answer, ["src"])
    claims = [
        Claim(id=f"c{i}", text=f"s{i}", quote=f"s{i}", start=answer.index(f"s{i}"), end=answer.index(f"s{i}") + 2)
        for i in range(len(support))
    ]
    bad = {S.CONTRADICTED, S.ABSENT, S.PARTIALLY_SUPPORTED}
    verdicts = [
        Verdict(claim_id=f"c{i}", support=s, error="judge fell silent" if s is None else None,
                error_type=ErrorType.NUMBER if s in bad else None, introduced_at="answer" if s in bad else None,
                evidence=(Evidence(node_id="source-1", start=0, end=3, quote="src", relation="supports"),))
        for i, s in enumerate(support)
    ]  # fmt: skip
    return Report(state=state, graph=graph, claims=tuple(claims), verdicts=tuple(verdicts), judge="local/0", **more)


def test_the_worked_example():
    report = a_report(S.SUPPORTED, S.SUPPORTED, S.SUPPORTED, S.CONTRADICTED, S.ABSENT, S.UNEVALUATABLE)
    assert report.hallucination_score == 0.4
    low, high = report.interval
    assert low == pytest.approx(0.118, abs=0.001)
    assert high == pytest.approx(0.769, abs=0.001)


@pytest.mark.parametrize("state", ["abstained", "no_checkable_claims", "unverified", "no_evidence", "error"])
def test_a_state_instead_of_a_number(state):
    report = a_report(S.ABSENT, state=state)
    assert report.hallucination_score is None
    assert report.interval is None
    assert report.summary()["state"] == state


@given(st.lists(st.one_of(st.none(), st.sampled_from(list(S))), max_size=6))
def test_json_round_trip(found):
    report = a_report(*found, state="partial", warnings=("näher ansehen",), run_id="r1")
    assert Report.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["hallucination_score"] == report.hallucination_score


def test_the_summary_is_small_and_json_safe():
    summary = a_report(S.SUPPORTED, S.CONTRADICTED).summary()
    assert json.loads(json.dumps(summary)) == summary
    assert summary["class_counts"] == {"supported": 1, "contradicted": 1}
    assert summary["unsupported"] == [
        {
            "claim": "s1",
            "quote": "s1",
            "support": "contradicted",
            "error_type": "number",
            "introduced_at": "answer",
            "step": "answer",
            "evidence": ["src"],
        }
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("", "broken or truncated"),
        ('{"version": 1, "state"', "broken or truncated"),
        (b"\xff\xfe\x00", "broken or truncated"),
        ("[]", '"version" is missing'),
        ("{}", '"version" is missing'),
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
    stored = json.loads(a_report(S.SUPPORTED, S.ABSENT).to_json())
    change(stored)
    with pytest.raises(ReportError, match=says):
        Report.from_json(json.dumps(stored))


def undecided_report():
    """Of four claims one holds, one does not, one is undecided, one was not judged."""
    report = a_report(S.SUPPORTED, S.ABSENT, None, None, state="partial", claims_error="refused: no")
    near = Evidence(node_id="source-1", start=0, end=3, quote="src", relation="nearest")
    third = Verdict(claim_id="c2", undecided="no sentence is about this", evidence=(near,))
    return replace(report, verdicts=(*report.verdicts[:2], third, report.verdicts[3]))


def test_how_judging_ended():
    report = undecided_report()
    assert [verdict.outcome for verdict in report.verdicts] == ["supported", "absent", "undecided", "not_judged"]
    assert report.undecided == (report.claims[2],)
    assert report.hallucination_score == 0.5
    assert Verdict(claim_id="c1", undecided="x", error="y").outcome == "not_judged"
