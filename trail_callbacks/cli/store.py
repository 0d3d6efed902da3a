"""`trail store` and `trail serve`: what is in a store, what comes out and what is deleted; a page for the team."""

from __future__ import annotations

import secrets
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal, Never

import typer
from rich.text import Text

from trail_callbacks.cli.inputs import existing, seconds
from trail_callbacks.cli.options import Json, Word, Words, group, option
from trail_callbacks.cli.output import complain, deliver, display, progress
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.files import write
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.report import Report
    from trail_callbacks.serving import Access
    from trail_callbacks.trace import Trace

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


def serve(
    *,
    store: Annotated[str, option("FILE|URL", "The store whose runs are shown.", envvar="TRAIL_STORE")] = "trail.db",
    host: Annotated[str, option("ADDRESS", "Where to listen; elsewhere than here with --allow-host.")] = "127.0.0.1",
    port: Annotated[int, option("N", "Port; 0 takes a free one.", min=0, max=65_535)] = 8766,
    token: Annotated[
        Word,
        option("TEXT", "What readers must show, 16 characters or more; by default a new one.", envvar="TRAIL_TOKEN"),
    ] = None,
    allow_host: Annotated[Words, option("NAME", "Name under which readers reach the page; may be repeated.")] = None,
) -> None:
    """Shows the runs of a store in a browser, until it is interrupted. Nothing is sent anywhere.

    The address that it prints has a token, without which nobody reads: other accounts of this machine reach it, too.
    """
    _need_extra()
    from trail_callbacks.serving import Access  # noqa: PLC0415 - needs an extra

    _serve(store, host, port, Access(host, token or secrets.token_urlsafe(24), allow_host or ()))


def serve_demo(runs: int = 2_000) -> None:
    """Judges played traffic into a store that is removed at the end, and shows it."""
    _need_extra()
    from trail_callbacks.demo.traffic import BAD, DAYS, traffic  # noqa: PLC0415 - only here
    from trail_callbacks.serving import Access  # noqa: PLC0415 - needs an extra
    from trail_callbacks.store import Store  # noqa: PLC0415 - as above

    signal.signal(signal.SIGTERM, _interrupt)  # or the folder would stay
    with TemporaryDirectory(prefix="trail-demo-") as folder, progress("judging played runs", total=runs) as bar:
        where = str(Path(folder) / "trail.db")
        made = Store(where)

        def judged() -> Iterator[tuple[Report, Trace]]:
            for played in traffic(runs, time.time()):
                yield played.judged(), played.trace
                bar.advance(bar.task_ids[0])

        made.put(judged())
        made.close()
        bar.stop()
        display(
            f"{runs:,} played runs over {DAYS} days, with two rollouts. One broke the questions of the class {BAD}: "
            "the page says which rollout, and at which stage."
        )
        _serve(where, "127.0.0.1", 0, Access(token=secrets.token_urlsafe(24)))


def _interrupt(*_: object) -> Never:
    raise KeyboardInterrupt


def _serve(where: str, host: str, port: int, access: Access) -> None:
    from trail_callbacks.serving.server import Server  # noqa: PLC0415 - needs an extra

    opened = existing(where)
    try:
        server = Server(opened, host, port, access)
        said = Text(f"The page is at {server.url}", no_wrap=True, overflow="ignore")  # a link is copied whole
        server.run(lambda: display(said, "Ctrl+C ends it."))
    except KeyboardInterrupt:
        complain("ended")
    finally:
        opened.close(1.0)


def _need_extra() -> None:
    if not all(map(find_spec, ("starlette", "uvicorn", "jinja2", "sqlalchemy"))):
        raise MissingExtraError("the page", "serve")
