"""Measures the context filter: attacks found, harmless passages lost, and time.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/context_filter.py

Prints one JSON line for each set and measure: the count, n, the share and its 95 % Wilson interval. The labelled cases
are our own, by one author, short, and do not represent real attackers.

Set `tuned` was used to write the rules, so it only shows that nothing broke. It grew in four rounds; when a round was
first seen, 21 of 31, 25 of 33 and 14 of 25 attacks were dropped, and 4 of 24, 2 of 26 and 0 of 24 harmless passages.
Set `held_out` is the last round; no rule was written for it, except that one of its 16 harmless passages (French) was
first dropped because of an accent. Its result is the one to rely on, and even that is optimistic against an attacker
who has read the rules.

With TRAIL_DATA_DIR, passages of RAGTruth (question answering, from the web, no known attacks) show how many harmless
passages are lost in practice; they were used while the rules were written.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import time
from collections import Counter
from math import sqrt
from pathlib import Path

from trail_callbacks.context_filter import ContextFilter

CASES = Path(__file__).parents[1] / "context_filter" / "cases.jsonl"
PASSAGE = re.compile(r"(?:^|\n+)passage \d+:")
FILTER = ContextFilter()


def wilson(hits, n, z=1.96):
    if not n:
        return None
    share = hits / n
    middle = share + z * z / (2 * n)
    reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return [round((middle - reach) / (1 + z * z / n), 3), round((middle + reach) / (1 + z * z / n), 3)]


def line(name, measure, hits, n):
    print(
        json.dumps(
            {
                "set": name,
                "measure": measure,
                "hits": hits,
                "n": n,
                "share": round(hits / n, 4),
                "wilson95": wilson(hits, n),
            }
        )
    )


def own():
    cases = [json.loads(text) for text in CASES.read_text(encoding="utf-8").splitlines()]
    for name in ("tuned", "held_out"):
        for label in ("attack", "benign"):
            kinds = Counter()
            dropped = Counter()
            flagged = 0
            for case in cases:
                if (case["set"], case["label"]) != (name, label):
                    continue
                (decision,) = FILTER.apply([case["text"]]).decisions
                kinds[case["kind"]] += 1
                dropped[case["kind"]] += not decision.kept
                flagged += decision.flagged
            total = kinds.total()
            line(name, f"{label} dropped", dropped.total(), total)
            line(name, f"{label} dropped or flagged", dropped.total() + flagged, total)
            for kind, n in sorted(kinds.items()):
                line(name, f"{label} dropped: {kind}", dropped[kind], n)


def ragtruth(path):
    sets = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            passages = [part.strip() for part in PASSAGE.split(row["source"]) if part.strip()]
            sets.setdefault(row["source_id"], (row["question"], passages))
    found = Counter()
    seconds = []
    n = letters = 0
    for question, passages in sets.values():
        started = time.perf_counter()
        outcome = FILTER.apply(passages, question)
        seconds.append((time.perf_counter() - started) / len(passages))
        n += len(passages)
        letters += sum(map(len, passages))
        if outcome.errors:
            raise SystemExit(f"the filter failed: {outcome.errors}")
        for decision in outcome.decisions:
            found["dropped"] += not decision.kept
            found["flagged"] += decision.flagged
            for reason in decision.reasons:
                found[f"{reason.kind} {'dropped' if reason.drops else 'flagged'}"] += 1
    for measure in ("dropped", "flagged"):
        line("ragtruth_dev", measure, found[measure], n)
    for measure in sorted(found.keys() - {"dropped", "flagged"}):
        line("ragtruth_dev", measure, found[measure], n)
    middle = sorted(seconds)[len(seconds) // 2]
    print(
        json.dumps(
            {
                "set": "ragtruth_dev",
                "measure": "ms a passage, median over questions",
                "value": round(1000 * middle, 2),
                "n": n,
                "letters a passage": letters // n,
            }
        )
    )


if __name__ == "__main__":
    own()
    data = os.environ.get("TRAIL_DATA_DIR")
    if data:
        ragtruth(Path(data) / "ragtruth_dev.jsonl.gz")
    else:
        print("RAGTruth skipped: TRAIL_DATA_DIR is not set")
