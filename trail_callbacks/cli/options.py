"""Options that several commands take, as Typer reads them: name, type and help."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from trail_callbacks.files import require_writable

__all__ = [
    "BaseUrl",
    "Cache",
    "Json",
    "Judge",
    "MaxCalls",
    "MaxCost",
    "MaxTokens",
    "OnNotEnough",
    "Output",
    "PriceIn",
    "PriceOut",
    "RequestsPerMinute",
    "TokensPerMinute",
    "status_of",
    "writable",
]


def writable(path: str | None) -> str | None:
    """Returns the file that an option names, if it can be written: to be known before a model is paid for its content.

    Raises:
        InputError: If it cannot.
    """
    if path is not None:
        require_writable(path)
    return path


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Also write the JSON to a file.", callback=writable),
]
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
OnNotEnough = Annotated[
    Literal["pass", "fail"] | None, typer.Option(help="What to do if there is not enough data; default: status 3.")
]

_STATUS = {"passes": 0, "worse": 1, "not_enough_data": 3}


def status_of(outcome: str, on_not_enough: Literal["pass", "fail"] | None) -> int:
    """Returns the exit status of a gate: 0 if it passes, 1 if it is worse, 3 if there is not enough data.

    Args:
        outcome: `passes`, `worse` or `not_enough_data`.
        on_not_enough: What the last is to be instead; None leaves it.
    """
    if outcome == "not_enough_data" and on_not_enough:
        return _STATUS["passes" if on_not_enough == "pass" else "worse"]
    return _STATUS[outcome]
