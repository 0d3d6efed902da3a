"""Whether a report passes the threshold that was asked for."""

from __future__ import annotations

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report

__all__ = ["checked", "refusal"]

_CLOSED = {
    "error": "the verification failed",
    "no_evidence": "no source reached the answer",
    "partial": "some claims were not judged",
}
"""States that cannot vouch for an answer: with a threshold they fail, since nobody knows the whole score."""


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
