"""Traces from a file of any known tool: what the file is, is found out from what is in it."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from trail_callbacks.errors import InputError
from trail_callbacks.importing import exports, otlp, spans
from trail_callbacks.importing.assemble import assembled
from trail_callbacks.importing.steps import ImportedRun
from trail_callbacks.reading import Broken, Record, json_objects, opened
from trail_callbacks.trace import Trace
from trail_callbacks.trace.codec import FORMAT, of_object

T = TypeVar("T")
_LOOKED_FOR = (
    "OpenTelemetry spans (resourceSpans, or objects with trace and span ids: OpenInference, GenAI, Phoenix, Langfuse), "
    "LangSmith runs (run_type), Langfuse observations (type and traceId), MLflow traces (info and data.spans), and "
    f"traces of this library ({FORMAT})"
)

_EXPECTED = "traces as JSON (of OpenTelemetry's collector: `format: json` in its file exporter)"
_LARGEST = 256 * 1024 * 1024  # bytes of one line or span
_LISTS = {
    **dict.fromkeys(("runs", "data", "spans", "traces", "items", "results", "observations"), False),
    **dict.fromkeys(("resourceSpans", "resource_spans"), True),
}
"""Lists in the object that a file may be; the last ones say what their members are."""


class _Item(NamedTuple):
    """A part of a trace: a span, run or observation, and what makes the run or trace of all parts with the same one."""

    trace_id: str
    make: Callable[[str, list[Any]], ImportedRun | Trace]
    value: Any  # None of a whole trace


@dataclass(slots=True)
class _Place:
    """Where a trace is: the line of its first part, and of the record with its last, which is counted from 0."""

    first: int
    last: int = 0
    record: int = 0


def read(path: str | Path, on_error: Callable[[InputError], object] | None = None) -> Iterator[Trace]:
    """Reads the traces in a file of any known tool, one after the other.

    The file is read twice, and what is in memory are the traces that began and have not ended, so that one of JSON
    lines may be larger than the memory. Known are OTLP as JSON (of the collector, of OpenTelemetry's exporters, of
    Phoenix) with attributes of OpenInference, GenAI, OpenLLMetry or Langfuse; runs of LangSmith; observations of
    Langfuse; traces of MLflow; and what `Trace.to_json` writes. They may be JSON, JSON lines, or an array, compressed
    with gzip or zstd.

    Args:
        path: The file.
        on_error: Called with what is wrong with a line, which is left out then; None issues a warning for each.

    Yields:
        A trace for each trace of the file in which an app with a language model did something. What the file lacks of
        it is in `lost` and `warnings`.

    Raises:
        InputError: If the file cannot be read, or holds nothing that is known; says what was looked for.
    """
    yield from named(Path(path), str(path), on_error or _warned)


def named(file: Path, name: str, report: Callable[[InputError], object]) -> Iterator[Trace]:
    """As `read`, of a file that is called something else in errors."""
    places, broken = _indexed(file, name, report)
    found = 0
    waiting: dict[str, list[_Item]] = defaultdict(list)
    for number, record in enumerate(each for each in _records(file, name) if isinstance(each, Record)):
        items = _understood(record, lambda *_: None)  # the first reading reported it
        for item in items:
            waiting[item.trace_id].append(item)
        for trace_id in dict.fromkeys(item.trace_id for item in items):
            if trace_id in places and places[trace_id].record == number:
                for trace in _traces(trace_id, waiting.pop(trace_id), f"{name}, line {record.line}", report):
                    found += 1
                    yield _noted(trace, places[trace_id], broken)
    if not found and not broken:
        raise InputError(
            f"{name} has {len(places)} traces, none of an app with a language model: expected spans with "
            "attributes of OpenInference (openinference.span.kind) or GenAI (gen_ai.operation.name), among others. Is "
            "the instrumentor of LangChain or LlamaIndex switched on?"
        )


def _indexed(file: Path, name: str, report: Callable[[InputError], object]) -> tuple[dict[str, _Place], list[int]]:
    """What a first reading shows: where each trace is, since no order is guaranteed, and which lines are broken."""
    places: dict[str, _Place] = {}
    broken: list[int] = []
    keys = ""  # of the first record that belongs to no known tool

    def refuse(line: int, why: str) -> None:
        broken.append(line)
        report(InputError(f"{name}, line {line}: {why}"))

    records = -1
    for record in _records(file, name):
        if isinstance(record, Broken):
            refuse(record.line, record.why)
            continue
        records += 1
        items = _understood(record, refuse)
        for item in items:
            place = places.setdefault(item.trace_id, _Place(record.line))
            place.last, place.record = record.line, records
        if not items and not keys:
            keys = ", ".join(map(str, list(record.value)[:8])) or "nothing"
    if not places:
        what = f"no traces that are known: looked for {_LOOKED_FOR}; found an object with {keys}"
        raise InputError(f"{name} holds {what}" if keys else f"{name} is no JSON: looked for {_LOOKED_FOR}")
    return places, broken


def _records(file: Path, name: str) -> Iterator[Record | Broken]:
    with opened(file, name, _EXPECTED) as stream:
        if stream.peek(4).startswith(b"PAR1"):
            raise InputError(
                f"{name} is a Parquet file: export JSON lines instead, or convert it (pandas: read_parquet, then "
                "to_json with lines=True)"
            )
        yield from json_objects(stream, name, _LISTS, _LARGEST)


def _understood(record: Record, broken: Callable[[int, str], object]) -> list[_Item]:
    """The parts of traces in a record. What is in no shape that its tool writes is reported, and the file read on."""
    try:
        return list(_items(record.value))
    except Exception as error:  # noqa: BLE001 - anything may be in a file
        broken(record.line, f"not as its tool writes it ({error!r})")
        return []


def _items(record: Mapping[str, Any]) -> Iterator[_Item]:
    """The parts of traces in a record; none in one of another kind."""
    if record.get("format") == FORMAT:
        yield _Item(str(record.get("id")), partial(_whole, _own, record), None)
    elif spans.is_mlflow(record):
        yield _Item(spans.mlflow_id(record), partial(_whole, spans.run_of_mlflow, record), None)
    elif exports.is_run(record):
        for run in exports.runs_in(record):
            yield _Item(exports.trace_of_run(run), exports.run_of_runs, run)
    elif exports.is_observation(record):
        for each in exports.observations_in(record):
            yield _Item(exports.trace_of_observation(each), exports.run_of_observations, each)
    elif otlp.is_span(record):
        for span in otlp.spans_in(record):
            yield _Item(span.trace_id, spans.run_of, span)


def _whole(make: Callable[[str, Any], T], record: Any, trace_id: str, _: list[Any]) -> T:
    """Makes what a record holds alone, whatever others have its id."""
    return make(trace_id, record)


def _own(_: str, record: Any) -> Trace:
    return of_object(Trace, record)


def _traces(trace_id: str, items: list[_Item], where: str, report: Callable[[InputError], object]) -> Iterator[Trace]:
    """The trace of some parts; of whole traces, which may share an id, each one."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[item.make].append(item.value)
    for make, values in groups.items():
        try:
            made = make(trace_id, values)
            trace = assembled(made) if isinstance(made, ImportedRun) else made
        except InputError as error:
            report(InputError(f"{where}: {error}"))
        except Exception as error:  # noqa: BLE001 - as above
            report(InputError(f"{where}: trace {trace_id} is not as its tool writes it ({error!r})"))
        else:
            if trace is not None:
                yield trace


def _noted(trace: Trace, place: _Place, broken: Sequence[int]) -> Trace:
    """The trace with a note if a line beside its own could not be read: a step of it may have been there."""
    near = [line for line in broken if place.first - 1 <= line <= place.last + 1]
    if not near:
        return trace
    note = f"line {near[0]} of the file could not be read: a step of this run may have been there"
    return replace(trace, lost=(*trace.lost, note), warnings=(*trace.warnings, note))


def _warned(error: InputError) -> None:
    warnings.warn(f"skipped: {error}", stacklevel=4)
