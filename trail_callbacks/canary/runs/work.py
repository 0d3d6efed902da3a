"""The work of one command on a canary run: asks what is missing, has it decided, and writes it down as it comes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import SimpleQueue
from threading import Event
from typing import Any, TypeAlias

from trail_callbacks.audit.budget import Budget, Ledger
from trail_callbacks.canary.arm import Answered, App, Arm, Ask
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.outcomes import Scored
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.asking import Asked, Askers, Question, in_words
from trail_callbacks.canary.runs.journal import Journal
from trail_callbacks.canary.runs.kept_reports import KeptReports
from trail_callbacks.canary.runs.progress import Progress
from trail_callbacks.canary.runs.queue import Queue
from trail_callbacks.canary.runs.rows import Cell
from trail_callbacks.canary.runs.scoring import Doubtful, Judged, Judges, Scoring
from trail_callbacks.canary.trial import Finding, Trial
from trail_callbacks.errors import TrailError
from trail_callbacks.models.call import Model, Usage
from trail_callbacks.report import Report

__all__ = ["Holds", "Work"]

Holds: TypeAlias = Callable[[Probe, Sequence[str], Arm], bool | None]
"""Tells whether passages hold the fact of a probe as an arm states it; None if it cannot tell."""

_FAILURES = 20  # in a row, after which an app is not asked any more, or not under an arm
_LEFT = 4  # threads that an app keeps, for each that may ask, after which likewise
_TICK = 0.5  # seconds after which a wait looks whether the run is to end


class Work:
    """One command on a run.

    Args:
        journal: What is known, and where it is kept.
        model: Reads what code is in doubt of, see `Finding.is_doubtful`; None leaves it as code found it.
        budget: What all commands may cost together.
        scoring: What finds out what an answer does.
        concurrency: Questions, or calls of the model, at once.
        on_progress: Called after each.
        stop: Ends the work once it is set.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        model: Model | None,
        budget: Budget,
        scoring: Scoring,
        concurrency: int,
        on_progress: Callable[[Progress], object] | None,
        stop: Event,
    ) -> None:
        self._journal, self._plan = journal, journal.plan
        self._budget, self._ledger = budget, Ledger(budget, journal.spent)
        self._scoring, self._concurrency = scoring, concurrency
        self._on_progress, self._stop = on_progress, stop
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._judge = "" if model is None else model.name
        self._judges = Judges(model, scoring, self._ledger, concurrency, self._events) if model else None
        self._progress = Progress(total=len(self._plan))
        self._waiting: dict[Cell, tuple[Trial, Report | None]] = {}  # answers that the model is to decide
        self._arrived: deque[Asked | Judged] = deque()
        self._noted: set[str] = set()
        self._failures = 0
        self._failing: Counter[tuple[int, int]] = Counter()  # the same, by strategy and arm
        self._queue = Queue(self._plan, (), self._ledger)

    def ask(self, app: App, *, timeout: float, holds: Holds, keep_reports: int) -> None:
        """Asks what is missing or failed, and has a model read what code is in doubt of."""
        self._holds = holds
        self._reports = KeptReports(self._journal.folder, keep_reports)
        done: set[Cell] = set()
        for cell, known in self._journal.known():
            self._reports.count(known.trial)
            if known.trial.error is None:
                done.add(cell)
                if known.trial.finding.is_doubtful and known.judge != self._judge:
                    self._leave(cell, known.trial, None)
        self._progress.known = len(done)
        self._queue = Queue(self._plan, (cell for cell in self._plan.order() if cell not in done), self._ledger)
        self._go(Askers(app, self._concurrency, timeout, self._events))

    def rescore(self) -> None:
        """Finds anew what all stored answers do."""
        self._reports = KeptReports(self._journal.folder, 0)
        if self._journal.stopped is not None:
            self._queue.end(self._journal.stopped)  # this asks nothing, so it is as true as before
        for cell, known in list(self._journal.known()):
            trial = known.trial
            if trial.answer is None:
                continue
            finding = self._scoring.at_once(self._plan.probes[cell[1]], trial.arm, trial.answer, trial.served)
            if finding.is_doubtful and known.judge is not None and known.judge == (self._judge or known.judge):
                continue
            found = replace(trial, finding=finding)
            self._journal.keep(cell, found)
            self._progress.known += 1
            if finding.is_doubtful:
                self._leave(cell, found, None)
        self._go(Askers(_nobody, 1, 1.0, self._events))

    def _go(self, askers: Askers) -> None:
        try:
            self._rounds(askers)
        except BaseException:  # an interrupt above all
            self._queue.end("interrupted")
            self._ledger.stop("interrupted")
            self._take_all(askers.wait(0.0))  # what has ended is kept
            raise
        finally:
            askers.close()
            judges = self._judges
            if self._ledger.exhausted is not None and self._progress.undecided:
                self._queue.end(self._ledger.exhausted)
            elif judges is not None and judges.given_up is not None:
                self._note("judge", f"{self._judge} failed and was not asked any more: {judges.given_up}")
            self._journal.end(self._queue.stopped, self._ledger.spent)

    def _rounds(self, askers: Askers) -> None:
        queue, more = self._queue, True
        while True:
            ready: list[Question] = []
            behind = self._judges is not None and self._judges.behind
            while more and not behind and len(ready) < askers.free:
                question = queue.next()
                if question is None:
                    more = queue.held is not None
                    break
                self._journal.begin(question.cell)
                ready.append(question)
            self._journal.commit(self._ledger.spent)  # what has ended, and, before it is asked, what is asked next
            for question in ready:
                askers.ask(question)
            judging = self._judges is not None and self._judges.begin(last=not more and not askers.busy)
            if not (more or askers.busy or judging):
                return
            self._take_all(askers.wait(_TICK if queue.held is None else min(_TICK, queue.held)))
            if askers.hung >= _LEFT * self._concurrency:
                queue.end(f"the app did not come back from {askers.hung} questions")
            if self._stop.is_set():
                queue.end("interrupted")
                return

    def _take_all(self, events: Sequence[Asked | Judged]) -> None:
        self._arrived.extend(events)
        while self._arrived:  # what an interrupt leaves of them is taken before the end
            self._take(self._arrived.popleft())

    def _take(self, event: Asked | Judged) -> None:
        if isinstance(event, Judged):
            self._judged(event)
            return
        question, usage = event.question, event.answered.usage if event.answered else Usage()
        counted = Usage(
            calls=0 if event.unavailable else 1,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
        )
        self._ledger.settle(question.tokens, counted, None)
        if event.unavailable is not None:
            self._cannot(question.cell, event.unavailable)
            return
        self._progress.asked += 1
        if event.answered is None:
            self._failed(event, event.error or "")
        else:
            self._failures = 0
            self._failing.pop((event.question.cell[0], event.question.cell[2]), None)
            self._answered(event, event.answered)
        self._tell()

    def _cannot(self, cell: Cell, why: str) -> None:
        self._journal.cannot(cell, why)
        if self._queue.leave_out(cell[0], cell[2]):
            self._progress.total -= len(self._plan.probes)

    def _failed(self, event: Asked, why: str) -> None:
        finding = Finding(outcome="unscorable", how="error", reason=why)
        trial = self._trial(event.question, None, finding, error=why, seconds=event.seconds)
        self._journal.keep(event.question.cell, trial)
        self._progress.failed += 1
        self._failures += 1
        strategy, _, arm = event.question.cell
        self._failing[strategy, arm] += 1
        said = f"the app failed {_FAILURES} times in a row, the last time: {why}"
        if self._failures >= _FAILURES:
            self._queue.end(said)
        # A retriever that is away fails under some arms only: others would answer in between for ever.
        elif self._failing[strategy, arm] >= _FAILURES and self._queue.leave_out(strategy, arm):
            self._note(f"{self._plan.arms[arm]} of {self._plan.strategies[strategy].name}", said)

    def _answered(self, event: Asked, answered: Answered) -> None:
        cell = event.question.cell
        probe, arm = self._plan.probes[cell[1]], self._plan.arms[cell[2]]
        served = self._served(probe, arm, answered)
        finding = self._scoring.at_once(probe, arm, answered.text, served)
        report = answered.report
        trial = self._trial(
            event.question,
            answered.text,
            finding,
            served=served,
            dropped=tuple(answered.dropped),
            seconds=event.seconds,
            score=None if report is None else report.hallucination_score,
            usage=answered.usage,
        )
        if finding.is_doubtful and self._judges is not None:
            self._journal.keep(cell, trial)
            self._leave(cell, trial, report)
        else:
            self._progress.undecided += finding.how == "undecided"
            self._journal.keep(cell, self._with_report(cell, trial, report))

    def _served(self, probe: Probe, arm: Arm, answered: Answered) -> bool | None:
        if answered.passages is None or arm in ("closed_book", "empty"):
            return None
        try:
            return self._holds(probe, answered.passages, arm)
        except Exception as error:  # noqa: BLE001 - served is then unknown, and the report says why
            self._note("passages", f"whether they hold a fact could not be told: {in_words(error)}")
            return None

    def _leave(self, cell: Cell, trial: Trial, report: Report | None) -> None:
        """Leaves an answer to the model, if there is one."""
        self._progress.undecided += self._judges is not None or trial.finding.how == "undecided"
        if self._judges is not None and trial.answer is not None:
            self._waiting[cell] = (trial, report)
            probe = self._plan.probes[cell[1]]
            scored = Scored(probe=probe, arm=trial.arm, answer=trial.answer, served=trial.served)
            self._judges.add(Doubtful(cell, scored))

    def _judged(self, judged: Judged) -> None:
        if self._judges is not None:
            self._judges.end(judged)
        for answer, finding in judged.findings:
            trial, report = self._waiting.pop(answer.cell)
            if finding is not None:
                trial = replace(trial, finding=finding)
                self._progress.undecided -= finding.how != "undecided"
            judge = None if finding is None else self._judge
            self._journal.keep(answer.cell, self._with_report(answer.cell, trial, report), judge)
        self._tell()

    def _with_report(self, cell: Cell, trial: Trial, report: Report | None) -> Trial:
        if report is None:
            return trial
        try:
            return replace(trial, report=self._reports.put(cell, trial, report))
        except TrailError as error:
            self._note("reports", str(error))
            return trial

    def _trial(self, question: Question, answer: str | None, finding: Finding, **more: Any) -> Trial:
        ask = question.ask
        return Trial(probe=ask.probe, arm=ask.arm, strategy=ask.strategy.name, answer=answer, finding=finding, **more)

    def _note(self, place: str, why: str) -> None:
        """Writes down what went wrong beside the answers, once."""
        if place not in self._noted:
            self._noted.add(place)
            self._journal.note(Skipped(place, why))

    def _tell(self) -> None:
        if self._on_progress is not None:
            progress = self._progress
            progress.usage, progress.money = self._ledger.spent, self._budget.cost(self._ledger.spent)
            self._on_progress(progress)


def _nobody(_: Ask) -> str:
    raise NotImplementedError
