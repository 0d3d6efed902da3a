"""Measures the offline judge on labelled sets, compared with plain word overlap in the same process.

    python tests/benchmarks/offline.py --data /path/to/data [--only ragtruth,claims,planted,speed]

Without --data the folder is taken from TRAIL_DATA_DIR. One JSON line for each set, system and metric: value, n, and a 95 %
bootstrap interval over groups (claims of one source stay together). Systems:

    word overlap    share of the claim's words in the best window of three sentences, weighted by rarity in the source,
                    minus a penalty for missing numbers and names: a baseline that reads the same sources
    local judge     as shipped; its risk model was fitted to other rows
    refitted        its risk model fitted to the other four of five folds, grouped by source, with balanced labels

Thresholds of metrics that need one (F1, balanced accuracy) are chosen on the other four folds for every system; rows
`... as shipped` compare the judge's own classes with the labels. `minus overlap` is the paired difference to word
overlap. These sets were used while the judge was built: expect less on others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path

import local_speed
import numpy as np
from offline_data import UNSUPPORTED, Item, claims, planted, ragtruth
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score

from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.judges.local.risk import AS_FITTED, probability, shipped
from trail_callbacks.judges.local.training import fitted, scaled
from trail_callbacks.text import sentences

FOLDS = 5
ROUNDS = 1000
BINS = 10
CLASSES = ("supported", "contradicted", "absent", "partially_supported", "unevaluatable")
SURE = (0.7, 0.8, 0.9)


def emit(**line) -> None:
    print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in line.items()}), flush=True)


# The output of each system: a risk for each claim, and for the judge a judgement.


def judged(items: Sequence[Item], judge: LocalJudge):
    """A judgement for each claim, and its features."""
    said, counted = [], []
    for item in items:
        checkable = any(piece.checkable for piece in split(item.claim))
        claim = Claim(id="c1", text=item.claim, quote=item.claim, start=0, end=len(item.claim), checkable=checkable)
        nodes = [Node(id=f"d{i}", kind="document", text=text) for i, text in enumerate(item.sources)]
        question = Question(claim=claim, passages=candidates([claim], nodes, 8)["c1"])
        pipeline = judge.assess([question])
        try:
            next(pipeline)
        except StopIteration as stop:
            said.append(stop.value.judgements[0])
        (comparison,) = judge.compare([question])
        counted.append(comparison.features if comparison else None)
    return said, counted


def overlap(items: Sequence[Item]) -> np.ndarray:
    """1 minus the weighted share of the claim's words in the best window, plus a penalty for numbers and names."""
    windows: dict[tuple[str, ...], tuple[list[Reading], Counter, Reading]] = {}
    risks = []
    for item in items:
        if item.sources not in windows:
            texts = [sentence.text for source in item.sources for sentence in sentences(source)]
            joined = [Reading(" ".join(texts[max(0, i - 1) : i + 2])) for i in range(len(texts))]
            counts = Counter(stem for text in texts for stem in {term.stem for term in Reading(text).content})
            windows[item.sources] = joined or [Reading("")], counts, Reading("\n".join(item.sources))
        near, counts, whole = windows[item.sources]
        claim = Reading(item.claim)
        weights = [log(1 + (1 + len(near)) / (1 + counts[term.stem])) for term in claim.content]
        shares = [
            sum(w for w, term in zip(weights, claim.content, strict=True) if window.has(term)) / (sum(weights) or 1)
            for window in near
        ]
        have = {quantity.raw for quantity in whole.quantities}
        numbers = sum(quantity.raw not in have for quantity in claim.quantities)
        names = sum(not all(map(whole.has, name)) for name in claim.names)
        risks.append(1 - max(shares) + 0.15 * numbers + 0.1 * names)
    return np.array(risks)


def risks(counted, model) -> np.ndarray:
    """The highest risk for a claim that cannot be compared with anything."""
    return np.array([probability(model.log_odds(f), AS_FITTED) if f else 1.0 for f in counted])


