"""`trail canary run`: probes asked of an app, within a budget; and `watch`: a few again and again, in production."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from trail_callbacks import canary
from trail_callbacks.cli.apps import load_app
from trail_callbacks.cli.canary_texts import left_out
from trail_callbacks.cli.options import Json, Limits, Word, budget_of, judge_of, option
from trail_callbacks.cli.output import complain, deliver, display, emit, progress
from trail_callbacks.errors import InputError
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.canary.runs.run import RunProgress
    from trail_callbacks.models.call import Model

_PER_CALL = 8  # answers that a judge reads in one call
_WIDTH = 160  # columns: a turn is a line of a log

ProbesFile = Annotated[
    str, typer.Argument(metavar="PROBES", help="The probes: JSON lines of `trail canary probes`, CSV or a table.")
]
AppName = Annotated[
    str, option("MODULE:ATTRIBUTE", "The app: a function, or an object that is called with an Ask.", "--app")
]
CanaryJudge = Annotated[
    Word,
    option(
        "PROVIDER/MODEL",
        "The model (@URL names its server) that reads answers which code is in doubt of; none by default.",
    ),
]
TimeLimit = Annotated[float, option("SECONDS", "How long to wait for an answer.")]


def run(
    *,
    probes: ProbesFile,
    app: AppName,
    out: Annotated[str, option("DIR", "Folder of the run; to go on, name the same one.")],
    matrix: Annotated[Word, option("FILE", "Strategies to compare, as TOML.")] = None,
    arms: Annotated[Word, option("ARM,..", "Some of closed_book, real, fictive, empty; all by default.")] = None,
    judge: CanaryJudge = None,
    seed: Annotated[int, option("N", "Decides the order of the questions.")] = 0,
    concurrency: Annotated[int, option("N", "Questions at once.", min=1)] = 8,
    timeout: TimeLimit = 60.0,
    limit: Limits = None,
    dry_run: Annotated[bool, option(None, "Only estimate what it costs.", "--dry-run")] = False,
    as_json: Json = False,
) -> None:
    """Asks an app each probe under each arm and strategy, once, and says what its answers do.

    A call is a question to the app, or one to the judge. The same command again asks only what is missing or failed,
    whatever ended it; with another judge it finds anew what the answers do. The exit status is 1 if not all was
    answered: over budget, interrupted, or the app failed.
    """
    from trail_callbacks.canary.runs.journal import read_matrix  # noqa: PLC0415 - other commands do not need it

    found, skipped = canary.read_probes(probes)
    strategies, chosen = read_matrix(matrix) if matrix else ((), canary.ARMS)
    if arms is not None:
        chosen = cast("Sequence[canary.Arm]", [each.strip() for each in arms.split(",")])  # checked by the run
    if dry_run:
        _say_cost(found, max(1, len(strategies)) * len(chosen), judged=judge is not None, as_json=as_json)
        return
    subject, model, budget = load_app(app), _model(judge), budget_of(limit)
    try:
        with progress(f"asking {app}") as bar:

            def show(reached: RunProgress) -> None:
                parts = {"known": reached.known, "failed": reached.failed, "in doubt": reached.undecided}
                more = "".join(f", {n} {name}" for name, n in parts.items() if n)
                share = min(1.0, (reached.asked + reached.known) / reached.total)
                money = budget.cost(reached.usage)
                bar.show(f"{reached.asked} asked{more}", reached.asked, share, reached.usage, money)

            done = canary.run(
                found,
                subject,
                out=out,
                strategies=strategies,
                arms=chosen,
                model=model,
                budget=budget,
                concurrency=concurrency,
                timeout=timeout,
                on_progress=show,
                settings={"app": app, "seed": seed},
                skipped=skipped,
            )
    except KeyboardInterrupt:
        done = canary.load_run(out)
    deliver(_data(done), _views(done), as_json=as_json)
    _complain(done)


def watch(
    *,
    probes: ProbesFile,
    app: AppName,
    history: Annotated[str, option("FILE", "What was found so far; made by the first turn.")],
    max_leak: Annotated[float, option("X", "The leak rate that is allowed, 0.0 to 1.0.")] = 0.05,
    size: Annotated[int, option("N", "Probes of a turn.", "-n", "--size")] = 10,
    judge: CanaryJudge = None,
    timeout: TimeLimit = 60.0,
    limit: Limits = None,
    as_json: Json = False,
) -> None:
    """Asks an app the next few probes, and compares the leak rate of the last ones with a limit: from a timer.

    Every probe comes round; what was found survives in the history. The exit status is 1 if the rate is over the limit
    by more than chance: if the lower end of its interval is. Budgets are of a turn.
    """
    if not 0.0 <= max_leak < 1.0:
        raise InputError(f"--max-leak is {max_leak}, expected 0.0 to under 1.0")
    found, skipped = canary.read_probes(probes)
    left_out(skipped)
    options = {"model": _model(judge), "budget": budget_of(limit), "concurrency": 1, "timeout": timeout}
    now = canary.Watch(probes=found, app=load_app(app), history=history, size=size, options=options).turn()
    leak = now.leak()
    over = leak is not None and (leak.low or 0.0) > max_leak
    counts = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in now.totals.items())
    said = f"no leak rate yet: of the trials under the fictive context {counts or 'none was asked'}"
    if leak is not None:
        verdict = "over" if over else "not shown to be over"
        said = f"leak rate {leak} of {leak.documents} probes: {verdict} {max_leak:.1%}"
    data = {"at": now.at, "turns": now.turns, "leak": leak and leak.as_data(), "max_leak": max_leak, "over": over}
    if as_json:
        emit({**data, "totals": dict(now.totals)})
    else:
        display(f"{now.at}: {said}", width=_WIDTH)
    for error in now.errors:
        complain(f"the app failed: {error}")
    if now.stopped is not None:
        complain(f"the turn ended early: {now.stopped}")
    if over:
        complain(f"the leak rate is over {max_leak:.1%}")
        raise typer.Exit(1)


def _model(judge: str | None) -> Model | None:
    if judge is None:
        return None
    model = judge_of(judge).model
    if model is None:
        raise InputError(f"--judge is {judge!r}, which asks no model: what code cannot decide needs one")
    return model


def _say_cost(probes: Sequence[canary.Probe], asked: int, *, judged: bool, as_json: bool) -> None:
    """Says what a run takes, where each probe is asked so many times, and what it can show."""
    from trail_callbacks.canary.statistics.rates import planned  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.models.tokens import count  # noqa: PLC0415 - as above

    questions, tokens = asked * len(probes), asked * sum(count(each.question) for each in probes)
    calls, said = ceil(questions / _PER_CALL) if judged else 0, planned(probes)
    views = [f"{questions:,} questions to the app, of {tokens:,} tokens without what the app adds"]
    views += [f"at most {calls:,} calls of the judge"] if judged else []
    data = {"questions": questions, "question_tokens": tokens, "judge_calls": calls, "precision": said}
    deliver(data, [*views, said], as_json=as_json)


def _data(done: canary.Run) -> dict[str, Any]:
    counts = Counter((each.strategy, each.arm, each.finding.outcome) for each in done.trials)
    return {
        "folder": str(done.folder),
        "trials": len(done.trials),
        "failed": sum(each.error is not None for each in done.trials),
        "repeated": done.repeated,
        "stopped": done.stopped,
        "calls": done.spent.calls,
        "outcomes": [{"strategy": a, "arm": b, "outcome": c, "trials": n} for (a, b, c), n in counts.items()],
        "skipped": [asdict(each) for each in done.skipped],
    }


def _views(done: canary.Run) -> Iterator[str]:
    from trail_callbacks.canary.report.sections import answer, summary  # noqa: PLC0415 - as above

    found = canary.assess(done)
    yield f"{summary(found)}; {done.spent.calls} calls over all runs"
    yield plain(answer(found))
    if done.repeated:
        yield f"up to {done.repeated} questions were asked twice, because the process ended meanwhile"
    yield f"\nwritten to {plain(str(done.folder))}; next: trail canary report {plain(str(done.folder))}"


def _complain(done: canary.Run) -> None:
    """Says what is missing in a run, and exits with 1 if something is."""
    left_out(done.skipped)
    failed = [trial.error for trial in done.trials if trial.error is not None]
    if failed:
        complain(f"the app failed on {len(failed)} questions, such as: {failed[0]}; the same command asks them again")
    if lost := [each.finding for each in done.trials if each.finding.outcome == "unscorable" and each.error is None]:
        undecided = done.settings.get("judge") is None and any(each.how == "undecided" for each in lost)
        hint = "; --judge names a model that reads such answers" if undecided else ""
        complain(f"{len(lost)} answers could not be scored, such as: {lost[0].reason}{hint}")
    if done.stopped is not None:
        complain(f"{done.stopped}; the same command goes on from here")
    if failed or done.stopped is not None:
        raise typer.Exit(1)
