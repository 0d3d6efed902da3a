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

from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard.feedback import feedback
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import averify, judging, verify

__all__ = ["Checker", "Examine", "Review"]


@dataclass(frozen=True, slots=True)
class Examine:
    """To be done: judge a draft. Building its graph is work, and left to whoever does this."""

    graph: Callable[[], ProvenanceGraph]
    spent: Usage


@dataclass(frozen=True, slots=True)
class Review:
    """To be done: write the feedback on a draft. Finding what the sources say instead is work too."""

    report: Report


class Checker:
    """Judges drafts: within a time and a cost, hidden from the app's tracing, and never with an exception.

    Args:
        judge: Who decides; None is the offline judge. See `trail_callbacks.judges.resolve.resolve`.
        options: Settings of the verification; their limits hold for each draft.
        timeout: Seconds for one draft, above 0; None waits as long as it takes.
        max_calls: Model calls of the judge for all drafts of one answer, 0 or more; None is no limit.
        max_tokens: Tokens, likewise.
        on_report: Called with the report on every draft, also of those nobody else gets to see.
        around: Makes a context to judge in: an adapter hides the judge's own calls in it.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self,
        judge: JudgeLike = None,
        options: VerifyOptions | None = None,
        *,
        timeout: float | None = 60.0,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        on_report: Callable[[Report], None] | None = None,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        if timeout is not None and timeout <= 0:
            raise InputError(f"timeout is {timeout}, expected seconds above 0, or None for no limit")
        for name, value in (("max_calls", max_calls), ("max_tokens", max_tokens)):
            if value is not None and value < 0:
                raise InputError(f"{name} is {value}, expected 0 or more, or None for no limit")
        self._judge = judging(judge, options)
        self._options = options or VerifyOptions()
        self._timeout = timeout
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._on_report = on_report
        self._around = around

    def check(self, wanted: Examine) -> Report:
        """Judges a draft."""
        limited = self._limited(wanted.spent)

        def work() -> Report:
            with self._around():
                return verify(wanted.graph(), self._judge, limited)

        try:
            report = work() if self._timeout is None else _within(self._timeout, work)
        except Exception as error:  # noqa: BLE001 - the policy says what a failing judge means
            report = self._failed(error)
        return self._told(report)

    async def acheck(self, wanted: Examine) -> Report:
        """As `check`, without blocking the event loop. When cancelled, the judge's calls are cancelled."""
        limited = self._limited(wanted.spent)

        async def work() -> Report:
            with self._around():
                return await averify(await asyncio.to_thread(wanted.graph), self._judge, limited)

        try:
            # A task of its own: what it sets in its context stays there.
            report = await asyncio.wait_for(asyncio.ensure_future(work()), self._timeout)
        except Exception as error:  # noqa: BLE001 - as above
            report = self._failed(error)
        return self._told(report)

    def carry_out(self, step: Examine | Review) -> Report | str:
        """Does what is no business of the app's."""
        return feedback(step.report) if isinstance(step, Review) else self.check(step)

    async def acarry_out(self, step: Examine | Review) -> Report | str:
        """As `carry_out`."""
        if isinstance(step, Review):
            return await asyncio.to_thread(feedback, step.report)
        return await self.acheck(step)

    def _limited(self, spent: Usage) -> VerifyOptions:
        """The options, with what is left of the time and of the cost."""
        given = self._options
        tokens = spent.prompt_tokens + spent.completion_tokens
        return replace(
            given,
            max_calls=_least(given.max_calls, self._max_calls, spent.calls),
            max_tokens=_least(given.max_tokens, self._max_tokens, tokens),
            max_seconds=_least(given.max_seconds, self._timeout, 0),
        )

    def _failed(self, error: Exception) -> Report:
        late = isinstance(error, TimeoutError | asyncio.TimeoutError)
        why = f"the judge took longer than {self._timeout:g} s" if late and self._timeout else f"failed: {error!r}"
        return Report(
            state="error", graph=ProvenanceGraph(nodes=()), warnings=(f"not verified: {why}",), judge=self._judge.name
        )

    def _told(self, report: Report) -> Report:
        if self._on_report is not None:
            try:
                self._on_report(report)
            except Exception as error:  # noqa: BLE001 - the hook is the user's, the answer is not to suffer from it
                return replace(report, warnings=(*report.warnings, f"on_report raised {type(error).__name__}"))
        return report


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
