"""A canary run from start to end: each probe is asked once under each arm and strategy, and what it did is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from threading import Event
from typing import Any

from trail_callbacks.canary.arm import ARMS, App, Arm, Strategy
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.outcomes import Scored, decide_all
from trail_callbacks.canary.passages import holding
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import usable
from trail_callbacks.canary.runs.asking import AppRound, Holds, RunProgress, by_code, in_words
from trail_callbacks.canary.runs.journal import CanaryJournal, load_run
from trail_callbacks.canary.runs.plan import Cell, Plan, named
from trail_callbacks.canary.trial import Run
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.models.budget import Budget
from trail_callbacks.models.call import Model
from trail_callbacks.models.drive import drive
from trail_callbacks.work.budget import Granted, Ledger, granted

_DEFAULT = Strategy("default")
_BATCH = 32  # answers that a model is given together
_PATIENCE = 3  # batches in a row of which the model decided nothing


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
    holds: Holds | None = None,
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
        holds: Tells whether what was served holds the fact; None is `holding.holds`.
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
        ledger, progress = Ledger(budget or Budget(), journal.spent), RunProgress(total=len(plan))
        done = _known(journal)
        progress.known = len(done)

        def tell() -> None:
            progress.usage = ledger.spent
            if on_progress is not None:
                on_progress(progress)

        questions = AppRound(
            journal=journal,
            app=app,
            ledger=ledger,
            todo=(cell for cell in plan.order() if cell not in done),
            concurrency=concurrency,
            timeout=timeout,
            holds=holds or holding.holds,
            progress=progress,
            tell=tell,
            stop=stop or Event(),
        )
        why: str | None = "interrupted"
        try:
            questions.ask()
            if judge is not None:
                _judge(questions, judge)
            why = questions.stopped or (ledger.exhausted if judge is not None else None)
        finally:
            journal.tell(stopped=why)
            journal.commit(ledger.spent)
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
        finding = by_code(journal.plan.probes[cell[1]], trial.arm, trial.answer, trial.served)
        if judge is None or judge != journal.plan.judge or not finding.is_doubtful:
            journal.put(cell, replace(trial, finding=finding))
    return done


def _judge(asked: AppRound, model: Model) -> None:
    """Has a model read what code is in doubt of; what it fails on stays as it is, for the next command."""
    journal, ledger = asked.journal, asked.ledger
    through = partial(Granted, grants=ledger)
    doubtful = [each for each in journal.known() if each.trial.answer is not None and each.trial.finding.is_doubtful]
    failures = 0
    for batch in (doubtful[at : at + _BATCH] for at in range(0, len(doubtful), _BATCH)):
        if asked.stop.is_set() or ledger.exhausted is not None or failures >= _PATIENCE:
            return
        answers = [
            Scored(probe=journal.plan.probes[cell[1]], arm=trial.arm, answer=trial.answer or "", served=trial.served)
            for cell, trial, _ in batch
        ]
        try:
            found, _ = drive(granted(decide_all(answers), through), through(model), concurrency=asked.concurrency)
        except Exception as error:  # noqa: BLE001 - the run is as good as code made it
            found = [replace(each.trial.finding, reason=in_words(error)) for each in batch]
        decided = [(each, finding) for each, finding in zip(batch, found, strict=True) if not finding.is_doubtful]
        for each, finding in decided:
            journal.put(each.cell, replace(each.trial, finding=finding), model.name)
        journal.commit(ledger.spent)
        asked.progress.undecided -= len(decided)
        asked.tell()
        failures = 0 if decided else failures + 1
        if failures >= _PATIENCE:
            journal.note("judge", f"{model.name} decided nothing and was not asked any more: {found[-1].reason}")
