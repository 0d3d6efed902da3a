"""What a store costs: `python tests/benchmarks/store.py [STORE] [PART...]`. One JSON line a measurement.

STORE is a new file, by default a temporary one, or the URL of an empty PostgreSQL database. Parts:

- `write`: reports a second that `put` writes, and bytes a report.
- `add`: what a request of 2 ms, 100 a second, takes with and without `add`, in blocks that alternate, and `add` by itself
  beside nothing; seconds by quantile.
- `processes`: reports a second of eight processes that write at once.
- `query`: seconds of aggregates over 1,000,000 claims of 125,000 runs, the median and the worst of nine. They are filled
  in unless they are there.

On a machine that is busy with other things, `cpu` says what a file of SQLite takes: it works in this process.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

import sqlalchemy as sa

from trail_callbacks import check
from trail_callbacks.monitor import SIGNALS, Observation
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.store import Store
from trail_callbacks.store.rows import Entry
from trail_callbacks.store.schema import OUTCOMES, claims, runs
from trail_callbacks.store.writing import write as write_entries

DAY = 86_400.0
SOURCES = [
    f"Line {n} of the tramway opened in {1900 + n}. Its cars have {40 + n} seats and run every {n % 9 + 4} minutes. "
    "The depot beside the harbour keeps the older cars, which are used on Sundays only. " * 3
    for n in range(12)
]
ANSWER = " ".join(f"Line {n} opened in {1901 + n} and its cars have {40 + n} seats." for n in range(6))
PEERS = 8
EACH = 250


def emit(**line) -> None:
    print(json.dumps({**line, "load": round(os.getloadavg()[0], 1)}), flush=True)


def reports(count, prefix):
    report = check(ANSWER, SOURCES, question="When did the lines open?")
    return (replace(report, run_id=f"{prefix}.{n}") for n in range(count))


def write(store, where, count=4_000):
    made = list(reports(count, "w"))
    started, busy = time.perf_counter(), time.process_time()
    store.put((report, None) for report in made)
    seconds, worked = time.perf_counter() - started, time.process_time() - busy
    found = store.contents()
    emit(
        part="write",
        n=count,
        rows_a_second=round(count / seconds),
        cpu_a_row=round(worked / count, 5),
        json_bytes=round(found.uncompressed / found.runs),
        stored_bytes=round(found.bytes / found.runs),
        file_bytes=found.file and round(found.file / found.runs),
    )


def add(store, where, blocks=16, requests=150):
    """A request works for 2 ms and there is one every 10 ms: without sleep the app would wait for its own writer."""
    made, took, added = list(reports(blocks * requests, "a")), {False: [], True: []}, {False: [], True: []}
    for block in range(blocks):
        stores = block % 2 == 1
        for _ in range(requests):
            started = time.perf_counter()
            while time.perf_counter() - started < 0.002:
                sum(range(50))
            before, report = time.perf_counter(), made.pop()
            if stores:
                store.add(report)
            added[stores].append(time.perf_counter() - before)
            took[stores].append(time.perf_counter() - started)
            time.sleep(0.008)  # the pace of a busy app: the writer keeps up
        store.flush(60)
    for name, values in (
        ("without", took[False]),
        ("with", took[True]),
        ("nothing", added[False]),
        ("add", added[True]),
    ):
        cuts = quantiles(values, n=1000)
        figures = {"p50": cuts[499], "p95": cuts[949], "p99": cuts[989], "worst": max(values)}
        emit(part="add", what=name, n=len(values), **{each: round(value, 7) for each, value in figures.items()})
    emit(part="add", what="loss", lost=store.lost, errors=len(store.errors))


def processes(store, where):
    code = f"import sys; sys.path[:0] = {[str(Path(__file__).parent)]!r}; import store; store.peer(*sys.argv[1:])"
    started = [
        subprocess.Popen([sys.executable, "-c", code, where, str(n)], stdout=subprocess.PIPE, text=True)
        for n in range(PEERS)
    ]
    spans = [json.loads(process.communicate()[0]) for process in started]
    seconds = max(end for _, end, _ in spans) - min(start for start, _, _ in spans)
    emit(
        part="processes", n=PEERS * EACH, rows_a_second=round(PEERS * EACH / seconds), lost=sum(x for _, _, x in spans)
    )


def peer(where, name):
    made, store = list(reports(EACH, f"p{name}")), Store(where, max_waiting=EACH)
    started = time.time()
    for report in made:
        store.add(report)
    store.flush(300)
    print(json.dumps([started, time.time(), store.lost]))


def query(store, where, count=125_000):
    chance = random.Random(7)  # noqa: S311 - the same runs each time
    outcomes = ["supported"] * 16 + ["contradicted", "absent", "partially_supported", "undecided"]

    def entry(n):
        at, drawn = n * 30 * DAY / count, chance.choices(outcomes, k=8)
        steps = [None if each in {"supported", "undecided"} else f"step{chance.randrange(4)}" for each in drawn]
        rows = tuple(
            {
                "position": i,
                "claim": f"c{i}",
                "key": f"{n:08}{i:08}",
                "at": at,
                "outcome": each,
                "error_type": "number" if step else None,
                "step": step,
            }
            for i, (each, step) in enumerate(zip(drawn, steps, strict=True))
        )
        figures = {
            name: Figure(value=chance.random(), n=8) for name in ("query_coverage", "selection", "citation_recall")
        }
        kinds = {"kind": f"k{chance.randrange(5)}", "tenant": f"t{chance.randrange(40)}"}
        counted = {each: drawn.count(each) for each in set(drawn)}
        run = Observation(
            id=f"q{n:08}", at=at, state="assessed", claims=8, outcomes=counted, figures=figures, fields=kinds, release=str(n // 60_000)
        )  # fmt: skip
        return Entry(run=run, claims=rows)

    started = time.perf_counter()
    missing = store.tally(SIGNALS["undecided"], 0, 31 * DAY).runs < count
    for begin in range(0, count if missing else 0, 1_000):
        with store._database.writing() as connection:
            write_entries(connection, map(entry, range(begin, begin + 1_000)), 0.0)
    emit(part="query", what="fill", runs=count, claims=8 * count, seconds=round(time.perf_counter() - started, 1))
    with store._database.writing() as connection:
        connection.exec_driver_sql("ANALYZE")
    day = sa.cast(runs.c.at / DAY, sa.Integer)
    month, week = (0.0, 30 * DAY), (23 * DAY, 30 * DAY)

    def rows(asked):
        with store._database.reading() as connection:
            return len(connection.execute(asked).all())

    asked = {
        "tally, all runs": lambda: store.tally(SIGNALS["contradiction"], *month).runs,
        "tally of a figure, all runs": lambda: store.tally(SIGNALS["evidence_overlap"], *month).runs,
        "tally, 1 of 5 segments": lambda: store.tally(SIGNALS["contradiction"], *month, {"kind": "k1"}).runs,
        "tally, two segments": lambda: (
            store.tally(SIGNALS["contradiction"], *month, {"kind": "k1", "tenant": "t3"}).runs
        ),
        "tally, an hour": lambda: store.tally(SIGNALS["contradiction"], 29 * DAY, 29 * DAY + 3_600).runs,
        "tally, a week": lambda: store.tally(SIGNALS["contradiction"], *week).runs,
        "unsupported by day": lambda: rows(
            sa.select(day, sa.func.sum(runs.c.unsupported), sa.func.sum(runs.c.decided)).group_by(day)
        ),
        "claims by outcome and day": lambda: rows(
            sa.select(day, *(sa.func.sum(runs.c[each]) for each in OUTCOMES)).group_by(day)
        ),
        "errors by type and step": lambda: rows(
            sa.select(claims.c.error_type, claims.c.step, sa.func.count())
            .where(claims.c.error_type.is_not(None))
            .group_by(claims.c.error_type, claims.c.step)
        ),
        "segments": lambda: len(store.segments()),
        "one page of observations": lambda: next(iter(store.observations(29 * DAY))).claims,
    }
    for name, ask in asked.items():
        seconds, worked = [], []
        for _ in range(9):
            started, busy = time.perf_counter(), time.process_time()
            found = ask()
            seconds.append(time.perf_counter() - started)
            worked.append(time.process_time() - busy)
        figures = {"median": median(seconds), "worst": max(seconds), "median_cpu": median(worked)}
        emit(part="query", what=name, found=found, **{each: round(value, 4) for each, value in figures.items()})


PARTS = {"write": write, "add": add, "processes": processes, "query": query}


def main(where=None, *parts):
    with tempfile.TemporaryDirectory() as folder:
        where = where or str(Path(folder) / "trail.db")
        for name in parts or PARTS:
            store = Store(where)
            PARTS[name](store, where)
            store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
