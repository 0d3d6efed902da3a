"""What all senders share: which records of a report are sent, and about which trace and span of the tool."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.evaluation import Evaluation

__all__ = ["HEX_SPAN", "HEX_TRACE", "UUID", "About", "Addressed", "Ids", "addressed", "tool"]

HEX_TRACE = re.compile(r"[0-9a-fA-F]{32}")
HEX_SPAN = re.compile(r"[0-9a-fA-F]{16}")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of a tool.

    Attributes:
        trace: How those of traces look. Other ids of a report are none of the tool's.
        span: Likewise of spans.
        hint: What the caller should give if the trace is not known.
        trace_needed: The tool takes nothing for a span of an unknown trace.
        others_too: Ids that the caller gives may look otherwise.
    """

    trace: re.Pattern[str]
    span: re.Pattern[str]
    hint: str
    trace_needed: bool = False
    others_too: bool = False


@dataclass(frozen=True, slots=True)
class About:
    """What a caller says of where a report belongs; see `Report.to_evaluations`."""

    trace_id: str | None = None
    span_id: str | None = None
    spans: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Addressed:
    """A record, and the trace and the span of the tool that it is about; at least one of them is known."""

    record: Evaluation
    trace: str | None
    span: str | None


def addressed(
    report: Report, ids: Ids, about: About, *, claims: bool, higher_is_better: bool = False
) -> list[Addressed]:
    """Returns the records to send: of the answer, and with `claims` those of its claims and of their entry steps.

    Raises:
        InputError: If a given id is none of the tool's, or it is not known which trace the report is about.
    """
    given = [("trace_id", about.trace_id, ids.trace), ("span_id", about.span_id, ids.span)]
    given += [(f"spans[{run!r}]", span, ids.span) for run, span in (about.spans or {}).items()]
    for name, id_, form in given:
        if id_ is not None and not form.fullmatch(id_) and not (id_ and ids.others_too):
            raise InputError(f"{name} is {id_!r}, which is no id of this tool: {ids.hint}")
    records = report.to_evaluations(
        trace_id=about.trace_id, span_id=about.span_id, spans=about.spans, higher_is_better=higher_is_better
    )
    traces, spans = {about.trace_id}, {about.span_id, *(about.spans or {}).values()}
    found = []
    for record in records if claims else records[:1]:
        trace = _known(record["metadata"]["trace_id"], ids.trace, traces)
        span = _known(record["metadata"]["span_id"], ids.span, spans)
        if trace is None and (span is None or ids.trace_needed):
            raise InputError(f"it is not known which trace this report is about: {ids.hint}")
        found.append(Addressed(record, trace, span))
    return found


def _known(id_: str | None, form: re.Pattern[str], given: Container[str | None]) -> str | None:
    """An id that is one of the tool: it looks like one, or the caller gives it."""
    return id_ if id_ is not None and (id_ in given or form.fullmatch(id_)) else None


def tool(module: str, package: str) -> Any:
    """Imports a module of a tool.

    Raises:
        ImportError: If the tool is not installed; the message is the line to type.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: pip install {package} ({error})") from error
