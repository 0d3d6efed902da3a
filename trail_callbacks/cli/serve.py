"""`trail serve`: a page for the team, from a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trail_callbacks.cli.output import complain, display
from trail_callbacks.errors import InputError, MissingExtraError

__all__ = ["serve"]


def serve(
    *,
    store: Annotated[
        str, typer.Option(envvar="TRAIL_STORE", metavar="FILE|URL", help="The store whose runs are shown.")
    ] = "trail.db",
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; beyond this machine only with a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, metavar="N", help="Port; 0 takes a free one.")] = 8766,
    token: Annotated[
        str | None,
        typer.Option(envvar="TRAIL_TOKEN", metavar="TEXT", help="What readers must show, 16 characters or more."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Name under which readers reach the page; may be repeated."),
    ] = None,
) -> None:
    """Shows the runs of a store in a browser, until it is interrupted. Nothing is sent anywhere."""
    try:
        from trail_callbacks.serving import Access  # noqa: PLC0415 - needs an extra
        from trail_callbacks.serving.running import Server  # noqa: PLC0415 - as above
        from trail_callbacks.store import Store  # noqa: PLC0415 - as above
    except ImportError as error:
        raise MissingExtraError("the page", "serve") from error
    access = Access(host, token, allow_host or ())
    if "://" not in store and not _exists(store):
        raise InputError(
            f"there is no store {store}: name the one of your app with --store, or try `trail demo --serve`"
        )
    opened = Store(store)
    try:
        server = Server(opened, host, port, access, token)
        display(f"The page is at {server.url}", "Ctrl+C ends it.")
        server.run()
    except KeyboardInterrupt:
        complain("ended")
    finally:
        opened.close(1.0)


def _exists(store: str) -> bool:
    return Path(store).expanduser().exists()
