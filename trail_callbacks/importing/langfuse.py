"""Observations of Langfuse to steps: of its API, its exports, and its own attributes on OpenTelemetry's spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trail_callbacks.capture.events import Hints, Piece, RunKind
from trail_callbacks.importing.messages import parsed, text_of
from trail_callbacks.importing.otlp import OtlpSpan, moment
from trail_callbacks.importing.pieces import ImportedRun, Step, detailed, kind_named, pieces, said_of

__all__ = ["KIND", "inside", "is_observation", "is_trace", "run_of", "step_of_span", "trace_id"]

KIND = "langfuse.observation.type"
"""The attribute that says that a span is written in this dialect."""

_KINDS: dict[str, RunKind | None] = {
    "span": "chain",
    "chain": "chain",
    "agent": "chain",
    "generation": "model",
    "retriever": "retriever",
    "tool": "tool",
    "guardrail": "chain",
    "evaluator": "chain",
    "embedding": None,
    "event": None,
}
_JUDGING = frozenset({"guardrail", "evaluator"})
_METADATA = "langfuse.observation.metadata."


def is_observation(record: Mapping[str, Any]) -> bool:
    """True for an observation, in the spelling of the API or of an export."""
    known = str(record.get("type") or "").lower() in _KINDS
    return known and "id" in record and ("traceId" in record or "trace_id" in record)


def is_trace(record: Mapping[str, Any]) -> bool:
    """True for a trace with its observations."""
    observations = record.get("observations")
    listed = isinstance(observations, list) and all(isinstance(each, Mapping) for each in observations)
    return listed and bool(observations) and "id" in record


def trace_id(record: Mapping[str, Any]) -> str:
    """Returns the id of the trace of an observation, or of a trace."""
    return str(_get(record, "traceId", "trace_id") or record["id"])


def inside(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the observations of a trace, and what is said of the trace; or an observation."""
    if is_trace(record):
        yield {**record, "observations": None}
        yield from ({"trace_id": record["id"], **each} for each in record["observations"])
    else:
        yield record


def run_of(trace: str, records: Sequence[Mapping[str, Any]]) -> ImportedRun:
    """Makes the run of the observations of one trace."""
    steps = [_step(each) for each in records if "observations" not in each]
    about = next((each for each in records if "observations" in each), {})
    found = said_of(_object(about.get("metadata")))
    for name, key in (("session_id", "sessionId"), ("user_id", "userId"), ("release", "release")):
        if value := _get(about, key, name):
            found.setdefault(name, str(value))
    return ImportedRun(id=trace, steps=_with_trace(steps, about), metadata=found)


def step_of_span(span: OtlpSpan) -> Step:
    """Makes the step of a span that has Langfuse's attributes."""
    known = span.attributes
    kind = str(known.get(KIND) or "span").lower()
    metadata = {key.removeprefix(_METADATA): _decoded(each) for key, each in known.items() if key.startswith(_METADATA)}
    return _made(
        {
            "id": span.id,
            "type": kind,
            "name": span.name,
            "input": known.get(
                "langfuse.observation.input", known.get("langfuse.trace.input") if not span.parent else None
            ),
            "output": known.get(
                "langfuse.observation.output", known.get("langfuse.trace.output") if not span.parent else None
            ),
            "model": known.get("langfuse.observation.model.name"),
            "usageDetails": known.get("langfuse.observation.usage_details"),
            "metadata": metadata,
            "tags": known.get("langfuse.trace.tags"),
        },
        parent=span.parent,
        times=(span.started, span.ended),
        error=span.error,
    )


