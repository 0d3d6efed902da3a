"""Errors of release gates: `python tests/benchmarks/gates.py [RELEASES [SETTING...]]` decides on simulated ones.

Answers have 2 to 12 claims, of which 10 % are unsupported in the baseline; claims of one answer go wrong together
(intra-class correlation .2, beta-binomial), and a quarter of what is unsupported contradicts its source. The candidate is
as good, or worse by 1, 2 (the margin) or 5 points; with eight segments only one of them is. Paired releases answer the
same questions, and what is hard for one is hard for the other. Beside the gate: the test for two shares over claims, as
if they were independent, in each segment by itself, which alarms below 5 % and passes what it does not alarm about.
Setting 5 gives each run figures of coverage and citations, each bad in 10 % of the runs, independently; the candidate
is worse by 5 points (the margin) by one of them. `sized` is what `sizing` says before of unchanged releases.
Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from trail_callbacks.monitor import Observation
from trail_callbacks.monitor.decision import Policy
from trail_callbacks.monitor.gate import decide
from trail_callbacks.monitor.sizing import at_most, sizes
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.statistics.intervals import wilson

SHARE, ICC, CONTRADICTED, CHANGES = 0.10, 0.2, 0.25, (0.0, 0.01, 0.02, 0.05)
SETTINGS = ((False, 1, 300), (False, 1, 1_000), (True, 1, 300), (False, 8, 300))  # paired, segments, answers in each
OUTCOMES = ("worse", "not_enough_data", "passes")
FIGURES = {
    "query_coverage": "query_coverage",
    "evidence_overlap": "selection",
    "citation_presence": "citation_presence",
    "citation_coverage": "citation_recall",
}
NAMES = {"gate": "gate", "claims": "by claims only", "critical": "first segment critical"}


def probabilities(rng, n, share):
    return rng.beta(share * (1 - ICC) / ICC, (1 - share) * (1 - ICC) / ICC, n)


def release(rng, name, segments, n, change, *, hard=None):
    """Runs of a release, and unsupported and all claims of each segment."""
    runs, claims = [], []
    for segment in range(segments):
        share = SHARE + (change if segment == 0 else 0.0)
        if hard is None:
            wrong = probabilities(rng, n, share)
        else:  # what is hard stays hard, and some of the rest goes wrong too
            wrong = hard[segment] + (1 - hard[segment]) * (share - SHARE) / (1 - SHARE)
        sizes = rng.integers(2, 13, n)
        bad = rng.binomial(sizes, wrong)
        against = rng.binomial(bad, CONTRADICTED)
        claims.append((int(bad.sum()), int(sizes.sum())))
        for i, (size, b, c) in enumerate(zip(sizes.tolist(), bad.tolist(), against.tolist(), strict=True)):
            outcomes = {"supported": size - b, "absent": b - c, "contradicted": c}
            key = f"{segment} {i}" if hard is not None else ""
            runs.append(
                Observation(
                    id=f"{name} {segment} {i}",
                    at=0.0,
                    key=key,
                    judge="judge",
                    state="assessed",
                    claims=size,
                    outcomes=outcomes,
                    fields={"segment": str(segment)},
                )
            )
    return runs, claims


def naive(old, new):
    """Whether the test over claims alarms in some segment."""
    for (bad, n), (worse, m) in zip(old, new, strict=True):
        pooled = (bad + worse) / (n + m)
        error = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
        if error and NormalDist().cdf(-(worse / m - bad / n) / error) < 0.05:
            return True
    return False


def interval(k, n):
    low, high = wilson(k / n, n)
    return f"{100 * k / n:5.1f} % ({100 * low:4.1f} to {100 * high:4.1f})"


def measure(releases, segments, n, change, *, paired):
    rng = np.random.default_rng([20261122, segments, n, round(100 * change), paired])
    found, started = Counter(), time.process_time()
    for _ in range(releases):
        hard = [probabilities(rng, n, SHARE) for _ in range(segments)] if paired else None
        old, before = release(rng, "a", segments, n, 0.0, hard=hard)
        new, after = release(rng, "b", segments, n, change, hard=hard)
        decision = decide(old, new, Policy(segment="segment"))
        assert decision.paired == paired
        found["gate", decision.outcome] += 1
        claims = {each.measures[0].outcome for each in decision.segments}
        found["claims", next(each for each in OUTCOMES if each in claims)] += 1
        first = next(each for each in decision.segments if each.name == "0")
        risen = first.measures[1].difference > 0  # what makes a critical segment worse, whatever else it is
        found["critical", "worse" if risen else decision.outcome] += 1
        found["naive"] += naive(before, after)
    seconds = (time.process_time() - started) / releases
    print(
        f"{'paired' if paired else 'unpaired'}, {segments} segment{'s' * (segments > 1)}, {n} answers each, "
        f"{100 * change:+.0f} points, {releases} releases ({1000 * seconds:.0f} ms each)"
    )
    for name, words in NAMES.items():
        shares = ", ".join(f"{each.replace('_', ' ')} {interval(found[name, each], releases)}" for each in OUTCOMES)
        print(f"    {words:<24}{shares}")
    shown = interval(found["naive"], releases)
    print(f"    {'test over claims':<24}alarms {shown}, passes else", flush=True)


def figured(rng, runs, worse="", change=0.0):
    """Runs with figures, of which the one of a signal is bad more often."""
    shares = np.array([0.1 + change * (name == worse) for name in FIGURES])
    values = 1.0 - (rng.random((len(runs), len(FIGURES))) < shares)
    return [
        replace(
            run,
            figures={
                name: Figure(value=value, n=3, decided_by="judge")
                for name, value in zip(FIGURES.values(), row, strict=True)
            },
        )
        for run, row in zip(runs, values.tolist(), strict=True)
    ]


def measure_signals(releases, n=1_000):
    rng = np.random.default_rng([20261128, n])
    for worse in ("", *FIGURES):
        found, sized = Counter(), 0.0
        for _ in range(releases):
            (old, _), (new, _) = (release(rng, name, 1, n, 0.0) for name in "ab")
            old, new = figured(rng, old), figured(rng, new, worse, 0.05)
            decision = decide(old, new)
            found["gate", decision.outcome] += 1
            found[
                "alone", {each.name: each for each in decision.segments[0].measures}[worse or "query_coverage"].outcome
            ] += 1
            sized += at_most(sizes(old)) / releases
        print(f"unpaired, {n} answers, {worse or 'unchanged'}, {releases} releases; sized {100 * sized:.1f} % at most")
        for name in ("gate", "alone"):
            shares = ", ".join(f"{each.replace('_', ' ')} {interval(found[name, each], releases)}" for each in OUTCOMES)
            print(f"    {name:<24}{shares}", flush=True)


def main():
    releases = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    chosen = [int(each) for each in sys.argv[2:]] or range(1, len(SETTINGS) + 2)
    if len(SETTINGS) + 1 in chosen:
        measure_signals(releases)
    for paired, segments, n in (SETTINGS[each - 1] for each in chosen if each <= len(SETTINGS)):
        for change in CHANGES:
            measure(releases, segments, n, change, paired=paired)


if __name__ == "__main__":
    main()
