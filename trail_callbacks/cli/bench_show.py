"""`trail bench show`: what benches say, beside each other where they are of the same data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from trail_callbacks.cli.options import Json, Word, option, writable
from trail_callbacks.cli.output import deliver
from trail_callbacks.errors import InputError
from trail_callbacks.files import write

if TYPE_CHECKING:
    from trail_callbacks.bench.figures import SideBySide


def drawable(path: str | None) -> str | None:
    """Refuses a file in which no picture can be written."""
    if path is not None and not path.endswith((".svg", ".html")):
        raise InputError(f"--picture is {path!r}, expected a file that ends in .svg or .html")
    return writable(path)


def show(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="What trail bench -o wrote; several, too.")],
    *,
    picture: Annotated[
        Word,
        option("FILE", "Draw precision against recall, and the cost beside it: .svg or .html.", callback=drawable),
    ] = None,
    as_json: Json = False,
) -> None:
    """Shows what judges found, what that cost, and which of them can be told apart.

    Judges of several files on the same data stand in one table, and every two are compared on the sentences that both
    read. Of other data there are other tables, and no differences.
    """
    from trail_callbacks.bench.figures import merged, side_by_side  # noqa: PLC0415 - takes long to import
    from trail_callbacks.bench.results import Bench  # noqa: PLC0415 - likewise

    found = [side_by_side(each) for each in merged({file: Bench.load(file) for file in files})]
    if picture is not None:
        from trail_callbacks.bench.picture import to_html, to_svg  # noqa: PLC0415 - few draw one

        write(picture, to_svg(found) if picture.endswith(".svg") else to_html(found), public=True)
    deliver({"data": [each.as_data() for each in found]}, _views(found), as_json=as_json)


def _views(found: list[SideBySide]) -> Iterator[Any]:
    from trail_callbacks.bench.table import views  # noqa: PLC0415 - takes long to import

    for n, each in enumerate(found):
        if n:
            yield ""
        yield from views(each)
    if len(found) > 1:
        yield Text("The files are of different data: judges are compared within each table only.", style="yellow")
