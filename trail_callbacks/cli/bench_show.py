"""`trail bench show`: what benches say, beside each other where they are of the same data."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

import typer

from trail_callbacks.cli.options import Json, Word, option, writable
from trail_callbacks.cli.output import deliver
from trail_callbacks.files import write


def show(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="What trail bench -o wrote; several, too.")],
    *,
    picture: Annotated[
        Word, option("FILE", "Draw precision against recall, and seconds beside it, as SVG.", callback=writable)
    ] = None,
    as_json: Json = False,
) -> None:
    """Shows what judges found, what that cost, and which of them can be told apart.

    Judges of several files on the same data stand in one table, and every two are compared on the sentences that both
    read. Of other data there are other tables, and no differences.
    """
    from trail_callbacks.bench.figures import merged, side_by_side  # noqa: PLC0415 - takes long to import
    from trail_callbacks.bench.picture import to_svg  # noqa: PLC0415 - likewise
    from trail_callbacks.bench.results import Bench  # noqa: PLC0415 - likewise
    from trail_callbacks.bench.table import views  # noqa: PLC0415 - likewise

    found = [side_by_side(each) for each in merged({file: Bench.load(file) for file in files})]
    if picture is not None:
        write(picture, to_svg(found), public=True)
    apart = "These are different data: judges are compared within each table only."
    shown = [*chain.from_iterable(map(views, found)), *([apart] if len(found) > 1 else [])]
    deliver({"data": [each.as_data() for each in found]}, shown, as_json=as_json)
