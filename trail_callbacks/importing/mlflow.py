"""Traces of MLflow to steps. Their span attributes are JSON, each value encoded once more as a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trail_callbacks.capture.events import Hints, Piece, RunKind
from trail_callbacks.importing.messages import parsed
from trail_callbacks.importing.otlp import OtlpSpan, spans_in
from trail_callbacks.importing.pieces import Step, detailed, kind_named, pieces, said_of, step_of

__all__ = ["KIND", "is_trace", "said_of_trace", "spans_of", "step", "trace_id"]

KIND = "mlflow.spanType"
"""The attribute that says that a span is written in this dialect."""

_KINDS: dict[str, RunKind | None] = {
    "CHAT_MODEL": "model",
    "LLM": "model",
    "RETRIEVER": "retriever",
    "TOOL": "tool",
    "PARSER": "parser",
    "EMBEDDING": None,
}
_JUDGING = frozenset({"EVALUATOR", "GUARDRAIL", "JUDGE"})


def is_trace(record: Mapping[str, Any]) -> bool:
    """True for a trace as `trace.to_json()` writes it."""
    data = record.get("data")
    return isinstance(record.get("info"), Mapping) and isinstance(data, Mapping) and isinstance(data.get("spans"), list)


def trace_id(record: Mapping[str, Any]) -> str:
    """Returns the id by which MLflow knows a trace: `tr-...`."""
    info = record["info"]
    return str(info.get("trace_id") or info.get("request_id") or "trace")


def spans_of(record: Mapping[str, Any]) -> list[OtlpSpan]:
    """Returns the spans of a trace."""
    return [span for each in record["data"]["spans"] if isinstance(each, Mapping) for span in spans_in(each)]


def said_of_trace(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the app said of a trace: its session, user and tags."""
    info = record["info"]
    said = info.get("trace_metadata") or info.get("request_metadata") or {}
    tags = info.get("tags") or {}
    found = {key: value for key, value in {**tags, **said}.items() if not key.startswith("mlflow.")}
    for key, name in (("mlflow.trace.session", "session_id"), ("mlflow.trace.user", "user_id")):
        if said.get(key):
            found[name] = said[key]
    return said_of(found)


def step(span: OtlpSpan) -> Step:
    """Makes the step of a span."""
    known = span.attributes
    named = str(_decoded(known.get(KIND)) or "").upper()
    kind = kind_named(_KINDS.get(named, "chain"), span.name)
    inputs, outputs = _decoded(known.get("mlflow.spanInputs")), _decoded(known.get("mlflow.spanOutputs"))
    made = pieces(outputs)
    model = _decoded(known.get("mlflow.llm.model")) or _decoded(known.get("mlflow.chat.model"))
    if kind == "model":
        made = detailed(_written(outputs), _details(known))
    elif kind == "retriever":
        made = tuple(
            replace(each, form="document") if each.form == "text" and len(each.path) <= 1 else each for each in made
        )
    metadata = _decoded(known.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    node = metadata.get("langgraph_node")
    return step_of(
        span,
        kind,
        str(node) if node and kind == "model" else span.name,
        model,
        inputs=_inputs(inputs, kind),
        outputs=made,
        hints=Hints(
            call_id=next((piece.call_id for piece in made if kind == "tool" and piece.call_id), None),
            channels=kind == "chain" and node is not None and span.name == node,
            internal=named in _JUDGING,
        ),
        metadata=said_of(metadata),
    )


def _inputs(given: object, kind: RunKind | None) -> tuple[Piece, ...]:
    if kind == "model":
        messages = given.get("messages", given.get("prompt", given)) if isinstance(given, Mapping) else given
        return pieces(messages, ("messages",), model=True)
    return pieces(given, ("query",) if kind == "retriever" and isinstance(given, str) else ())


def _written(given: object) -> tuple[Piece, ...]:
    choices = given.get("choices") if isinstance(given, Mapping) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return pieces(choices[0].get("message", choices[0].get("text")))
    return pieces(
        {"generations": given["generations"]} if isinstance(given, Mapping) and "generations" in given else given
    )


def _details(known: Mapping[str, Any]) -> dict[str, int]:
    usage = _decoded(known.get("mlflow.chat.tokenUsage"))
    usage = usage if isinstance(usage, dict) else {}
    found = {"prompt_tokens": usage.get("input_tokens"), "completion_tokens": usage.get("output_tokens")}
    return {key: value for key, value in found.items() if isinstance(value, int)}


def _decoded(value: object) -> Any:
    """What a value is the JSON of: of a text that is no JSON, the text."""
    try:
        return parsed(value)
    except ValueError:
        return value
