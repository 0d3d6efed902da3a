"""Measures every typed check of the offline judge alone: how often it is wrong, and how often it finds something.

    python tests/benchmarks/checks.py --data /path/to/data [--only number,entity] [--show number] [--seconds]

The judge compares each claim with its passages by one check and no other. The check fires if the judge flags the claim.

Prints one JSON line for each set and check:
    false_alarms: share of the supported claims (of ragtruth_dev: of sentences without an annotated span) on which it fires;
    hits: share of the unsupported claims on which it fires;
    precision: share of its firings that are on unsupported claims, as often as the set happens to have those;
    typed: of planted_dev, the share of the claims with its error type that it finds; `typed_precision`: the share of its
        firings that are on its type.
Each with n and a 95 % Wilson interval. `--show` prints what a check fires on; rows of FABLES are counted but never shown,
because nothing may be fitted to them. `--seconds` prints the time
a claim takes, with the reading of its passages and all checks.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from trail_callbacks.claims import Claim, split
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.decision import MISMATCHES
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.statistics.intervals import wilson

UNSUPPORTED = {"contradicted", "absent", "partially_supported"}
LEAVES = {"document", "tool_result"}
TYPES = {
    "number": "number", "entity": "entity", "negation": "other", "temporal": "temporal",
    "quantifier": "overgeneralization", "hyperbole": "hyperbole", "attribution": "attribution_failure",
    "condition": "overgeneralization", "invented": "entity",
}  # fmt: skip


class Item(NamedTuple):
    claim: str
    sources: tuple[str, ...]
    unsupported: bool
    error_type: str | None
    group: str


def planted(folder):
    for line in Path(folder, "planted_dev.jsonl").read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        sources = tuple(node["text"] for node in run["nodes"] if node["kind"] in LEAVES)
        for claim in run["claims"]:
            if claim["support"] != "unevaluatable":
                yield Item(claim["text"], sources, claim["support"] in UNSUPPORTED, claim["error_type"], run["id"])


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def claims_dev(folder):
    for row in rows(Path(folder, "claims_dev.jsonl.gz")):
        if row["binary"]:
            yield Item(row["claim"], (row["source"],), row["binary"] == "not_supported", None, row["dataset"])


def ragtruth_dev(folder):
    for row in rows(Path(folder, "ragtruth_dev.jsonl.gz")):
        for claim in split(row["response"]):
            if claim.checkable:
                marked = any(span["start"] < claim.end and claim.start < span["end"] for span in row["spans"])
                yield Item(claim.text, (row["source"],), marked, None, row["source_id"])


def nli_dev(folder):
    """Short premises: entailed against contradicted; neutral ones say nothing about a check."""
    for row in rows(Path(folder, "nli_dev.jsonl.gz")):
        if row["label"] == 0 or (row["label"] == 2 and not row["binary"]):
            yield Item(row["hypothesis"], (row["premise"],), row["label"] != 0, None, row["dataset"])


SETS = {"claims_dev": claims_dev, "planted_dev": planted, "ragtruth_dev": ragtruth_dev, "nli_dev": nli_dev}


def question(item):
    claim = Claim(id="c1", text=item.claim, quote=item.claim, start=0, end=len(item.claim))
    nodes = [Node(id=f"d{i}", kind="document", text=text) for i, text in enumerate(item.sources)]
    return Question(claim=claim, passages=candidates([claim], nodes, 8)["c1"])


def fired(names, asked):
    """What the judge flags with these checks alone; None if nothing."""
    try:
        next(LocalJudge(without=tuple(name for name in MISMATCHES if name not in names)).assess([asked]))
    except StopIteration as stop:
        (judgement,) = stop.value.judgements
    return judgement if str(judgement.support) in UNSUPPORTED else None


def share(hits, n):
    if not n:
        return {"share": None, "n": 0, "interval_95": None}
    return {"share": round(hits / n, 4), "n": n, "interval_95": [round(bound, 4) for bound in wilson(hits / n, n)]}


def measure(name, items, questions, show):
    counts, typed = defaultdict(int), defaultdict(int)
    for item, asked in zip(items, questions, strict=True):
        finding = fired([name], asked)
        counts[item.unsupported, finding is not None] += 1
        typed[item.error_type == TYPES[name], finding is not None] += 1
        if finding is not None and show and item.group != "fables":
            print(
                f"{'HIT  ' if item.unsupported else 'ALARM'} [{item.group}|{item.error_type}] {item.claim}",
                file=sys.stderr,
            )
            print(f"      {finding.rationale} {finding.detail or ''}", file=sys.stderr)
    found = counts[True, True] + counts[False, True]
    line = {
        "check": name,
        "false_alarms": share(counts[False, True], counts[False, True] + counts[False, False]),
        "hits": share(counts[True, True], counts[True, True] + counts[True, False]),
        "precision": share(counts[True, True], found),
    }
    if any(item.error_type for item in items):
        line["typed"] = share(typed[True, True], typed[True, True] + typed[True, False])
        line["typed_precision"] = share(typed[True, True], found)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TRAIL_DATA_DIR"), help="folder of the labelled sets")
    parser.add_argument("--only", default="", help="checks to measure, separated by commas")
    parser.add_argument("--sets", default=",".join(SETS), help="sets to measure on")
    parser.add_argument("--show", action="store_true", help="print what fires, to stderr")
    parser.add_argument("--table", action="store_true", help="print a short table instead of JSON")
    parser.add_argument("--seconds", action="store_true", help="measure the time of all checks together")
    options = parser.parse_args()
    if not options.data:
        print(
            "skipped: neither --data nor TRAIL_DATA_DIR is set; the labelled data is not in this repository",
            file=sys.stderr,
        )
        return 0
    names = options.only.split(",") if options.only else list(MISMATCHES)
    for label in options.sets.split(","):
        items = list(SETS[label](options.data))
        questions = [question(item) for item in items]
        if options.seconds:
            started = time.perf_counter()
            for asked in questions:
                fired(names, asked)
            print(
                json.dumps({"set": label, "ms_a_claim": round(1000 * (time.perf_counter() - started) / len(items), 3)})
            )
        for name in names:
            line = measure(name, items, questions, options.show)
            if options.table:
                cells = "".join(
                    f"{key[:12]:>14} {value['share'] if value['share'] is not None else '-':>7} n={value['n']:<5}"
                    for key, value in line.items()
                    if key != "check"
                )
                print(f"{label:13}{name:14}{cells}")
            else:
                print(json.dumps({"set": label, **line}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
