"""Judged runs as they are written: figures, claims and compressed bodies, without what must not be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trail_callbacks.capture.redaction import Redactor
from trail_callbacks.monitor import Observation, observe
from trail_callbacks.report import Report
from trail_callbacks.report.withheld import text_hash, without_texts
from trail_callbacks.slices import current
from trail_callbacks.store.redacting import redacted_report, redacted_run, redacted_trace
from trail_callbacks.store.rows import LARGEST, Body, Entry, claim_rows, packed
from trail_callbacks.trace import Trace

__all__ = ["Preparation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What becomes of a run before it is written.

    Attributes:
        redactor: What is applied to all texts; None for nothing.
        texts: False: no text is kept, see `CaptureSettings.texts`, and no trace.
        text_key: Of `texts=False`.
        most: Bytes of a body before compression.
    """

    redactor: Redactor | None = None
    texts: bool = True
    text_key: bytes | None = field(default=None, repr=False)
    most: int = LARGEST

    def entry(
        self,
        report: Report,
        trace: Trace | None,
        *,
        at: float,
        rate: float = 1.0,
        run: Observation | None = None,
        segments: Mapping[str, str] | None = None,
    ) -> Entry:
        """Returns a run as it is written.

        Args:
            report: Its report.
            trace: Its trace, if it is kept.
            at: When it began, if the trace does not say.
            rate: Share of such runs that are judged.
            run: Its figures, if they were read already.
            segments: Further segments.

        Raises:
            InputError: If report or trace cannot be written as JSON.
        """
        if self.redactor is not None:
            report = redacted_report(report, self.redactor)
            trace = trace and redacted_trace(trace, self.redactor)
            run = run and redacted_run(run, self.redactor)
            _pause()
        run = run or observe(report, trace, at=at, rate=rate)
        run = replace(run, fields={**run.fields, **segments}) if segments else run
        if not self.texts:
            run = replace(run, key=_hidden(run.key, self.text_key))
            report, trace = without_texts(report, self.text_key), None
        _pause()
        bodies = [self._body("report", report)]
        if trace is not None:
            bodies.append(self._body("trace", trace))
        graph = report.graph
        return Entry(
            run=run,
            claims=claim_rows(report, run.at),
            bodies=tuple(bodies),
            question=graph.question.text if graph.question else None,
            answer=graph.answer.text if graph.answer else None,
        )

    def _body(self, kind: str, value: Report | Trace) -> Body:
        text = value.to_json()
        _pause()
        return packed(kind, text, self.most)


def _hidden(key: str, text_key: bytes | None) -> str:
    """Keys the hash of a question: the one without a key would show whoever can guess it that it was asked."""
    return text_hash(key, text_key)[: len(key)] if key else ""


def _pause() -> None:
    slices = current.get()
    if slices is not None:
        slices.pause()
