"""OTLP as the specification wants it: read back with OpenTelemetry's own schema where that is installed."""

import base64
import json
import re
from dataclasses import replace

import pytest
from any_report import reports
from hypothesis import given, settings

from trail_callbacks.errors import InputError
from trail_callbacks.export import to_otlp

TRACE, SPAN, STEP = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7"
IDS = {"traceId", "spanId", "parentSpanId"}


def lines(text):
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def spans(text):
    return [each for line in lines(text)[:1] for rs in line["resourceSpans"] for each in rs["scopeSpans"][0]["spans"]]


def records(text):
    return [
        each for line in lines(text)[1:] for rl in line["resourceLogs"] for each in rl["scopeLogs"][0]["logRecords"]
    ]


def attributes(item):
    return {each["key"]: next(iter(each["value"].values())) for each in item["attributes"]}


def test_each_target_gets_one_carrier_with_one_link(report):
    carriers = spans(to_otlp(report, trace_id=TRACE, span_id=SPAN, spans={"r2": STEP, "r3": SPAN}, at=1.5))
    assert [carrier["links"] for carrier in carriers] == [
        [{"traceId": TRACE, "spanId": SPAN}],
        [{"traceId": TRACE, "spanId": STEP}],
    ]
    assert {carrier["traceId"] for carrier in carriers} == {TRACE}
    assert len({carrier["spanId"] for carrier in carriers} - {SPAN, STEP}) == 2
    first, second = map(attributes, carriers)
    assert first["openinference.span.kind"] == second["openinference.span.kind"] == "EVALUATOR"
    assert [first[f"evaluations.{n}.evaluation.name"] for n in range(5)] == [
        "hallucination",
        *["hallucination.claim"] * 3,
        "hallucination.entry",
    ]
    assert first["evaluations.0.evaluation.score"] == report.hallucination_score
    assert first["evaluations.1.evaluation.label"] == "contradicted"
    assert json.loads(first["evaluations.1.evaluation.metadata"])["claim_id"] == "c1"
    assert second["evaluations.0.evaluation.name"] == "hallucination.entry"
    assert carriers[0]["startTimeUnixNano"] == carriers[0]["endTimeUnixNano"] == "1500000000"


@pytest.mark.parametrize(
    "known", [None, "01a20511-6712-740a-93d5-05520817270d", "0" * 32, "tr-5", "x" * 32, TRACE + "\n"]
)
def test_without_an_id_of_opentelemetry_the_evaluations_are_a_trace_of_their_own(report, known):
    carriers = spans(to_otlp(replace(report, run_id=known)))
    assert all(re.fullmatch("[0-9a-f]{32}", carrier["traceId"]) for carrier in carriers)
    assert all(re.fullmatch("[0-9a-f]{16}", carrier["spanId"]) for carrier in carriers)
    assert not any("links" in carrier for carrier in carriers)
    assert all("traceId" not in one and "spanId" not in one for one in records(to_otlp(replace(report, run_id=known))))


def test_every_evaluation_is_a_log_record_of_the_genai_conventions(report):
    found = records(to_otlp(report, trace_id=TRACE, span_id=SPAN))
    assert {one["eventName"] for one in found} == {"gen_ai.evaluation.result"}
    assert [attributes(one)["gen_ai.evaluation.name"] for one in found] == [
        each["name"] for each in report.to_evaluations()
    ]
    assert attributes(found[0])["gen_ai.evaluation.score.value"] == report.hallucination_score
    assert attributes(found[1])["gen_ai.evaluation.score.label"] == "contradicted"
    assert (found[0]["traceId"], found[0]["spanId"]) == (TRACE, SPAN)


def test_what_has_no_score_has_no_score_attribute(bare_report):
    text = to_otlp(bare_report)
    assert 'evaluation.score"' not in text
    assert "evaluation.score.value" not in text
    failed = [attributes(one).get("error.type") for one in records(text)]
    assert failed == [
        each["label"] if each["label"] in {"error", "not_judged"} else None for each in bare_report.to_evaluations()
    ]


@given(reports())
@settings(max_examples=40)
def test_the_schema_of_opentelemetry_reads_any_report(report):
    """Protobuf's JSON wants ids in base64, the specification of OTLP in hexadecimal; all else is the same."""
    json_format = pytest.importorskip("google.protobuf.json_format")
    logs = pytest.importorskip("opentelemetry.proto.logs.v1.logs_pb2", reason="opentelemetry-proto is not installed")
    traces = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")

    def in_base64(value):
        if isinstance(value, dict):
            return {
                key: base64.b64encode(bytes.fromhex(part)).decode() if key in IDS else in_base64(part)
                for key, part in value.items()
            }
        return [in_base64(part) for part in value] if isinstance(value, list) else value

    text = to_otlp(report, trace_id=TRACE, span_id=SPAN)
    read = [
        json_format.ParseDict(in_base64(line), kind())
        for line, kind in zip(lines(text), [traces.TracesData, logs.LogsData], strict=True)
    ]
    span = read[0].resource_spans[0].scope_spans[0].spans[0]
    assert span.links[0].span_id.hex() == SPAN
    assert {each.key: each.value.string_value for each in span.attributes}[
        "evaluations.0.evaluation.name"
    ] == "hallucination"
    assert len(read[1].resource_logs[0].scope_logs[0].log_records) == len(report.to_evaluations())


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ({"trace_id": "tr-5"}, "trace_id is 'tr-5', expected 32 hexadecimal digits"),
        ({"trace_id": TRACE, "span_id": "0" * 16}, "expected 16 hexadecimal digits, not all of them 0"),
    ],
)
def test_wrong_ids(report, ids, words):
    with pytest.raises(InputError, match=words):
        to_otlp(report, **ids)
