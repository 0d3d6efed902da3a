"""`trail serve`: a page for the team, from a store."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Never

from trail_callbacks.cli.inputs import existing
from trail_callbacks.cli.options import Word, Words, option
from trail_callbacks.cli.output import complain, display, progress
from trail_callbacks.errors import MissingExtraError

if TYPE_CHECKING:
    from trail_callbacks.report import Report
    from trail_callbacks.serving import Access
    from trail_callbacks.trace import Trace


def serve(
    *,
    store: Annotated[str, option("FILE|URL", "The store whose runs are shown.", envvar="TRAIL_STORE")] = "trail.db",
    host: Annotated[str, option("ADDRESS", "Where to listen; beyond this machine only with a token.")] = "127.0.0.1",
    port: Annotated[int, option("N", "Port; 0 takes a free one.", min=0, max=65_535)] = 8766,
    token: Annotated[
        Word, option("TEXT", "What readers must show, 16 characters or more.", envvar="TRAIL_TOKEN")
    ] = None,
    allow_host: Annotated[Words, option("NAME", "Name under which readers reach the page; may be repeated.")] = None,
) -> None:
    """Shows the runs of a store in a browser, until it is interrupted. Nothing is sent anywhere."""
    _need_extra()
    from trail_callbacks.serving import Access  # noqa: PLC0415 - needs an extra

    access = Access(host, token, allow_host or ())
    _serve(store, host, port, access, token)


def serve_demo(runs: int = 2_000) -> None:
    """Judges played traffic into a store that is removed at the end, and shows it."""
    _need_extra()
    from trail_callbacks.demo.traffic import BAD, DAYS, traffic  # noqa: PLC0415 - only here
    from trail_callbacks.diagnosis import verified  # noqa: PLC0415 - as above
    from trail_callbacks.serving import Access  # noqa: PLC0415 - needs an extra
    from trail_callbacks.store import Store  # noqa: PLC0415 - as above

    signal.signal(signal.SIGTERM, _interrupt)  # or the folder would stay
    with TemporaryDirectory(prefix="trail-demo-") as folder, progress("judging played runs", total=runs) as bar:
        where = str(Path(folder) / "trail.db")
        store = Store(where)

        def judged() -> Iterator[tuple[Report, Trace]]:
            for trace in traffic(runs, time.time()):
                yield verified(trace), trace
                bar.advance(bar.task_ids[0])

        store.put(judged())
        store.close()
        bar.stop()
        display(
            f"{runs:,} played runs over {DAYS} days, with two rollouts. One broke the questions of the class {BAD}: "
            "the page says which rollout, and at which stage."
        )
        _serve(where, "127.0.0.1", 0, Access(), None)


def _interrupt(*_: object) -> Never:
    raise KeyboardInterrupt


def _serve(where: str, host: str, port: int, access: Access, token: str | None) -> None:
    from trail_callbacks.serving.app import Server  # noqa: PLC0415 - needs an extra

    store = existing(where)
    try:
        server = Server(store, host, port, access, token)
        server.run(lambda: display(f"The page is at {server.url}", "Ctrl+C ends it."))
    except KeyboardInterrupt:
        complain("ended")
    finally:
        store.close(1.0)


def _need_extra() -> None:
    for name in ("starlette", "uvicorn", "jinja2", "sqlalchemy"):
        if find_spec(name) is None:
            raise MissingExtraError("the page", "serve")
