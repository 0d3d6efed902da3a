"""Runs of LangSmith, as its tracer sends, its client lists and its export holds them, and observations of Langfuse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trail_callbacks.capture.events import Hints, Status
from trail_callbacks.importing.gaps import ELSEWHERE
from trail_callbacks.importing.otlp import OtlpSpan, moment, status_of
from trail_callbacks.importing.pieces import decoded, first_of, object_of, pieces, text_of
from trail_callbacks.importing.steps import KINDS, ImportedRun, Step, kind_of, said_of, sides, step_made

KIND = "langfuse.observation.type"
"""The attribute that says that a span is written as Langfuse's client does."""
_METADATA = "langfuse.observation.metadata."
_SEQUENCE = re.compile(r"seq:step:(\d+)")


def is_run(record: Mapping[str, Any]) -> bool:
    """True for a run of LangSmith."""
    return "run_type" in record and "id" in record and ("inputs" in record or "dotted_order" in record)


def trace_of_run(record: Mapping[str, Any]) -> str:
    """Returns the id of the trace of a run."""
    order = record.get("dotted_order")
    first = order.partition(".")[0].partition("Z")[2] if isinstance(order, str) else ""
    return str(record.get("trace_id") or first or record["id"])


def runs_in(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields a run and those that are nested in it."""
    todo = [record]
    while todo:
        run = todo.pop()
        yield run
        children = run.get("child_runs")
        todo += [
            {"parent_run_id": run["id"], "trace_id": trace_of_run(record), **child}
            for child in (children if isinstance(children, list) else ())
            if isinstance(child, Mapping) and is_run(child)
        ]


def run_of_runs(trace: str, records: Sequence[Mapping[str, Any]]) -> ImportedRun:
    """Makes the run of the LangSmith runs of one trace."""
    ordered = sorted(records, key=lambda record: str(record.get("dotted_order") or ""))
    root = next((record for record in ordered if _parent(record) is None), {})
    said = said_of(_metadata(root))
    if root.get("session_name"):
        said.setdefault("project", str(root["session_name"]))
    return ImportedRun(id=trace, steps=[_of_run(each) for each in ordered], metadata=said)


def _of_run(record: Mapping[str, Any]) -> Step:
    named = str(record.get("run_type"))
    name = str(record.get("name") or named)
    kind = kind_of(named, name)
    given, returned = (text_of(record.get(side)) for side in ("inputs", "outputs"))
    metadata = _metadata(record)
    elsewhere = any(record.get(f"{side}_s3_urls") and not record.get(side) for side in ("inputs", "outputs"))
    usage = first_of(returned, "usage_metadata") or first_of(first_of(returned, "llm_output"), "token_usage")
    asked = first_of(record.get("extra"), "invocation_params")
    error, status = _error(record)
    return step_made(
        OtlpSpan(
            trace_id="",
            id=str(record["id"]),
            parent=_parent(record),
            name=name,
            started=moment(record.get("start_time")),
            ended=moment(record.get("end_time")),
            error=error,
            status=status,
            attributes={side: record.get(side) for side in ("inputs", "outputs")} | {ELSEWHERE: elsewhere},
        ),
        kind,
        sides(kind, _plain(given), _plain(returned)),
        model=first_of(metadata, "ls_model_name") or first_of(asked, "model", "model_name"),
        details={
            "prompt_tokens": first_of(record, "prompt_tokens") or first_of(usage, "input_tokens", "prompt_tokens"),
            "completion_tokens": first_of(record, "completion_tokens")
            or first_of(usage, "output_tokens", "completion_tokens"),
            "provider": metadata.get("ls_provider"),
        },
        metadata=metadata,
        tags=record.get("tags"),
        hints=placed(record.get("tags")),
    )


def placed(tags: object) -> Hints:
    """Returns what the tags of LangChain say of the place of a step among its siblings."""
    named = list(map(str, tags)) if isinstance(tags, list) else []
    places = [int(match[1]) for tag in named if (match := _SEQUENCE.fullmatch(tag))]
    branches = [tag.removeprefix("map:key:") for tag in named if tag.startswith("map:key:")]
    return Hints(sequence=places[-1] if places else None, branch=branches[-1] if branches else None)


def _parent(record: Mapping[str, Any]) -> str | None:
    before = str(record.get("dotted_order") or "").rpartition(".")[0]
    found = record.get("parent_run_id") or before.rpartition(".")[2].partition("Z")[2]
    return str(found) if found else None


def _plain(given: object) -> object:
    """A value that LangSmith wrapped, because it stores objects only: `{"input": x}`, `{"output": y}`."""
    if isinstance(given, Mapping) and len(given) == 1 and given.keys() <= {"input", "output"}:
        return next(iter(given.values()))
    return given


def _metadata(record: Mapping[str, Any]) -> dict[str, Any]:
    return object_of(first_of(record.get("extra"), "metadata") or record.get("metadata"))


def _error(record: Mapping[str, Any]) -> tuple[str | None, Status]:
    text = str(record.get("error") or "")
    first = next((line for line in text.splitlines() if line.strip()), text)[:2_000]
    return first or None, status_of(first)


def is_observation(record: Mapping[str, Any]) -> bool:
    """True for an observation of Langfuse, in the spelling of its API or of an export, or a trace with those in it."""
    if "id" not in record:
        return False
    known = str(record.get("type") or "").lower() in KINDS
    return bool(_inside(record)) or (known and ("traceId" in record or "trace_id" in record))


def _inside(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = record.get("observations")
    return listed if isinstance(listed, list) and all(isinstance(each, Mapping) for each in listed) else []


def trace_of_observation(record: Mapping[str, Any]) -> str:
    """Returns the id of the trace of an observation, or of a trace."""
    return str(first_of(record, "traceId", "trace_id", "id"))


def observations_in(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the observations of a trace, and what is said of the trace; or an observation."""
    inside = _inside(record)
    yield {**record, "observations": None} if inside else record
    yield from ({"trace_id": record["id"], **each} for each in inside)


def run_of_observations(trace: str, records: Sequence[Mapping[str, Any]]) -> ImportedRun:
    """Makes the run of the observations of one trace."""
    steps = [_of_observation(each) for each in records if "observations" not in each]
    about = next((each for each in records if "observations" in each), {})
    said = said_of(object_of(about.get("metadata")))
    for name, key in (("session_id", "sessionId"), ("user_id", "userId"), ("release", "release")):
        if value := first_of(about, key, name):
            said.setdefault(name, str(value))
    return ImportedRun(id=trace, steps=_with_trace(steps, about) if about else steps, metadata=said)


def _with_trace(steps: list[Step], about: Mapping[str, Any]) -> list[Step]:
    """Where observations have no root, what the trace says of itself stands around them."""
    roots = [step for step in steps if step.parent is None]
    if len(roots) == 1 and (roots[0].inputs or roots[0].outputs):
        return steps
    root = Step(
        id=f"{about['id']}:trace",
        parent=None,
        kind="chain",
        name=str(about.get("name") or about["id"]),
        inputs=pieces(text_of(about.get("input"))),
        outputs=pieces(text_of(about.get("output"))),
        started=min((step.started for step in steps if step.started is not None), default=None),
        ended=max((step.ended for step in steps if step.ended is not None), default=None),
    )
    if not (root.inputs or root.outputs):
        return steps
    for step in roots:
        step.parent = root.id
    return [root, *steps]


def _of_observation(record: Mapping[str, Any]) -> Step:
    parent = first_of(record, "parentObservationId", "parent_observation_id")
    said = first_of(record, "statusMessage", "status_message") or "an error"
    span = OtlpSpan(
        trace_id="",
        id=str(record["id"]),
        parent=None if parent is None else str(parent),
        name=str(record.get("name") or record.get("type")),
        started=moment(first_of(record, "startTime", "start_time")),
        ended=moment(first_of(record, "endTime", "end_time")),
        error=str(said) if str(record.get("level")) == "ERROR" else None,
        attributes={side: record.get(side) for side in ("input", "output")},
    )
    return _observed(span, record)


def step_of_span(span: OtlpSpan) -> Step:
    """Makes the step of a span that has Langfuse's attributes."""
    known = span.attributes
    record = {
        side: known.get(f"langfuse.observation.{side}", None if span.parent else known.get(f"langfuse.trace.{side}"))
        for side in ("input", "output")
    }
    record |= {"type": known.get(KIND), "model": known.get("langfuse.observation.model.name")}
    record |= {"usage": known.get("langfuse.observation.usage_details"), "tags": known.get("langfuse.trace.tags")}
    said = {key.removeprefix(_METADATA): decoded(each) for key, each in known.items() if key.startswith(_METADATA)}
    return _observed(span, {**record, "metadata": said})


def _observed(span: OtlpSpan, record: Mapping[str, Any]) -> Step:
    named = str(record.get("type") or "span")
    kind = kind_of(named, span.name)
    usage = object_of(first_of(record, "usageDetails", "usage_details", "usage"))
    return step_made(
        span,
        kind,
        sides(kind, text_of(record.get("input")), text_of(record.get("output"))),
        named=named,
        model=first_of(record, "model", "providedModelName", "provided_model_name"),
        details={"prompt_tokens": usage.get("input"), "completion_tokens": usage.get("output")},
        metadata=object_of(record.get("metadata")),
        tags=text_of(record.get("tags")),
    )
