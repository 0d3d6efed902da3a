"""Guarding one answer, as steps: `guard_answer` yields what is to be done, `carry_out` and `acarry_out` do it.

As with the pipelines of verification, only the latter know of threads and event loops.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard.checker import Checker, JudgeDraft, StripAnswer, WriteFeedback
from trail_callbacks.guard.policy import Outcome, decide
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.guard.stripping import Stripped
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report

__all__ = ["GuardSteps", "WriteDraft", "acarry_out", "carry_out", "guard_answer"]

Request = TypeVar("Request")
Draft = TypeVar("Draft")


@dataclass(frozen=True, slots=True)
class WriteDraft(Generic[Request]):
    """A step: let the app write a draft."""

    request: Request


GuardSteps: TypeAlias = Generator[Any, Any, Outcome[Draft]]
"""Yields `WriteDraft`, `JudgeDraft`, `StripAnswer` and `WriteFeedback`; receives what each is named after."""


def guard_answer(
    settings: GuardSettings,
    request: Request,
    *,
    graph_of: Callable[[Request, Draft], Callable[[], ProvenanceGraph] | None],
    revised: Callable[[Request, Draft, str], Request],
    texts_of: Callable[[Draft], Sequence[str]],
    rejected: int = 0,
    spent: Usage | None = None,
) -> GuardSteps[Draft]:
    """Guards one answer.

    Args:
        settings: How answers are guarded.
        request: What the app is asked.
        graph_of: Returns how to get the provenance graph of a draft, or None for a draft that is not an answer.
        revised: Makes a new request of the last one, the draft written for it, and feedback on that draft.
        texts_of: Returns the texts of a draft; one of them is the answer, where sentences can be taken out of it.
        rejected: Drafts rejected earlier, for an app that does other things between one and the next.
        spent: What judging them cost.
    """
    usage = spent or Usage()
    attempts = rejected
    while True:
        draft = yield WriteDraft(request)
        attempts += 1
        graph = graph_of(request, draft)
        if graph is None:
            return Outcome(draft=draft, action="skip", rejected=rejected, attempts=attempts, usage=usage)
        report: Report = yield JudgeDraft(graph, usage)
        usage += report.usage
        action = decide(settings, report, rejected)
        remaining: Stripped | None = None
        if action == "strip" and (remaining := (yield StripAnswer(report, texts_of(draft)))) is None:
            action = settings.exhausted
        if action != "pass":
            rejected += 1
        if action != "retry":
            _keep(settings, report, action)
            return Outcome(
                draft=draft,
                action=action,
                report=report,
                rejected=rejected,
                attempts=attempts,
                usage=usage,
                remaining=remaining,
            )
        request = revised(request, draft, (yield WriteFeedback(report)))


def _keep(settings: GuardSettings, report: Report, action: str) -> None:
    if settings.store is not None:
        from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

        opened(settings.store).add(report, segments={"guard": action})


def carry_out(steps: GuardSteps[Draft], write: Callable[[Any], Draft], checker: Checker) -> Outcome[Draft]:
    """Guards an answer. What the app raises passes through."""
    step = next(steps)
    while True:
        result = write(step.request) if isinstance(step, WriteDraft) else checker.carry_out(step)
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # what the generator returns


async def acarry_out(
    steps: GuardSteps[Draft], write: Callable[[Any], Awaitable[Draft]], checker: Checker
) -> Outcome[Draft]:
    """As `carry_out`."""
    step = next(steps)
    while True:
        result = await write(step.request) if isinstance(step, WriteDraft) else await checker.acarry_out(step)
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # as above
