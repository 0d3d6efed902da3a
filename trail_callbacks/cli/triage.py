"""`trail triage`: where to look when runs go wrong, in the order of evidence."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from trail_callbacks.cli.inputs import seconds, time_of
from trail_callbacks.cli.options import Json, Output, Word, Words, option
from trail_callbacks.cli.output import deliver
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.observations import Observation
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.releases.triage import Triage

__all__ = ["triage"]

_LEAD = 86_400.0  # seconds before a run that belong to its time
_COMPARED = 7  # times as long as the time in question: what it is compared with


def triage(
    *,
    what: Annotated[
        str,
        typer.Argument(
            metavar="RUN|SINCE", help="Id of a run, or a time: 90m, 24h, 7d ago, 2026-11-20 or 2026-11-20T14:00Z."
        ),
    ],
    store: Annotated[Word, option("STORE", "The store: its file or URL.")] = None,
    runs: Annotated[Word, option("FILE", "Reports and traces instead, as a file or a folder of files.")] = None,
    until: Annotated[Word, option("TIME", "End of the time; by default now.")] = None,
    by: Annotated[
        Words, option("FIELD", "Look at these segments only; by default at all with up to 50 values.")
    ] = None,
    post_mortem: Annotated[Word, option("FILE", "Also write a post-mortem with the figures filled in.")] = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Asks where runs go wrong: was the evaluator up, in which segment, since which version, at which stage first?

    Figures are compared with the time before: seven times as long, as far as runs are known. Of a run, the time is the
    day that ends with it.
    """
    from trail_callbacks.releases.post_mortem import to_post_mortem  # noqa: PLC0415 - other commands do not need it

    if (store is None) == (runs is None):
        raise InputError("say where runs are: --store STORE or --runs FILE, and only one of them")
    found = _asked(what, until, lambda since, end: _known(store, runs, since, end), by or ())
    if post_mortem:
        write(post_mortem, to_post_mortem(found))
    deliver(found.as_data(), _views(found), as_json=as_json, output=output)


def _views(found: Triage) -> Iterator[Any]:
    from trail_callbacks.releases.steps import moment, steps, verdict  # noqa: PLC0415 - as above

    yield Text(verdict(found, plain), style="bold")
    yield f"{found.runs:,} runs from {moment(found.since)} to {moment(found.until)}, {found.before:,} before"
    for question, answers in steps(found, plain):
        yield Text(f"\n{question}", style="bold")
        yield from (f"  {answer}" for answer in answers)


def _asked(
    what: str,
    until: str | None,
    known: Callable[[float | None, float | None], Iterable[Observation]],
    by: Sequence[str],
) -> Triage:
    """Answers for a time, or for the day that ends with a run."""
    from trail_callbacks.releases.triage import triage as triaged  # noqa: PLC0415 - as above

    now = time.time()
    end = now if until is None else _time(until, now)
    if end is None:
        raise InputError(f"--until is {until!r}, expected a time such as 2h or 2026-11-20T14:00Z")
    since, run = _time(what, now), None
    if since is None:
        run = next((each for each in known(None, None) if each.id == what), None)
        if run is None:
            raise InputError(f"{what!r} is neither the id of a judged run nor a time such as 24h or 2026-11-20")
        since, end = run.at - _LEAD, math.nextafter(run.at, math.inf)
    begin = since - _COMPARED * (end - since)
    found = [each for each in known(begin, end) if each.at >= begin]
    return triaged(found, since, end, run=None if run is None else run.id, fields=by)


def _known(store: str | None, runs: str | None, since: float | None, until: float | None) -> Iterable[Observation]:
    from trail_callbacks.cli import runs as reading  # noqa: PLC0415 - as above

    if store is not None:
        return reading.in_store(store, since=since, until=until)
    found = list(reading.runs(str(runs), "--runs"))
    if not any(each.at for each in found):
        raise InputError("no run says when it was: reports alone do not, give their traces too")
    return found


def _time(text: str, now: float) -> float | None:
    """Seconds since the epoch, of a time or of how long it is ago; None if it is neither."""
    ago = seconds(text)
    return time_of(text) if ago is None else now - ago
