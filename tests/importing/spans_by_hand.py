"""Spans by hand, in the layouts that the exporters of OpenTelemetry write."""

from __future__ import annotations

import base64
import json
from typing import Any

TRACE = "0af7651916cd43dd8448eb211c80319c"
QUESTION = "When did the bridge open?"
TEXT = "The bridge opened in 1968 and was painted red."
ANSWER = "The bridge opened in 1968."
PROMPT = f"Answer from this text only, as briefly as you can:\n{TEXT}\nQuestion: {QUESTION}"


def span(number: int, parent: int | None, name: str, kind: str | None, **attributes: Any) -> dict[str, Any]:
    """A span as plain data; `_` in the names of attributes stands for a dot, and times follow the number."""
    known = {key.replace("__", "."): value for key, value in attributes.items()}
    if kind is not None:
        known["openinference.span.kind"] = kind
    return {
        "trace": TRACE, "id": f"{number:016x}", "parent": None if parent is None else f"{parent:016x}", "name": name,
        "start": 1_800_000_000 + number, "end": 1_800_000_100 - number, "attributes": known,
    }  # fmt: skip


def run(trace: str = TRACE, text: str = TEXT, answer: str = ANSWER) -> list[dict[str, Any]]:
    """A root, a retriever and a model."""
    prompt = PROMPT.replace(TEXT, text)
    spans = [
        span(1, None, "app", "CHAIN", input__value=QUESTION, output__value=answer),
        span(2, 1, "search", "RETRIEVER", input__value=QUESTION, **{"retrieval.documents.0.document.content": text,
             "retrieval.documents.0.document.id": "d-1", "retrieval.documents.0.document.score": 0.5,
             "retrieval.documents.0.document.metadata": '{"source": "a.md"}'}),
        span(3, 1, "model", "LLM", **{"llm.model_name": "m-1",
             "llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": prompt,
             "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": answer}),
    ]  # fmt: skip
    ends = {2: 1_800_000_002.5, 3: 1_800_000_004}
    for number, each in enumerate(spans, 1):
        each["trace"] = trace
        each["end"] = ends.get(number, each["end"])
    return spans


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(each) for each in value]}}
    return {"stringValue": value}


def otlp(
    spans: list[dict[str, Any]], *, ids: str = "hex", enums: str = "int", library: str = "langchain", **more: Any
) -> dict[str, Any]:
    """OTLP: ids as `hex`, `HEX` or `base64`, enums as `int` or `name`."""

    def id_(value: str | None) -> str:
        if value is None:
            return ""
        return {"hex": value, "HEX": value.upper(), "base64": base64.b64encode(bytes.fromhex(value)).decode()}[ids]

    written = [
        {
            "traceId": id_(each["trace"]), "spanId": id_(each["id"]), "parentSpanId": id_(each["parent"]),
            "name": each["name"], "kind": 1 if enums == "int" else "SPAN_KIND_INTERNAL",
            "startTimeUnixNano": str(int(each["start"] * 1e9)), "endTimeUnixNano": str(int(each["end"] * 1e9)),
            "attributes": [{"key": key, "value": _any(value)} for key, value in each["attributes"].items()],
            "status": each.get("status", {"code": 1 if enums == "int" else "STATUS_CODE_OK"}),
            **each.get("more", {}), **more,
        }
        for each in spans
    ]  # fmt: skip
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "app"}}]}
    scope = {"name": f"openinference.instrumentation.{library}", "version": "0.1"}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": written}]}]}


def readable(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As `ReadableSpan.to_json` and Phoenix write spans."""
    return [
        {
            "name": each["name"], "context": {"trace_id": f"0x{each['trace']}", "span_id": f"0x{each['id']}"},
            "parent_id": None if each["parent"] is None else f"0x{each['parent']}",
            "start_time": f"2027-01-15T08:00:{each['start'] % 60:06.3f}Z", "end_time": "2027-01-15T08:01:30.000000Z",
            "status": {"status_code": "OK"}, "attributes": each["attributes"], "events": [],
        }
        for each in spans
    ]  # fmt: skip


def lines(values: Any) -> str:
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)
