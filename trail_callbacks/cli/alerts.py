"""`trail alerts`: objectives evaluated here or written for Prometheus and Grafana, and where to look first."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.text import Text

from trail_callbacks.cli import runs as reading
from trail_callbacks.cli.inputs import existing, read, time_of
from trail_callbacks.cli.options import Into, Json, StoreUrl, Word, Words, group, option
from trail_callbacks.cli.output import complain, deliver, dumped, handed_out
from trail_callbacks.errors import InputError
from trail_callbacks.monitor import Observation
from trail_callbacks.monitor import triage as triaging
from trail_callbacks.monitor.evaluation import Alert, Event, History, evaluate
from trail_callbacks.monitor.objectives import Objectives, parse
from trail_callbacks.monitor.rules import dashboard as drawn
from trail_callbacks.monitor.rules import prometheus_rules
from trail_callbacks.render.excerpt import moment, plain

_LEAD = 86_400.0  # seconds before a run that belong to its time
_COMPARED = 7  # times as long as the time in question: what it is compared with
_File = Annotated[str, typer.Argument(metavar="OBJECTIVES", help="Objectives as TOML, see docs/alerts.md.")]

alerts = group("Says which stage burns its error budget, and whom to call.")


@alerts.command()
def check(
    *,
    objectives: _File,
    store: StoreUrl,
    at: Annotated[
        Word, option("TIME", "As if it were then: 2026-11-20T14:00Z, or how long ago, 2h; by default now.")
    ] = None,
    state: Annotated[
        Word, option("FILE", "Remembers what was told, so that each alert and its end are told once.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Evaluates objectives once; cron runs it every minute or so.

    The exit status is 1 if somebody is to be called, also where it was told before. Without --state, what burns is told
    each time.
    """
    wanted, now = _read(objectives), _moment("--at", at)
    judged = existing(store)
    segments = judged.segments() if any("*" in each.segment.values() for each in wanted) else {}
    found = evaluate(wanted, judged, now, segments)
    events = _told(found, now, state)
    data = {
        "at": datetime.fromtimestamp(now, UTC).isoformat(),
        "alerts": [each.to_dict() for each in found],
        "events": [each.to_dict() for each in events],
    }
    deliver(data, _lines(found, events), as_json=as_json)
    if any(each.calls for each in found):
        raise typer.Exit(1)


@alerts.command()
def rules(objectives: _File, output: Into = None) -> None:
    """Writes objectives as recording and alerting rules for Prometheus, which scrapes `trail alerts metrics`."""
    handed_out(prometheus_rules(_read(objectives)), output, public=True)


@alerts.command()
def dashboard(objectives: _File, output: Into = None) -> None:
    """Writes a dashboard for Grafana, to be imported there."""
    handed_out(dumped(drawn(_read(objectives))) + "\n", output, public=True)


@alerts.command()
def metrics(
    *,
    store: StoreUrl,
    objectives: Annotated[Word, option("FILE", "Also the segments that these objectives name, from the start.")] = None,
    output: Into = None,
) -> None:
    """Prints counters for Prometheus; into a file, the node exporter's textfile collector serves them."""
    from trail_callbacks.store.totals import exposition  # noqa: PLC0415 - needs an extra

    wanted = _read(objectives) if objectives else ()
    named = [(name, value) for each in wanted for name, value in each.segment.items() if value != "*"]
    handed_out(exposition(existing(store).totals(), named), output, public=True)


@alerts.command()
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
    as_json: Json = False,
) -> None:
    """Asks where runs go wrong: was the evaluator up, in which segment, since which version, at which stage first?

    Figures are compared with the time before: seven times as long, as far as runs are known. Of a run, the time is the
    day that ends with it.
    """
    if (store is None) == (runs is None):
        raise InputError("say where runs are: --store STORE or --runs FILE, and only one of them")
    since, end, run = time_of(what), _moment("--until", until), None
    if since is None:
        run = next((each for each in _known(store, runs) if each.id == what), None)
        if run is None:
            raise InputError(f"{what!r} is neither the id of a judged run nor a time such as 24h or 2026-11-20")
        since, end = run.at - _LEAD, math.nextafter(run.at, math.inf)
    begin = since - _COMPARED * (end - since)
    known = [each for each in _known(store, runs, begin, end) if each.at >= begin]
    found = triaging.triage(known, since, end, run=None if run is None else run.id, fields=by or ())
    times = f"from {moment(found.since)} to {moment(found.until)}"
    views: list[Any] = [
        Text(triaging.verdict(found), style="bold"),
        f"{found.runs:,} runs {times}, {found.before:,} before",
    ]
    for question, answers in triaging.steps(found):
        views += [Text(f"\n{question}", style="bold"), *(f"  {answer}" for answer in answers)]
    deliver(found.as_data(), views, as_json=as_json)


def _read(objectives: str) -> Objectives:
    return parse(read(objectives), objectives)


def _known(
    store: str | None, runs: str | None, since: float | None = None, until: float | None = None
) -> Iterable[Observation]:
    if store is not None:
        return reading.in_store(store, since=since, until=until)
    found = list(reading.runs(str(runs), "--runs"))
    if not any(each.at for each in found):
        raise InputError("no run says when it was: reports alone do not, give their traces too")
    return found


def _moment(option: str, text: str | None) -> float:
    found = time.time() if text is None else time_of(text)
    if found is None:
        raise InputError(f"{option} is {text!r}, expected a time such as 2h or 2026-11-20T14:00Z")
    return found


def _told(found: Sequence[Alert], now: float, state: str | None) -> tuple[Event, ...]:
    """Returns what is new. A state file that cannot be used never hides an alert."""
    history = History()
    try:
        history = History.read(state) if state else history
    except InputError as error:
        complain(f"{error}; all is told as if it were new")
        state = None
    events = history.update(found, now)
    try:
        if state:
            history.write(state)
    except InputError as error:
        complain(str(error))
    return events


def _lines(found: Sequence[Alert], events: Sequence[Event]) -> Iterator[str]:
    for each in found:
        called = f"{each.severity} to {each.owner}" if each.calls else ""
        figures = ""
        if each.share is not None:
            figures = f"{each.share:.1%} bad of {each.decided} in {each.window}, burn {each.burn:.1f}"
        state = "too few runs to tell" if each.state == "too_few" else each.state.replace("_", " ")
        yield plain(": ".join(x for x in (each.id, state, called, each.why or figures) if x))
    for event in events:
        if event.kind == "ends":
            yield plain(f"{event.id}: has ended")