def folds(groups: Sequence[str]) -> np.ndarray:
    order = sorted(set(groups))
    random.Random(0).shuffle(order)  # noqa: S311 - splitting, not secrecy
    fold = {group: i % FOLDS for i, group in enumerate(order)}
    return np.array([fold[group] for group in groups])


def refitted(items, counted, fold) -> np.ndarray:
    found = np.ones(len(items))
    for k in range(FOLDS):
        train = [i for i in range(len(items)) if fold[i] != k and counted[i] and items[i].fitted]
        model = fitted([counted[i] for i in train], [items[i].unsupported for i in train])
        held = [i for i in range(len(items)) if fold[i] == k]
        found[held] = risks([counted[i] for i in held], model)
    return found


def decided(values: np.ndarray, labels: np.ndarray, fold: np.ndarray, metric: Callable) -> np.ndarray:
    """Predictions by the threshold that is best on the other folds."""
    said = np.zeros(len(values), bool)
    for k in range(FOLDS):
        rest = fold != k
        choices = np.unique(np.quantile(values[rest], np.linspace(0, 1, 101)))
        best = max(choices, key=lambda t: metric(labels[rest], values[rest] >= t))
        said[fold == k] = values[fold == k] >= best
    return said


# Metrics with their intervals.


def bootstrap(groups: Sequence[str], metric: Callable[[np.ndarray], float]) -> list[float] | None:
    """A 95 % interval of a metric of row numbers, over groups drawn with replacement."""
    rows = defaultdict(list)
    for i, group in enumerate(groups):
        rows[group].append(i)
    blocks = list(rows.values())
    chance = random.Random(0)  # noqa: S311 - as above
    values = []
    for _ in range(ROUNDS):
        drawn = np.concatenate([blocks[chance.randrange(len(blocks))] for _ in blocks])
        value = metric(drawn)
        if value == value:  # noqa: PLR0124 - NaN for a sample with only one label
            values.append(value)
    return [round(float(np.quantile(values, q)), 4) for q in (0.025, 0.975)] if values else None


def auroc(labels, values) -> float:
    return float(roc_auc_score(labels, values)) if len(set(labels)) > 1 else float("nan")


def compare(name, labels, systems: dict[str, np.ndarray], groups, *, metric, label) -> None:
    """A metric of every system, and its difference to word overlap on the same samples."""
    base = systems["word overlap"]
    for system, values in systems.items():
        value = metric(labels, values)
        line = {"set": name, "system": system, "metric": label, "value": value, "n": len(labels)}
        line["interval_95"] = bootstrap(groups, lambda rows: metric(labels[rows], values[rows]))  # noqa: B023
        if values is not base:
            line["minus_overlap"] = value - metric(labels, base)
            line["minus_overlap_95"] = bootstrap(
                groups,
                lambda rows: metric(labels[rows], values[rows]) - metric(labels[rows], base[rows]),  # noqa: B023
            )
        emit(**line)


def macro_f1(given: Sequence[str], said: Sequence[str], labels: Sequence[str]) -> float:
    present = [label for label in labels if label in given]
    return float(f1_score(list(given), list(said), labels=present, average="macro", zero_division=0))


def calibration_error(right: np.ndarray, confidence: np.ndarray) -> float:
    """ECE (Naeini et al. 2015): difference between confidence and accuracy, over ten bins of equal size."""
    order = np.argsort(confidence, kind="stable")
    parts = np.array_split(order, BINS)
    gaps = [len(part) * abs(right[part].mean() - confidence[part].mean()) for part in parts if len(part)]
    return float(sum(gaps) / len(order))


