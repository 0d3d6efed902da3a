"""`trail triage`: where to look when runs go wrong, in the order of evidence."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from trail_callbacks.cli.options import Json, Output
from trail_callbacks.cli.output import display, dumped, emit
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.observations import Observation
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.releases.triage import Triage

__all__ = ["triage"]

_AGO = re.compile(r"(\d+(?:\.\d+)?)([mhdw])")
_SECONDS = {"m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}
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
    store: Annotated[str | None, typer.Option(metavar="STORE", help="The store: its file or URL.")] = None,
    runs: Annotated[
        str | None, typer.Option(metavar="FILE", help="Reports and traces instead, as a file or a folder of files.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="End of the time; by default now.")] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Look at these segments only; by default at all with up to 50 values."),
    ] = None,
    post_mortem: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write a post-mortem with the figures filled in.")
    ] = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Asks where runs go wrong: was the evaluator up, in which segment, since which version, at which stage first?

    Figures are compared with the time before: seven times as long, as far as runs are known. Of a run, the time is the
    day that ends with it.
    """
    from trail_callbacks.releases.post_mortem import to_post_mortem  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.releases.steps import moment, steps, verdict  # noqa: PLC0415 - as above

    if (store is None) == (runs is None):
        raise InputError("say where runs are: --store STORE or --runs FILE, and only one of them")
    found = _asked(what, until, lambda since, end: _known(store, runs, since, end), by or ())
    if post_mortem:
        write(post_mortem, to_post_mortem(found))
    data = found.as_data()
    if output:
        write(output, dumped(data))
    if as_json:
        emit(data)
        return
    display(
        Text(verdict(found, plain), style="bold"),
        f"{found.runs:,} runs from {moment(found.since)} to {moment(found.until)}, {found.before:,} before",
    )
    for question, answers in steps(found, plain):
        display(Text(f"\n{question}", style="bold"), *(f"  {answer}" for answer in answers))


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
    """Seconds since the epoch; None if it is no time. A time without a zone is UTC."""
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return now - timedelta(seconds=float(ago[1]) * _SECONDS[ago[2]]).total_seconds()
    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
