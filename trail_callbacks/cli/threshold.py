"""Whether a report, or a comparison of two, passes the threshold given on the command line."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks.comparison import Comparison
from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.threshold import OnUndecided, counted_score, is_complete, unsettled
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.declining import states_something

__all__ = ["checked", "checked_increase", "refusal", "regression"]

_CLOSED = {
    "error": "the verification failed",
    "interrupted": "the run was interrupted and has not answered yet",
    "no_evidence": "no source reached the answer",
    "partial": "some claims were not judged",
    "unverified": "nothing that the answer states could be checked",
}
"""States that fail with any threshold, because the score of the whole answer is unknown; not those in which the judge
failed on nothing, but abstained."""

_NO_REFUSAL = "the judge says that the answer declines, but it states something"
_ROUNDING = 1e-9  # 0.3 - 0.2 is not over 0.1


def checked(max_score: float | None) -> float | None:
    """Validates and returns the threshold.

    Raises:
        InputError: If it is outside 0.0 to 1.0, or not a number.
    """
    if max_score is not None and not 0.0 <= max_score <= 1.0:
        raise InputError(f"--max-score is {max_score}, expected 0.0 (no unsupported claim) to 1.0 (anything goes)")
    return max_score


def refusal(report: Report, max_score: float | None, on_undecided: OnUndecided = "pass") -> str | None:
    """Returns why a report fails; None if it passes, or if no threshold was given."""
    if max_score is None:
        return None
    value = counted_score(report, on_undecided)
    if value is not None and value > max_score:
        words = "hallucination score" + _counting(report, on_undecided)
        return f"{words} {value:.2f} is over --max-score {max_score:.2f}"
    if not _is_known(report):
        return f"{_unknown(report)}: --max-score {max_score:.2f} cannot be checked"
    return None


def _is_known(report: Report) -> bool:
    if not is_complete(report) or states_something(report):
        return False
    return report.state not in _CLOSED or report.state in {"partial", "unverified"}


def _unknown(report: Report) -> str:
    if report.uncovered:
        return f"the judge left out {_number(len(report.uncovered), 'statement')} of the answer"
    if report.state not in _CLOSED:
        unclear = sum(bool(claim.unresolved) for claim in report.claims)
        return f"the judge calls {_number(unclear, 'claim')} unclear" if unclear else _NO_REFUSAL
    return _CLOSED[report.state]


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _counting(report: Report, on_undecided: OnUndecided) -> str:
    n = len(report.undecided) + len(unsettled(report))
    return f" ({_number(n, 'undecided claim')} counted as unsupported)" if n and on_undecided == "fail" else ""


def checked_increase(max_increase: float | None) -> float | None:
    """Validates and returns the largest increase of the score.

    Raises:
        InputError: If it is outside 0.0 to 1.0, or not a number.
    """
    if max_increase is not None and not 0.0 <= max_increase <= 1.0:
        raise InputError(f"--max-increase is {max_increase}, expected 0.0 (it must not rise) to 1.0 (it may)")
    return max_increase


def regression(comparison: Comparison, max_increase: float | None, on_undecided: OnUndecided = "pass") -> str | None:
    """Returns why a new report fails compared with the old one; None if it passes, or if no limit was given.

    A report that was not fully verified fails. What is unknown about the old report is assumed in its favour: a missing
    score counts as 0.0, claims that were not judged as supported. Undecided claims are treated alike in both: they are
    not counted, or all count as unsupported.
    """
    if max_increase is None:
        return None
    new = counted_score(comparison.new, on_undecided)
    if not _is_known(comparison.new):
        return f"{_unknown(comparison.new)}: --max-increase {max_increase:.2f} cannot be checked"
    if new is None:
        return None  # it makes no claim that was found to be wrong
    if comparison.old.hallucination_score is not None and comparison.old.scoring != comparison.new.scoring:
        return f"{comparison.score.reason}: --max-increase {max_increase:.2f} cannot be checked"
    old = _lowest(comparison.old, on_undecided)
    if new - old > max_increase + _ROUNDING:
        words = "hallucination score" + _counting(comparison.new, on_undecided)
        return f"{words} rose by {new - old:.2f} from {old:.2f}, over --max-increase {max_increase:.2f}"
    return None


def _lowest(report: Report, on_undecided: OnUndecided) -> float:
    """The best score a report could have, had the judge not failed on any claim."""
    verdicts = [
        replace(verdict, support=SupportClass.SUPPORTED) if verdict.outcome == "not_judged" else verdict
        for verdict in report.verdicts
    ]
    return counted_score(replace(report, verdicts=tuple(verdicts)), on_undecided) or 0.0