def _with_trace(steps: list[Step], about: Mapping[str, Any]) -> list[Step]:
    """Where observations have no root, what the trace says of itself stands around them."""
    roots = [step for step in steps if step.parent is None]
    if not about or (len(roots) == 1 and (roots[0].inputs or roots[0].outputs)):
        return steps
    started = [step.started for step in steps if step.started is not None]
    ended = [step.ended for step in steps if step.ended is not None]
    root = Step(
        id=f"{about['id']}:trace",
        parent=None,
        kind="chain",
        name=str(about.get("name") or about["id"]),
        inputs=pieces(text_of(about.get("input"))),
        outputs=pieces(text_of(about.get("output"))),
        started=min(started, default=None),
        ended=max(ended, default=None),
    )
    if not (root.inputs or root.outputs):
        return steps
    for step in roots:
        step.parent = root.id
    return [root, *steps]


def _step(record: Mapping[str, Any]) -> Step:
    error = _get(record, "statusMessage", "status_message") if str(record.get("level")) == "ERROR" else None
    failed = str(record.get("level")) == "ERROR"
    times = (moment(_get(record, "startTime", "start_time")), moment(_get(record, "endTime", "end_time")))
    parent = _get(record, "parentObservationId", "parent_observation_id")
    return _made(
        record, parent=str(parent) if parent else None, times=times, error=str(error or "an error") if failed else None
    )


def _made(
    record: Mapping[str, Any], *, parent: str | None, times: tuple[float | None, float | None], error: str | None
) -> Step:
    named = str(record.get("type") or "").lower()
    kind = kind_named(_KINDS.get(named, "chain"), str(record.get("name") or ""))
    metadata = _object(record.get("metadata"))
    inputs = _inputs(record.get("input"), kind)
    outputs = pieces(text_of(record.get("output")))
    if kind == "model":
        outputs = detailed(outputs, _details(record))
    elif kind == "retriever":
        outputs = tuple(_as_document(each) for each in outputs)
    model = _get(record, "model", "providedModelName", "provided_model_name")
    tags = text_of(record.get("tags"))
    name = str(record.get("name") or named)
    node = metadata.get("langgraph_node")
    return Step(
        id=str(record["id"]),
        parent=parent,
        kind=kind,
        name=str(node) if node and kind == "model" else name,
        inputs=inputs,
        outputs=outputs,
        model=str(model) if model and kind == "model" else None,
        started=times[0],
        ended=times[1],
        error=error,
        hints=Hints(
            call_id=next((piece.call_id for piece in outputs if kind == "tool" and piece.call_id), None),
            channels=kind == "chain" and node is not None and name == node,
            internal=named in _JUDGING,
        ),
        tags=tuple(str(tag) for tag in tags if ":" not in str(tag)) if isinstance(tags, list) else (),
        metadata=said_of(metadata),
    )


def _inputs(given: object, kind: RunKind | None) -> tuple[Piece, ...]:
    value = text_of(given)
    if kind == "model":
        messages = value.get("messages", value) if isinstance(value, Mapping) else value
        return pieces(messages, ("messages",), model=True)
    return pieces(value, ("query",) if kind == "retriever" and isinstance(value, str) else ())


def _as_document(piece: Piece) -> Piece:
    """A text that a retriever of the app's own returned is a document."""
    return replace(piece, form="document") if piece.form == "text" and len(piece.path) <= 1 else piece


def _details(record: Mapping[str, Any]) -> dict[str, int]:
    usage = _object(_get(record, "usageDetails", "usage_details", "usage"))
    found = {"prompt_tokens": usage.get("input"), "completion_tokens": usage.get("output")}
    return {key: value for key, value in found.items() if isinstance(value, int) and not isinstance(value, bool)}


def _get(record: Mapping[str, Any], *names: str) -> Any:
    """The first value that is there, of several spellings of a field."""
    return next((record[name] for name in names if record.get(name)), None)


def _decoded(value: object) -> Any:
    """A value of metadata, which the client writes as JSON."""
    try:
        return parsed(value)
    except ValueError:
        return value


def _object(value: object) -> dict[str, Any]:
    found = text_of(value)
    return found if isinstance(found, dict) else {}
