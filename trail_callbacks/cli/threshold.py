"""Whether a report, or a comparison of two, passes the threshold given on the command line."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.comparison import Comparison
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify import threshold
from trail_callbacks.verify.threshold import OnUndecided, counted_score

_ROUNDING = 1e-9  # 0.3 - 0.2 is not over 0.1
_MEANING = {
    "--max-score": "0.0 (no unsupported claim) to 1.0 (anything goes)",
    "--margin": "0.0 (it must not rise) to 1.0 (it may)",
}


def checked(option: str, value: float | None) -> float | None:
    """Validates and returns a threshold, that of `--max-score` or `--margin`.

    Raises:
        InputError: If it is outside 0.0 to 1.0, or not a number.
    """
    if value is not None and not 0.0 <= value <= 1.0:
        raise InputError(f"{option} is {value}, expected {_MEANING[option]}")
    return value


def refusal(report: Report, max_score: float | None, on_undecided: OnUndecided = "pass") -> str | None:
    """Returns why a report fails; None if it passes, or if no threshold was given."""
    found = None if max_score is None else threshold.refusal(report, max_score, on_undecided)
    if found is None:
        return None
    if found.kind == "score":
        return f"{found.reason} is over --max-score {max_score:.2f}"
    return f"{found.reason}: --max-score {max_score:.2f} cannot be checked"


def regression(comparison: Comparison, margin: float, on_undecided: OnUndecided = "pass") -> str | None:
    """Returns why a new report fails compared with the old one; None if it passes.

    A report that was not fully verified fails. What is unknown about the old report is assumed in its favour: a missing
    score counts as 0.0, claims that were not judged as supported. Undecided claims are treated alike in both: they are
    not counted, or all count as unsupported.
    """
    unknown = threshold.refusal(comparison.new, 1.0, on_undecided)
    if unknown is not None:
        return f"{unknown.reason}: --margin {margin:.2f} cannot be checked"
    new = counted_score(comparison.new, on_undecided)
    if new is None:
        return None  # it makes no claim that was found to be wrong
    if comparison.old.hallucination_score is not None and comparison.old.scoring != comparison.new.scoring:
        return f"{comparison.score.reason}: --margin {margin:.2f} cannot be checked"
    old = _lowest(comparison.old, on_undecided)
    if new - old > margin + _ROUNDING:
        return f"hallucination score rose by {new - old:.2f} from {old:.2f}, over --margin {margin:.2f}"
    return None


def _lowest(report: Report, on_undecided: OnUndecided) -> float:
    """The best score a report could have, had the judge not failed on any claim."""
    verdicts = [
        replace(verdict, support=SupportClass.SUPPORTED) if verdict.outcome == "not_judged" else verdict
        for verdict in report.verdicts
    ]
    return counted_score(replace(report, verdicts=tuple(verdicts)), on_undecided) or 0.0
