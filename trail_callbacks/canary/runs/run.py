"""A canary run from start to end: each probe is asked once under each arm and strategy, and what it did is kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, NamedTuple

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.outcomes import Scored, classify, decide_all
from trail_callbacks.canary.passages.holding import holds
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import usable
from trail_callbacks.canary.runs.journal import CanaryJournal, Cell, Plan, key_of, load_run, named
from trail_callbacks.canary.trial import (
    ARMS,
    Answered,
    App,
    Arm,
    ArmUnavailableError,
    Ask,
    Finding,
    Run,
    Strategy,
    Trial,
)
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.models.call import Budget, Failure, Model, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.models.provider_error import redact
from trail_callbacks.models.tokens import count
from trail_callbacks.report import Report
from trail_callbacks.text import encodable
from trail_callbacks.work.askers import Askers, CallEnd, TooLateError
from trail_callbacks.work.budget import Granted, Ledger, granted

_DEFAULT = Strategy("default")
_BATCH = 32  # answers that a model is given together
_PATIENCE = 3  # batches in a row of which the model decided nothing
_FAILURES = 20  # in a row, after which an app is not asked any more, or not under an arm
_LEFT = 4  # threads that an app keeps, for each that may ask, after which likewise
_TICK = 0.5  # seconds after which a wait looks whether the run is to end
_LONGEST = 400  # characters of an error


@dataclass(slots=True)
class RunProgress:
    """How far a run is."""

    asked: int = 0  # questions that this command asked and that have ended
    known: int = 0  # trials that were there already
    failed: int = 0  # questions of this command without an answer
    undecided: int = 0  # answers of which code is in doubt
    total: int = 0  # all trials of the plan, without those that the app cannot do
    usage: Usage = field(default_factory=Usage)  # what the run cost, earlier commands too


def run(
    probes: Sequence[Probe],
    app: App,
    *,
    out: str | Path,
    strategies: Sequence[Strategy] = (),
    arms: Sequence[Arm] = ARMS,
    model: Model | str | None = None,
    budget: Budget | None = None,
    concurrency: int = 8,
    timeout: float = 60.0,
    on_progress: Callable[[RunProgress], object] | None = None,
    settings: Mapping[str, Any] | None = None,
    skipped: Sequence[Skipped] = (),
    stop: Event | None = None,
) -> Run:
    """Asks an app each probe under each arm and strategy, once, and finds what each answer does.

    What is answered is in the folder at once. The same call again asks only what is missing or failed, whatever ended
    the call before, Ctrl-C and `kill -9` included. Questions that were on their way just then are asked again, and
    counted in `Run.repeated`. With another model, or by another release of this package, it finds anew what the answers
    that are there do.

    Args:
        probes: The questions. One that can tell nothing, such as one whose two answers are the same, is not asked, for
            a reason in `Run.skipped`.
        app: The app, called from several threads; coroutines run on one private event loop.
        out: Folder of the run; made if it does not exist.
        strategies: Ways to build the app; none is one way, `default`.
        arms: What the app may see. An arm that the app cannot do is left out, with its reason in `Run.skipped`.
        model: Reads the answers that code is in doubt of (`Finding.is_doubtful`), such as `openai/gpt-5-mini`, after
            all was asked; None leaves them as code found them.
        budget: What it may cost over all calls: each question is a call, and so is each of the model's. Tokens of
            questions are those that the app tells. Its pace is for both together.
        concurrency: Questions, or calls of the model, on their way at once, 1 or more.
        timeout: Seconds for each answer. Without one in time the question has failed; a thread that does not come back
            is left behind, and after four for each of `concurrency` the app is not asked any more.
        on_progress: Called after each question, and each batch that the model read.
        settings: What else the run is made with, JSON-like. `seed` decides the order.
        skipped: Probes that are not asked, and why: for the report.
        stop: Ends the run once it is set; what is on its way is then asked again by the next call.

    Returns:
        The run. Failures of the app are in it, not exceptions; after 20 in a row the app is not asked any more,
        and after 20 in a row under one arm of a strategy not under that one.

    Raises:
        InputError: If there are no probes that can be asked, ids are not unique, a number is out of range, or the
            folder is in use or of another run.
        JudgeError: If the model is unknown.
    """
    if concurrency < 1:
        raise InputError(f"concurrency is {concurrency}, expected 1 or more")
    if not 0 < timeout < float("inf"):
        raise InputError(f"timeout is {timeout}, expected seconds over 0")
    limits = (budget or Budget()).of_many()
    judge = None if model is None else resolve(model).model
    if judge is None and model is not None:
        raise InputError(f"model is {model!r}, which asks no model: what code is in doubt of needs one")
    asked, unusable = usable(probes)
    if unusable and not asked:
        raise InputError(f"no probe can be asked: {unusable[0].place}: {unusable[0].why}")
    plan = Plan(
        probes=asked,
        strategies=tuple(strategies) or (_DEFAULT,),
        arms=tuple(arm for arm in ARMS if arm in arms) if set(arms) <= set(ARMS) else tuple(arms),
        app=named(app),
        judge=None if judge is None else judge.name,
        release=version("trail-callbacks"),
        settings=dict(settings or {}),
        skipped=(*skipped, *unusable),
    )
    with closing(CanaryJournal(Path(out), plan)) as journal:
        work = _Work(
            journal=journal,
            app=app,
            ledger=Ledger(limits, journal.spent),
            concurrency=concurrency,
            timeout=timeout,
            on_progress=on_progress,
            stop=stop or Event(),
        )
        why: str | None = "interrupted"
        try:
            work.ask(_known(journal))
            if judge is not None:
                work.judge(judge)
            why = work.stopped or (work.ledger.exhausted if judge is not None else None)
        finally:
            journal.tell(stopped=why)
            journal.commit(work.ledger.spent)
    return load_run(out)


async def arun(probes: Sequence[Probe], app: App, **options: Any) -> Run:
    """As `run`, without blocking the event loop; cancelling it ends the run, and keeps what is done."""
    stop = Event()
    work = asyncio.ensure_future(asyncio.to_thread(partial(run, probes, app, **{"stop": stop, **options})))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([work])
        raise


def _known(journal: CanaryJournal) -> set[Cell]:
    """The places that have an answer; what another release or judge found of it is found anew."""
    done = set()
    for cell, trial, judge in journal.known():
        if trial.answer is None:
            continue
        done.add(cell)
        if journal.before == journal.plan.release and judge in (None, journal.plan.judge):
            continue
        finding = _by_code(journal.plan.probes[cell[1]], trial.arm, trial.answer, trial.served)
        if judge is None or judge != journal.plan.judge or not finding.is_doubtful:
            journal.put(cell, replace(trial, finding=finding))
    return done


class _Posed(NamedTuple):
    """A question on its way: its place in the plan, and the tokens granted for it."""

    cell: Cell
    ask: Ask
    tokens: int


@dataclass(eq=False, kw_only=True)
class _Work:
    """One command: what is asked of an app, and then of a model, as the ledger grants it."""

    journal: CanaryJournal
    app: App
    ledger: Ledger
    concurrency: int
    timeout: float
    on_progress: Callable[[RunProgress], object] | None
    stop: Event
    stopped: str | None = None  # why it ended before all was asked

    def __post_init__(self) -> None:
        self._askers = Askers(self.concurrency)
        self._progress = RunProgress(total=len(self.journal.plan))
        self._without: set[tuple[int, int]] = set()  # arms of strategies that are not asked any more
        self._failures: Counter[tuple[int, int] | None] = Counter()  # in a row, under an arm of a strategy, and of all

    def _tell(self) -> None:
        self._progress.usage = self.ledger.spent
        if self.on_progress is not None:
            self.on_progress(self._progress)

    def ask(self, known: set[Cell]) -> None:
        """Asks until all is done or something ends it."""
        self._progress.known = len(known)
        try:
            for cell in self.journal.plan.order():
                while not self._askers.free and self._goes_on:
                    self._take_all(_TICK)
                if not self._goes_on:
                    break
                if cell not in known and (cell[0], cell[2]) not in self._without:
                    self._pose(cell)
            while self._askers.busy and not self.stop.is_set():
                self._take_all(_TICK)
            if self.stop.is_set():
                self._end("interrupted")
        except BaseException:  # an interrupt above all
            self._end("interrupted")
            self._take_all(0.0)  # what has ended is kept
            raise

    @property
    def _goes_on(self) -> bool:
        return self.stopped is None and not self.stop.is_set()

    def _end(self, why: str) -> None:
        self.stopped = self.stopped or why

    def _pose(self, cell: Cell) -> None:
        """Asks a question as soon as the pace lets it go; that it is asked is written down before."""
        strategy, probe, arm = self.journal.plan.at(cell)
        wait = self.ledger.admit(tokens := count(probe.question))
        if isinstance(wait, Failure):
            self._end(wait.detail)
            return
        due = monotonic() + wait
        while (left := due - monotonic()) > 0 and self._goes_on:
            self._take_all(min(_TICK, left)) if self._askers.busy else self.stop.wait(min(_TICK, left))
        if not self._goes_on or (cell[0], cell[2]) in self._without:
            self.ledger.settle(tokens, Usage(), None)  # gives back what was granted
            return
        self.journal.begin(key_of(cell))
        self.journal.commit(self.ledger.spent)
        ask = Ask(probe=probe.id, question=probe.question, arm=arm, strategy=strategy)
        self._askers.begin(_Posed(cell, ask, tokens), partial(self.app, ask), self.timeout)

    def _take_all(self, seconds: float) -> None:
        for each in self._askers.wait(seconds):
            self._take(each.what, each)
        self.journal.commit(self.ledger.spent)
        if self._askers.hung >= _LEFT * self.concurrency:
            self._end(f"the app did not come back from {self._askers.hung} questions")

    def _take(self, posed: _Posed, ended: CallEnd) -> None:
        said, error = None, ended.error
        if error is None:
            try:
                said = _answered(ended.value)
            except Exception as wrong:  # noqa: BLE001 - whatever it is that the app returned
                error = wrong
        unavailable = redact(str(error)[:_LONGEST]) if isinstance(error, ArmUnavailableError) else None
        usage = Usage() if said is None else said.usage
        calls = 0 if unavailable else 1
        self.ledger.settle(posed.tokens, replace(usage, calls=calls, seconds=0.0, cache_hits=0), None)
        if unavailable is not None:
            self.journal.give_up(key_of(posed.cell))
            self._leave_out(posed, unavailable)
            return
        trial = Trial(
            probe=posed.ask.probe,
            arm=posed.ask.arm,
            strategy=posed.ask.strategy.name,
            answer=None,
            finding=Finding(outcome="unscorable", how="error"),
        )
        trial = self._found(posed, trial, said) if said else self._failed(posed, trial, _in_words(error))
        self.journal.put(posed.cell, trial)
        self._progress.asked += 1
        self._tell()

    def _leave_out(self, posed: _Posed, why: str) -> None:
        self._without.add((posed.cell[0], posed.cell[2]))
        self.journal.note(f"{posed.ask.arm} of {posed.ask.strategy.name}", why)

    def _failed(self, posed: _Posed, trial: Trial, why: str) -> Trial:
        self._progress.failed += 1
        under = (posed.cell[0], posed.cell[2])
        self._failures.update((None, under))
        said = f"the app failed {_FAILURES} times in a row, the last time: {why}"
        if self._failures[None] >= _FAILURES:
            self._end(said)
        elif self._failures[under] >= _FAILURES:  # a retriever is away, and other arms answer in between for ever
            self._leave_out(posed, said)
        return replace(trial, error=why, finding=replace(trial.finding, reason=why))

    def _found(self, posed: _Posed, trial: Trial, said: Answered) -> Trial:
        self._failures[None] = self._failures[posed.cell[0], posed.cell[2]] = 0
        probe, report = self.journal.plan.probes[posed.cell[1]], said.report
        served = _served(probe, trial.arm, said.passages)
        finding = _by_code(probe, trial.arm, said.text, served)
        self._progress.undecided += finding.is_doubtful
        trial = replace(trial, answer=said.text, finding=finding, served=served, dropped=said.dropped)
        if report is None:
            return trial
        try:
            return replace(trial, report=self.journal.report(posed.cell, trial, report))
        except TrailError as error:
            self.journal.note("reports", str(error))
            return trial

    def judge(self, model: Model) -> None:
        """Has a model read what code is in doubt of; what it fails on stays as it is, for the next command."""
        journal, ledger = self.journal, self.ledger
        through = partial(Granted, grants=ledger)
        doubtful = [each for each in journal.known() if each.trial.answer and each.trial.finding.is_doubtful]
        failures = 0
        for batch in (doubtful[at : at + _BATCH] for at in range(0, len(doubtful), _BATCH)):
            if self.stop.is_set() or ledger.exhausted is not None or failures >= _PATIENCE:
                return
            answers = [
                Scored(probe=journal.plan.probes[cell[1]], arm=trial.arm, answer=trial.answer, served=trial.served)
                for cell, trial, _ in batch
            ]
            try:
                found, _ = drive(granted(decide_all(answers), through), through(model), concurrency=self.concurrency)
            except Exception as error:  # noqa: BLE001 - the run is as good as code made it
                found = [replace(each.trial.finding, reason=_in_words(error)) for each in batch]
            decided = [(each, finding) for each, finding in zip(batch, found, strict=True) if not finding.is_doubtful]
            for each, finding in decided:
                journal.put(each.cell, replace(each.trial, finding=finding), model.name)
            journal.commit(ledger.spent)
            self._progress.undecided -= len(decided)
            self._tell()
            failures = 0 if decided else failures + 1
            if failures >= _PATIENCE:
                journal.note("judge", f"{model.name} decided nothing and was not asked any more: {found[-1].reason}")


def _served(probe: Probe, arm: Arm, passages: Sequence[str] | None) -> bool | None:
    if passages is None or arm in ("closed_book", "empty"):
        return None
    try:
        return holds(probe, passages, arm)
    except Exception:  # noqa: BLE001 - one odd passage must not end a run: the report says that this is not known
        return None


def _by_code(probe: Probe, arm: Arm, answer: str, served: bool | None) -> Finding:
    """What code finds that an answer does; never raises."""
    try:
        return classify(probe, arm, answer, served=served)
    except Exception as error:  # noqa: BLE001 - one odd answer must not end a run
        return Finding(outcome="unscorable", how="undecided", reason=f"could not be compared: {_in_words(error)}")


def _in_words(error: BaseException | None) -> str:
    """Returns an error in one line, without keys."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an app's exception may be broken, too
        text = "(its text cannot be made)"
    name = type(error).__name__
    said = text if isinstance(error, TooLateError) else f"{name}: {text}" if text else name
    return encodable(redact(" ".join(said.split())[:_LONGEST]))


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
