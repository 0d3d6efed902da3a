"""Whether an answer declines, as its judge says: for those who let such an answer pass without a verdict on it."""

from __future__ import annotations

from trail_callbacks.judges.judge import Extraction
from trail_callbacks.report import Report
from trail_callbacks.verify.coverage import covered

__all__ = ["states_something"]


def states_something(report: Report) -> bool:
    """Tells whether an answer that the judge says declines states something all the same, as far as code can tell.

    A judge may be talked into calling any sentence a refusal. A claim of it shows only that it saw the words, so they
    are looked at as if it had made none: what is no refusal by the rules of `coverage` is a statement.

    Args:
        report: Any report; False unless its state is `abstained`.
    """
    if report.state != "abstained" or report.graph.answer is None:
        return False
    return bool(covered(report.graph, Extraction(claims=(), abstained=True))[1].uncovered)
