"""What all senders share: which records of a report are sent, and about which trace and span of the tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.verdict import Evaluation

HEX_TRACE = re.compile(r"[0-9a-fA-F]{32}")
HEX_SPAN = re.compile(r"[0-9a-fA-F]{16}")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Addressed(NamedTuple):
    """A record, and the trace and the span of the tool that it is about; at least one of them is known."""

    record: Evaluation
    trace: str | None
    span: str | None


@dataclass(frozen=True, kw_only=True)
class Sender:
    """`send` of a tool: writes a report to the trace that it is about."""

    trace: re.Pattern[str]  # how ids of traces look in the tool; other ids of a report are none of the tool's
    span: re.Pattern[str]  # likewise of spans
    hint: str  # what the caller should give if the trace is not known
    write: Callable[..., None]  # gives records to the user's client, with the options of the tool
    trace_needed: bool = False  # the tool takes nothing for a span of an unknown trace
    others_too: bool = False  # ids that the caller gives may look otherwise
    higher_is_better: bool = False  # what the tool's charts expect

    def __call__(
        self,
        report: Report,
        client: Any,
        *,
        trace_id: str | None = None,
        span_id: str | None = None,
        spans: Mapping[str, str] | None = None,
        claims: bool = True,
        higher_is_better: bool | None = None,
        **options: Any,
    ) -> int:
        """Sends a report. What is there already, by its identifier, is there once.

        Args:
            report: The report.
            client: The tool's client that the app has.
            trace_id: The trace in the tool; by default the report's, if it was recorded by the tool or read from it.
            span_id: The span there that returned the answer; by default the root.
            spans: Spans there of further runs, by the run's id, so that the steps where claims were introduced are
                marked.
            claims: Send the records of claims and steps, too.
            higher_is_better: Send `groundedness`, 1 - score, else `hallucination`; None is what the tool's charts
                expect.
            **options: Of the tool, see its module.

        Returns:
            The number of records sent.

        Raises:
            InputError: If it is not known which trace the report is about, or a given id is none of the tool's.
        """
        given = [("trace_id", trace_id, self.trace), ("span_id", span_id, self.span)]
        given += [(f"spans[{run!r}]", span, self.span) for run, span in (spans or {}).items()]
        for name, id_, form in given:
            if id_ is not None and not form.fullmatch(id_) and not (id_ and self.others_too):
                raise InputError(f"{name} is {id_!r}, which is no id of this tool: {self.hint}")
        known = ({trace_id}, {span_id, *(spans or {}).values()})
        up = self.higher_is_better if higher_is_better is None else higher_is_better
        records = report.to_evaluations(trace_id=trace_id, span_id=span_id, spans=spans, higher_is_better=up)
        found = []
        for record in records if claims else records[:1]:
            about = record["metadata"]
            ids = zip((about["trace_id"], about["span_id"]), (self.trace, self.span), known, strict=True)
            trace, span = (id_ if id_ and (id_ in own or form.fullmatch(id_)) else None for id_, form, own in ids)
            if trace is None and (span is None or self.trace_needed):
                raise InputError(f"it is not known which trace this report is about: {self.hint}")
            found.append(Addressed(record, trace, span))
        self.write(client, found, **options)
        return len(found)


def tool(module: str, package: str) -> Any:
    """Imports a module of a tool; if it is not installed, the message is the line to type."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: pip install {package} ({error})") from error
