"""`trail bench cascade`: the cheapest judge or cascade that is good enough, chosen from a bench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.options import Json, option, status_of, writable
from trail_callbacks.cli.output import complain, deliver
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.bench import Bench, Choice

_UNITS = {"calls": "calls", "tokens": "tokens", "money": "paid", "seconds": "s"}


def cascade(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What trail bench -o wrote.")],
    *,
    precision: Annotated[float, option("P", "Of flagged sentences, so many are to be wrong.")] = 0.9,
    recall: Annotated[float, option("R", "Of wrong sentences, so many are to be flagged.")] = 0.8,
    output: Annotated[
        str, option("FILE", "Where the chosen one is written.", "--output", "-o", callback=writable)
    ] = "cascade.json",
    as_json: Json = False,
) -> None:
    """Chooses the cheapest judge or cascade that reaches a precision and a recall, and says what it will cost.

    Nobody is asked again: what two or three judges say one after the other is composed from what each said alone.
    Bands of scores are chosen on other answers than those on which they are measured. The file that is written is a
    judge: cascade:FILE.

    The exit status is 0 if the whole intervals of the chosen one reach what is wanted, 3 if there are too few answers
    to tell, and 1 if nothing reaches it. Without a chosen one no file is written.
    """
    from trail_callbacks.bench import Bench, cascades, chosen, failures  # noqa: PLC0415 - takes long to import

    bench = Bench.load(file)
    found = cascades(bench, precision, recall)
    best = chosen(found)
    nearest = best or min(found, key=lambda each: each.short)
    missed, open_ = failures(nearest, nearest.wanted)
    if best is not None:
        best.save(output, bench)
    outcome = best.outcome if best else "worse" if all(each.outcome == "worse" for each in found) else "not_enough_data"
    data = {
        "choices": [each.as_data() | {"outcome": each.outcome} for each in found],
        "chosen": best and best.as_data(),
        "nearest": None if best else nearest.as_data(),
        "outcome": outcome,
        "missed": missed,
        "undecided": open_,
        "needed": nearest.needed,
    }
    deliver(data, _views(bench, found, best), as_json=as_json)
    if best is not None and not as_json:  # to be copied whole: a console would break the line
        typer.echo(f"judge={plain(repr(f'cascade:{output}'))}")
    measured = {choice.stages[0][0] for choice in found}
    for name in (judged.judge for judged in bench.judges if judged.judge not in measured):
        complain(f"{name} is left out: it read nothing")
    if best is None:
        complain(f"nothing reaches precision {precision:g} and recall {recall:g}; the nearest is {nearest.name}")
    for each in (*missed, *open_):
        complain(each)
    if best is not None and open_ and nearest.needed:
        complain(f"measured on {best.answers:,} answers; if shares stay as they are, {nearest.needed:,} would tell")
    raise typer.Exit(status_of(outcome, None))


def _views(bench: Bench, found: Sequence[Choice], best: Choice | None) -> Iterator[Any]:
    from trail_callbacks.bench.table import cell  # noqa: PLC0415 - takes long to import

    read = f"{found[0].answers:,} of {len(bench.answers):,} answers, those that all judges have read"
    yield Text(f"{plain(bench.data)}: {read}", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 1, 0))
    for head in ("", "judges", "precision", "recall", "decides", "an answer", "1,000 answers"):
        table.add_column(head, overflow="fold", no_wrap=head == "1,000 answers")
    shown: list[Choice] = []
    for each in found:
        if len(each.stages) == 1 or each is best or not any(_is_as_good(other, each) for other in shown):
            shown.append(each)
            decides = "\n".join(f"{share:.0%}" for share in each.decides)
            rates, costs = map(cell, (each.precision, each.recall)), ("\n".join(_costs(each, n)) for n in (1, 1000))
            table.add_row(">" if each is best else "", Text(plain(each.name)), *rates, decides, *costs)
    yield from ("", table)
    key = "The cheapest first; not shown is what another that costs no more is as good as. Decides: of the sentences."
    yield Text(key, style="dim")
    if best is not None:
        yield from ("", Text(f"chosen: {plain(best.name)}", style="bold"))


def _is_as_good(other: Choice, one: Choice) -> bool:
    pairs = ((other.precision, one.precision), (other.recall, one.recall))
    return all((a.value or 0.0) >= (b.value or 0.0) for a, b in pairs)


def _costs(choice: Choice, answers: int) -> Iterator[str]:
    from trail_callbacks.bench.table import amount  # noqa: PLC0415 - as above

    for name, unit in _UNITS.items():
        if cost := (choice.costs[name] or 0.0) * answers:
            yield f"{amount(cost)} {unit}"
