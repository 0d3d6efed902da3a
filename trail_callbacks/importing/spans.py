"""The spans of one trace to steps, in the dialect that each one's attributes are written in.

OpenInference and Langfuse have modules of their own; the semantic conventions of OpenTelemetry for GenAI, what
OpenLLMetry adds to them, and the attributes of MLflow, which are JSON, are read here. GenAI has no texts of documents,
but in prompts; OpenLLMetry has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from trail_callbacks.capture.events import Hints, Piece, RunKind
from trail_callbacks.importing import exports, openinference
from trail_callbacks.importing.llama_index import lost_with
from trail_callbacks.importing.otlp import OtlpSpan, spans_in
from trail_callbacks.importing.pieces import decoded, document, first_of, object_of, pieces, text_of
from trail_callbacks.importing.steps import ImportedRun, Sides, Step, kind_of, said_of, sides, step_made

_CONTEXT = {
    "session.id": "session_id",
    "user.id": "user_id",
    "gen_ai.conversation.id": "session_id",
    "langfuse.session.id": "session_id",
    "langfuse.user.id": "user_id",
    "langfuse.release": "release",
    "mlflow.trace.session": "session_id",
    "mlflow.trace.user": "user_id",
}
"""Attributes that say whose run it was, and the key of metadata that means it."""
_MLFLOW = "mlflow.spanType"
_OPERATION = "gen_ai.operation.name"
_ENTITY = "traceloop.span.kind"
_UNNAMED = {"messages": "model", "prompt": "model", "tool": "tool", "retrieval": "retriever"}
"""Kinds of spans that do not say which operation they are, by what is in the names of their attributes."""
_VARIABLE = "gen_ai.prompt.variable."
_NAMES = {"tool": "gen_ai.tool.name", "chain": "gen_ai.agent.name", "retriever": "gen_ai.data_source.id"}


def run_of(trace_id: str, spans: Sequence[OtlpSpan]) -> ImportedRun:
    """Makes the run of the spans of one trace."""
    steps = [_step(span) for span in spans]
    lost = list(lost_with([span for span in spans if "llama_index" in span.scope]))
    by_methods = any("llama_index" in span.scope for span in spans)
    return ImportedRun(id=trace_id, steps=steps, lost=lost, metadata=_context(spans), by_methods=by_methods)


def is_mlflow(record: Mapping[str, Any]) -> bool:
    """True for a trace as MLflow's `trace.to_json()` writes it."""
    return isinstance(record.get("info"), Mapping) and isinstance(first_of(record.get("data"), "spans"), list)


def mlflow_id(record: Mapping[str, Any]) -> str:
    """Returns the id by which MLflow knows a trace: `tr-...`."""
    return str(first_of(record["info"], "trace_id", "request_id") or "trace")


def run_of_mlflow(trace_id: str, record: Mapping[str, Any]) -> ImportedRun:
    """Makes the run of a trace of MLflow, which says of itself whose it was."""
    spans = [each for span in record["data"]["spans"] if isinstance(span, Mapping) for each in spans_in(span)]
    run = run_of(trace_id, spans)
    said = {**record["info"].get("tags", {}), **(first_of(record["info"], "trace_metadata", "request_metadata") or {})}
    found = {_CONTEXT.get(key, key): value for key, value in said.items() if value}
    run.metadata = {
        **run.metadata,
        **said_of({key: value for key, value in found.items() if not key.startswith("mlflow.")}),
    }
    return run


def _step(span: OtlpSpan) -> Step:
    for beginning, make in _DIALECTS.items():
        if any(key.startswith(beginning) for key in span.attributes):
            return make(span)
    return replace(step_made(span, None, ((), ())), foreign=True)


def _of_mlflow(span: OtlpSpan) -> Step:
    known = {key: decoded(value) for key, value in span.attributes.items()}
    named = str(known.get(_MLFLOW) or "")
    kind = kind_of(named, span.name)
    usage = first_of(known, "mlflow.chat.tokenUsage")
    return step_made(
        span,
        kind,
        sides(kind, known.get("mlflow.spanInputs"), known.get("mlflow.spanOutputs")),
        named=named,
        model=first_of(known, "mlflow.llm.model", "mlflow.chat.model"),
        details={
            "prompt_tokens": first_of(usage, "input_tokens"),
            "completion_tokens": first_of(usage, "output_tokens"),
        },
        metadata=object_of(known.get("metadata")),
    )


