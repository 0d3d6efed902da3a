"""Measures whether verdicts of LocalJudge change when unrelated leaves are added to a run.

    python tests/benchmarks/distractors.py --data /path/to/data [--leaves 50] [--passages 8]

Each claim of planted_dev is judged by the leaves of its own run, then by these mixed with leaves of other runs and, if
there are too few, with sources of claims_dev. Prints one JSON line for each set of distractors: the share of verdicts
(class and error type) that change, n, the 95 % Wilson interval, and the share of the quoted evidence that is still
among the candidates.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

from trail_callbacks.claims import Claim, split
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.statistics.intervals import wilson

LEAVES = {"document", "tool_result"}


def leaves(run):
    return [
        Node(id=f"{run['id']}/{node['id']}", kind=node["kind"], text=node["text"])
        for node in run["nodes"]
        if node["kind"] in LEAVES
    ]


def sources(path):
    """Further texts of all kinds, in case there are too few other runs."""
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        texts = dict.fromkeys(json.loads(row)["source"] for row in rows)
    return [Node(id=f"more/{i}", kind="document", text=text) for i, text in enumerate(texts)]


def claims(run):
    for claim in run["claims"]:
        text = claim["text"]
        checkable = any(piece.checkable for piece in split(text))
        yield Claim(id=claim["id"], text=text, quote=text, start=0, end=len(text), checkable=checkable)


def judged(run, nodes, limit):
    found = candidates(list(claims(run)), nodes, limit)
    questions = [Question(claim=claim, passages=found[claim.id]) for claim in claims(run)]
    try:
        next(LocalJudge().assess(questions))
    except StopIteration as stop:
        return found, {item.claim_id: (item.support, item.error_type) for item in stop.value.judgements}


def shown(run, found):
    """Quotes of the evidence that are still among the candidates, and all quotes."""
    texts = {f"{run['id']}/{node['id']}": node["text"] for node in run["nodes"]}
    hits = total = 0
    for claim in run["claims"]:
        for item in claim["evidence"]:
            node_id = f"{run['id']}/{item['node']}"
            start = texts[node_id].index(item["quote"])
            characters = {i for i in range(start, start + len(item["quote"])) if texts[node_id][i].isalnum()}
            seen = {i for p in found[claim["id"]] if p.node_id == node_id for i in range(p.start, p.end)}
            hits += len(characters & seen) >= 0.95 * len(characters)
            total += 1
    return hits, total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("TRAIL_DATA_DIR"))
    parser.add_argument("--leaves", type=int, default=50)
    parser.add_argument("--passages", type=int, default=8)
    options = parser.parse_args()
    if not options.data:
        print("skipped: name the folder of the labelled data with --data or TRAIL_DATA_DIR", file=sys.stderr)
        return 0
    lines = Path(options.data, "planted_dev.jsonl").read_text(encoding="utf-8").splitlines()
    runs = [json.loads(line) for line in lines]
    more = list(sources(Path(options.data, "claims_dev.jsonl.gz")))
    chance = random.Random(0)  # noqa: S311 - a sample, no secret
    changed = Counter()
    moves = Counter()
    evidence = {"alone": [0, 0], "with distractors": [0, 0]}
    for run in runs:
        own = leaves(run)
        others = [node for other in runs if other is not run for node in leaves(other)][: options.leaves]
        others += chance.sample(more, options.leaves - len(others))
        chance.shuffle(others)
        half = len(others) // 2
        found, alone = judged(run, own, options.passages)
        crowded, among = judged(run, [*others[:half], *own, *others[half:]], options.passages)
        for name, passages in (("alone", found), ("with distractors", crowded)):
            for i, value in enumerate(shown(run, passages)):
                evidence[name][i] += value
        for id_, verdict in alone.items():
            changed[verdict != among[id_]] += 1
            if verdict != among[id_]:
                moves[f"{verdict[0]} -> {among[id_][0]}"] += 1
    n = changed.total()
    print(
        json.dumps(
            {
                "set": "planted_dev",
                "use": "dev",
                "distractors": options.leaves,
                "changed": round(changed[True] / n, 3),
                "n": n,
                "interval_95": [round(bound, 3) for bound in wilson(changed[True] / n, n)],
                "moves": dict(moves),
                "evidence_found": {name: f"{hits}/{total}" for name, (hits, total) in evidence.items()},
            }
        )
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
