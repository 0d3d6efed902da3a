"""What happens to an answer: which pass, which are asked for again, which are withheld.

What a report says decides, with the settings for what it leaves open: `docs/guards.md` has the table, which the tests
read. Nothing that was not checked passes by default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NoReturn, TypeVar

from trail_callbacks.errors import AnswerRejectedError
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.guard.stripping import Stripped
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.threshold import Refusal, refusal, unsettled

Action = Literal["pass", "retry", "strip", "annotate", "block", "raise", "skip"]
"""`skip`: the draft is not an answer, because the model calls tools."""

Draft = TypeVar("Draft")


@dataclass(frozen=True, kw_only=True)
class LateReport(Report):
    """The report on a draft that the judge was not done with in time.

    Whoever writes a source decides how long it is, and so how long judging takes: `on_error="open"` does not let it
    through, and no other draft is asked for.
    """


def decide(settings: GuardSettings, report: Report, rejected: int, *, unclaimed: bool = False) -> Action:
    """Decides what to do with a draft, by the tables in `docs/guards.md`; `unclaimed`: it holds more than claims."""
    if isinstance(report, LateReport):
        return _last_resort(settings)
    why = _refusal(settings, report)
    if why is None and not (unclaimed and settings.on_undecided == "fail"):
        return "pass"
    if why is not None and why.kind == "incomplete":
        return "annotate" if settings.on_error == "open" else _last_resort(settings)
    if settings.on_fail == "strip" and why is not None and why.kind == "score":
        return "strip"
    return "retry" if settings.on_fail == "retry" and rejected < settings.max_retries else _last_resort(settings)


def _refusal(settings: GuardSettings, report: Report) -> Refusal | None:
    return refusal(report, settings.max_score, settings.on_undecided, memory=settings.no_evidence == "pass")


def _last_resort(settings: GuardSettings) -> Action:
    """What is done with a draft that neither asking again nor taking sentences out can help."""
    return settings.exhausted if settings.on_fail in {"retry", "strip"} else settings.on_fail


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardOutcome(Generic[Draft]):
    """The result of guarding one answer.

    Attributes:
        draft: The last draft, as the app wrote it.
        action: What is to be done with it; never `retry`.
        report: The report on it; None for `skip`.
        rejected: Drafts rejected, this one included if it was.
        attempts: Drafts written.
        usage: What judging all drafts cost.
        remaining: What is left of it with `strip`.
        unjudged: Names of what the app returned in or beside the answer and nobody judged, such as `reasoning`.
    """

    draft: Draft
    action: Action
    report: Report | None = None
    rejected: int = 0
    attempts: int = 1
    usage: Usage = field(default_factory=Usage)
    remaining: Stripped | None = None
    unjudged: tuple[str, ...] = ()

    @property
    def withheld(self) -> bool:
        """True if the user does not get the draft as the app wrote it."""
        return self.action in {"block", "raise", "strip"}

    @property
    def taken(self) -> list[str]:
        """The texts that were taken out of the draft."""
        return [each["text"] for each in self._removed]

    @property
    def _removed(self) -> tuple[dict[str, Any], ...]:
        return self.remaining.removed if self.remaining else ()

    def instead(self, message: str) -> str | None:
        """Returns what the user reads instead of the draft; None if it is the draft, or an error is raised."""
        if self.remaining is not None:
            return self.remaining.text
        return message if self.action == "block" else None

    def summary(self) -> dict[str, Any]:
        """Returns what is attached to the answer: small, JSON-safe, and without any text of a withheld answer.

        What was taken out of an answer is in `removed`, with its verdicts: for the app, not for its user.
        """
        unjudged = {"unjudged": list(self.unjudged)} if self.unjudged else {}
        blocked = self.action in {"block", "raise"}
        if self.report is None:
            return {**unjudged, "passed": False, "blocked": blocked} if unjudged else {}
        summary = self.report.summary()
        if self.withheld:  # claims, quotes and warnings repeat what nobody is to read
            summary = {key: value for key, value in summary.items() if key in _WITHOUT_TEXT}
        if not blocked:
            gone = {each["claim"] for part in self._removed for each in part["claims"]}
            summary["undecided_claims"] = [
                {"claim": claim.text, "quote": claim.quote, "reason": verdict.undecided or verdict.rationale}
                for claim in (*self.report.undecided, *unsettled(self.report))
                for verdict in [self.report.verdict(claim.id)]
                if claim.text not in gone
            ]
        late = {"late": True} if isinstance(self.report, LateReport) else {}
        failed = {"failure": kind} if (kind := self.report.failure) else {}
        cost = {name: getattr(self.usage, name) for name in ("calls", "prompt_tokens", "completion_tokens")}
        return {
            **summary,
            **late,
            **failed,
            **unjudged,
            "passed": self.action == "pass",
            "blocked": blocked,
            **({"removed": list(self._removed)} if self._removed else {}),
            "attempts": self.attempts,
            "usage": cost,
        }


_COUNTS = {"claims", "class_counts", "error_counts", "undecided", "coverage", "uncovered"}
_WITHOUT_TEXT = {"state", "hallucination_score", "interval", "judge"} | _COUNTS


def reject(outcome: GuardOutcome[Any]) -> NoReturn:
    """Raises the error for an answer that is not accepted."""
    report = outcome.report
    score = report.hallucination_score if report else None
    why = f"its hallucination score is {score:.2f}" if score is not None else f"it is {report and report.state!r}"
    if report is not None and report.uncovered:
        why += f", the judge left out {len(report.uncovered)} of its statements"
    if outcome.unjudged:
        why += f", nobody judged its {', '.join(outcome.unjudged)}"
    if report is not None and report.undecided:
        why += f", {len(report.undecided)} of {len(report.claims)} claims could not be decided"
    if report is not None and (failed := report.failure):
        why += f", the judge failed ({failed})"
    raise AnswerRejectedError(
        f"the answer was not accepted: {why}, attempt {outcome.attempts}; the error's .report says more",
        report,
        outcome.attempts,
    )
