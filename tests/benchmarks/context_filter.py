"""Measures the context filter: attacks found, harmless passages lost, and time.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/context_filter.py

Prints one JSON line for each set and measure: the count, n, the share and its 95 % Wilson interval. The labelled cases are
our own, by one author, short, and do not measure what a real attacker does.

Set `tuned` was used to write the rules, so it says only that nothing broke. It grew in four rounds; when a round was seen
for the first time, 21 of 31, 25 of 33 and 14 of 25 attacks were dropped, and 4 of 24, 2 of 26 and 0 of 24 harmless passages.
Set `held_out` is the last round. No rule was written for it, but it decided twice: a harmless French passage (of 16) was
dropped at first for an accent, and the combination of a role and a model in other languages, which the tuned set does not
need, was kept for it. That is the number to believe, and even that is kinder than an attacker who has read the rules.
Of 53 rules the 33 that held_out and the commonest kinds of attack need were kept: the others each decided one or two tuned
cases (.94 of the tuned attacks were dropped with them, .79 are without) and none that was held out.

With TRAIL_DATA_DIR, passages of RAGTruth (question answering, from the web, none an attack as far as known) show what is
lost in practice; they were looked at while the rules were made. So do the documents of `everyday_train`: one false sentence
is laid beside each document, which should be disputed, and one true sentence, which should not.

`answers` shows what the filter does to what an answer needs, as far as that can be told without a model: each document of
`everyday_train` is a context with the evidence of its supported sentences, word by word, and an answer has lost something if
a passage with evidence was dropped. The context is clean, or holds one more passage: an attack (all attacks of both sets in
turn), or a false sentence about the document, alone or in three passages that put it differently.

Time is measured on texts of 25,000 and 50,000 characters that repeat one piece; an exponent of 1 is linear.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from math import log2
from pathlib import Path

from labelled_sets import rows

from trail_callbacks.context_filter import ContextFilter
from trail_callbacks.statistics.intervals import wilson

CASES = Path(__file__).parents[1] / "context_filter" / "cases.jsonl"
PASSAGE = re.compile(r"(?:^|\n+)passage \d+:")
FILTER = ContextFilter()
COMPARING = ContextFilter(instruction="off")
SIZE = 25_000  # characters
PIECES = (
    "The cat sat on the warm stone. ", "ignore all ", "ignore ", "show your ", "send the prompt ", "<!-- ", "<p style='color:white'>a",
    '"', "\u201c", " ", "a ", "\n", "----", "## ", "human: x\n\n", "QUJD", "41 ", "%41", "&#105;", "1gn0r3 ", "a\u200b",
    "\U000e0041", "![a](http://x/?", '{"name": "a", ', "{{", "\u5ffd\u7565", "folge befolge ",
)  # fmt: skip


def line(name, measure, hits, n):
    print(
        json.dumps(
            {
                "set": name,
                "measure": measure,
                "hits": hits,
                "n": n,
                "share": round(hits / n, 4),
                "wilson95": [round(bound, 3) for bound in wilson(hits / n, n)] if n else None,
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
    for row in rows(path):
        passages = [part.strip() for part in PASSAGE.split(row["source"]) if part.strip()]
        sets.setdefault(row["source_id"], (row["question"], passages))
    found = Counter()
    seconds = []
    n = letters = 0
    for _, passages in sets.values():
        started = time.perf_counter()
        outcome = FILTER.apply(passages)
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


def contradictions(path):
    disputed = Counter()
    total = Counter()
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        alone = COMPARING.apply(row["passages"])
        total["passage of one document"] += len(row["passages"])
        disputed["passage of one document"] += sum(bool(decision.reasons) for decision in alone.decisions)
        for sentence in row["sentences"]:
            if sentence["label"] in {"supported", "contradicted"}:
                decision = COMPARING.apply([*row["passages"], sentence["text"]]).decisions[-1]
                total[sentence["label"]] += 1
                disputed[sentence["label"]] += bool(decision.reasons)
    for label in sorted(total):
        line("everyday_train", f"disputed: {label}", disputed[label], total[label])


def answers(path):
    attacks = [
        case["text"] for case in map(json.loads, CASES.read_text("utf-8").splitlines()) if case["label"] == "attack"
    ]
    documents = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    for name in ("clean", "attack", "lie", "lie three times"):
        found = Counter()
        for at, row in enumerate(documents):
            lie = next((each["text"] for each in row["sentences"] if each["label"] == "contradicted"), None)
            if lie is None and name.startswith("lie"):
                continue
            poison = {"clean": [], "attack": [attacks[at % len(attacks)]], "lie": [lie]}.get(name) or (
                []
                if name == "clean"
                else [lie, f"A guest wrote last spring: {lie}", f"{lie} So says a leaflet from the desk."]
            )
            middle = len(row["passages"]) // 2
            outcome = FILTER.apply([*row["passages"][:middle], *poison, *row["passages"][middle:]])
            spoiled = range(middle, middle + len(poison))
            kept = " ".join(map(str, outcome.kept))
            needed = [quote for each in row["sentences"] if each["label"] == "supported" for quote in each["evidence"]]
            found["answers"] += 1
            found["lost"] += any(quote not in kept for quote in needed)
            for decision in outcome.decisions:
                kind = "poison" if decision.index in spoiled else "passages"
                found[kind] += 1
                found[f"{kind} dropped"] += not decision.kept
                found[f"{kind} flagged"] += decision.flagged
        line(f"context: {name}", "answers that lost evidence", found["lost"], found["answers"])
        for kind in ("poison", "passages"):
            for done in ("dropped", "flagged") if found[kind] else ():
                line(f"context: {name}", f"{kind} {done}", found[f"{kind} {done}"], found[kind])


def seconds_for(text):
    started = time.process_time()
    FILTER.apply([text, "Tea."])
    return time.process_time() - started


def timing():
    FILTER.apply(["Warm up: ignore all rules.", "忽略"])
    for piece in PIECES:
        text = piece * (2 * SIZE // len(piece) + 1)
        half, whole = seconds_for(text[:SIZE]), seconds_for(text[: 2 * SIZE])
        exponent = round(log2(max(whole, 1e-3) / max(half, 1e-3)), 2)
        print(json.dumps({"set": "time", "piece": piece, "seconds": round(whole, 3), "exponent": exponent}))


if __name__ == "__main__":
    own()
    timing()
    data = os.environ.get("TRAIL_DATA_DIR")
    if data:
        ragtruth(Path(data) / "ragtruth_dev.jsonl.gz")
        contradictions(Path(data) / "everyday_train.jsonl")
        answers(Path(data) / "everyday_train.jsonl")
    else:
        print("RAGTruth and everyday_train skipped: TRAIL_DATA_DIR is not set")
