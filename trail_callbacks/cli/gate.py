"""Whether a report, or how it differs from another, passes the threshold that was asked for."""

from __future__ import annotations

from trail_callbacks.comparison import Comparison
from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.scoring import score
from trail_callbacks.taxonomy import SupportClass

__all__ = ["checked", "checked_increase", "refusal", "regression"]

_CLOSED = {
    "error": "the verification failed",
    "no_evidence": "no source reached the answer",
    "partial": "some claims were not judged",
}
"""States that cannot vouch for an answer: with a threshold they fail, since nobody knows the whole score."""

_ROUNDING = 1e-9  # 0.3 - 0.2 is not over 0.1


def checked(max_score: float | None) -> float | None:
    """Returns the threshold if it is one.

    Raises:
        InputError: If it is outside 0.0 to 1.0, or not a number.
    """
    if max_score is not None and not 0.0 <= max_score <= 1.0:
        raise InputError(f"--max-score is {max_score}, expected 0.0 (no unsupported claim) to 1.0 (anything goes)")
    return max_score


def refusal(report: Report, max_score: float | None) -> str | None:
    """Says why a report does not pass; None if it does, or if no threshold was asked for."""
    if max_score is None:
        return None
    value = report.hallucination_score
    if value is not None and value > max_score:
        return f"hallucination score {value:.2f} is over --max-score {max_score:.2f}"
    if report.state in _CLOSED:
        return f"{_CLOSED[report.state]}: --max-score {max_score:.2f} cannot be vouched for"
    return None


def checked_increase(max_increase: float | None) -> float | None:
    """Returns the largest increase of the score if it is one.

    Raises:
        InputError: If it is outside 0.0 to 1.0, or not a number.
    """
    if max_increase is not None and not 0.0 <= max_increase <= 1.0:
        raise InputError(f"--max-increase is {max_increase}, expected 0.0 (it must not rise) to 1.0 (it may)")
    return max_increase


def regression(comparison: Comparison, max_increase: float | None) -> str | None:
    """Says why a new report does not pass beside the old one; None if it does, or if no limit was given.

    A gate that cannot see is closed: the new report must be verified, and what is not known of the old one counts for
    it. Without a score, it is taken to be 0.0, and its claims that were not judged to be supported.
    """
    if max_increase is None:
        return None
    new = comparison.new.hallucination_score
    if comparison.new.state in _CLOSED:
        return f"{_CLOSED[comparison.new.state]}: --max-increase {max_increase:.2f} cannot be vouched for"
    if new is None:
        return None  # it states nothing that could be wrong
    if comparison.old.hallucination_score is not None and comparison.old.scoring != comparison.new.scoring:
        return f"{comparison.score.reason}: --max-increase {max_increase:.2f} cannot be vouched for"
    old = _lowest(comparison.old)
    if new - old > max_increase + _ROUNDING:
        return f"hallucination score rose by {new - old:.2f} from {old:.2f}, over --max-increase {max_increase:.2f}"
    return None


def _lowest(report: Report) -> float:
    """The score a report would have at best."""
    if report.hallucination_score is None:
        return 0.0
    classes = [verdict.support or SupportClass.SUPPORTED for verdict in report.verdicts]
    return score(classes, report.scoring) or 0.0
