"""Judging drafts within a time and a cost.

How long a source is, its author decides. So a judge that is late is never a reason to let an answer through, and work
on texts ends soon after its deadline, also on a thread that nobody waits for any more.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import Any, TypeAlias

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard.feedback import feedback
from trail_callbacks.guard.policy import LateReport
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.guard.stripping import Stripped, stripped
from trail_callbacks.models.call import Usage
from trail_callbacks.models.lane import AT_ONCE, Lane
from trail_callbacks.report import Report
from trail_callbacks.slices import Slices, current
from trail_callbacks.verify.delivery import Delivery
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import averify, judging, verify
from trail_callbacks.verify.threshold import is_complete


@dataclass(frozen=True, slots=True)
class JudgeDraft:
    """A step: judge a draft. Building its graph is work, and left to whoever carries out the step.

    Attributes:
        graph: Builds the provenance graph of the draft.
        spent: What judging the drafts before it cost.
    """

    graph: Callable[[], ProvenanceGraph]
    spent: Usage


_logger = logging.getLogger("trail_callbacks")
_FOR_CALLS = 0.9
"""The share of the timeout after which no call of the judge's model goes on: what is decided by then counts."""


@dataclass(frozen=True, slots=True)
class WriteFeedback:
    """A step: write the feedback on a draft. Finding what the sources say instead is work too."""

    report: Report
    unclaimed: Sequence[str]


@dataclass(frozen=True, slots=True)
class StripAnswer:
    """A step: take out of an answer what is not supported.

    Attributes:
        report: The report on it.
        texts: What the app returned.
    """

    report: Report
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class KeepReport:
    """A step: keep the report on an answer. Finding whose run it was is work too."""

    keep: Callable[[], None]


