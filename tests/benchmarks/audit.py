"""Audits at work: `python tests/benchmarks/audit.py [ROWS]` prints speed, memory, and what is left after kill -9.

Rows have three sentences and four sources. Speeds are of the whole command, start and output included, beside a plain
loop over `check`; on a machine that is shared they vary, so each is measured three times and the best is printed too.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from trail_callbacks import check

ROUNDS, KILLS, KILLED_ROWS = 3, 20, 400
MADE = random.Random(7)  # noqa: S311 - rows and moments, no secret
WORDS = ("tower", "bridge", "ferry", "harbour", "market", "station", "library", "theatre", "garden", "museum", "canal")
RSS = (
    "import resource, sys; from trail_callbacks.cli import main; status = main(sys.argv[1:]); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(status)"
)


def row(n: int) -> dict[str, object]:
    name = f"{MADE.choice(WORDS)} {n}"
    facts = [f"The {name} was opened in {MADE.randrange(1700, 2000)}.", f"The {name} is {MADE.randrange(10, 99)} metres high.",
             f"About {MADE.randrange(100, 999)} people visit the {name} each day."]  # fmt: skip
    answer = " ".join(facts if n % 2 else [facts[0].replace("opened in 1", "opened in 2"), *facts[1:]])
    others = [
        f"The {MADE.choice(WORDS)} of another town was sold in {MADE.randrange(1700, 2000)}. It is small."
        for _ in range(3)
    ]
    return {
        "id": f"r{n}",
        "question": f"What about the {name}?",
        "answer": answer,
        "sources": [" ".join(facts), *others],
    }


def rows(path: Path, count: int) -> Path:
    with path.open("w") as stream:
        for n in range(count):
            stream.write(json.dumps(row(n)) + "\n")
    return path


def command(path: Path, out: Path, *options: object) -> list[str]:
    return [sys.executable, "-m", "trail_callbacks.cli", "audit", str(path), "--out", str(out), *map(str, options)]


def seconds(path: Path, out: Path, workers: int) -> float:
    shutil.rmtree(out, ignore_errors=True)
    started = time.perf_counter()
    subprocess.run(command(path, out, "--workers", workers), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def loop(path: Path) -> float:
    started = time.perf_counter()
    with path.open() as stream:
        for line in stream:
            given = json.loads(line)
            check(given["answer"], given["sources"], given["question"])
    return time.perf_counter() - started


def speed(folder: Path, count: int) -> None:
    path = rows(folder / "speed.jsonl", count)
    ways = {
        "loop": lambda: loop(path),
        **{f"{n} workers": lambda n=n: seconds(path, folder / "speed", n) for n in (1, 2)},
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            before = sum(os.times()[:4])
            taken[name].append(way())
            cpu[name].append(sum(os.times()[:4]) - before)
    for name, times in taken.items():
        rates = [round(count / each, 1) for each in times]
        line = {"benchmark": "audit_speed", "way": name, "rows": count, "rows_a_second": rates, "best": max(rates)}
        per_row = round(1e3 * min(cpu[name]) / count, 2)
        print(json.dumps({**line, "cpu_ms_a_row": per_row, "load": round(os.getloadavg()[0], 1)}))


def memory(folder: Path, large: int) -> None:
    """The largest memory of the parent: most rows of the large file are equal, so that judging does not take hours."""
    for count in (100, large):
        path = folder / f"memory-{count}.jsonl"
        some = [row(n) for n in range(100)]
        with path.open("w") as stream:
            for n in range(count):
                stream.write(json.dumps({**some[n % 100], "id": f"r{n}"}) + "\n")
        out = folder / f"memory-{count}"
        arguments = ["audit", str(path), "--out", str(out), "--workers", "1"]
        started = time.perf_counter()
        ended = subprocess.run([sys.executable, "-c", RSS, *arguments], check=True, capture_output=True, text=True)
        mib = int(ended.stderr.split()[-1]) / 1024
        line = {
            "benchmark": "audit_memory",
            "rows": count,
            "input_mib": round(path.stat().st_size / 2**20, 1),
            "rss_mib": round(mib, 1),
        }
        print(json.dumps({**line, "seconds": round(time.perf_counter() - started, 1)}))


def kills(folder: Path) -> None:
    path = rows(folder / "kills.jsonl", KILLED_ROWS)
    whole = seconds(path, folder / "whole", 2)
    expected = (folder / "whole" / "claims.jsonl").read_bytes()
    lost = double = same = 0
    for n in range(KILLS):
        out = folder / f"killed-{n}"
        process = subprocess.Popen(
            command(path, out, "--workers", 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(MADE.uniform(0.1, 1.0) * whole)  # the moment of the kill
        process.kill()
        process.wait()
        subprocess.run(command(path, out, "--workers", 2), check=True, stdout=subprocess.DEVNULL)
        ids = [json.loads(line)["id"] for line in (out / "answers.jsonl").read_text().splitlines()]
        lost += KILLED_ROWS - len(set(ids))
        double += len(ids) - len(set(ids))
        same += (out / "claims.jsonl").read_bytes() == expected
        shutil.rmtree(out)
    print(
        json.dumps(
            {
                "benchmark": "audit_kills",
                "kills": KILLS,
                "rows": KILLED_ROWS,
                "lost": lost,
                "double": double,
                "same_bytes": same,
            }
        )
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as folder:
        speed(Path(folder), count)
        memory(Path(folder), 100_000)
        kills(Path(folder))


if __name__ == "__main__":
    main()
