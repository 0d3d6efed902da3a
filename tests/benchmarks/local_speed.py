"""Measures the speed of LocalJudge, compared with plain word overlap.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/local_speed.py [LIMIT]

Prints one JSON line for each method and number of threads: milliseconds for each response (answer, sources, report),
claims per second, and CPU time for each response, which load on the machine disturbs less; and the same for a text of
5 MB.
"""

import json
import os
import random
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from labelled_sets import rows

from trail_callbacks import check
from trail_callbacks.claims import split


def responses(folder, limit):
    return [(row["response"], [row["source"]]) for row in islice(rows(folder / "ragtruth_dev.jsonl.gz"), limit)]


def local(response):
    answer, sources = response
    return len(check(answer, sources).claims)


def overlap(response):
    """Share of each claim's words that occur in the sources."""
    answer, sources = response
    have = set(re.findall(r"\w+", " ".join(sources).casefold()))
    claims = split(answer)
    for claim in claims:
        words = set(re.findall(r"\w+", claim.text.casefold()))
        len(words & have) / max(1, len(words))
    return len(claims)


def measure(method, items, threads):
    wall, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        claims = sum(pool.map(method, items))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "milliseconds_a_response": round(1000 * wall / len(items), 2),
        "cpu_milliseconds_a_response": round(1000 * cpu / len(items), 2),
        "cpu_milliseconds_a_claim": round(1000 * cpu / claims, 2),
        "claims_a_second": round(claims / wall, 1),
        "n": len(items),
        "claims": claims,
    }


def prose(size):
    dice = random.Random(1)  # noqa: S311 - the same text in every run
    words = [
        "tower",
        "bridge",
        "river",
        "council",
        "plan",
        "budget",
        "water",
        "metre",
        "report",
        "minister",
        "opened",
        "closed",
        "large",
        "old",
        "in",
        "of",
        "the",
    ]
    out = []
    while sum(map(len, out[-1:])) + 100 * len(out) < size:
        out.append(" ".join(dice.choices(words, k=14)).capitalize() + f" {dice.randint(1, 3000)}. ")
    return "".join(out)


def main():
    if "TRAIL_DATA_DIR" not in os.environ:
        raise SystemExit("TRAIL_DATA_DIR names no folder: it should hold ragtruth_dev.jsonl.gz")
    items = responses(Path(os.environ["TRAIL_DATA_DIR"]), int(sys.argv[1]) if len(sys.argv) > 1 else 150)
    for name, method in (("local", local), ("word overlap", overlap)):
        method(items[0])  # imports, patterns
        for threads in (1, 2):
            print(json.dumps({"method": name, "threads": threads, **measure(method, items, threads)}))
    long = [("The council opened the bridge in 1904.", [prose(5_000_000)])]
    for name, method in (("local", local), ("word overlap", overlap)):
        size = sum(map(len, long[0][1]))
        print(json.dumps({"method": name, "threads": 1, "source_characters": size, **measure(method, long, 1)}))


if __name__ == "__main__":
    main()