def _of_openllmetry(span: OtlpSpan) -> Step:
    """What OpenLLMetry writes of all but models: payloads as JSON, with tags and metadata of LangChain beside them."""
    known = span.attributes
    given, returned = (object_of(known.get(f"traceloop.entity.{side}put")) for side in ("in", "out"))
    name = str(known.get("traceloop.entity.name") or span.name)
    kind = kind_of(str(known.get(_ENTITY)), name)
    if "documents" in returned or str(known.get(_OPERATION)).endswith("retrieve"):
        kind = "retriever"
    inputs = first_of(given, "inputs", "query", "input_str")
    outputs = returned.get("outputs", returned.get("output", {"documents": returned.get("documents")}))
    return step_made(
        span,
        kind,
        sides(kind, inputs if given else None, outputs if returned else None),
        name=name,
        metadata=object_of(given.get("metadata")),
        tags=given.get("tags"),
        hints=exports.placed(given.get("tags")),
    )


def _of_genai(span: OtlpSpan) -> Step:
    known = {key: each for key, each in span.attributes.items() if not key.startswith("traceloop.")}
    operation = str(known.get(_OPERATION) or "")
    keys = " ".join(known)
    kind = (
        kind_of(operation, "")
        if operation
        else next((cast("RunKind", each) for key, each in _UNNAMED.items() if key in keys), None)
    )
    if "gen_ai.workflow.nodes" in known:  # OpenLLMetry's, around the span of the same graph that has the texts
        kind = None
    call_id = known.get("gen_ai.tool.call.id")
    return step_made(
        span,
        kind,
        _sides(known, kind),
        name=str(known.get(_NAMES.get(kind or "", "")) or span.name),
        model=first_of(known, "gen_ai.response.model", "gen_ai.request.model"),
        details={
            "prompt_tokens": known.get("gen_ai.usage.input_tokens"),
            "completion_tokens": known.get("gen_ai.usage.output_tokens"),
        },
        hints=Hints(call_id=str(call_id) if call_id else None),
    )


def _sides(known: Mapping[str, Any], kind: RunKind | None) -> Sides:
    if kind == "retriever":
        found = _documents(known)
        shown = found or "gen_ai.retrieval.documents" in known
        return pieces(known.get("gen_ai.retrieval.query.text"), ("query",)), found if shown else None
    if kind == "tool":
        sent, result = (text_of(known.get(f"gen_ai.tool.call.{side}")) for side in ("arguments", "result"))
        return pieces(sent), None if result is None else pieces(result)
    model = kind == "model"
    given = pieces(text_of(known.get("gen_ai.system_instructions")), ("system",), model=model)
    given += pieces(_messages(known, "input.messages", "prompt"), ("messages",), model=model)
    returned = pieces(_messages(known, "output.messages", "completion"), ("messages",))
    if model:  # nothing else in the file says where its text comes from
        is_system = [each.path[0] == "system" or each.role == "system" for each in given]
        given = tuple(
            replace(each, origin="given") if system else each for each, system in zip(given, is_system, strict=True)
        )
        return given, returned
    return given + pieces(
        {key.removeprefix(_VARIABLE): value for key, value in known.items() if key.startswith(_VARIABLE)}
    ), returned


def _messages(known: Mapping[str, Any], name: str, earlier: str) -> object:
    """The messages of one side: as JSON, or as OpenLLMetry wrote them before, with an index in each key."""
    found = text_of(known.get(f"gen_ai.{name}")) or text_of(known.get(f"gen_ai.{earlier}"))
    return found or openinference.listed(known, f"gen_ai.{earlier}", "")


def _documents(known: Mapping[str, Any]) -> tuple[Piece, ...]:
    listed = text_of(known.get("gen_ai.retrieval.documents"))
    return tuple(
        document(each, ("documents", i), first_of(each, "text", "content", "page_content", "document"))
        for i, each in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(each, Mapping)
    )


_DIALECTS = {
    openinference.KIND: openinference.step,
    "langfuse.observation.": exports.step_of_span,
    "mlflow.span": _of_mlflow,
    "traceloop.entity.input": _of_openllmetry,
    _ENTITY: _of_openllmetry,
    "gen_ai.": _of_genai,
    **dict.fromkeys(("llm.", "retrieval.", "reranker.", "input.value", "output.value"), openinference.step),
}
"""By the beginning of an attribute, the first that a span has."""


def _context(spans: Sequence[OtlpSpan]) -> dict[str, Any]:
    """Whose run it was: instrumentors write that on every span."""
    found: dict[str, Any] = {}
    for span in spans:
        for key, name in _CONTEXT.items():
            if (value := first_of(span.attributes, key)) is not None:
                found.setdefault(name, value)
        if version := span.resource.get("service.version"):
            found.setdefault("app_version", version)
    root = next((span for span in spans if span.parent is None), None)
    return said_of(found) | (said_of(object_of(root.attributes.get("metadata"))) if root else {})
