"""Canary runs at work: `python tests/benchmarks/canary_run.py [PROBES]` prints time, memory, and what kill -9 leaves.

The app answers at once, so that all time is the runner's own: journal, scoring, threads. Beside it stands the bare app,
called in a loop in the same process. For the kills the app takes a millisecond, notes each call before it answers, and
is asked again by a second process over the same folder.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from trail_callbacks.canary import ARMS, Answered, Ask, Probe, Strategy
from trail_callbacks.canary.runs.run import load_run, run

ROUNDS, KILLS, CONCURRENCY = 5, 10, 8
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


def app_of(asked: list[Probe], log: Path | None = None, delay: float = 0.0) -> Callable[[Ask], Answered]:
    known = {each.id: each for each in asked}

    def app(ask: Ask) -> Answered:
        if log is not None:
            with log.open("a") as stream:  # one write a line, which the kernel appends whole
                stream.write(f"{ask.probe} {ask.arm}\n")
            time.sleep(delay)  # so that a kill meets the run in the middle
        probe = known[ask.probe]
        if ask.arm in ("closed_book", "empty"):
            return Answered(text="I don't know.", passages=())
        value, quote = (
            (probe.real, probe.real_quote) if ask.arm == "real" else (probe.fictive or "", probe.fictive_quote)
        )
        return Answered(text=f"It takes {value}.", passages=(quote,))

    return app


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
    with tempfile.TemporaryDirectory() as name:
        started = time.perf_counter()
        subprocess.run(child("killed", count, name), check=True, stdout=subprocess.DEVNULL)
        whole = time.perf_counter() - started
    rows = []
    for _ in range(KILLS):
        folder = Path(tempfile.mkdtemp())
        process = subprocess.Popen(child("killed", count, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(MOMENTS.uniform(0.1, 0.95) * whole)  # the moment of the kill
        process.kill()
        process.wait()
        before = asks(folder / "log")
        try:
            kept = {f"{each.probe} {each.arm}" for each in load_run(folder / "run").trials}
        except ValueError:  # killed before there was a folder
            kept = set()
        open_ = set(before) - kept
        subprocess.run(child("killed", count, folder), check=True, stdout=subprocess.DEVNULL)
        after = asks(folder / "log")
        trials = Counter(f"{each.probe} {each.arm}" for each in load_run(folder / "run").trials)
        twice = {each for each, n in after.items() if n > 1}
        rows.append(
            {
                "asked_before": len(before),
                "in_flight": len(open_),
                "lost": len(expected - set(trials)),
                "double": sum(n - 1 for n in trials.values()),
                "asked_twice": len(twice),
                "asked_twice_though_kept": len(twice & kept),
                "more_than_twice": sum(n > 2 for n in after.values()),
            }
        )
        shutil.rmtree(folder)
    sums = {name: sum(row[name] for row in rows) for name in rows[0] if name not in {"asked_before", "in_flight"}}
    print(
        json.dumps(
            {
                "benchmark": "canary_kills",
                "kills": KILLS,
                "trials": len(expected),
                "seconds_unkilled": round(whole, 2),
                "asked_before_the_kill": sorted(row["asked_before"] for row in rows),
                "in_flight": sorted(row["in_flight"] for row in rows),
                **sums,
            }
        )
    )


def main() -> None:
    if sys.argv[1:2] == ["timed"]:
        print(json.dumps(timed(int(sys.argv[2]), Path(sys.argv[3]))))
    elif sys.argv[1:2] == ["killed"]:
        asked, folder = probes(int(sys.argv[2])), Path(sys.argv[3])
        run(asked, app_of(asked, folder / "log", 0.001), out=folder / "run", concurrency=CONCURRENCY)
    else:
        count = int(sys.argv[1]) if sys.argv[1:] else 1000
        speed(count)
        kills(count)


if __name__ == "__main__":
    main()
