"""`trail calibrate`: how far a judge can be relied on, by what people say of its verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.inputs import existing, read
from trail_callbacks.cli.options import Json, Word, Words, numbers_of, option, status_of, writable
from trail_callbacks.cli.output import complain, deliver, dumped
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.reading import is_database
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.bench import Calibration, JudgedClaim

_CELLS = 20  # of a bar that stands for the whole


def calibrate(
    *,
    where: Annotated[
        str, typer.Argument(metavar="MARKS", help="A store with marks, or a file of them: what its page exports.")
    ],
    judge: Annotated[Word, option("NAME", "The judge; default: the one with the most marks.")] = None,
    segment: Annotated[Word, option("FIELD", "Tell agreement apart by the values of this metadata.")] = None,
    precision: Annotated[float, option("P", "Find the confidence from which so many verdicts are right.")] = 0.9,
    against: Annotated[Word, option("FILE", "An earlier calibration: what has changed since.")] = None,
    rules: Annotated[
        Words, option("NAME=LEAST", "Require agreement, kappa, precision or recall; may be repeated.", "--rule")
    ] = None,
    output: Annotated[Word, option("FILE", "Also write it as JSON.", "--output", "-o", callback=writable)] = None,
    as_json: Json = False,
) -> None:
    """Compares the verdicts of a judge with what people marked on the page of `trail serve`.

    Agreement, Cohen's kappa, precision and recall of what was flagged and of each class, and where the judge has
    confidences, whether they are to be believed; all with n and 95 % intervals. Recall is of the claims that people
    looked at: mark some that were not flagged, too.

    The exit status is 0, or with --rule: 1 if a whole interval misses it, 3 if there are too few marks to tell. It
    is 2 if the marks cannot be read, or there are none.
    """
    from trail_callbacks import bench  # noqa: PLC0415 - takes long to import

    required = numbers_of("--rule", rules, dict.fromkeys(bench.RULES, float))
    errors: list[InputError] = []
    found = bench.calibrated(_claims(where, errors), judge, segment, precision)
    changes = found.drift(_earlier(against)) if against is not None else {}
    missed, open_ = bench.failures(found, required)
    data = {
        **found.as_data(),
        "drift": changes,
        "missed": missed,
        "undecided": open_,
        "skipped": list(map(str, errors)),
    }
    if output is not None:
        write(output, dumped(found.as_data()))
    deliver(data, _views(found, changes), as_json=as_json)
    for each in [*missed, *open_, *(f"skipped: {error}" for error in errors)]:
        complain(str(each))
    outcome = "worse" if missed else "not_enough_data" if open_ else "passes"
    raise typer.Exit(status_of(outcome, None) or (2 if errors else 0))


def _claims(where: str, errors: list[InputError]) -> Iterator[JudgedClaim]:
    from trail_callbacks.bench.calibration import read_marks  # noqa: PLC0415 - takes long to import

    if is_database(where):
        from trail_callbacks.bench.marks import marked  # noqa: PLC0415 - SQLAlchemy is needed by few

        return read_marks((json.dumps(row) for row in marked(existing(where))), errors.append)
    return read_marks(read(where).splitlines(), errors.append)


def _earlier(name: str) -> dict[str, Any]:
    try:
        found = json.loads(read(name))
    except ValueError as error:
        raise InputError(f"{name} is no calibration: the JSON is broken ({error})") from error
    return found if isinstance(found, dict) else {}


def _views(found: Calibration, changes: dict[str, tuple[float, float, float]]) -> Iterator[Any]:
    yield Text(f"{plain(found.judge or 'a judge without a name')}, by people's marks", style="bold")
    yield Text(f"agreement: {found.agreement}")
    if found.kappa is not None and found.kappa_interval is not None:
        low, high = found.kappa_interval
        yield Text(f"kappa: {found.kappa:.2f} (95 % interval {low:.2f} to {high:.2f})")
    yield Text(f"precision of flags: {found.precision}")
    yield Text(f"recall of flags: {found.recall}")
    yield _table([(name, precision, recall) for name, (precision, recall) in found.classes.items()])
    for name, values in found.segments.items():
        yield from (Text(f"{plain(name)} {plain(value)}: {each}") for value, each in values.items())
    if found.error is not None:
        low, high = found.error_interval or (0.0, 1.0)
        yield Text(f"calibration error of its confidences: {found.error:.3f} (95 % interval {low:.3f} to {high:.3f})")
        for each in found.bins:
            bar = "\u2588" * round((each.right.value or 0.0) * _CELLS)
            yield Text(f"  {each.confidence:.2f} said  {bar:<{_CELLS}} {each.right}")
        yield Text(_threshold(found))
    for name, (change, low, high) in changes.items():
        told = "" if low <= 0.0 <= high else ", a change that is not by chance"
        yield Text(f"{name} since then: {change:+.2f} (95 % interval {low:+.2f} to {high:+.2f}){told}")
    yield from (Text(plain(each), style="dim") for each in found.left_out)


def _threshold(found: Calibration) -> str:
    if found.threshold is None:
        return f"no confidence reaches {found.wanted:g} of the verdicts right"
    one = found.threshold
    sure = "" if one.reaches(found.wanted) else "; too few marks to be sure of it"
    return (
        f"{found.wanted:g} right from a confidence of {one.confidence:.2f} on: {one.right}, {one.kept:.0%} of all{sure}"
    )


def _table(rows: Iterable[tuple[str, Any, Any]]) -> Table:
    table = Table("class", "people agree", "found by the judge", box=None, pad_edge=False)
    for name, precision, recall in rows:
        if precision.n or recall.n:
            table.add_row(name, str(precision), str(recall))
    return table
