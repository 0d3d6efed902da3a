"""Options that several commands take, as Typer reads them: name, type and help."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["BaseUrl", "Cache", "Json", "Judge", "Output"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Output = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the JSON to a file.")]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="JUDGE", help="The judge: local (offline, the default), provider/model, or encoder:MODEL (runs here)."
    ),
]
BaseUrl = Annotated[str | None, typer.Option(metavar="URL", help="OpenAI-compatible endpoint of the model.")]
Cache = Annotated[str | None, typer.Option(metavar="DIR", help="Cache model replies in this folder.")]
