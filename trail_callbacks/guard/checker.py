"""Judging drafts within a time and a cost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard.feedback import feedback
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.delivery import Delivery
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import averify, judging, verify

__all__ = ["Checker", "JudgeDraft", "WriteFeedback"]


@dataclass(frozen=True, slots=True)
class JudgeDraft:
    """A step: judge a draft. Building its graph is work, and left to whoever carries out the step.

    Attributes:
        graph: Builds the provenance graph of the draft.
        spent: What judging the drafts before it cost.
    """

    graph: Callable[[], ProvenanceGraph]
    spent: Usage


@dataclass(frozen=True, slots=True)
class WriteFeedback:
    """A step: write the feedback on a draft. Finding what the sources say instead is work too."""

    report: Report


class Checker:
    """Judges drafts within a time and a cost, outside the app's tracing. A failing judge never raises.

    Args:
        settings: The judge, its limits and what is called with each report.
        around: Makes a context to judge in: an adapter hides the judge's own calls in it.

    Raises:
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self, settings: GuardSettings, *, around: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        self._settings = settings
        self._judge = judging(settings.judge, settings.options)
        self._around = around
        self._delivery = Delivery(settings.on_report)

    def check(self, step: JudgeDraft) -> Report:
        """Judges a draft."""
        options, timeout = self._options(step.spent), self._settings.timeout

        def work() -> Report:
            with self._around():
                return verify(step.graph(), self._judge, options)

        try:
            report = work() if timeout is None else _within(timeout, work)
        except Exception as error:  # noqa: BLE001 - `on_error` says what a failing judge means
            report = self._failed(error)
        return self._delivered(report)

    async def acheck(self, step: JudgeDraft) -> Report:
        """As `check`, without blocking the event loop. When cancelled, the judge's calls are cancelled."""
        options = self._options(step.spent)

        async def work() -> Report:
            with self._around():
                return await averify(await asyncio.to_thread(step.graph), self._judge, options)

        try:
            # A task of its own: what it sets in its context stays there.
            report = await asyncio.wait_for(asyncio.ensure_future(work()), self._settings.timeout)
        except Exception as error:  # noqa: BLE001 - as above
            report = self._failed(error)
        return await self._adelivered(report)

    def carry_out(self, step: JudgeDraft | WriteFeedback) -> Report | str:
        """Carries out a step that does not need the app."""
        return self._feedback(step.report) if isinstance(step, WriteFeedback) else self.check(step)

    async def acarry_out(self, step: JudgeDraft | WriteFeedback) -> Report | str:
        """As `carry_out`."""
        if isinstance(step, WriteFeedback):
            return await asyncio.to_thread(self._feedback, step.report)
        return await self.acheck(step)

    def _feedback(self, report: Report) -> str:
        return feedback(report, on_undecided=self._settings.on_undecided)

    def _options(self, spent: Usage) -> VerifyOptions:
        """The options, with what is left of the time and of the cost."""
        settings, options = self._settings, self._settings.verification
        tokens = spent.prompt_tokens + spent.completion_tokens
        return replace(
            options,
            max_calls=_least(options.max_calls, settings.max_calls, spent.calls),
            max_tokens=_least(options.max_tokens, settings.max_tokens, tokens),
            max_seconds=_least(options.max_seconds, settings.timeout, 0),
        )

    def _failed(self, error: Exception) -> Report:
        timeout = self._settings.timeout
        late = isinstance(error, TimeoutError) and timeout is not None
        why = f"the judge took longer than {timeout:g} s" if late else f"failed: {error!r}"
        return Report(
            state="error", graph=ProvenanceGraph(nodes=()), warnings=(f"not verified: {why}",), judge=self._judge.name
        )

    def _delivered(self, report: Report) -> Report:
        errors: list[Exception] = []
        self._delivery.deliver(report, errors.append)
        return _noted(report, errors)

    async def _adelivered(self, report: Report) -> Report:
        errors: list[Exception] = []
        await self._delivery.adeliver(report, errors.append, self._settings.timeout)
        return _noted(report, errors)


def _noted(report: Report, errors: list[Exception]) -> Report:
    """A report that says what the user's hook raised; what a hook raises later is only in its task."""
    notes = [f"on_report raised {type(error).__name__}" for error in errors]
    return replace(report, warnings=(*report.warnings, *notes)) if notes else report


def _least(per_draft: Any, total: Any, spent: float) -> Any:
    left = None if total is None else max(0, total - spent)
    limits = [limit for limit in (per_draft, left) if limit is not None]
    return min(limits, default=None)


def _within(seconds: float, work: Callable[[], Report]) -> Report:
    """Runs work on a thread that may be left behind: one that hangs must not hold up the app, nor its end."""
    future: Future[Report] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), name="trail-guard", daemon=True).start()
    if not wait([future], seconds).done:
        raise TimeoutError
    return future.result()
