"""`trail bench`: judges measured side by side on labelled answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trail_callbacks.cli.bench_cascade import cascade
from trail_callbacks.cli.bench_show import show
from trail_callbacks.cli.options import Json, Limits, Words, budget_of, judge_of, option, pairs_of, writable
from trail_callbacks.cli.output import complain, deliver, progress
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Budget, Usage
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.judges.judge import Judge
    from trail_callbacks.verify.estimate import Estimate

_MADE = ("own:", "cascade:")  # judges whose cost is not known by their name

bench = typer.Typer(invoke_without_command=True, add_completion=False, rich_markup_mode=None)


@bench.callback()
def _measure(
    ctx: typer.Context,
    *,
    judges: Annotated[Words, option("JUDGE", "A judge, as trail check takes it; may be repeated.", "--judge")] = None,
    data: Annotated[
        Words,
        option(
            "FILE",
            "Labelled answers: JSON lines, JSON, CSV, the marks that a page exports, or a store of them; may be "
            "repeated. By default a small set that ships.",
        ),
    ] = None,
    rounds: Annotated[int, option("N", "How often each judge reads each answer.", min=1)] = 1,
    output: Annotated[
        str, option("FILE", "The results; what is known lies beside it.", "--output", "-o")
    ] = "bench.json",
    prices: Annotated[
        Words, option("JUDGE=IN,OUT", "Prices of a million tokens of a judge; may be repeated.", "--price")
    ] = None,
    limits: Limits = None,
    dry_run: Annotated[bool, option(None, "Only say what it would cost.", "--dry-run")] = False,
    as_json: Json = False,
) -> None:
    """Measures judges side by side on labelled answers: what they find, what they flag wrongly, what that costs.

    What it will cost is said before anything is sent. The same command again does only what is missing or failed. The
    exit status is 3 if a judge failed on a third of the answers, 1 if the budget was used up before the end, and 2 if
    something of the data could not be used.
    """
    if ctx.invoked_subcommand is not None:
        return
    from trail_callbacks import bench as measuring  # noqa: PLC0415 - takes long to import
    from trail_callbacks.bench.figures import side_by_side  # noqa: PLC0415 - as above
    from trail_callbacks.bench.table import views  # noqa: PLC0415 - as above

    if not judges or "" in judges:
        raise InputError("no judge is named: --judge local --judge openai/gpt-5-mini, for example")
    errors: list[InputError] = []
    items = list(measuring.read_items(data or measuring.SHIPPED, errors.append))
    if not items:
        raise InputError(f"no labelled answer is left: {errors[0] if errors else 'the data holds none'}")
    priced, status = _prices(prices, judges), 0
    if dry_run:
        made = {name: judge_of(name) for name in judges if name.startswith(_MADE)}  # others need not be reachable
        costs = {name: measuring.expected(items * rounds, made.get(name, name)) for name in judges}
        told = {name: {**asdict(cost), "money": _money(cost, priced.get(name))} for name, cost in costs.items()}
        deliver(told, (_cost(name, cost, priced.get(name)) for name, cost in costs.items()), as_json=as_json)
    else:
        asked = {name: judge_of(name) for name in judges}
        writable(output)
        folder = Path(output).with_suffix(".readings")
        try:
            with progress("measuring") as bar:
                found = measuring.bench(
                    items,
                    asked,
                    folder=folder,
                    rounds=rounds,
                    budget=_budget(limits, priced, asked),
                    prices=priced,
                    data=", ".join(Path(each).name for each in data) if data else "shipped",
                    left_out=[f"{len(errors)} answers or labels could not be used"] if errors else [],  # no quotes
                    on_cost=lambda name, cost: complain(_cost(name, cost, priced.get(name))),
                    on_progress=bar.show,
                )
        except KeyboardInterrupt:
            complain(f"interrupted: what was read is kept in {folder}, and the same command goes on from there")
            raise typer.Exit(130) from None
        found.save(output)
        shown = side_by_side(found)
        deliver({"written": output, **shown.as_data()}, [*views(shown), f"written to {plain(output)}"], as_json=as_json)
        failed = [each.judge for each in shown.judges if each.shares["failed"].k and not each.is_comparable]
        short = [
            each.judge for each in shown.judges if each.readings < len(items) * rounds and each.judge not in failed
        ]
        if failed:
            complain(f"failed on a third of the answers or more: {', '.join(failed)}; the same command asks again")
        if short:
            complain(f"the budget is used up: {', '.join(short)} did not read all; the same command with more goes on")
        status = 3 if failed else int(bool(short))
    for each in errors:
        complain(f"skipped: {each}")
    if status := status or 2 * bool(errors):
        raise typer.Exit(status)


def _prices(given: Sequence[str] | None, judges: Sequence[str]) -> dict[str, Budget]:
    found = {}
    for each in given or ():
        name, _, numbers = each.rpartition("=")
        if name not in judges:
            raise InputError(f"--price is {each!r}, expected JUDGE=IN,OUT with one of {', '.join(judges)}")
        try:
            price_in, price_out = map(float, numbers.split(","))
        except ValueError as error:
            raise InputError(f"--price is {each!r}, expected two numbers: those of a million tokens") from error
        found[name] = Budget(price_in=price_in, price_out=price_out)
    return found


def _budget(limits: Sequence[str] | None, priced: Mapping[str, Budget], asked: Mapping[str, Judge]) -> Budget:
    given = pairs_of("--limit", limits)
    if "money" in given and "price_in" not in given:
        if bare := [name for name, judge in asked.items() if judge.model is not None and name not in priced]:
            raise InputError(f"--limit money needs the prices of {', '.join(bare)}: --price JUDGE=IN,OUT")
        limits = [*(limits or ()), "price_in=0", "price_out=0"]  # of those that ask no model
    return budget_of(limits)


def _money(cost: Estimate, prices: Budget | None) -> float | None:
    usage = Usage(prompt_tokens=cost.prompt_tokens, completion_tokens=cost.completion_tokens)
    return None if prices is None else prices.cost(usage)


def _cost(name: str, cost: Estimate, prices: Budget | None) -> str:
    if not cost.calls:
        return f"{plain(name)}: no calls of a model"
    money = "" if (spent := _money(cost, prices)) is None else f", about {spent:.2f} in money"
    more = f" and up to {cost.more_calls} more" if cost.more_calls else ""
    tokens = f"{cost.prompt_tokens:,} tokens read and {cost.completion_tokens:,} written"
    return f"{plain(name)}: about {cost.calls} calls{more}, {tokens}{money}"


bench.command()(cascade)
bench.command()(show)
