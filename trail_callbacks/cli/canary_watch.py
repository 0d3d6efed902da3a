"""`trail canary watch`: a few probes again and again, in production."""

from __future__ import annotations

import re
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from trail_callbacks import canary
from trail_callbacks.cli.apps import load_app
from trail_callbacks.cli.canary_options import (
    AppName,
    Arms,
    CanaryJudge,
    Probes,
    TwinFile,
    arms_of,
    judge_of,
    read_asked,
)
from trail_callbacks.cli.options import BaseUrl, Json, MaxCalls, RequestsPerMinute
from trail_callbacks.cli.output import complain, display, emit
from trail_callbacks.errors import InputError
from trail_callbacks.files import write

if TYPE_CHECKING:
    from trail_callbacks.canary.runs.history import History, Leak

__all__ = ["watch"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = 365 * 86400  # seconds
_WIDTH = 160  # columns: a turn is a line of a log


def watch(
    *,
    probes: Probes,
    app: AppName,
    history: Annotated[str, typer.Option(metavar="FILE", help="What was found so far; made by the first turn.")],
    max_leak: Annotated[float, typer.Option(metavar="X", help="The leak rate that is allowed, 0.0 to 1.0.")] = 0.05,
    size: Annotated[int, typer.Option("-n", "--size", metavar="N", help="Probes of a turn.")] = 10,
    window: Annotated[int, typer.Option(metavar="N", help="Trials that the leak rate is of, the last ones.")] = 300,
    every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Go on, a turn each 30s, 15m, 1h or 1d; once by default.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="One turn, as by default.")] = False,
    arms: Arms = None,
    judge: CanaryJudge = None,
    base_url: BaseUrl = None,
    twin: TwinFile = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides the order of the probes.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, metavar="N", help="Questions at once.")] = 1,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait for an answer.")] = 60.0,
    max_calls: MaxCalls = None,
    requests_per_minute: RequestsPerMinute = None,
    metrics: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write counters for Prometheus' textfile collector.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Asks an app the next few probes, and compares the leak rate of the last ones with a limit.

    Every probe comes round; what was found survives in the history. The exit status is 1 if the rate is over the limit
    by more than chance: if the lower end of its interval is. With --every, until it is stopped; budgets are of a turn.
    """
    from trail_callbacks.audit import Budget  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.canary.runs.history import History  # noqa: PLC0415 - as above

    if not 0.0 <= max_leak < 1.0:
        raise InputError(f"--max-leak is {max_leak}, expected 0.0 to under 1.0")
    if once and every:
        raise InputError("--once is one turn, and --every goes on: give one of them")
    pause = _seconds(every) if every else None
    found, skipped, _ = read_asked(probes, twin)
    for each in skipped[:3]:
        complain(f"left out: {each.place}: {each.why}")
    asked = arms_of(arms) or ("fictive",)
    watched = canary.Watch(
        probes=found,
        app=load_app(app),
        history=history,
        size=size,
        arms=asked,
        window=window,
        seed=seed,
        options={
            "model": judge_of(judge, base_url),
            "budget": Budget(calls=max_calls, requests_per_minute=requests_per_minute),
            "concurrency": concurrency,
            "timeout": timeout,
        },
    )
    before = History.read(history, window)
    if metrics:
        write(metrics, canary.exposition(before, asked, max_leak))  # counters are there before they count
    over = False
    try:
        while True:
            began = time.monotonic()
            over = _turn(watched, max_leak, metrics, as_json=as_json)
            if pause is None:
                break
            time.sleep(max(0.0, pause - (time.monotonic() - began)))
    except KeyboardInterrupt:
        if pause is None:
            raise
    if over:
        raise typer.Exit(1)


def _turn(watched: canary.Watch, max_leak: float, metrics: str | None, *, as_json: bool) -> bool:
    """One turn; returns whether the leak rate is over the limit."""
    history = watched.turn()
    leak = history.leak()
    over = leak is not None and leak.low > max_leak
    if metrics:
        write(metrics, canary.exposition(history, watched.arms, max_leak))
    if as_json:
        emit(_data(history, leak, over=over, max_leak=max_leak))
    else:
        display(_line(history, leak, max_leak), width=_WIDTH)
    for error in history.errors:
        complain(f"the app failed: {error}")
    if history.stopped is not None:
        complain(f"the turn ended early: {history.stopped}")
    if over:
        complain(f"the leak rate is over {max_leak:.1%}")
    return over


def _line(history: History, leak: Leak | None, max_leak: float) -> str:
    if leak is None:
        counts = {outcome: n for (arm, outcome), n in history.totals.items() if arm == "fictive"}
        so_far = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in counts.items())
        return f"{history.at}: no leak rate yet: of the trials under the fictive context {so_far or 'none was asked'}"
    state = "over" if leak.low > max_leak else "not shown to be over"
    return (
        f"{history.at}: leak rate {leak.share:.1%} ({leak.low:.1%} to {leak.high:.1%}) of {leak.probes} probes in "
        f"{leak.trials} trials, {state} {max_leak:.1%}"
    )


def _data(history: History, leak: Leak | None, *, over: bool, max_leak: float) -> dict[str, object]:
    found = {
        "at": history.at,
        "turns": history.turns,
        "leak": leak and asdict(leak),
        "max_leak": max_leak,
        "over": over,
    }
    totals = [{"arm": arm, "outcome": outcome, "trials": n} for (arm, outcome), n in sorted(history.totals.items())]
    return {**found, "totals": totals}


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text.strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 1 <= seconds <= _LONGEST:
        raise InputError(f"--every is {text!r}, expected a time of a second or more, such as 30s, 15m, 1h or 1d")
    return seconds
