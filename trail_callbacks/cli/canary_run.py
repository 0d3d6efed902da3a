"""`trail canary run`: probes asked of an app, within a budget; and `rescore`, which asks the app nothing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks import canary
from trail_callbacks.cli.apps import load_app
from trail_callbacks.cli.canary_options import (
    AppName,
    Arms,
    CanaryJudge,
    Probes,
    TwinFile,
    arms_of,
    judge_of,
    read_asked,
)
from trail_callbacks.cli.meter import Meter, meter
from trail_callbacks.cli.options import (
    BaseUrl,
    Json,
    MaxCalls,
    MaxCost,
    MaxTokens,
    PriceIn,
    PriceOut,
    RequestsPerMinute,
    TokensPerMinute,
)
from trail_callbacks.cli.output import complain, display, emit
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.canary.runs.cost import Cost
    from trail_callbacks.canary.runs.run import Progress

__all__ = ["rescore", "run"]

_MANY = 500  # calls, over which a person is asked first
_COMPLAINTS = 5


def run(
    *,
    probes: Probes,
    app: AppName,
    out: Annotated[str, typer.Option(metavar="DIR", help="Folder of the run; to go on, name the same one.")],
    matrix: Annotated[str | None, typer.Option(metavar="FILE", help="Strategies to compare, as TOML or JSON.")] = None,
    arms: Arms = None,
    judge: CanaryJudge = None,
    base_url: BaseUrl = None,
    twin: TwinFile = None,
    embedding: Annotated[
        Literal["real", "fictive"] | None,
        typer.Option(help="By which texts the app's retriever finds: kept with the results."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides the order of the questions.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, metavar="N", help="Questions at once.")] = 8,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait for an answer.")] = 60.0,
    keep_reports: Annotated[
        int, typer.Option(min=0, metavar="N", help="Reports kept of each strategy, arm and outcome.")
    ] = 5,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    requests_per_minute: RequestsPerMinute = None,
    tokens_per_minute: TokensPerMinute = None,
    tokens_per_question: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="What the app reads for a question, for the estimate: not known else."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only estimate what it costs.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a large run.")] = False,
    as_json: Json = False,
) -> None:
    """Asks an app each probe under each arm and strategy, once, and says what its answers do.

    A call is a question to the app, or one to the judge. The same command again asks only what is missing or failed,
    whatever ended it. The exit status is 1 if not all was answered: over budget, interrupted, or the app failed.
    """
    from trail_callbacks.audit import Budget  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.canary.runs.cost import estimate  # noqa: PLC0415 - as above
    from trail_callbacks.canary.runs.matrix import read_arms, read_matrix  # noqa: PLC0415 - as above
    from trail_callbacks.canary.runs.run import scoring  # noqa: PLC0415 - as above
    from trail_callbacks.models.call import Usage  # noqa: PLC0415 - as above

    budget = Budget(
        calls=max_calls,
        tokens=max_tokens,
        money=max_cost,
        price_in=price_in,
        price_out=price_out,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
    )
    found, skipped, fictive = read_asked(probes, twin)
    chosen = arms_of(arms) or (read_arms(matrix) if matrix else None) or tuple(canary.ARMS)
    strategies = read_matrix(matrix) if matrix else ()
    model = judge_of(judge, base_url)
    cost = estimate(
        found,
        strategies,
        chosen,
        decide=None if model is None else scoring().decide,
        budget=budget,
        per_question=None if tokens_per_question is None else Usage(prompt_tokens=tokens_per_question),
    )
    if dry_run:
        _say_cost(cost, found, as_json=as_json)
        return
    subject = load_app(app)
    if sys.stderr.isatty():
        for line in _cost_lines(cost, found):
            typer.echo(line, err=True)
        many = cost.questions + cost.judge_calls > _MANY
        if many and not yes and sys.stdin.isatty() and not typer.confirm("Go on?", err=True):
            raise typer.Exit(1)
    settings: dict[str, Any] = {"app": app, "seed": seed}
    settings |= {"twin": fictive.id} if fictive else {}
    settings |= {"embedding": embedding} if embedding else {}
    try:
        with meter(f"asking {app}") as bar:
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
                on_progress=_shown(bar),
                settings=settings,
                skipped=skipped,
                keep_reports=keep_reports,
            )
    except KeyboardInterrupt:
        done = canary.load_run(out)
    _deliver(done, as_json=as_json)


def rescore(
    *,
    folder: Annotated[str, typer.Argument(metavar="RUN", help="Folder of a canary run.")],
    judge: CanaryJudge = None,
    base_url: BaseUrl = None,
    max_calls: MaxCalls = None,
    requests_per_minute: RequestsPerMinute = None,
    as_json: Json = False,
) -> None:
    """Finds anew what the stored answers of a run do, without asking the app: with a newer release, or another judge.

    The exit status is that of `run`.
    """
    from trail_callbacks.audit import Budget  # noqa: PLC0415 - other commands do not need it

    budget = Budget(calls=max_calls, requests_per_minute=requests_per_minute)
    model = judge_of(judge, base_url)
    with meter("reading the answers") as bar:
        done = canary.rescore(folder, model=model, budget=budget, on_progress=_shown(bar))
    _deliver(done, as_json=as_json, on="trail canary run")


def _say_cost(cost: Cost, probes: Sequence[canary.Probe], *, as_json: bool) -> None:
    from trail_callbacks.canary.statistics.precision import planned  # noqa: PLC0415 - as above

    if as_json:
        emit({**asdict(cost), "precision": planned(probes)})
    else:
        display(*_cost_lines(cost, probes))


def _cost_lines(cost: Cost, probes: Sequence[canary.Probe]) -> Iterator[str]:
    from trail_callbacks.canary.statistics.precision import planned  # noqa: PLC0415 - as above

    yield f"{cost.questions:,} questions to the app, of {cost.question_tokens:,} tokens without what the app adds"
    if cost.app_tokens is not None:
        yield f"about {cost.app_tokens:,} tokens of the app"
    if cost.judge_calls:
        yield f"at most {cost.judge_calls:,} calls of the judge, of {cost.judge_tokens:,} tokens"
    if cost.money is not None:
        known = "" if cost.app_tokens is not None else ", without the app (see --tokens-per-question)"
        yield f"at most {cost.money:.2f} in money{known}"
    if cost.minutes is not None:
        yield f"at most {cost.minutes:,.0f} minutes at this pace"
    yield planned(probes)


def _shown(bar: Meter) -> Callable[[Progress], None]:
    def show(reached: Progress) -> None:
        parts = {"known": reached.known, "failed": reached.failed, "undecided": reached.undecided}
        more = "".join(f", {n} {name}" for name, n in parts.items() if n)
        share = min(1.0, (reached.asked + reached.known) / reached.total) if reached.total else None
        bar.show(f"{reached.asked} asked{more}", reached.asked, share, reached.usage, reached.money)

    return show


def _deliver(done: canary.Run, *, as_json: bool, on: str = "the same command") -> None:
    """Shows a run; `on` is what goes on with it. Exits with 1 if something is missing."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for trial in done.trials:
        counts.setdefault((trial.strategy, trial.arm), Counter())[trial.finding.outcome] += 1
    failed = [trial.error for trial in done.trials if trial.error is not None]
    if as_json:
        outcomes = [{"strategy": strategy, "arm": arm, **counted} for (strategy, arm), counted in counts.items()]
        emit(
            {
                "folder": str(done.folder),
                "trials": len(done.trials),
                "failed": len(failed),
                "repeated": done.repeated,
                "stopped": done.stopped,
                "calls": done.spent.calls,
                "outcomes": outcomes,
                "skipped": [{"place": each.place, "why": each.why} for each in done.skipped],
            }
        )
    else:
        display(*_views(done, counts))
    for each in done.skipped[:_COMPLAINTS]:
        complain(f"left out: {each.place}: {each.why}")
    if len(done.skipped) > _COMPLAINTS:
        complain(f"{len(done.skipped) - _COMPLAINTS} more were left out")
    if failed:
        complain(f"the app failed on {len(failed)} questions, such as: {failed[0]}; {on} asks them again")
    if lost := [each.finding for each in done.trials if each.finding.outcome == "unscorable" and each.error is None]:
        undecided = done.settings.get("judge") is None and any(each.how == "undecided" for each in lost)
        hint = "; --judge names a model that reads such answers" if undecided else ""
        complain(f"{len(lost)} answers could not be scored, such as: {lost[0].reason}{hint}")
    if done.stopped is not None:
        complain(f"{done.stopped}; {on} goes on from here")
    if failed or done.stopped is not None:
        raise typer.Exit(1)


