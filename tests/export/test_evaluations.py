"""Evaluation records: what each says, what has no score, and that the same report gives the same identifiers."""

import json
from dataclasses import replace
from uuid import UUID

import pytest
from any_report import reports
from hypothesis import given, settings

from trail_callbacks import Report
from trail_callbacks.models.call import Usage
from trail_callbacks.report.evaluations import evaluations, to_evaluation_lines
from trail_callbacks.report.verdict import Evaluation

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def by_name(records):
    found = {}
    for record in records:
        found.setdefault(record["name"], []).append(record)
    return found


def test_the_answer_its_claims_and_the_steps_where_unsupported_ones_were_introduced(report):
    found = by_name(report.to_evaluations())
    assert list(found) == ["hallucination", "hallucination.claim", "hallucination.entry"]
    (answer,) = found["hallucination"]
    assert (answer["score"], answer["label"]) == (report.hallucination_score, "hallucinated")
    assert answer["metadata"]["direction"] == "minimize"
    assert "The tower was finished in 1847." in answer["explanation"]
    assert "two of each" in answer["explanation"], "warnings are shown"
    claims = [(each["metadata"]["claim_id"], each["score"], each["label"]) for each in found["hallucination.claim"]]
    assert claims == [("c1", 1.0, "contradicted"), ("c2", 0.0, "supported"), ("c3", 1.0, "absent")]
    assert "1847, not 1874" in found["hallucination.claim"][0]["explanation"]
    assert "The tower was finished in 1874." in found["hallucination.claim"][0]["explanation"]
    entries = [
        (each["metadata"]["node_id"], each["metadata"]["run_id"], each["metadata"]["step"], each["score"])
        for each in found["hallucination.entry"]
    ]
    assert entries == [("m1", "r2", "summarise", None), ("answer", "r3", "combine", None)]
    assert [each["claim_id"] for each in found["hallucination.entry"][0]["metadata"]["claims"]] == ["c1"]


def test_a_report_without_a_score_has_none_anywhere(bare_report):
    for up in (False, True):
        records = bare_report.to_evaluations(higher_is_better=up)
        assert [each["score"] for each in records] == [None] * len(records)
        assert records[0]["label"] == bare_report.state


def test_identifiers_are_of_the_content_and_of_the_trace(report):
    def ids(of, **about):
        return [each["identifier"] for each in of.to_evaluations(**about)]

    assert len(set(ids(report))) == len(ids(report))
    assert all(UUID(each) for each in ids(report))
    later = replace(report, usage=Usage(seconds=5.0))
    assert ids(report) == ids(Report.from_json(report.to_json())) == ids(later)
    assert not set(ids(report)) & set(ids(replace(report, judge="local/1")))
    assert not set(ids(report)) & set(ids(replace(report, run_id="another")))
    assert not set(ids(report)) & set(ids(report, trace_id=TRACE))
    assert ids(report, trace_id=TRACE) == ids(report, trace_id=TRACE)


@pytest.mark.parametrize(
    ("run_id", "span"),
    [
        (TRACE, "r3"),  # an OpenTelemetry trace has an id of its own: the run that wrote the answer
        ("tr-1", "r3"),
        ("01a20511-6712-740a-93d5-05520817270d", "01a20511-6712-740a-93d5-05520817270d"),  # the root run
        (None, "r3"),
    ],
)
def test_runs_are_the_spans_of_their_own_trace(report, run_id, span):
    records = by_name(replace(report, run_id=run_id).to_evaluations())
    assert records["hallucination"][0]["metadata"]["span_id"] == span
    assert records["hallucination.claim"][0]["metadata"]["span_id"] == span
    assert records["hallucination.entry"][0]["metadata"]["span_id"] == "r2"
    assert records["hallucination"][0]["metadata"]["trace_id"] == run_id


@pytest.mark.parametrize(
    ("judge", "calls", "kind"),
    [
        ("local/3", 0, "CODE"),
        ("encoder/m/1", 0, "CODE"),
        ("llm/openai/gpt-5-mini/abc", 2, "LLM"),
        ("cascade/local/3+llm/x/abc", 0, "LLM"),
        ("mine", 0, "CODE"),
        ("mine", 3, "LLM"),
    ],
)
def test_it_says_whether_a_model_decided(report, judge, calls, kind):
    of = replace(report, judge=judge, usage=Usage(calls=calls))
    assert of.to_evaluations()[0]["annotator_kind"] == kind


@given(reports())
@settings(max_examples=50)
def test_records_of_any_report_are_json_and_complete(report):
    records = evaluations(report)
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    json.dumps(records, ensure_ascii=False).encode()
    for record in records:
        assert set(record) == set(Evaluation.__annotations__)
        assert record["label"] or record["explanation"]
        assert record["score"] is None or 0.0 <= record["score"] <= 1.0
    assert len({record["identifier"] for record in records}) == len(records)
    assert [json.loads(line) for line in to_evaluation_lines(report).splitlines()] == records
    again = Report.from_json(report.to_json())
    assert [each["identifier"] for each in again.to_evaluations()] == [each["identifier"] for each in records]
