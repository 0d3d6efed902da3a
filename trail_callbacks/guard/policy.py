"""What becomes of an answer: which pass, which are asked for again, which are withheld."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NoReturn, TypeVar, get_args

from trail_callbacks.errors import AnswerRejectedError, InputError
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["BLOCKED", "Action", "LastResort", "OnFail", "Outcome", "Policy", "refused"]

OnFail = Literal["retry", "block", "annotate", "raise"]
LastResort = Literal["block", "annotate", "raise"]
Action = Literal["pass", "retry", "annotate", "block", "raise", "skip"]
"""`skip` is no answer at all: the model calls tools."""

BLOCKED = "I could not find enough support in the sources to answer this."
"""What the user reads in place of an answer that is withheld, by default."""

Draft = TypeVar("Draft")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What becomes of an answer.

    Attributes:
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        on_fail: What is done with one above: ask again with feedback, withhold it, let it through with its report, or
            raise.
        max_retries: Further drafts asked for, 0 or more.
        exhausted: What is done with the last draft of `retry`.
        on_error: What is done when the judge fails, also on a part of the claims: `open` lets the answer through with
            the failure noted, `closed` treats it as one that failed for the last time; asking the app again would not
            mend the judge.
        no_evidence: What is done with claims when nothing was read that could support them. `fail`, the default,
            because an answer out of a model's memory is the very thing to guard against, and because the feedback sends
            a model to its tools; `pass` for apps that may answer from memory.

    Raises:
        InputError: If a value is out of range.
    """

    max_score: float = 0.0
    on_fail: OnFail = "retry"
    max_retries: int = 2
    exhausted: LastResort = "block"
    on_error: Literal["open", "closed"] = "open"
    no_evidence: Literal["pass", "fail"] = "fail"

    def __post_init__(self) -> None:
        """Checks ranges."""
        if not 0.0 <= self.max_score <= 1.0:
            raise InputError(f"max_score is {self.max_score}, expected 0.0 to 1.0")
        if self.max_retries < 0:
            raise InputError(f"max_retries is {self.max_retries}, expected 0 or more")
        for name, allowed in (
            ("on_fail", get_args(OnFail)),
            ("exhausted", get_args(LastResort)),
            ("on_error", ("open", "closed")),
            ("no_evidence", ("pass", "fail")),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {', '.join(allowed)}")

    def decide(self, report: Report, rejected: int) -> Action:
        """Says what to do with a draft.

        Args:
            report: What the judge says about it.
            rejected: Drafts rejected before it.
        """
        score, state = report.hallucination_score, report.state
        if score is not None and score > self.max_score:
            failed = True
        elif state == "no_evidence":
            failed = self.no_evidence == "fail"
        elif state in {"error", "partial"}:
            return "annotate" if self.on_error == "open" else self._last()
        else:
            failed = False
        if not failed:
            return "pass"
        if self.on_fail != "retry":
            return self.on_fail
        return "retry" if rejected < self.max_retries else self.exhausted

    def options(self) -> VerifyOptions:
        """Returns the settings of a verification whose report nobody but this policy reads, if that is so.

        Where a claim came in is not worth asking about a draft that is thrown away.
        """
        return VerifyOptions(localize=self.on_fail in {"annotate", "raise"})

    def _last(self) -> LastResort:
        return self.exhausted if self.on_fail == "retry" else self.on_fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Draft]):
    """What came of guarding one answer.

    Attributes:
        draft: The last draft, as the app wrote it.
        action: What is to be done with it; never `retry`.
        report: What the judge says about it; None for `skip`.
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

    def summary(self) -> dict[str, Any]:
        """Returns what is attached to the answer: small, JSON-safe, and silent on what a withheld answer says."""
        report = self.report
        if report is None:
            return {}
        shown = report.summary()
        blocked = self.action in {"block", "raise"}
        if blocked:  # claims, quotes and warnings repeat what nobody is to read
            shown = {key: value for key, value in shown.items() if key in _SILENT}
        cost = {name: getattr(self.usage, name) for name in ("calls", "prompt_tokens", "completion_tokens")}
        return {**shown, "passed": self.action == "pass", "blocked": blocked, "attempts": self.attempts, "usage": cost}


_SILENT = frozenset({"state", "hallucination_score", "interval", "claims", "class_counts", "error_counts", "judge"})


def refused(outcome: Outcome[Any]) -> NoReturn:
    """Raises for an answer that is not accepted.

    Raises:
        AnswerRejectedError: Always.
    """
    report = outcome.report
    score = report.hallucination_score if report else None
    why = f"its hallucination score is {score:.2f}" if score is not None else f"it is {report and report.state!r}"
    raise AnswerRejectedError(
        f"the answer was not accepted: {why}, attempt {outcome.attempts}; the error's .report says more",
        report,
        outcome.attempts,
    )
