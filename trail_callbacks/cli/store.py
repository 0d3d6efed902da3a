"""`trail store`: what is in a store, what comes out and what is deleted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from trail_callbacks.cli.inputs import existing, seconds
from trail_callbacks.cli.options import Json, group, option
from trail_callbacks.cli.output import deliver, display
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.render.excerpt import plain

store = group("Looks after a store of judged runs.")

_Where = Annotated[str, typer.Argument(metavar="STORE", help="File of the store, or the URL of its database.")]


@store.command()
def info(*, where: _Where, as_json: Json = False) -> None:
    """Says how much is in a store."""
    found = existing(where).contents()
    first, last = (f"{datetime.fromtimestamp(at or 0.0, UTC):%Y-%m-%d %H:%M} UTC" for at in (found.first, found.last))
    lines = (
        f"{plain(found.url)}, version {found.version} of the tables",
        f"{found.runs:,} runs with {found.claims:,} claims, {found.feedback:,} marks by people",
        *([f"from {first} to {last}"] if found.runs else []),
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
    age = seconds(older_than)
    if age is None:
        raise InputError(f"--older-than is {older_than!r}, expected a number and a unit, such as 30d, 12h or 8w")
    display(f"{existing(where).prune(time.time() - age, keep):,} runs deleted")


@store.command()
def forget(*, where: _Where, user: Annotated[str, option("ID", "The user, as user_id of the runs.")]) -> None:
    """Deletes all runs of a user."""
    display(f"{existing(where).forget(user):,} runs deleted")


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
