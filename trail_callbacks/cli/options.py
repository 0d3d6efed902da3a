"""Options that several commands take, as Typer reads them: name, type and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from trail_callbacks.errors import InputError
from trail_callbacks.files import require_writable

if TYPE_CHECKING:
    from trail_callbacks.models.budget import Budget

Word: TypeAlias = str | None
Words: TypeAlias = list[str] | None
"""What an option holds that may be left out, or repeated."""


def option(metavar: str | None, words: str, *names: str, **more: Any) -> Any:
    """An option: what stands for its value in the help, the help, and its names if they are not the parameter's."""
    return typer.Option(*names, metavar=metavar, help=words, **more)


def writable(path: str | None) -> str | None:
    """Returns the file that an option names, if it can be written: to be known before a model is paid for its content.

    Raises:
        InputError: If it cannot.
    """
    if path is not None:
        require_writable(path)
    return path


Json = Annotated[bool, option(None, "Print one JSON object and nothing else.", "--json")]
Output = Annotated[Word, option("FILE", "Also write the JSON to a file.", "--output", "-o", callback=writable)]
Into = Annotated[Word, option("FILE", "Write to a file instead of standard output.", "--output", "-o")]
Judge = Annotated[
    Word, option("JUDGE", "The judge: local (offline, the default), provider/model, or encoder:MODEL (runs here).")
]
BaseUrl = Annotated[Word, option("URL", "OpenAI-compatible endpoint of the model.")]
Cache = Annotated[Word, option("DIR", "Cache model replies in this folder.")]

Answer = Annotated[Word, option("FILE", "File with the answer to check; - is standard input.")]
AnswerText = Annotated[Word, option("TEXT", "The answer to check, as text.")]
Source = Annotated[Words, option("FILE", "File with a source; may be repeated.")]
SourceText = Annotated[Words, option("TEXT", "A source, as text; may be repeated.")]
Question = Annotated[Word, option("TEXT", "The question that was asked.")]
MaxScore = Annotated[float | None, option("X", "Exit with status 1 if a score is over this, 0.0 to 1.0.")]
OnUndecidedClaims = Annotated[
    Literal["pass", "fail"],
    option(
        None,
        "What claims left undecided beside decided ones do: pass, or count as unsupported (fail).",
        "--on-undecided",
    ),
]


StoreUrl = Annotated[str, option("URL", "Store of judged runs: a file, or a URL.", "--store")]
Limits = Annotated[
    Words,
    option(
        "NAME=VALUE",
        "Limit of all runs together: calls, tokens, money (needs price_in and price_out, of a million tokens), "
        "requests_per_minute, tokens_per_minute; may be repeated.",
        "--limit",
    ),
]

OnNotEnough = Annotated[
    Literal["pass", "fail"] | None, option(None, "What to do if there is not enough data; default: status 3.")
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


def pairs_of(name: str, given: Sequence[str]) -> dict[str, str]:
    """Reads a repeated option whose values are `NAME=VALUE`.

    Raises:
        InputError: If one is not.
    """
    found = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not key or not equals:
            raise InputError(f"{name} is {each!r}, expected NAME=VALUE")
        found[key.strip()] = value
    return found


def budget_of(limits: Sequence[str] | None) -> Budget:
    """Makes the budget that `--limit` describes.

    Raises:
        InputError: If a limit is unknown, is no number or out of range, or prices are missing.
    """
    from trail_callbacks.models.budget import Budget  # noqa: PLC0415 - other commands do not need it

    known = [each.name for each in fields(Budget)]
    found: dict[str, Any] = {}
    for name, value in pairs_of("--limit", limits or ()).items():
        if name not in known:
            raise InputError(f"--limit {name} is unknown, expected any of {', '.join(known)}")
        try:
            found[name] = int(value) if name in {"calls", "tokens"} else float(value)
        except ValueError as error:
            raise InputError(f"--limit is {name}={value!r}, expected a number") from error
    return Budget(**found)