def _views(done: canary.Run, counts: dict[tuple[str, str], Counter[str]]) -> Iterator[Any]:
    from trail_callbacks.canary.statistics.rates import rates  # noqa: PLC0415 - as above

    table = Table("strategy", "arm", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    seen = [outcome for outcome in canary.OUTCOMES if any(counted[outcome] for counted in counts.values())]
    for outcome in seen:
        table.add_column(outcome.replace("_", " "), justify="right")
    for column in table.columns:
        column.overflow = "fold"
    for (strategy, arm), counted in counts.items():
        table.add_row(Text(plain(strategy)), arm, *(str(counted[outcome]) for outcome in seen))
    yield f"{len(done.trials)} trials of {len(done.probes)} probes, {done.spent.calls} calls over all runs\n"
    if counts:
        yield table
        yield ""
        for name, figures in rates(done).strategies.items():
            follow, leak = figures.rates["follow"], figures.rates["leak"]
            if follow.n:
                yield Text(f"{plain(name)}: with the fictive context it follows {follow}, and leaks {leak}")
            elif "fictive" in done.arms:
                yield Text(f"{plain(name)}: no follow rate: no answer with a fictive context could be scored")
        yield ""
    if done.repeated:
        yield f"up to {done.repeated} questions were asked twice, because the process ended meanwhile\n"
    yield f"written to {plain(str(done.folder))}; next: trail canary report {plain(str(done.folder))}"
