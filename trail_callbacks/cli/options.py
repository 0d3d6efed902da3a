"""Options that several commands take, as Typer reads them, and what their values mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from trail_callbacks.cli.apps import imported
from trail_callbacks.errors import InputError
from trail_callbacks.files import require_writable

if TYPE_CHECKING:
    from trail_callbacks.judges.judge import Judge
    from trail_callbacks.models.call import Budget

Word: TypeAlias = str | None
Words: TypeAlias = list[str] | None
"""What an option holds that may be left out, or repeated."""


def option(metavar: str | None, words: str, *names: str, **more: Any) -> Any:
    """An option: what stands for its value in the help, the help, and its names if they are not the parameter's."""
    return typer.Option(*names, metavar=metavar, help=words, **more)


def group(words: str) -> typer.Typer:
    """A command that consists of commands."""
    return typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, help=words)


def writable(path: str | None) -> str | None:
    """Refuses a file that cannot be written: to be known before a model is paid for its content."""
    if path is not None:
        require_writable(path)
    return path


def share(param: typer.CallbackParam, value: float | None) -> float | None:
    """Returns the value of an option that is a share."""
    if value is not None and not 0.0 <= value <= 1.0:
        raise InputError(f"{param.opts[0]} is {value}, expected 0.0 to 1.0")
    return value


Json = Annotated[bool, option(None, "Print one JSON object and nothing else.", "--json")]
Into = Annotated[Word, option("FILE", "Write to a file instead of standard output.", "--output", "-o")]
JudgeName = Annotated[
    Word,
    option(
        "JUDGE",
        "Who judges: local (offline, the default), provider/model, provider/model@URL (a server that speaks OpenAI's "
        "protocol), encoder:MODEL (an open model that runs here), cascade:FILE (what trail bench cascade wrote), or "
        "own:MODULE:ATTRIBUTE (one of yours).",
        "--judge",
    ),
]
Html = Annotated[Word, option("FILE", "Write it as a page: one file, which loads nothing.", callback=writable)]
Open = Annotated[bool, option(None, "Open that page in the browser; without --html it is trail.html.", "--open")]
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
    """Returns the exit status of a gate: 0 if it passes, 1 if it is worse, 3 if there is not enough data."""
    if outcome == "not_enough_data" and on_not_enough:
        return _STATUS["passes" if on_not_enough == "pass" else "worse"]
    return _STATUS[outcome]


def judge_of(name: str | None) -> Judge:
    """Makes the judge that `--judge` names."""
    from trail_callbacks.judges.cascade import CascadeJudge  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.judges.resolve import named_after, resolve  # noqa: PLC0415 - likewise

    if name is not None and name.startswith("own:"):
        return resolve(imported(name.removeprefix("own:"), "--judge own:"))
    if (file := named_after("cascade", name)) is not None:  # its judges may be own ones, too
        return CascadeJudge.from_file(file, judge_of)
    return resolve(name or None)


def pairs_of(name: str, given: Sequence[str] | None) -> dict[str, str]:
    """Reads a repeated option whose values are `NAME=VALUE`."""
    found = {}
    for each in given or ():
        key, equals, value = each.partition("=")
        if not key or not equals:
            raise InputError(f"{name} is {each!r}, expected NAME=VALUE")
        found[key.strip()] = value
    return found


def numbers_of(
    name: str, given: Sequence[str] | None, known: Mapping[str, type], other: type | None = None
) -> dict[str, Any]:
    """Reads a repeated option whose values are `NAME=NUMBER`."""
    found: dict[str, Any] = {}
    for key, value in pairs_of(name, given).items():
        kind = known.get(key, other)
        if kind is None:
            raise InputError(f"{name} {key} is unknown, expected any of {', '.join(known)}")
        try:
            found[key] = kind(value)
        except ValueError as error:
            raise InputError(f"{name} is {key}={value!r}, expected a number") from error
    return found


def budget_of(limits: Sequence[str] | None) -> Budget:
    """Makes the budget that `--limit` describes."""
    from trail_callbacks.models.call import Budget  # noqa: PLC0415 - other commands do not need it

    known = {each.name: int if each.name in {"calls", "tokens"} else float for each in fields(Budget)}
    return Budget(**numbers_of("--limit", limits, known))
