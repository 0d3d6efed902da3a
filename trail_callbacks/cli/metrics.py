"""`trail metrics`: what a store has counted, as Prometheus reads it."""

from __future__ import annotations

from typing import Annotated

import typer

from trail_callbacks.cli.alerts import Into, StoreUrl
from trail_callbacks.cli.output import pour
from trail_callbacks.cli.stores import existing
from trail_callbacks.files import write

__all__ = ["metrics"]


def metrics(
    *,
    store: StoreUrl,
    objectives: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also the segments that these objectives name, from the start.")
    ] = None,
    output: Into = None,
) -> None:
    """Prints counters for Prometheus; into a file, the node exporter's textfile collector serves them."""
    from trail_callbacks.alerts import read  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.alerts.exposition import exposition  # noqa: PLC0415 - as above

    wanted = read(objectives) if objectives else ()
    named = [(name, value) for each in wanted for name, value in each.segment.items() if value != "*"]
    text = exposition(existing(store).totals(), named)
    if output:
        write(output, text)
    else:
        pour(text)
