"""The sets that `relay.py` measures on: items, what is judged of them, and how replies are scored.

An item is a run with planted errors, a single claim with its source, or an answer with annotated spans. A verdict is
`(claim, class, error type)`; a control reader gives the same from the sources whole.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gold_runs import Fact, Run, read_run
from labelled_sets import rows
from planted_metrics import CLASSES, METRICS, ROUNDS, Pair, f1, matched

from trail_callbacks import LLMJudge, ProvenanceGraph, Report
from trail_callbacks.claims import Claim, split
from trail_callbacks.judges.judge import Extraction

SEED = 13
PLANTED = {
    "error_f1": "unsupported_f1", "class_accuracy": "class_accuracy", "class_macro_f1": "macro_f1",
    "type_macro_f1": "error_type_macro_f1", "type_accuracy": "error_type_of_found", "entry_step": "introduced_at",
    "coverage": "coverage",
}  # fmt: skip


@dataclass(frozen=True)
class Item:
    """One thing to be judged: `row` as it stands in the data; `facts` are the claims that a control reader labels."""

    set: str
    id: str
    row: dict = field(repr=False)
    graph: ProvenanceGraph = field(repr=False)
    facts: tuple[Fact, ...] = field(repr=False)

    @property
    def sources(self) -> list[str]:
        return [node.text for node in self.graph.leaves() if node.kind != "question"]


class Given:
    """A judge that is given its one claim: what is measured is judging alone."""

    def __init__(self, judge: LLMJudge, claim: str) -> None:
        self._claim = Claim(id="c1", text=claim, quote=claim, start=0, end=len(claim))
        self.name, self.model, self.assess, self.reads_whole = judge.name, judge.model, judge.assess, True

    def extract(self, answer: str, question: str | None):
        yield from ()
        return Extraction(claims=(self._claim,))


def planted(folder: Path, size: int) -> Iterator[Item]:
    rows = [json.loads(line) for line in (folder / "planted_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in random.Random(SEED).sample(rows, size) if 0 < size < len(rows) else rows:  # noqa: S311 - as below
        run = read_run(row)
        yield Item("planted", run.id, {}, run.graph, run.facts)


def claims(folder: Path, size: int) -> Iterator[Item]:
    labelled = [row for row in rows(folder / "claims_dev.jsonl.gz") if row["label"]]
    for row in _sample(labelled, size, lambda row: row["label"]):
        text = " ".join(row["claim"].split()) or row["claim"]
        graph = ProvenanceGraph.from_texts(text, [row["source"]], row["question"] or None)
        yield Item("claims", row["id"], row, graph, (Fact("c1", text, text, row["label"]),))


def ragtruth(folder: Path, size: int) -> Iterator[Item]:
    answers = list(rows(folder / "ragtruth_dev.jsonl.gz"))
    for row in _sample(answers, size, lambda row: row["hallucinated"]):
        graph = ProvenanceGraph.from_texts(row["response"], [row["source"]], row["question"])
        said = split(row["response"], row["question"])
        facts = tuple(Fact(claim.id, claim.text, claim.quote, "supported") for claim in said if claim.checkable)
        yield Item("ragtruth", str(row["id"]), row, graph, facts)


SETS: dict[str, Callable[[Path, int], Iterator[Item]]] = {"planted": planted, "claims": claims, "ragtruth": ragtruth}


def _sample(rows: Sequence[dict], size: int, stratum: Callable[[dict], object]) -> list[dict]:
    """As many of each stratum as its share of all, and never fewer than one; the same for the same size."""
    strata = defaultdict(list)
    for row in rows:
        strata[stratum(row)].append(row)
    chosen = []
    for _, group in sorted(strata.items(), key=lambda pair: str(pair[0])):
        random.Random(SEED).shuffle(group)  # noqa: S311 - a sample, no secret
        chosen += group[: max(1, round(size * len(group) / len(rows)))]
    return sorted(chosen, key=lambda row: str(row["id"]))


# Scores. A result is an item with its pairs of gold and verdict, or with its flagged stretches of the answer.


@dataclass(frozen=True)
class Result:
    item: Item
    pairs: tuple[Pair, ...] = ()
    flagged: tuple[tuple[int, int, str], ...] = ()  # start, end, class


def of_report(item: Item, report: Report) -> Result:
    if item.set == "ragtruth":
        verdicts = {verdict.claim_id: str(verdict.support) for verdict in report.verdicts}
        return Result(item, flagged=tuple((c.start, c.end, verdicts[c.id]) for c in report.claims if c.id in verdicts))
    return Result(item, matched(Run(item.id, item.graph, item.facts), report))


def of_control(item: Item, said: dict[str, dict]) -> Result:
    """The labels of a control reader: `{"c1": {"support": ..., "error_type": ...}}`."""
    if item.set == "ragtruth":
        places = {c.id: (c.start, c.end) for c in split(item.row["response"], item.row["question"])}
        flagged = ((*places[id_], label["support"]) for id_, label in said.items() if id_ in places)
        return Result(item, flagged=tuple(flagged))
    pairs = []
    for fact in item.facts:
        label = said.get(fact.id) or {}
        pairs.append(Pair(fact, label.get("support"), label.get("error_type"), None, (), False))
    return Result(item, tuple(pairs))


def balanced_accuracy(pairs):
    sides = [[pair.said == "supported" for pair in pairs if (pair.fact.support == "supported") is side and pair.said
              and pair.fact.checkable] for side in (True, False)]  # fmt: skip
    if not all(sides):
        return None
    return (sum(sides[0]) / len(sides[0]) + 1 - sum(sides[1]) / len(sides[1])) / 2, len(sides[0]) + len(sides[1])


def found_supported(pairs):
    known = [pair.said == "supported" for pair in pairs if pair.said and pair.fact.support == "supported"]
    return (sum(known) / len(known), len(known)) if known else None


def five_class(pairs):
    known = [pair for pair in pairs if pair.said]
    scores = [f1([p.fact.support == name for p in known], [p.said == name for p in known]) for name in CLASSES]
    return (sum(scores) / len(scores), len(known)) if known else None


def answers(wrong: frozenset[str]):
    """F1 of "this answer is hallucinated", if it has a claim of one of these classes."""

    def metric(results):
        gold = [result.item.row["hallucinated"] for result in results]
        said = [any(support in wrong for *_, support in result.flagged) for result in results]
        return f1(gold, said), len(results)

    return metric


def spans(results):
    """The share of annotated spans that a flagged claim overlaps."""
    hits = [
        any(a < span["end"] and span["start"] < b and support in WRONG for a, b, support in result.flagged)
        for result in results
        for span in result.item.row["spans"]
    ]
    return (sum(hits) / len(hits), len(hits)) if hits else None


WRONG = frozenset({"contradicted", "absent"})


def by_pairs(metric):
    return lambda results: metric([pair for result in results for pair in result.pairs])


MEASURES: dict[str, dict[str, Callable]] = {
    "planted": {name: by_pairs(METRICS[own]) for name, own in PLANTED.items()},
    "claims": {
        "balanced_accuracy": by_pairs(balanced_accuracy), "five_class_macro_f1": by_pairs(five_class),
        "class_accuracy": by_pairs(METRICS["class_accuracy"]), "found_supported": by_pairs(found_supported),
    },
    "ragtruth": {
        "f1": answers(WRONG), "f1_with_partial": answers(WRONG | {"partially_supported"}), "span_recall": spans,
    },
}  # fmt: skip


def score(set_: str, results: Sequence[Result]) -> dict:
    """Each measure with its n, and the interval that holds 95 % of 1,000 resamplings of whole items."""
    shown: dict = {"items": len(results)}
    for name, metric in MEASURES[set_].items():
        value = metric(results)
        if value is None:
            continue
        chance = random.Random(0)  # noqa: S311 - resampling, not secrecy
        again = (metric(chance.choices(results, k=len(results))) for _ in range(ROUNDS))
        values = sorted(sampled[0] for sampled in again if sampled is not None)
        ends = [round(values[int(len(values) * part)], 3) for part in (0.025, 0.975)]
        shown[name] = {"value": round(value[0], 3), "n": value[1], "interval_95": ends}
    return shown


if __name__ == "__main__":
    print("a part of relay.py; measures nothing by itself", file=sys.stderr)