class Checker:
    """Judges drafts within a time and a cost, outside the app's tracing. A failing judge never raises."""

    def __init__(
        self, settings: GuardSettings, *, around: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        self._settings = settings
        self._judge = judging(settings.judge, settings.options)
        self._around = around
        self._delivery = Delivery(settings.on_report)
        self._logged: set[str] = set()
        self._lane: Lane[Report] = Lane(settings.concurrency or AT_ONCE, waits=True)  # if the judge waits for a model

    def check(self, step: JudgeDraft) -> Report:
        """Judges a draft."""
        options, timeout, attempt = self._options(step.spent), self._settings.timeout, _Attempt(self._settings.timeout)

        def work() -> Report:
            with self._around(), attempt.sliced():
                graph = attempt.built(step.graph)
                if self._judge.model is None:
                    return verify(graph, self._judge, options)
                return self._lane.submit(lambda _: self._averified(graph, options, attempt), hurry=True).result()

        try:
            report = work() if timeout is None else _within(timeout, work)
        except Exception as error:  # noqa: BLE001 - `on_error` says what a failing judge means
            report = self._failed(error, attempt)
        return self._delivered(attempt.dated(report))

    async def acheck(self, step: JudgeDraft) -> Report:
        """As `check`, without blocking the event loop. When cancelled, the judge's calls are cancelled."""
        options, attempt = self._options(step.spent), _Attempt(self._settings.timeout)

        async def work() -> Report:
            with self._around(), attempt.sliced():
                graph = await asyncio.to_thread(attempt.built, step.graph)
                return await averify(graph, self._judge, options)

        try:
            # A task of its own: what it sets in its context stays there.
            report = await asyncio.wait_for(asyncio.ensure_future(work()), self._settings.timeout)
        except Exception as error:  # noqa: BLE001 - as above
            report = self._failed(error, attempt)
        return await self._adelivered(attempt.dated(report))

    async def _averified(self, graph: ProvenanceGraph, options: VerifyOptions, attempt: _Attempt) -> Report:
        """Verifies a draft on the loop of all judges that wait for a model."""
        with self._around(), attempt.sliced():
            return await averify(graph, self._judge, options)

    def carry_out(self, step: _Step) -> Report | _Read:
        """Carries out a step that does not need the app."""
        return self.check(step) if isinstance(step, JudgeDraft) else self._read(step)

    async def acarry_out(self, step: _Step) -> Report | _Read:
        """As `carry_out`."""
        return await (self.acheck(step) if isinstance(step, JudgeDraft) else asyncio.to_thread(self._read, step))

    def _read(self, step: StripAnswer | WriteFeedback | KeepReport | _Work) -> _Read:
        if callable(step):
            return step()
        if isinstance(step, KeepReport):
            try:
                step.keep()
            except Exception as error:  # noqa: BLE001 - the app must not see our faults
                _logger.warning("the report of a guard could not be stored: %r", error)
            return None
        undecided = self._settings.on_undecided
        if isinstance(step, WriteFeedback):
            return feedback(step.report, step.unclaimed, on_undecided=undecided)
        modelled = self._judge.model is not None
        least = self._settings.min_share
        return stripped(step.report, step.texts, undecided, least, self_contained=modelled)

    def _options(self, spent: Usage) -> VerifyOptions:
        """The options, with what is left of the time and of the cost."""
        settings, options = self._settings, self._settings.verification
        one, turn = options.budget, settings.budget
        tokens = spent.prompt_tokens + spent.completion_tokens
        budget = replace(
            one,
            calls=_least(one.calls, turn.calls, spent.calls),
            tokens=_least(one.tokens, turn.tokens, tokens),
            seconds=_least(one.seconds, settings.timeout and _FOR_CALLS * settings.timeout, 0),
        )
        if turn.money is not None:
            money = _least(one.money, turn.money, turn.cost(spent) or 0.0)
            budget = replace(budget, money=money, price_in=turn.price_in, price_out=turn.price_out)
        return replace(options, budget=budget)

    def _failed(self, error: Exception, attempt: _Attempt) -> Report:
        why = attempt.lateness if isinstance(error, TimeoutError) and attempt.is_late else f"failed: {error!r}"
        return Report(state="error", graph=attempt.graph, warnings=(f"not verified: {why}",), judge=self._judge.name)

    def _told(self, report: Report) -> None:
        """Logs each kind of failure of the judge once: to the app's users it looks like an answer without support."""
        if (kind := report.failure) and kind not in self._logged:
            self._logged.add(kind)
            _logger.warning("the judge %s of a guard failed (%s): on_report= has why", report.judge, kind)

    def _delivered(self, report: Report) -> Report:
        self._told(report)
        errors: list[Exception] = []
        self._delivery.deliver(report, errors.append)
        return _noted(report, errors)

    async def _adelivered(self, report: Report) -> Report:
        self._told(report)
        errors: list[Exception] = []
        await self._delivery.adeliver(report, errors.append, self._settings.timeout)
        return _noted(report, errors)


_Read: TypeAlias = Stripped | str | tuple[str, ...] | None
_Work: TypeAlias = Callable[[], _Read]
_Step: TypeAlias = JudgeDraft | StripAnswer | WriteFeedback | KeepReport | _Work


class _Attempt:
    """The judging of one draft, and its deadline.

    Attributes:
        graph: The graph of the draft; empty until it is built.
    """

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._start = perf_counter()
        self.graph = ProvenanceGraph(nodes=())

    def built(self, graph: Callable[[], ProvenanceGraph]) -> ProvenanceGraph:
        """Builds the graph of the draft."""
        self.graph = graph()
        return self.graph

    @property
    def is_late(self) -> bool:
        """True once the time is over in which the judge could be asked."""
        return self._timeout is not None and perf_counter() - self._start >= _FOR_CALLS * self._timeout

    @property
    def lateness(self) -> str:
        """Says how long the judge had."""
        return f"the judge took longer than {self._timeout:g} s"

    @contextmanager
    def sliced(self) -> Generator[None]:
        """For work on texts: other threads have their turn, and it ends once it is late."""
        if self._timeout is None:
            yield
            return
        token = current.set(_Deadline(self._start + self._timeout))
        try:
            yield
        finally:
            current.reset(token)

    def dated(self, report: Report) -> Report:
        """Returns a report that says so if the judge was not done with the draft when its time was over."""
        if not self.is_late or is_complete(report):
            return report
        values = {each.name: getattr(report, each.name) for each in fields(Report)}
        known = report.warnings if report.state == "error" else (*report.warnings, f"not all verified: {self.lateness}")
        return LateReport(**{**values, "warnings": known})


class _Deadline(Slices):
    """The slices of work that nobody waits for after a moment."""

    def __init__(self, end: float) -> None:
        super().__init__(patient=False)
        self._deadline = end

    def pause(self) -> None:
        if perf_counter() > self._deadline:
            raise TimeoutError
        super().pause()


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
