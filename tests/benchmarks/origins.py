"""Measures in generated apps whether a model's words count as evidence, and whether sources are recognised.

    python tests/benchmarks/origins.py [--runs 2000] [--seed 0] [--only langchain | llama_index | langchain_torn | llama_index_torn]

A quarter of the runs each are apps of LangChain and LangGraph, of LlamaIndex, and torn runs of both (see tests/origins). `langchain_torn` are graphs
whose runs are interrupted, crash, or go on in another worker: `report differs` counts those whose claims, entry steps or
sources are not those of the same run in one piece, or for a worker that knows nothing of it, that are `assessed` all the
same. Prints one JSON line for
each kind of violation with its share of the sentences of that side, n and the 95 % Wilson interval (`unknown` counts
those that are none of the known limits), then one for each building block that it occurs with, with the seed of an
example; and last the number of runs that have each building block.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from trail_callbacks.statistics.intervals import wilson

sys.path.insert(0, str(Path(__file__).parents[1] / "origins"))

import langchain_apps
import langchain_torn
import llama_index_apps
import llama_index_torn
from limits import is_known
from story import KINDS, Tally

LIBRARIES = {
    "langchain": langchain_apps,
    "llama_index": llama_index_apps,
    "langchain_torn": langchain_torn,
    "llama_index_torn": llama_index_torn,
}


def measured(library: str, runs: int, seed: int) -> None:
    """Runs apps of one library and prints what was seen."""
    tally, began = Tally(), time.process_time()
    for i in range(seed, seed + runs):
        LIBRARIES[library].played(f"{library}-{i}", tally)
    seconds = round(time.process_time() - began, 1)
    judged = Counter(side for side, _ in tally.judged.elements())
    print(json.dumps({"library": library, "runs": runs, "cpu_seconds": seconds, "sentences": judged}))
    classes = {side: {each: n for (s, each), n in tally.classes.most_common() if s == side} for side in judged}
    print(json.dumps({"library": library, "classes": classes}))
    for kind, side in KINDS.items():
        found = [(where, each) for where, each in tally.violations if each.kind == kind]
        ways = Counter(each.way for _, each in found)
        n = judged[side] if side else runs
        low, high = wilson(min(1.0, len(found) / n), n) if n else (0.0, 1.0)
        line = {"library": library, "kind": kind, "violations": len(found), "n": n}
        line["unknown"] = sum(not is_known(each) for _, each in found)
        line |= {"share": round(len(found) / max(n, 1), 4), "interval": [round(low, 4), round(high, 4)]}
        print(json.dumps(line))
        for way, count in ways.most_common():
            of = tally.judged[side, way] if side else None
            where, example = next((where, each) for where, each in found if each.way == way)
            row = {
                "kind": kind,
                "way": way,
                "violations": count,
                "n": of,
                "seed": where,
                "example": example.detail[:160],
            }
            print("  " + json.dumps(row, ensure_ascii=False))
    print(json.dumps({"library": library, "blocks": dict(tally.runs.most_common())}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first app")
    parser.add_argument("--only", choices=LIBRARIES)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for library in LIBRARIES:
        if options.only in {None, library}:
            measured(library, options.runs if options.only else options.runs // len(LIBRARIES), options.seed)


if __name__ == "__main__":
    main()