def confidences(name, items, counted, fold, judge) -> None:
    """Calibration of the risk, as shipped and after `recalibrate` on the other folds; and what a cascade may keep."""
    model = judge.risk_model or shipped()
    usable = np.array([i for i, f in enumerate(counted) if f])
    labels = np.array([items[i].unsupported for i in usable])
    odds = np.array([model.log_odds(counted[i]) for i in usable])
    after = np.zeros(len(usable))
    for k in range(FOLDS):
        rest = fold[usable] != k
        fit = rest & np.array([items[i].fitted for i in usable])
        found = scaled(list(odds[fit]), list(labels[fit]))
        after[~rest] = [probability(z, found) for z in odds[~rest]]
    for system, risk in (
        ("local judge", np.array([probability(z, judge.calibration) for z in odds])),
        ("recalibrated on the other folds", after),
    ):
        right, sure = (risk >= 0.5) == labels, np.maximum(risk, 1 - risk)
        emit(set=name, system=system, metric="ECE", value=calibration_error(right, sure), n=len(usable))
        for bound in SURE:
            kept = sure >= bound
            share = float(kept.mean())
            agreed = float(right[kept].mean()) if kept.any() else None
            emit(set=name, system=system, metric=f"sure at {bound}", value=share, agreement=agreed, n=len(usable))


# The sets.


def measure_ragtruth(folder: Path, judge: LocalJudge) -> None:
    responses, items = ragtruth(folder)
    said, counted = judged(items, judge)
    fold = folds([item.group for item in items])
    labels = np.array([item.unsupported for item in items])
    systems = {
        "word overlap": overlap(items),
        "local judge": risks(counted, judge.risk_model or shipped()),
        "refitted": refitted(items, counted, fold),
    }
    compare("ragtruth", labels, systems, [item.group for item in items], metric=auroc, label="claim AUROC")
    whole = {name: answers(responses, items, values) for name, values in systems.items()}
    wrong = np.array([response.hallucinated for response in responses])
    groups = [response.group for response in responses]
    by_response = folds(groups)
    compare("ragtruth", wrong, whole, groups, metric=auroc, label="response AUROC")
    yes = {name: decided(values, wrong, by_response, f1_score) for name, values in whole.items()}
    compare(
        "ragtruth", wrong, yes, groups, metric=lambda a, b: float(f1_score(a, b, zero_division=0)), label="response F1"
    )
    flagged = np.array([str(one.support) in UNSUPPORTED for one in said])
    shipped_says = answers(responses, items, flagged.astype(float)) > 0
    emit(set="ragtruth", system="local judge", metric="response F1 as shipped", value=float(f1_score(wrong, shipped_says)), n=len(wrong))  # fmt: skip
    for name, values in systems.items():
        marked = decided(values, labels, fold, lambda a, b: f1_score(a, b, zero_division=0))
        emit(set="ragtruth", system=name, metric="span overlap F1", value=span_f1(responses, items, marked), n=len(responses))  # fmt: skip
    confidences("ragtruth", items, counted, fold, judge)
    abstained(responses)


def answers(responses, items, values) -> np.ndarray:
    """The risk of an answer: that of its riskiest claim."""
    found = np.zeros(len(responses))
    for item, value in zip(items, values, strict=True):
        found[item.response] = max(found[item.response], value)
    return found


def span_f1(responses, items, marked) -> float:
    """F1 over annotated characters, as span detectors report it."""
    hit = said = given = 0
    for i, response in enumerate(responses):
        gold = {at for a, b in response.spans for at in range(a, b)}
        ours = {
            at
            for item, yes in zip(items, marked, strict=True)
            if yes and item.response == i
            for at in range(*item.span)
        }
        hit, said, given = hit + len(gold & ours), said + len(ours), given + len(gold)
    return 2 * hit / (said + given) if said + given else 0.0


def abstained(responses) -> None:
    wrong = [response for response in responses if response.hallucinated]
    false = sum(abstains(response.text) for response in wrong)
    emit(set="ragtruth", system="local judge", metric="hallucinated answers taken for abstentions", value=false / len(wrong), n=len(wrong))  # fmt: skip


def measure_claims(folder: Path, judge: LocalJudge) -> None:
    name = "claims"
    everything = claims(folder)
    said, counted = judged(everything, judge)
    labelled = [i for i, item in enumerate(everything) if item.support]
    five_classes(name, [everything[i] for i in labelled], [said[i] for i in labelled])
    two_way(name, everything, said, counted, judge)


