"""The work of one command on a canary run: asks what is missing, has it decided, and writes it down as it comes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Any, TypeAlias

from trail_callbacks.canary.arm import Answered, App, Arm
from trail_callbacks.canary.outcomes import Scored
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.answers import answered, in_words, unavailable
from trail_callbacks.canary.runs.plan import Cell
from trail_callbacks.canary.runs.queue import Posed, Queue
from trail_callbacks.canary.runs.scoring import Doubtful, Doubts, Judged, Scorer
from trail_callbacks.canary.runs.stored import CanaryJournal
from trail_callbacks.canary.trial import Finding, Trial
from trail_callbacks.errors import TrailError
from trail_callbacks.models.call import Model, Usage
from trail_callbacks.report import Report
from trail_callbacks.work.askers import Askers, CallEnd
from trail_callbacks.work.budget import Budget, Ledger

__all__ = ["Holds", "Progress", "Work"]

Holds: TypeAlias = Callable[[Probe, Sequence[str], Arm], bool | None]
"""Tells whether passages hold the fact of a probe as an arm states it; None if it cannot tell."""

_FAILURES = 20  # in a row, after which an app is not asked any more, or not under an arm
_LEFT = 4  # threads that an app keeps, for each that may ask, after which likewise
_TICK = 0.5  # seconds after which a wait looks whether the run is to end


@dataclass(slots=True)
class Progress:
    """How far a run is.

    Attributes:
        asked: Questions that this command asked and that have ended.
        known: Trials that were there already.
        failed: Questions of this command without an answer.
        undecided: Answers of this command that nobody has decided yet.
        total: All trials of the plan, without those that the app cannot do.
        usage: What the run cost, earlier commands too.
        money: The same in the currency of the prices; None without prices.
    """

    asked: int = 0
    known: int = 0
    failed: int = 0
    undecided: int = 0
    total: int = 0
    usage: Usage = field(default_factory=Usage)
    money: float | None = None


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
        journal: CanaryJournal,
        *,
        model: Model | None,
        budget: Budget,
        scoring: Scorer,
        concurrency: int,
        on_progress: Callable[[Progress], object] | None,
        stop: Event,
    ) -> None:
        self._journal, self._plan = journal, journal.plan
        self._budget, self._ledger = budget, Ledger(budget, journal.spent)
        self._scoring, self._on_progress, self._stop = scoring, on_progress, stop
        self._most_hung = _LEFT * concurrency
        self._askers = Askers(concurrency)
        self._judge = None if model is None else model.name
        self._doubts = None if model is None else Doubts(model, scoring, self._ledger, concurrency)
        self._progress = Progress(total=len(self._plan))
        self._waiting: dict[Cell, tuple[Trial, Report | None]] = {}  # answers that the model is to decide
        self._arrived: deque[CallEnd] = deque()
        self._failures = 0
        self._failing: Counter[tuple[int, int]] = Counter()  # the same, by strategy and arm
        self._queue = Queue(self._plan, (), self._ledger)

    def ask(self, app: App, *, timeout: float, holds: Holds) -> None:
        """Asks what is missing or failed, and has a model read what code is in doubt of."""
        self._app, self._timeout, self._holds = app, timeout, holds
        done: set[Cell] = set()
        for cell, trial, judge in self._journal.known():
            if trial.error is None:
                done.add(cell)
                if trial.finding.is_doubtful and (judge is None or judge != self._judge):
                    self._leave(cell, trial, None)
        self._progress.known = len(done)
        self._queue = Queue(self._plan, (cell for cell in self._plan.order() if cell not in done), self._ledger)
        self._go()

    def rescore(self) -> None:
        """Finds anew what all stored answers do."""
        self._queue.stopped = self._journal.stopped  # this asks nothing, so it is as true as before
        for cell, trial, judge in self._journal.known():
            if trial.answer is None:
                continue
            finding = self._scoring.at_once(self._plan.probes[cell[1]], trial.arm, trial.answer, trial.served)
            if finding.is_doubtful and judge is not None and judge == (self._judge or judge):
                continue
            found = replace(trial, finding=finding)
            self._journal.put(cell, found)
            self._progress.known += 1
            if finding.is_doubtful:
                self._leave(cell, found, None)
        self._go()

    def _go(self) -> None:
        try:
            self._rounds()
        except BaseException:  # an interrupt above all
            self._queue.end("interrupted")
            self._ledger.stop("interrupted")
            self._take_all(self._askers.wait(0.0))  # what has ended is kept
            raise
        finally:
            self._askers.close()
            if self._ledger.exhausted is not None and self._progress.undecided:
                self._queue.end(self._ledger.exhausted)
            elif self._doubts is not None and self._doubts.given_up is not None:
                why = f"{self._judge} failed and was not asked any more: {self._doubts.given_up}"
                self._journal.note("judge", why)
            self._journal.tell(stopped=self._queue.stopped)
            self._journal.commit(self._ledger.spent)

    def _rounds(self) -> None:
        askers, more = self._askers, True
        while True:
            ready: list[Posed] = []
            behind = self._doubts is not None and self._doubts.behind
            while more and not behind and len(ready) < askers.free:
                question = self._queue.next()
                if question is None:
                    more = self._queue.held is not None
                    break
                self._journal.ask(question.cell)
                ready.append(question)
            self._journal.commit(self._ledger.spent)  # what has ended, and, before it is asked, what is asked next
            for question in ready:
                askers.begin(question, partial(self._app, question.ask), self._timeout)
            if not self._judging(last=not more and not askers.busy) and not more and not askers.busy:
                return
            held = self._queue.held
            self._take_all(askers.wait(_TICK if held is None else min(_TICK, held)))
            if askers.hung >= self._most_hung:
                self._queue.end(f"the app did not come back from {askers.hung} questions")
            if self._stop.is_set():
                self._queue.end("interrupted")
                return

    def _judging(self, *, last: bool) -> bool:
        """Has the model decide a batch, if there is one; tells whether one is on its way."""
        if self._doubts is None:
            return False
        batch = self._doubts.batch(last=last)
        if batch is not None:
            self._askers.begin(None, batch, None)
        return self._doubts.busy

    def _take_all(self, ended: Sequence[CallEnd]) -> None:
        self._arrived.extend(ended)
        while self._arrived:  # what an interrupt leaves of them is taken before the end
            each = self._arrived.popleft()
            if each.what is None:
                self._judged(each.value)
            else:
                self._take(each.what, each)

    def _take(self, question: Posed, ended: CallEnd) -> None:
        error, said = ended.error, None
        if error is None:
            try:
                said = answered(ended.value)
            except Exception as wrong:  # noqa: BLE001 - whatever it is that the app returned
                error = wrong
        why = None if error is None else unavailable(error, question.ask)
        usage = Usage() if said is None else said.usage
        self._ledger.settle(question.tokens, replace(usage, calls=0 if why else 1, seconds=0.0, cache_hits=0), None)
        if why is not None:
            self._journal.cannot(question.cell, why)
            self._queue.leave_out(question.cell)
            return
        self._progress.asked += 1
        if said is None:
            self._failed(question, in_words(error or TypeError()), ended.seconds)
        else:
            self._failures = 0
            self._failing.pop((question.cell[0], question.cell[2]), None)
            self._answered(question, said, ended.seconds)
        self._tell()

    def _failed(self, question: Posed, why: str, seconds: float) -> None:
        cell = question.cell
        finding = Finding(outcome="unscorable", how="error", reason=why)
        self._journal.put(cell, self._trial(question, None, finding, error=why, seconds=seconds))
        self._progress.failed += 1
        self._failures += 1
        self._failing[cell[0], cell[2]] += 1
        said = f"the app failed {_FAILURES} times in a row, the last time: {why}"
        if self._failures >= _FAILURES:
            self._queue.end(said)
        # A retriever that is away fails under some arms only: others would answer in between for ever.
        elif self._failing[cell[0], cell[2]] >= _FAILURES and self._queue.leave_out(cell):
            strategy, _, arm = self._plan.at(cell)
            self._journal.note(f"{arm} of {strategy.name}", said)

    def _answered(self, question: Posed, said: Answered, seconds: float) -> None:
        cell, report = question.cell, said.report
        _, probe, arm = self._plan.at(cell)
        served = self._served(probe, arm, said)
        finding = self._scoring.at_once(probe, arm, said.text, served)
        trial = self._trial(
            question,
            said.text,
            finding,
            served=served,
            dropped=tuple(said.dropped),
            seconds=seconds,
            score=None if report is None else report.hallucination_score,
            usage=said.usage,
        )
        if finding.is_doubtful and self._doubts is not None:
            self._journal.put(cell, trial)
            self._leave(cell, trial, report)
        else:
            self._progress.undecided += finding.how == "undecided"
            self._journal.put(cell, self._with_report(cell, trial, report))

    def _served(self, probe: Probe, arm: Arm, said: Answered) -> bool | None:
        if said.passages is None or arm in ("closed_book", "empty"):
            return None
        try:
            return self._holds(probe, said.passages, arm)
        except Exception as error:  # noqa: BLE001 - served is then unknown, and the report says why
            self._journal.note("passages", f"whether they hold a fact could not be told: {in_words(error)}")
            return None

    def _leave(self, cell: Cell, trial: Trial, report: Report | None) -> None:
        """Leaves an answer to the model, if there is one."""
        self._progress.undecided += self._doubts is not None or trial.finding.how == "undecided"
        if self._doubts is not None and trial.answer is not None:
            self._waiting[cell] = (trial, report)
            probe = self._plan.probes[cell[1]]
            scored = Scored(probe=probe, arm=trial.arm, answer=trial.answer, served=trial.served)
            self._doubts.add(Doubtful(cell, scored))

    def _judged(self, judged: Judged) -> None:
        if self._doubts is not None:
            self._doubts.end(judged)
        for answer, finding in judged.findings:
            trial, report = self._waiting.pop(answer.cell)
            if finding is not None:
                trial = replace(trial, finding=finding)
                self._progress.undecided -= finding.how != "undecided"
            judge = None if finding is None else self._judge
            self._journal.put(answer.cell, self._with_report(answer.cell, trial, report), judge)
        self._tell()

    def _with_report(self, cell: Cell, trial: Trial, report: Report | None) -> Trial:
        if report is None:
            return trial
        try:
            return replace(trial, report=self._journal.report(cell, trial, report))
        except TrailError as error:
            self._journal.note("reports", str(error))
            return trial

    def _trial(self, question: Posed, answer: str | None, finding: Finding, **more: Any) -> Trial:
        ask = question.ask
        return Trial(probe=ask.probe, arm=ask.arm, strategy=ask.strategy.name, answer=answer, finding=finding, **more)

    def _tell(self) -> None:
        if self._on_progress is not None:
            progress = self._progress
            progress.usage, progress.money = self._ledger.spent, self._budget.cost(self._ledger.spent)
            self._on_progress(progress)
