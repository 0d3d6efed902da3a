"""Asks an app what is missing of a run, several questions at once, and writes down what comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from time import monotonic
from typing import Any, TypeAlias

from trail_callbacks.canary.arm import Answered, App, Arm, ArmUnavailableError, Ask
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.runs.journal import CanaryJournal, key_of
from trail_callbacks.canary.runs.plan import Cell
from trail_callbacks.canary.trial import Finding, Trial
from trail_callbacks.errors import TrailError
from trail_callbacks.models.call import Failure, Usage
from trail_callbacks.models.provider_error import redact
from trail_callbacks.models.tokens import count
from trail_callbacks.report import Report
from trail_callbacks.text import encodable
from trail_callbacks.work.askers import Askers, CallEnd, TooLateError
from trail_callbacks.work.budget import Ledger

Holds: TypeAlias = Callable[[Probe, Sequence[str], Arm], bool | None]
"""Tells whether passages hold the fact of a probe as an arm states it; None if it cannot tell."""

_FAILURES = 20  # in a row, after which an app is not asked any more, or not under an arm
_LEFT = 4  # threads that an app keeps, for each that may ask, after which likewise
_TICK = 0.5  # seconds after which a wait looks whether the run is to end
_LONGEST = 400  # characters of an error


@dataclass(slots=True)
class RunProgress:
    """How far a run is.

    Attributes:
        asked: Questions that this command asked and that have ended.
        known: Trials that were there already.
        failed: Questions of this command without an answer.
        undecided: Answers of which code is in doubt.
        total: All trials of the plan, without those that the app cannot do.
        usage: What the run cost, earlier commands too.
    """

    asked: int = 0
    known: int = 0
    failed: int = 0
    undecided: int = 0
    total: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class _Posed:
    """A question, its place in the plan, the tokens granted for it, and when the pace lets it go."""

    cell: Cell
    ask: Ask
    tokens: int
    due: float


@dataclass(eq=False, kw_only=True)
class AppRound:
    """All questions of one command to an app.

    Attributes:
        journal: What is known, and where it is kept.
        app: The app.
        ledger: Grants the calls.
        todo: What is to be asked, in its order.
        concurrency: Questions at once.
        timeout: Seconds for each.
        holds: Tells whether a fact was served.
        progress: Is kept up to date.
        tell: Called after each question.
        stop: Ends the round once it is set.
        stopped: Why it ended before all was asked; None if it did not.
    """

    journal: CanaryJournal
    app: App
    ledger: Ledger
    todo: Iterator[Cell]
    concurrency: int
    timeout: float
    holds: Holds
    progress: RunProgress
    tell: Callable[[], object]
    stop: Event
    stopped: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Begins with nothing asked."""
        self._askers = Askers(self.concurrency)
        self._held: _Posed | None = None  # by the pace
        self._without: set[tuple[int, int]] = set()  # arms of strategies that are not asked any more
        self._failures: Counter[tuple[int, int] | None] = Counter()  # in a row, under an arm of a strategy, and of all

    def ask(self) -> None:
        """Asks until all is done or something ends it."""
        try:
            while not self.stop.is_set():
                if not self._begin() and not self._askers.busy and self._held is None:
                    return
                wait = _TICK if self._held is None else min(_TICK, max(0.0, self._held.due - monotonic()))
                self._take_all(wait)
                if self._askers.hung >= _LEFT * self.concurrency:
                    self._end(f"the app did not come back from {self._askers.hung} questions")
            self._end("interrupted")
        except BaseException:  # an interrupt above all
            self._end("interrupted")
            self._take_all(0.0)  # what has ended is kept
            raise

    def _end(self, why: str) -> None:
        self.stopped = self.stopped or why
        if self._held is not None:
            self.ledger.settle(self._held.tokens, Usage(), None)  # gives back what was granted
            self._held = None

    def _begin(self) -> bool:
        """Asks as much as may be asked now; what is asked is written down before, with what has ended."""
        ready: list[_Posed] = []
        while len(ready) < self._askers.free and (question := self._next()) is not None:
            self.journal.begin(key_of(question.cell))
            ready.append(question)
        self.journal.commit(self.ledger.spent)
        for question in ready:
            self._askers.begin(question, partial(self.app, question.ask), self.timeout)
        return bool(ready)

    def _next(self) -> _Posed | None:
        """The next question; None if there is none, or the pace holds it back."""
        found, self._held = self._held or self._admitted(), None
        if found is not None and found.due > monotonic():
            found, self._held = None, found
        return found

    def _admitted(self) -> _Posed | None:
        while self.stopped is None and (cell := next(self.todo, None)) is not None:
            if (cell[0], cell[2]) in self._without:
                continue
            strategy, probe, arm = self.journal.plan.at(cell)
            tokens = count(probe.question)
            wait = self.ledger.admit(tokens)
            if isinstance(wait, Failure):
                self._end(wait.detail)
                return None
            ask = Ask(probe=probe.id, question=probe.question, arm=arm, strategy=strategy)
            return _Posed(cell, ask, tokens, monotonic() + wait)
        return None

    def _take_all(self, seconds: float) -> None:
        for each in self._askers.wait(seconds):
            self._take(each.what, each)

    def _take(self, question: _Posed, ended: CallEnd) -> None:
        error, said = ended.error, None
        if error is None:
            try:
                said = _answered(ended.value)
            except Exception as wrong:  # noqa: BLE001 - whatever it is that the app returned
                error = wrong
        why = _unavailable(error, question.ask)
        usage = Usage() if said is None else said.usage
        self.ledger.settle(question.tokens, replace(usage, calls=0 if why else 1, seconds=0.0, cache_hits=0), None)
        if why is not None:
            self.journal.give_up(key_of(question.cell))
            self._leave_out(question.cell, why)
            return
        if said is None:
            self._failed(question, in_words(error or TypeError()), ended.seconds)
        else:
            self._failures[None] = self._failures[question.cell[0], question.cell[2]] = 0
            self._put(question, said, ended.seconds)
        self.progress.asked += 1
        self.tell()

    def _leave_out(self, cell: Cell, why: str) -> None:
        self._without.add((cell[0], cell[2]))
        strategy, _, arm = self.journal.plan.at(cell)
        self.journal.note(f"{arm} of {strategy.name}", why)

    def _failed(self, question: _Posed, why: str, seconds: float) -> None:
        finding = Finding(outcome="unscorable", how="error", reason=why)
        self.journal.put(question.cell, _trial(question.ask, None, finding, error=why, seconds=seconds))
        self.progress.failed += 1
        under = (question.cell[0], question.cell[2])
        self._failures.update((None, under))
        said = f"the app failed {_FAILURES} times in a row, the last time: {why}"
        if self._failures[None] >= _FAILURES:
            self._end(said)
        elif self._failures[under] >= _FAILURES:  # a retriever is away, and other arms answer in between for ever
            self._leave_out(question.cell, said)

    def _put(self, question: _Posed, said: Answered, seconds: float) -> None:
        _, probe, arm = self.journal.plan.at(question.cell)
        served = self._served(probe, arm, said)
        finding, report = by_code(probe, arm, said.text, served), said.report
        trial = _trial(
            question.ask,
            said.text,
            finding,
            served=served,
            dropped=said.dropped,
            score=None if report is None else report.hallucination_score,
            seconds=seconds,
            usage=said.usage,
        )
        if report is not None:
            try:
                trial = replace(trial, report=self.journal.report(question.cell, trial, report))
            except TrailError as error:
                self.journal.note("reports", str(error))
        self.progress.undecided += finding.is_doubtful
        self.journal.put(question.cell, trial)

    def _served(self, probe: Probe, arm: Arm, said: Answered) -> bool | None:
        if said.passages is None or arm in ("closed_book", "empty"):
            return None
        try:
            return self.holds(probe, said.passages, arm)
        except Exception as error:  # noqa: BLE001 - served is then unknown, and the report says why
            self.journal.note("passages", f"whether they hold a fact could not be told: {in_words(error)}")
            return None


