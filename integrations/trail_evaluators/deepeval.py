"""DeepEval: a metric. Set `DEEPEVAL_TELEMETRY_OPT_OUT=1` before it is imported, as DeepEval reports its use."""

from __future__ import annotations

import asyncio
from typing import Any

from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import Case, CaseChecker, passes, retrieved, why_not
from trail_evaluators.sending import tool

__all__ = ["metric"]


def metric(judge: JudgeLike = None, *, max_score: float = 0.0, options: VerifyOptions | None = None) -> Any:
    """Makes a metric for `deepeval.assert_test` and `deepeval.evaluate`.

    It reads `actual_output`, `input`, and as sources `retrieval_context`, else `context`. The score is groundedness,
    1 - hallucination score, as DeepEval counts. An answer that claims nothing is skipped; one that could not be judged
    (no sources, a failed judge) has no score but an error. `metric.report` is the whole report.

    Args:
        judge: Who decides; None is the offline judge.
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        options: Settings of the verification.

    Raises:
        ImportError: If DeepEval is not installed.
    """
    base: Any = tool("deepeval.metrics", "deepeval").BaseMetric

    class TrailMetric(base):  # type: ignore[misc]  # its base is not known here
        """DeepEval copies metrics by the arguments of `__init__`, read from attributes of the same names."""

        def __init__(self, judge: JudgeLike, max_score: float, options: VerifyOptions | None) -> None:
            self.judge, self.max_score, self.options = judge, max_score, options
            self.threshold = 1.0 - max_score
            self.report: Report | None = None
            self._checker = CaseChecker(judge, options)

        @property
        def __name__(self) -> str:
            return "Groundedness (trail)"

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
            del args, kwargs
            return self._measured(self._checker.report(_case(test_case)))

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
            del args, kwargs
            return self._measured(await asyncio.to_thread(self._checker.report, _case(test_case)))

        def is_successful(self) -> bool:
            return bool(self.success)

        def _measured(self, report: Report) -> float | None:
            record, passed = report.to_evaluations(higher_is_better=True)[0], passes(report, self.max_score)
            self.report, self.score = report, record["score"]
            self.success, self.skipped = bool(passed), passed is True and self.score is None
            self.error = why_not(report) if passed is None else None
            self.reason = record["explanation"]
            return self.score

    return TrailMetric(judge, max_score, options)


def _case(test_case: Any) -> Case:
    sources = retrieved(test_case.retrieval_context) or retrieved(test_case.context)
    return Case(test_case.actual_output or "", sources, test_case.input)
