"""Measures LocalJudge on two tuning sets, beside plain word overlap and the majority class.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/local_judge.py

Prints one JSON line for each set, method and metric: the value, n, and a 95 % bootstrap interval over claims. The sets were
used to set thresholds ("dev"): expect less on texts that nobody tuned on. Spans are not measured here, labels are: the
claims are the ones the sets give, not those of our splitter.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from trail_callbacks.claims import Claim, split
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local import LocalJudge

UNSUPPORTED = {"contradicted", "absent", "partially_supported"}
CLASSES = ("supported", "contradicted", "absent", "partially_supported", "unevaluatable")


class Item(NamedTuple):
    claim: str
    sources: tuple[str, ...]
    question: str | None
    support: str | None
    unsupported: bool | None
    error_type: str | None


class Guess(NamedTuple):
    support: str
    error_type: str | None


def planted(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        sources = tuple(node["text"] for node in run["nodes"] if node["kind"] in {"document", "tool_result"})
        for claim in run["claims"]:
            known = None if claim["support"] == "unevaluatable" else claim["support"] in UNSUPPORTED
            yield Item(claim["text"], sources, run["question"], claim["support"], known, claim["error_type"])


def claims_dev(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            known = row["binary"] and row["binary"] == "not_supported"
            yield Item(row["claim"], (row["source"],), row["question"], row["label"], known, None)


def local(items, judge):
    guesses = []
    for item in items:
        pieces = split(item.claim)
        claim = Claim(
            id="c1",
            text=item.claim,
            quote=item.claim,
            start=0,
            end=len(item.claim),
            checkable=any(piece.checkable for piece in pieces),
        )
        nodes = [Node(id=f"d{i}", kind="document", text=text) for i, text in enumerate(item.sources)]
        passages = candidates([claim], nodes, 8)["c1"]
        pipeline = judge.assess([Question(claim=claim, passages=passages)])
        try:
            next(pipeline)
        except StopIteration as stop:
            (judgement,) = stop.value.judgements
        guesses.append(Guess(str(judgement.support), judgement.error_type and str(judgement.error_type)))
    return guesses


def overlap(items, threshold):
    """Share of the claim's words that the whole source holds; supported from a threshold on, else absent."""
    guesses = []
    for item in items:
        claim = set(re.findall(r"\w+", item.claim.casefold()))
        source = set(re.findall(r"\w+", " ".join(item.sources).casefold()))
        share = len(claim & source) / max(1, len(claim))
        guesses.append(Guess("supported", None) if share >= threshold else Guess("absent", "other"))
    return guesses


def best_overlap(items):
    """The baseline with the threshold that is best for it on these very items: an upper bound of what it reaches."""
    return max(
        (overlap(items, t / 20) for t in range(8, 21)),
        key=lambda guesses: balanced(list(zip(items, guesses, strict=True))) or 0,
    )


def majority(items):
    most = Counter(item.support for item in items if item.support).most_common(1)[0][0]
    types = Counter(item.error_type for item in items if item.error_type).most_common(1)
    return [Guess(most, types[0][0] if types else None)] * len(items)


def accuracy(pairs):
    known = [(item, guess) for item, guess in pairs if item.support]
    return sum(item.support == guess.support for item, guess in known) / len(known) if known else None


def macro_f1(pairs):
    scores = []
    for label in CLASSES:
        given = sum(item.support == label for item, _ in pairs)
        if not given:
            continue
        hit = sum(item.support == guess.support == label for item, guess in pairs)
        said = sum(guess.support == label for item, guess in pairs if item.support)
        scores.append(2 * hit / (given + said))
    return sum(scores) / len(scores) if scores else None


def balanced(pairs):
    rates = []
    for wanted in (True, False):
        known = [(guess.support in UNSUPPORTED) == wanted for item, guess in pairs if item.unsupported is wanted]
        if not known:
            return None
        rates.append(sum(known) / len(known))
    return sum(rates) / 2


def typed(pairs):
    found = [
        item.error_type == guess.error_type for item, guess in pairs if item.error_type and guess.support in UNSUPPORTED
    ]
    return sum(found) / len(found) if found else None


METRICS = {
    "accuracy_5_classes": (accuracy, lambda item, guess: item.support is not None),
    "macro_f1_5_classes": (macro_f1, lambda item, guess: item.support is not None),
    "balanced_accuracy_unsupported": (balanced, lambda item, guess: item.unsupported is not None),
    "error_type_accuracy_of_found": (typed, lambda item, guess: bool(item.error_type) and guess.support in UNSUPPORTED),
}


def interval(metric, pairs, rounds=1000):
    chance = random.Random(0)  # noqa: S311 - resampling, not secrecy
    values = sorted(value for _ in range(rounds) if (value := metric(chance.choices(pairs, k=len(pairs)))) is not None)
    return [round(values[int(len(values) * share)], 3) for share in (0.025, 0.975)] if values else None


def main():
    folder = os.environ.get("TRAIL_DATA_DIR")
    if not folder:
        print(
            "skipped: TRAIL_DATA_DIR is not set, and the labelled data is not part of this repository", file=sys.stderr
        )
        return 0
    sets = {
        "planted_dev": list(planted(Path(folder, "planted_dev.jsonl"))),
        "claims_dev": list(claims_dev(Path(folder, "claims_dev.jsonl.gz"))),
    }
    for name, items in sets.items():
        methods = {
            LocalJudge().name: local(items, LocalJudge()),
            "word overlap, best threshold": best_overlap(items),
            "majority class": majority(items),
        }
        for method, guesses in methods.items():
            pairs = list(zip(items, guesses, strict=True))
            for label, (metric, counts) in METRICS.items():
                value = metric(pairs)
                if value is None:
                    continue
                n = sum(counts(item, guess) for item, guess in pairs)
                line = {"set": name, "use": "dev", "method": method, "metric": label, "value": round(value, 3)}
                print(json.dumps({**line, "n": n, "interval_95": interval(metric, pairs)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
