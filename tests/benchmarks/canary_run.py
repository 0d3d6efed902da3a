"""Canary runs at work: `python tests/benchmarks/canary_run.py [PROBES] [speed|kills]` prints time, memory, and what kill -9 leaves.

The app answers at once, so that all time is the runner's own: journal, scoring, threads. Beside it stands the bare app,
called in a loop in the same process. For the kills the app, a function or a coroutine in turn, notes each call before it
answers, raises on some questions, hangs on others until its time is over, and is asked again by a second process over
the same folder, and by a third what failed in the second.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trail_callbacks.canary import ARMS, Answered, Ask, Probe, Strategy
from trail_callbacks.canary.runs.run import load_run, run

ROUNDS, KILLS, CONCURRENCY = 5, 20, 8
FAILING, HANGING, TIMEOUT = 0.05, 0.01, 0.25  # shares of questions, the first time they are asked; seconds
MOMENTS = random.Random(11)  # noqa: S311 - when to kill, no secret


def probes(count: int) -> list[Probe]:
    return [
        Probe(
            id=f"p{n}",
            question=f"How long does crossing number {n} take?",
            real=f"{n + 10} minutes",
            fictive=f"{n + 5017} minutes",
            documents=(f"page-{n % 100}",),
            real_quote=f"Crossing number {n} takes {n + 10} minutes.",
            fictive_quote=f"Crossing number {n} takes {n + 5017} minutes.",
            kind="number",
        )
        for n in range(count)
    ]


def app_of(asked: list[Probe]) -> Callable[[Ask], Answered]:
    known = {each.id: each for each in asked}

    def app(ask: Ask) -> Answered:
        probe = known[ask.probe]
        if ask.arm in ("closed_book", "empty"):
            return Answered(text="I don't know.", passages=())
        value, quote = (
            (probe.real, probe.real_quote) if ask.arm == "real" else (probe.fictive or "", probe.fictive_quote)
        )
        return Answered(text=f"It takes {value}.", passages=(quote,))

    return app


def frail(asked: list[Probe], log: Path, kind: str) -> Callable[[Ask], Any]:
    """The same app, which takes a millisecond, notes what it is asked, and fails or hangs on some at first."""
    answer, before = app_of(asked), asks(log)

    def trouble(ask: Ask) -> float:
        with log.open("a") as stream:  # one write a line, which the kernel appends whole
            stream.write(f"{ask.probe} {ask.arm}\n")
        chance = random.Random(f"{ask.probe} {ask.arm}").random()  # noqa: S311 - which questions fail, no secret
        if f"{ask.probe} {ask.arm}" in before or chance >= FAILING + HANGING:
            return 0.001  # so that a kill meets the run in the middle
        if chance < FAILING:
            raise ConnectionError("no route")
        return 2 * TIMEOUT

    def call(ask: Ask) -> Answered:
        time.sleep(trouble(ask))  # as slow as the app is to be, or for longer than it may take
        return answer(ask)

    async def coroutine(ask: Ask) -> Answered:
        await asyncio.sleep(trouble(ask))
        return answer(ask)

    return call if kind == "sync" else coroutine


def rss_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(count: int, folder: Path) -> dict[str, float]:
    """One run and one bare loop in this process, and its memory."""
    asked = probes(count)
    app = app_of(asked)
    before = rss_mib()
    strategy = Strategy("app")
    started = time.perf_counter()
    for probe in asked:
        for arm in ARMS:
            app(Ask(probe=probe.id, question=probe.question, arm=arm, strategy=strategy))
    bare = time.perf_counter() - started
    started, used = time.perf_counter(), time.process_time()
    found = run(asked, app, out=folder / "run", concurrency=CONCURRENCY)
    taken = time.perf_counter() - started
    trials = len(found.trials)
    outcomes = Counter(f"{each.arm} {each.finding.outcome}" for each in found.trials)
    return {
        "trials": trials,
        "seconds": taken,
        "bare_seconds": bare,
        "overhead_us": 1e6 * (taken - bare) / max(1, trials),
        "cpu_us": 1e6 * (time.process_time() - used) / max(1, trials),
        "rss_before_mib": before,
        "rss_mib": rss_mib(),
        "folder_mib": sum(each.stat().st_size for each in (folder / "run").rglob("*") if each.is_file()) / 2**20,
        "outcomes": dict(outcomes),  # type: ignore[dict-item] - printed once
    }


def child(*arguments: object) -> list[str]:
    return [sys.executable, __file__, *map(str, arguments)]


def speed(count: int) -> None:
    rounds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(child("timed", count, folder), check=True, capture_output=True, text=True)
        rounds.append(json.loads(done.stdout))
    line = {"benchmark": "canary_run", "probes": count, "arms": len(ARMS), "n": ROUNDS, "trials": rounds[0]["trials"]}
    for name in ("seconds", "bare_seconds", "overhead_us", "cpu_us", "rss_before_mib", "rss_mib", "folder_mib"):
        values = [each[name] for each in rounds]
        line[name] = {"median": round(statistics.median(values), 4), "max": round(max(values), 4)}
    print(json.dumps({**line, "outcomes": rounds[0]["outcomes"], "load": round(os.getloadavg()[0], 1)}))


def asks(log: Path) -> Counter[str]:
    return Counter(log.read_text().splitlines()) if log.exists() else Counter()


def kills(count: int) -> None:
    """Kills a run at random moments, resumes it, and counts what was lost or asked twice."""
    expected = {f"{probe.id} {arm}" for probe in probes(count) for arm in ARMS}
    whole = {kind: unkilled(count, kind) for kind in ("sync", "async")}
    rows = []
    for number in range(KILLS):
        kind = ("sync", "async")[number % 2]
        with tempfile.TemporaryDirectory() as name:
            rows.append(killed(count, kind, Path(name), MOMENTS.uniform(0.0, 0.95) * whole[kind], expected))
    sums = {name: sum(row[name] for row in rows) for name in rows[0] if name not in {"asked_before", "in_flight"}}
    line = {
        "benchmark": "canary_kills",
        "kills": KILLS,
        "trials": len(expected),
        "seconds_unkilled": {kind: round(seconds, 2) for kind, seconds in whole.items()},
        "asked_before_the_kill": sorted(row["asked_before"] for row in rows),
        "in_flight": sorted(row["in_flight"] for row in rows),
        **sums,
    }
    print(json.dumps(line))


def unkilled(count: int, kind: str) -> float:
    with tempfile.TemporaryDirectory() as name:
        process = subprocess.Popen(child("killed", count, name, kind), stdout=subprocess.DEVNULL)
        started = first_asked(Path(name, "log"), process)
        assert process.wait() == 0
        return time.perf_counter() - started


def first_asked(log: Path, process: subprocess.Popen[bytes]) -> float:
    while not log.exists():
        assert process.poll() is None, "it ended before it asked anything"
        time.sleep(0.001)  # what follows is timed from here, to the millisecond
    return time.perf_counter()


def killed(count: int, kind: str, folder: Path, moment: float, expected: set[str]) -> dict[str, int]:
    log, command = folder / "log", child("killed", count, folder, kind)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first_asked(log, process)
    time.sleep(moment)  # of the kill, a share of what a run that nobody disturbs takes
    process.kill()
    process.wait()
    before = asks(log)
    known = load_run(folder / "run").trials
    kept = {f"{each.probe} {each.arm}" for each in known if each.error is None}
    failed = {f"{each.probe} {each.arm}" for each in known if each.error is not None}
    flying = set(before) - kept - failed
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    second = {f"{each.probe} {each.arm}" for each in load_run(folder / "run").trials if each.error is not None}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # what failed in the second
    found = load_run(folder / "run")
    trials = Counter(f"{each.probe} {each.arm}" for each in found.trials)
    twice = {each for each, n in asks(log).items() if n > 1}
    return {
        "asked_before": len(before),
        "in_flight": len(flying),
        "failed_before": len(failed),
        "failed_after": len(second),
        "lost": len(expected - set(trials)) + len((kept | failed) - set(trials)),
        "double": sum(n - 1 for n in trials.values()),
        "asked_twice": len(twice),
        "asked_twice_though_answered": len(twice & kept),
        "asked_twice_without_reason": len(twice - flying - failed - second),
        "still_failed": sum(each.error is not None for each in found.trials),
        "not_counted_as_repeated": max(0, len(flying) - found.repeated),
    }


def main() -> None:
    if sys.argv[1:2] == ["timed"]:
        print(json.dumps(timed(int(sys.argv[2]), Path(sys.argv[3]))))
    elif sys.argv[1:2] == ["killed"]:
        asked, folder = probes(int(sys.argv[2])), Path(sys.argv[3])
        app = frail(asked, folder / "log", sys.argv[4])
        run(asked, app, out=folder / "run", concurrency=CONCURRENCY, timeout=TIMEOUT)
    else:
        count = int(sys.argv[1]) if sys.argv[1:] else 1000
        for each in (speed, kills):
            if sys.argv[2:] in ([], [each.__name__]):
                each(count)


if __name__ == "__main__":
    main()
