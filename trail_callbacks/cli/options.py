"""Options that several commands take, as Typer reads them: name, type and help."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "BaseUrl",
    "Cache",
    "Json",
    "Judge",
    "MaxCalls",
    "MaxCost",
    "MaxTokens",
    "Output",
    "PriceIn",
    "PriceOut",
    "RequestsPerMinute",
    "TokensPerMinute",
]

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

MaxCalls = Annotated[int | None, typer.Option(min=0, metavar="N", help="Model calls allowed, over all runs.")]
MaxTokens = Annotated[int | None, typer.Option(min=0, metavar="N", help="Tokens allowed, over all runs.")]
MaxCost = Annotated[float | None, typer.Option(metavar="X", help="Money allowed, over all runs; needs both prices.")]
PriceIn = Annotated[float | None, typer.Option(metavar="X", help="Price of a million prompt tokens.")]
PriceOut = Annotated[float | None, typer.Option(metavar="X", help="Price of a million completion tokens.")]
RequestsPerMinute = Annotated[
    float | None, typer.Option(metavar="N", help="Requests in any minute, of all processes together.")
]
TokensPerMinute = Annotated[float | None, typer.Option(metavar="N", help="Likewise, tokens.")]
