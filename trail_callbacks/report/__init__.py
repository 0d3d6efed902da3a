"""The report: what a verification returns, and what renderings, exports and comparisons read.

Start with `report.Report`; `verdict` is its entry for one claim, `scoring` the arithmetic of the score,
`evaluation` the record that other tools take, `compatibility` reads reports of newer releases.
Only data and its forms as JSON, records, a test and advice: reports are made in `verify` and drawn in `render`.
"""

from collections.abc import Mapping

from trail_callbacks import display
from trail_callbacks.report.evaluation import Evaluation
from trail_callbacks.report.report import Report, State
from trail_callbacks.report.verdict import Layer, Selected, Summary, Verdict

__all__ = ["Layer", "Report", "Selected", "State", "Summary", "Verdict"]


@display.next_step.register
def _next_step(report: Report) -> str | None:
    from trail_callbacks.report.next_step import next_step  # noqa: PLC0415 - most reports are never asked

    return next_step(report)


@display.evaluations.register
def _evaluations(
    report: Report,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    spans: Mapping[str, str] | None = None,
    higher_is_better: bool = False,
) -> list[Evaluation]:
    from trail_callbacks.report.evaluations import evaluations  # noqa: PLC0415 - as above

    return evaluations(report, trace_id=trace_id, span_id=span_id, spans=spans, higher_is_better=higher_is_better)


@display.pytest_file.register
def _pytest_file(report: Report) -> str:
    from trail_callbacks.report.pytest_file import to_test  # noqa: PLC0415 - as above

    return to_test(report)
