"""Judged runs as they are written: figures, claims and compressed bodies, without what must not be kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from trail_callbacks.observations import Observation, observe
from trail_callbacks.report import Report
from trail_callbacks.report.withheld import text_hash, without_texts
from trail_callbacks.slices import current
from trail_callbacks.store.bodies import LARGEST, Body, packed
from trail_callbacks.store.rows import Entry, claim_rows
from trail_callbacks.trace import Trace

__all__ = ["Preparation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What becomes of a run before it is written.

    Attributes:
        texts: False: no text is kept, see `CaptureSettings.texts`, and no trace.
        text_key: Of `texts=False`.
        most: Bytes of a body before compression.
    """

    texts: bool = True
    text_key: bytes | None = field(default=None, repr=False)
    most: int = LARGEST

    def entry(self, report: Report, trace: Trace | None, rate: float, at: float, run: Observation | None) -> Entry:
        """Returns a run as it is written.

        Args:
            report: Its report.
            trace: Its trace, if it is kept.
            rate: Share of such runs that are judged.
            at: When it began, if the trace does not say.
            run: Its figures, if they were read already.

        Raises:
            InputError: If report or trace cannot be written as JSON.
        """
        run = run or observe(report, trace, at=at, rate=rate)
        if not self.texts:
            run, report, trace = replace(run, key=self._hidden(run.key)), without_texts(report, self.text_key), None
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

    def _hidden(self, key: str) -> str:
        """The hash of a question, keyed: the one without a key would show who can guess it that it was asked."""
        return text_hash(key, self.text_key)[:32] if key else ""

    def _body(self, kind: str, value: Report | Trace) -> Body:
        text = value.to_json()
        _pause()
        return packed(kind, text, self.most)


def _pause() -> None:
    slices = current.get()
    if slices is not None:
        slices.pause()
