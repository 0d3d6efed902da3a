"""What happens to an answer: which pass, which are asked for again, which are withheld.

What a report says decides, with two settings for what it leaves open. "Score" is the hallucination score; with
`on_undecided="fail"` claims from which the judge abstained count in it as unsupported.

| state of the report | `on_undecided="pass"` | `on_undecided="fail"` |
| --- | --- | --- |
| `assessed` | passes up to `max_score` | passes up to `max_score` |
| `partial`, only because the judge abstained from some claims | passes up to `max_score` | passes up to `max_score` |
| `partial`, because the judge failed on some, too | fails above `max_score`, else as `on_error` says | likewise |
| `partial` or `unverified`, because the judge left out a part | fails above `max_score`, else `on_error` | likewise |
| `unverified`, because the judge abstained from all claims | passes | fails (its score is 1.0) |
| `unverified`, because no claim is clear | as `on_error` says | as `on_error` says |
| `no_evidence` | as the setting `no_evidence` says | as the setting `no_evidence` says |
| `abstained`, `no_checkable_claims` | passes | passes |
| `error`, `interrupted` | as `on_error` says | as `on_error` says |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NoReturn, TypeVar

from trail_callbacks.errors import AnswerRejectedError
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.report.threshold import counted_score, is_complete

__all__ = ["Action", "Outcome", "decide", "reject"]

Action = Literal["pass", "retry", "annotate", "block", "raise", "skip"]
"""`skip`: the draft is not an answer, because the model calls tools."""

Draft = TypeVar("Draft")


def decide(settings: GuardSettings, report: Report, rejected: int) -> Action:
    """Decides what to do with a draft, by the table above.

    Args:
        settings: How answers are guarded.
        report: The report on the draft.
        rejected: Drafts rejected before it.
    """
    score = counted_score(report, settings.on_undecided)
    from_memory = report.state == "no_evidence" and settings.no_evidence == "fail"
    if from_memory or (score is not None and score > settings.max_score):
        failed = True
    elif not is_complete(report):
        if settings.on_error == "open":
            return "annotate"
        return settings.exhausted if settings.on_fail == "retry" else settings.on_fail
    else:
        failed = False
    if not failed:
        return "pass"
    if settings.on_fail != "retry":
        return settings.on_fail
    return "retry" if rejected < settings.max_retries else settings.exhausted


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Draft]):
    """The result of guarding one answer.

    Attributes:
        draft: The last draft, as the app wrote it.
        action: What is to be done with it; never `retry`.
        report: The report on it; None for `skip`.
        rejected: Drafts rejected, this one included if it was.
        attempts: Drafts written.
        usage: What judging all drafts cost.
    """

    draft: Draft
    action: Action
    report: Report | None = None
    rejected: int = 0
    attempts: int = 1
    usage: Usage = field(default_factory=Usage)

    @property
    def withheld(self) -> bool:
        """True if the user does not get the draft."""
        return self.action in {"block", "raise"}

    def summary(self) -> dict[str, Any]:
        """Returns what is attached to the answer: small, JSON-safe, and without any text of a withheld answer."""
        if self.report is None:
            return {}
        summary = self.report.summary()
        if self.withheld:  # claims, quotes and warnings repeat what nobody is to read
            summary = {key: value for key, value in summary.items() if key in _WITHOUT_TEXT}
        else:
            claims = ((claim, self.report.verdict(claim.id)) for claim in self.report.undecided)
            summary["undecided_claims"] = [
                {"claim": claim.text, "quote": claim.quote, "reason": verdict.undecided} for claim, verdict in claims
            ]
        cost = {name: getattr(self.usage, name) for name in ("calls", "prompt_tokens", "completion_tokens")}
        return {
            **summary,
            "passed": self.action == "pass",
            "blocked": self.withheld,
            "attempts": self.attempts,
            "usage": cost,
        }


_WITHOUT_TEXT = frozenset(
    {
        "state",
        "hallucination_score",
        "interval",
        "claims",
        "class_counts",
        "error_counts",
        "undecided",
        "coverage",
        "uncovered",
        "judge",
    }
)


def reject(outcome: Outcome[Any]) -> NoReturn:
    """Raises the error for an answer that is not accepted.

    Raises:
        AnswerRejectedError: Always.
    """
    report = outcome.report
    score = report.hallucination_score if report else None
    why = f"its hallucination score is {score:.2f}" if score is not None else f"it is {report and report.state!r}"
    if report is not None and report.uncovered:
        why += f", the judge left out {len(report.uncovered)} of its statements"
    if report is not None and report.undecided:
        why += f", {len(report.undecided)} of {len(report.claims)} claims could not be decided"
    raise AnswerRejectedError(
        f"the answer was not accepted: {why}, attempt {outcome.attempts}; the error's .report says more",
        report,
        outcome.attempts,
    )
