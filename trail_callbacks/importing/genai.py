"""OpenTelemetry's GenAI attributes to steps. They have no text of retrieved documents: that is in the prompt only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trail_callbacks.capture.events import Hints, Piece, RunKind
from trail_callbacks.importing.messages import text_of
from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.pieces import Step, detailed, document, pieces, step_of

__all__ = ["gaps_in", "step"]

_OPERATION = "gen_ai.operation.name"
_KINDS: dict[str, RunKind | None] = {
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "retrieval": "retriever",
    "execute_tool": "tool",
    "invoke_agent": "chain",
    "create_agent": None,
    "invoke_workflow": "chain",
    "plan": "chain",
    "embeddings": None,
}
_TEXTS = ("text", "content", "page_content", "document")
_VARIABLE = "gen_ai.prompt.variable."


def step(span: OtlpSpan) -> Step:
    """Makes the step of a span."""
    known = span.attributes
    operation = str(known.get(_OPERATION) or "")
    kind = _KINDS.get(operation, "chain" if operation else None)
    inputs, outputs = _sides(known, kind)
    call_id = known.get("gen_ai.tool.call.id")
    model = known.get("gen_ai.response.model") or known.get("gen_ai.request.model")
    hints = Hints(call_id=str(call_id) if call_id else None)
    return step_of(span, kind, _name(span, kind), model, inputs=inputs, outputs=outputs, hints=hints)


def gaps_in(spans: Sequence[OtlpSpan]) -> Iterator[str]:
    """Yields what these conventions leave out of a trace."""
    bare = [
        span for span in spans if _is_retrieval(span) and not any(p.text.strip() for p in _documents(span.attributes))
    ]
    if bare:
        yield (
            "retrieved documents have no text in OpenTelemetry's GenAI conventions: the answer is checked against the "
            "text of the prompts"
        )


def _is_retrieval(span: OtlpSpan) -> bool:
    return span.attributes.get(_OPERATION) == "retrieval"


def _sides(known: Mapping[str, Any], kind: RunKind | None) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    if kind == "retriever":
        query = pieces(known.get("gen_ai.retrieval.query.text"), ("query",))
        return query, _documents(known)
    if kind == "tool":
        given = text_of(known.get("gen_ai.tool.call.arguments"))
        return pieces(given), pieces(text_of(known.get("gen_ai.tool.call.result")))
    model = kind == "model"
    system = pieces(text_of(known.get("gen_ai.system_instructions")), ("system",), model=model)
    prompt = _messages(known, "gen_ai.input.messages", model=model)
    if model:  # nothing else in the file says where its text comes from
        system = tuple(replace(each, origin="given") for each in system)
        prompt = tuple(replace(each, origin="given") if each.role == "system" else each for each in prompt)
        return system + prompt, _messages(known, "gen_ai.output.messages", details=_details(known))
    variables = {key.removeprefix(_VARIABLE): value for key, value in known.items() if key.startswith(_VARIABLE)}
    return system + prompt + pieces(variables), _messages(known, "gen_ai.output.messages")


def _messages(
    known: Mapping[str, Any], key: str, *, model: bool = False, details: Mapping[str, Any] | None = None
) -> tuple[Piece, ...]:
    return detailed(pieces(text_of(known.get(key)), ("messages",), model=model), details or {})


def _documents(known: Mapping[str, Any]) -> tuple[Piece, ...]:
    listed = text_of(known.get("gen_ai.retrieval.documents"))
    found = []
    for i, each in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(each, Mapping):
            text = next((each[name] for name in _TEXTS if isinstance(each.get(name), str)), None)
            metadata = each.get("metadata")
            found.append(document(text, metadata, ("documents", i), id_=each.get("id"), score=each.get("score")))
    return tuple(found)


def _details(known: Mapping[str, Any]) -> dict[str, Any]:
    names = {"prompt_tokens": "gen_ai.usage.input_tokens", "completion_tokens": "gen_ai.usage.output_tokens"}
    return {name: int(known[key]) for name, key in names.items() if isinstance(known.get(key), int | float)}


def _name(span: OtlpSpan, kind: RunKind | None) -> str:
    key = {"tool": "gen_ai.tool.name", "chain": "gen_ai.agent.name", "retriever": "gen_ai.data_source.id"}.get(
        kind or ""
    )
    return str(span.attributes.get(key or "") or span.name)
