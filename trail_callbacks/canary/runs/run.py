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
from trail_callbacks.canary.outcomes import classify, decide_all
from trail_callbacks.canary.passages import holding
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import usable
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.runs.plan import Plan, named
from trail_callbacks.canary.runs.scoring import Scorer
from trail_callbacks.canary.runs.stored import CanaryJournal, load_run, stored_plan
from trail_callbacks.canary.runs.work import Holds, Progress, Work
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.models.call import Model
from trail_callbacks.work.budget import Budget

__all__ = ["Holds", "Progress", "arun", "load_run", "rescore", "run", "scoring"]

_DEFAULT = Strategy("default")


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
    on_progress: Callable[[Progress], object] | None = None,
    settings: Mapping[str, Any] | None = None,
    holds: Holds | None = None,
    skipped: Sequence[Skipped] = (),
    keep_reports: int = 5,
    stop: Event | None = None,
) -> Run:
    """Asks an app each probe under each arm and strategy, once, and finds what each answer does.

    What is answered is in the folder at once. The same call again asks only what is missing or failed, whatever ended
    the call before, Ctrl-C and `kill -9` included. Questions that were on their way just then are asked again, and
    counted in `Run.repeated`.

    Args:
        probes: The questions. One that can tell nothing, such as one whose two answers are the same, is not asked, for
            a reason in `Run.skipped`.
        app: The app, called from several threads; coroutines run on one private event loop.
        out: Folder of the run; made if it does not exist.
        strategies: Ways to build the app; none is one way, `default`.
        arms: What the app may see. An arm that the app cannot do is left out, with its reason in `Run.skipped`.
        model: Reads the answers that code is in doubt of (`Finding.is_doubtful`), such as `openai/gpt-5-mini`; None
            leaves them as code found them.
        budget: What it may cost over all calls: each question is a call, and so is each of the model's. Tokens of
            questions are those that the app tells. Its pace is for both together.
        concurrency: Questions on their way at once, 1 or more.
        timeout: Seconds for each answer. Without one in time the question has failed; a thread that does not come back
            is left behind, and after four for each of `concurrency` the app is not asked any more.
        on_progress: Called after each question.
        settings: What else the run is made with, JSON-like. `seed` decides the order.
        holds: Tells whether what was served holds the fact; None is `holding.holds`.
        skipped: Probes that are not asked, and why: for the report.
        keep_reports: How many reports of the app are kept for each strategy, arm and outcome, the first ones.
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
    if keep_reports < 0:
        raise InputError(f"keep_reports is {keep_reports}, expected 0 or more")
    judge = _model(model)
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
    with closing(CanaryJournal(Path(out), plan, keep_reports=keep_reports)) as journal:
        work = Work(
            journal,
            model=judge,
            budget=budget or Budget(),
            scoring=scoring(),
            concurrency=concurrency,
            on_progress=on_progress,
            stop=stop or Event(),
        )
        work.ask(app, timeout=timeout, holds=holds or holding.holds)
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


def rescore(
    folder: str | Path,
    *,
    model: Model | str | None = None,
    budget: Budget | None = None,
    concurrency: int = 8,
    on_progress: Callable[[Progress], object] | None = None,
) -> Run:
    """Finds anew what the stored answers of a run do, without asking the app: for a newer release, or another judge.

    Args:
        folder: The folder of the run.
        model: Reads what code is in doubt of; None keeps what a model decided before. The same one is not asked again.
        budget: What it may cost, with all that the run has cost before.
        concurrency: Calls of the model at once, 1 or more.
        on_progress: Called after each answer.

    Raises:
        InputError: If there is no run, or it is in use.
        JudgeError: If the model is unknown.
    """
    judge = _model(model)
    plan = stored_plan(Path(folder))
    plan = replace(plan, judge=plan.judge if judge is None else judge.name, release=version("trail-callbacks"))
    with closing(CanaryJournal(Path(folder), plan, asks=False)) as journal:
        work = Work(
            journal,
            model=judge,
            budget=budget or Budget(),
            scoring=scoring(),
            concurrency=concurrency,
            on_progress=on_progress,
            stop=Event(),
        )
        work.rescore()
    return load_run(folder)


def _model(model: Model | str | None) -> Model | None:
    if model is None:
        return None
    found = resolve(model).model
    if found is None:
        raise InputError(f"model is {model!r}, which asks no model: what code is in doubt of needs one")
    return found


def scoring() -> Scorer:
    """What finds out what an answer does."""
    return Scorer(classify, decide_all)