def by_code(probe: Probe, arm: Arm, answer: str, served: bool | None) -> Finding:
    """What code finds that an answer does; never raises."""
    try:
        return classify(probe, arm, answer, served=served)
    except Exception as error:  # noqa: BLE001 - one odd answer must not end a run
        return Finding(outcome="unscorable", how="undecided", reason=f"could not be compared: {in_words(error)}")


def in_words(error: BaseException) -> str:
    """Returns an error in one line, without keys."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an app's exception may be broken, too
        text = "(its text cannot be made)"
    name = type(error).__name__
    said = text if isinstance(error, TooLateError) else f"{name}: {text}" if text else name
    return encodable(redact(" ".join(said.split())[:_LONGEST]))


def _trial(ask: Ask, answer: str | None, finding: Finding, **more: Any) -> Trial:
    return Trial(probe=ask.probe, arm=ask.arm, strategy=ask.strategy.name, answer=answer, finding=finding, **more)


def _unavailable(error: BaseException | None, ask: Ask) -> str | None:
    """Returns why an app cannot be asked under an arm; None if an error says something else."""
    if isinstance(error, ArmUnavailableError):
        return redact(str(error)[:_LONGEST])
    if isinstance(error, NotImplementedError) and ask.arm == "closed_book":
        return str(error) or "the app cannot be asked without context"
    return None


def _answered(found: Any) -> Answered:
    """Returns what an app answered; raises TypeError if it is none of what an app may return."""
    if isinstance(found, str):
        found = Answered(text=found)
    if not isinstance(found, Answered):
        hint = "; is it a factory, which makes an app?" if callable(found) else ""
        raise TypeError(f"the app returned {type(found).__name__}, expected str or Answered{hint}")
    for name, fits in (
        ("text", isinstance(found.text, str)),
        ("usage", isinstance(found.usage, Usage)),
        ("report", found.report is None or isinstance(found.report, Report)),
        ("passages", found.passages is None or _is_sequence(found.passages, str)),
        ("dropped", _is_sequence(found.dropped, Skipped)),
    ):
        if not fits:
            raise TypeError(f"the app answered with {getattr(found, name)!r:.40} as {name}: see Answered")
    dropped = tuple(Skipped(encodable(each.place), encodable(each.why)) for each in found.dropped)
    return replace(found, text=encodable(found.text), dropped=dropped)


def _is_sequence(several: Any, kind: type[Any]) -> bool:
    is_several = isinstance(several, Sequence) and not isinstance(several, str)
    return is_several and all(isinstance(each, kind) for each in several)