def measure_planted(folder: Path, judge: LocalJudge) -> None:
    items = planted(folder)
    said, counted = judged(items, judge)
    five_classes("planted", items, said)
    types("planted", items, said)
    two_way("planted", items, said, counted, judge)


def two_way(name, everything, said, counted, judge) -> None:
    keep = [i for i, item in enumerate(everything) if item.support != "unevaluatable"]
    items, said, counted = ([each[i] for i in keep] for each in (everything, said, counted))
    groups = [item.group for item in items]
    fold, labels = folds(groups), np.array([item.unsupported for item in items])
    systems = {
        "word overlap": overlap(items),
        "local judge": risks(counted, judge.risk_model or shipped()),
        "refitted": refitted(items, counted, fold),
    }
    compare(name, labels, systems, groups, metric=auroc, label="claim AUROC")
    yes = {system: decided(values, labels, fold, balanced_accuracy_score) for system, values in systems.items()}
    compare(
        name, labels, yes, groups, metric=lambda a, b: float(balanced_accuracy_score(a, b)), label="balanced accuracy"
    )
    flagged = np.array([str(one.support) in UNSUPPORTED for one in said])
    for label, metric in (("balanced accuracy", balanced_accuracy_score), ("error F1", f1_score)):
        interval = bootstrap(groups, lambda rows, metric=metric: float(metric(labels[rows], flagged[rows])))
        emit(set=name, system="local judge", metric=f"{label} as shipped", value=float(metric(labels, flagged)), n=len(labels), interval_95=interval)  # fmt: skip
    confidences(name, items, counted, fold, judge)


def five_classes(name, items, said) -> None:
    given = np.array([item.support for item in items])
    ours = np.array([str(one.support) for one in said])
    interval = bootstrap([item.group for item in items], lambda rows: macro_f1(given[rows], ours[rows], CLASSES))
    emit(set=name, system="local judge", metric="macro-F1 of five classes", value=macro_f1(given, ours, CLASSES), n=len(given), interval_95=interval)  # fmt: skip
    share = float((given == ours).mean())
    emit(set=name, system="local judge", metric="accuracy of five classes", value=share, n=len(given))


def types(name, items, said) -> None:
    """Accuracy of error types: over all claims that have one, and over those that were flagged."""
    wrong = [(item, one) for item, one in zip(items, said, strict=True) if item.error_type]
    given = [item.error_type for item, _ in wrong]
    ours = [str(one.error_type) for _, one in wrong]
    kinds = sorted(set(given))
    emit(
        set=name,
        system="local judge",
        metric="macro-F1 of error types",
        value=macro_f1(given, ours, kinds),
        n=len(wrong),
    )
    found = [item.error_type == str(one.error_type) for item, one in wrong if one.error_type]
    emit(
        set=name, system="local judge", metric="error type right of found", value=sum(found) / len(found), n=len(found)
    )


def speed(folder: Path) -> None:
    items = local_speed.responses(folder, 40)
    for name, method in (("word overlap", local_speed.overlap), ("local judge", local_speed.local)):
        for threads in (1, 2):
            emit(set="speed", system=name, threads=threads, **local_speed.measure(method, items, threads))


MEASURES = {"ragtruth": measure_ragtruth, "claims": measure_claims, "planted": measure_planted}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TRAIL_DATA_DIR"))
    parser.add_argument("--only", default="ragtruth,claims,planted,speed")
    arguments = parser.parse_args()
    if not arguments.data:
        print("skipped: no --data, TRAIL_DATA_DIR is not set, and the labelled sets are not part of this repository", file=sys.stderr)  # fmt: skip
        return 0
    for name in re.split(r"\s*,\s*", arguments.only):
        if name == "speed":
            speed(Path(arguments.data))
        elif name in MEASURES:
            MEASURES[name](Path(arguments.data), LocalJudge())
        else:
            parser.error(f"--only names {name!r}, expected any of {', '.join([*MEASURES, 'speed'])}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
