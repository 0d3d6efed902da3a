"""The quality of verdicts, compared with gold claims.

Claims that a judge extracted itself are matched with gold claims by their position in the answer. A gold claim gets the
claim whose span has the highest ratio of shared to covered characters (intersection over union) with its own, plus the
same ratio of words if several claims share a span; spans must share half of the shorter one. Several gold claims may get
the same claim (from a judge that does not decompose sentences), and one may be split into several (by a judge that
decomposes further): a claim is a part of the gold claim that is most like it, and if parts were found wrong, the worst of
them is the verdict on the whole. `coverage` is the share of gold claims with a match; the others are left out of all
other metrics.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from gold_runs import UNSUPPORTED, Fact, Run

from trail_callbacks import Report
from trail_callbacks.text import forms, locate

CLASSES = ("supported", "contradicted", "absent", "partially_supported", "unevaluatable")
WORST = ("contradicted", "absent", "partially_supported")
ROUNDS = 1000
HALF = 0.5


class Pair(NamedTuple):
    """A gold claim and the verdict on its match; None if no claim matches."""

    fact: Fact
    said: str | None
    error_type: str | None
    introduced_at: str | None
    carried_through: tuple[str, ...]
    searched: bool


def matched(run: Run, report: Report) -> tuple[Pair, ...]:
    spans = placed(run)
    parts = defaultdict(list)
    for claim in report.claims:
        near = [(likeness(span, fact, claim), -n) for n, (fact, span) in enumerate(spans) if touches(span, claim)]
        if near:
            parts[-max(near)[1]].append(claim)
    pairs = []
    for n, (fact, span) in enumerate(spans):
        near = sorted(
            (claim for claim in report.claims if touches(span, claim)),
            key=lambda claim: -likeness(span, fact, claim),
        )
        if not near:
            pairs.append(Pair(fact, None, None, None, (), False))
            continue
        verdicts = [report.verdict(claim.id) for claim in near[:1] + [claim for claim in near[1:] if claim in parts[n]]]
        wrong = [verdict for verdict in verdicts if verdict.support in WORST]
        verdict = min(wrong, key=lambda verdict: WORST.index(verdict.support)) if wrong else verdicts[0]
        said = str(verdict.support or ("undecided" if verdict.undecided else "error"))
        error_type = verdict.error_type and str(verdict.error_type)
        through = verdict.carried_through
        pairs.append(Pair(fact, said, error_type, verdict.introduced_at, through, bool(verdict.history)))
    return tuple(pairs)


def placed(run: Run) -> list[tuple[Fact, tuple[int, int]]]:
    """The gold claims with the places of their quotes, each searched for behind the one before."""
    answer, at, spans = run.graph.answer.text, 0, []
    for fact in run.facts:
        span = locate(fact.quote, answer, at) or locate(fact.quote, answer)
        at = span[0]
        spans.append((fact, span))
    return spans


def touches(span, claim) -> bool:
    shared = min(span[1], claim.end) - max(span[0], claim.start)
    return shared >= HALF * min(span[1] - span[0], claim.end - claim.start) > 0


def likeness(span, fact: Fact, claim) -> float:
    shared = min(span[1], claim.end) - max(span[0], claim.start)
    covered = max(span[1], claim.end) - min(span[0], claim.start)
    one, other = set(forms(fact.text)), set(forms(claim.text))
    return shared / covered + len(one & other) / max(1, len(one | other))


def share(hits: list[bool]):
    return (sum(hits) / len(hits), len(hits)) if hits else None


def class_accuracy(pairs):
    return share([pair.said == pair.fact.support for pair in pairs if pair.said])


def macro_f1(pairs):
    known = [pair for pair in pairs if pair.said]
    scores = [
        f1([pair.fact.support == label for pair in known], [pair.said == label for pair in known])
        for label in CLASSES
        if any(pair.fact.support == label for pair in known)
    ]
    return (sum(scores) / len(scores), len(known)) if scores else None


def f1(given: list[bool], said: list[bool]) -> float:
    hits = sum(a and b for a, b in zip(given, said, strict=True))
    return 2 * hits / max(1, sum(given) + sum(said))


def binary(wanted):
    def metric(pairs):
        known = [pair for pair in pairs if pair.said and pair.fact.checkable]
        if not any(pair.fact.support in wanted for pair in known):
            return None
        return f1([pair.fact.support in wanted for pair in known], [pair.said in wanted for pair in known]), len(known)

    return metric


def faulty(pairs):
    return [pair for pair in pairs if pair.said and pair.fact.support in UNSUPPORTED]


def found(pairs):
    return [pair for pair in faulty(pairs) if pair.said in UNSUPPORTED]


def path(pair: Pair) -> bool:
    expected = (pair.fact.introduced_at, pair.fact.carried_through)
    return (pair.introduced_at, pair.carried_through) == expected


def type_macro_f1(pairs):
    """The error types of claims that are wrong and were found to be; types that do not occur are left out."""
    known = found(pairs)
    scores = [
        f1([pair.fact.error_type == name for pair in known], [pair.error_type == name for pair in known])
        for name in sorted({pair.fact.error_type for pair in known})
    ]
    return (sum(scores) / len(scores), len(known)) if scores else None


METRICS: dict[str, Callable] = {
    "class_accuracy": class_accuracy,
    "macro_f1": macro_f1,
    "supported_f1": binary({"supported"}),
    "unsupported_f1": binary(UNSUPPORTED),
    "error_type_of_found": lambda pairs: share([p.error_type == p.fact.error_type for p in found(pairs)]),
    "error_type_macro_f1": type_macro_f1,
    "introduced_at": lambda pairs: share([p.introduced_at == p.fact.introduced_at for p in faulty(pairs)]),
    "introduced_at_of_found": lambda pairs: share([p.introduced_at == p.fact.introduced_at for p in found(pairs)]),
    "path": lambda pairs: share([path(p) for p in faulty(pairs)]),
    "undetermined_of_found": lambda pairs: share([p.searched and p.introduced_at is None for p in found(pairs)]),
    "coverage": lambda pairs: share([p.said is not None for p in pairs]),
}


def interval(metric, outcomes):
    chance = random.Random(0)  # noqa: S311 - resampling, not secrecy
    values = []
    for _ in range(ROUNDS):
        sample = chance.choices(outcomes, k=len(outcomes))
        value = metric([pair for outcome in sample for pair in outcome.pairs])
        if value is not None:
            values.append(value[0])
    values.sort()
    return [round(values[int(len(values) * part)], 3) for part in (0.025, 0.975)] if values else None
