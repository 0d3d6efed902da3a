"""`trail store`: what is in a store, what goes in and what is deleted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trail_callbacks.cli.inputs import existing, is_trace, read, seconds, traces_in
from trail_callbacks.cli.options import BaseUrl, Json, Judge, option
from trail_callbacks.cli.output import deliver, display, skipped
from trail_callbacks.errors import InputError, ReportError
from trail_callbacks.files import write
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.excerpt import plain
from trail_callbacks.report import Report
from trail_callbacks.verify.pipeline import verify

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

__all__ = ["store"]

store = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode=None, help="Looks after a store of judged runs."
)

_Where = Annotated[str, typer.Argument(metavar="STORE", help="File of the store, or the URL of its database.")]


@store.command()
def info(*, where: _Where, as_json: Json = False) -> None:
    """Says how much is in a store."""
    found = existing(where).contents()
    lines = (
        f"{plain(found.url)}, version {found.version} of the tables",
        f"{found.runs:,} runs with {found.claims:,} claims, {found.feedback:,} marks by people",
        *([f"from {_date(found.first)} to {_date(found.last)}"] if found.runs else []),
        f"reports and traces: {found.bytes:,} bytes, {found.uncompressed:,} before compression",
        f"{found.refused:,} were too large",
        *([] if found.file is None else [f"the file has {found.file:,} bytes"]),
    )
    deliver(asdict(found), lines, as_json=as_json)


@store.command()
def prune(
    *,
    where: _Where,
    older_than: Annotated[str, option("AGE", "Age of what is deleted: 30d, 12h, 8w.")],
    keep: Annotated[
        Literal["none", "flagged"],
        option(None, "flagged leaves runs with an unsupported claim, a broken stage or feedback."),
    ] = "none",
) -> None:
    """Deletes old runs. The file keeps its size, its room is used again."""
    count = existing(where).prune(time.time() - _seconds(older_than), keep)
    display(f"{count:,} runs deleted")


@store.command()
def forget(*, where: _Where, user: Annotated[str, option("ID", "The user, as user_id of the runs.")]) -> None:
    """Deletes all runs of a user."""
    display(f"{existing(where).forget(user):,} runs deleted")


@store.command("import")
def import_(
    *,
    where: _Where,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Saved reports or traces: JSON, or JSON lines.")],
    judge: Judge = None,
    base_url: BaseUrl = None,
) -> None:
    """Puts saved reports into a store; traces are judged first.

    What is there already is not written twice. The exit status is 2 if something could not be read.
    """
    broken: list[InputError] = []
    asked = resolve(judge, base_url=base_url)

    def pairs() -> Iterator[tuple[Report, Trace | None]]:
        for name in files:
            try:
                if is_trace(Path(name)):
                    traces, errors = traces_in(name)
                    broken.extend(errors)
                    yield from ((verify(trace, asked), trace) for trace in traces)
                else:
                    yield from ((report, None) for report in _reports(name, broken))
            except InputError as error:
                broken.append(error)

    from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

    count = opened(where).put(pairs())
    display(f"{count:,} runs written")
    skipped(broken)


@store.command()
def export(
    *,
    where: _Where,
    output: Annotated[str, option("FILE", "File to write, as JSON lines.", "--output", "-o")],
    what: Annotated[Literal["reports", "traces"], option(None, "What is written of each run.")] = "reports",
) -> None:
    """Writes the reports of a store, or its traces, to a file, oldest first."""
    kept, written = existing(where), 0

    def lines() -> Iterator[str]:
        nonlocal written
        for run in kept.observations():
            found = kept.report(run.id) if what == "reports" else kept.trace(run.id)
            if found is not None:
                written += 1
                yield f"{found.to_json()}\n"

    write(output, lines())
    display(f"{written:,} {what} written to {plain(output)}")


def _reports(name: str, broken: list[InputError]) -> Iterator[Report]:
    text = read(name)
    try:
        yield Report.from_json(text)
    except ReportError as error:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2:  # noqa: PLR2004 - a file of one report
            raise ReportError(f"{name}: {error}") from error
    else:
        return
    for number, line in lines:
        try:
            yield Report.from_json(line)
        except ReportError as error:
            broken.append(ReportError(f"{name}, line {number}: {error}"))


def _seconds(age: str) -> float:
    found = seconds(age)
    if found is None:
        raise InputError(f"--older-than is {age!r}, expected a number and a unit, such as 30d, 12h or 8w")
    return found


def _date(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
