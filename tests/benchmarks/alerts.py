"""Measures alerts on simulated traffic: what is found, how soon, whose it is said to be, and how often for nothing.

    python tests/benchmarks/alerts.py [--months 20] [--repeats 5] [--rates 50 500 5000 50000] [--processes 2]

A run goes down the evidence path: retrieval fails on 1 % of the questions, ranking on 1 % of the rest; after either the
answer is bad in 80 %, else in 1 %; citations fail after a bad answer in 50 %, else in 1 %. Runs arrive by day and night
(a sine, 1.8 to 0.2 of the mean), 60, 30 and 10 % of them from three tenants. They are drawn in steps of 5 minutes,
seeded. The objectives are 0.97 for retrieval and ranking, 0.95 for answers and citations, each for all runs and for
each tenant by itself; whoever alerts looks every 10 minutes.

A degradation adds points to the share of runs in which one stage fails, for all or for the tenant with 30 % of the
runs, from some time of the fifth day on, and is watched for 7 days. 2 points leave retrieval and ranking about at their
objectives, and the answers well within theirs: nothing needs to be found there. Compared are

- `ours`: `evaluate`, told by `History`;
- `textbook`: factors 14.4, 6 and 1 on the same windows, bad shares as they are, nothing held back;
- `instant`: the bad share of the last 5 minutes is over the budget.

Incidents (`--scenes`, nothing else then) are played on whole runs, as a judge leaves them: one that is right, one that
takes a tenth of its readings the wrong way round, and one of words, which finds 40 % of good retrievals bad, decides
contradictions and leaves open what no source says. 1 % of the runs fail in each way; in an incident of three days 40 %
do, of all runs or of the tenant with 30 %; without retrieval or ranking 60 % of the answers decline and the others are
unsupported. `owner` says whether the right owner was called, nobody, or (also) another; `pages` counts those told.

One JSON line for each rate and measure. `found`: share of degradations that were told of (with those that were paged),
and the median and 90th percentile of hours until then, over those found; `right`: share of those found whose first call
went to the owner of the broken stage and to nobody else; `false`: pages and tickets in a month with nothing planted.
Intervals are 95 %: Wilson's for shares, the score interval for counts.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from math import prod, sqrt
from typing import NamedTuple

import numpy as np

from trail_callbacks.monitor import SIGNALS, Observation, Tally
from trail_callbacks.monitor.evaluation import History, evaluate
from trail_callbacks.monitor.objectives import DAY, Objectives, parse
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.statistics.intervals import wilson

STEP, LOOK = 300, 600
TENANTS = {"a": 0.6, "b": 0.3, "c": 0.1}
STAGES = {
    "query_coverage": "retrieval",
    "evidence_overlap": "ranking",
    "answer_coverage": "generation",
    "citation_coverage": "release_guard",
}
BASE = {"query_coverage": 0.01, "evidence_overlap": 0.01, "answer_coverage": 0.01, "citation_coverage": 0.01}
GOALS = {"query_coverage": 0.97, "evidence_overlap": 0.97, "answer_coverage": 0.95, "citation_coverage": 0.95}
TEXTBOOK = (14.4, 6.0, 1.0)


def objectives() -> Objectives:
    tables = [
        f'[[objective]]\nsignal = "{signal}"\nobjective = {goal}\n{segment}'
        for signal, goal in GOALS.items()
        for segment in ("", 'segment = { tenant = "*" }\n')
    ]
    return parse("lag = 0\n" + "\n".join(tables))


class Planted(NamedTuple):
    """A degradation: points at a signal's stage, for a tenant or for all, from a time on."""

    signal: str
    points: float
    tenant: str | None
    since: float


class Traffic:
    """Counts of simulated runs, as `Tallies` gives them."""

    def __init__(self, rate: float, days: float, seed: int, planted: Planted | None = None) -> None:
        rng = np.random.default_rng(seed)
        steps = int(days * DAY // STEP)
        starts = np.arange(steps) * STEP
        mean = rate * STEP / DAY * (1 + 0.8 * np.sin(2 * np.pi * starts / DAY))
        self.counts: dict[str, Mapping[str, np.ndarray]] = {}
        for tenant, part in TENANTS.items():
            runs = rng.poisson(mean * part)
            share = {signal: np.full(steps, base) for signal, base in BASE.items()}
            if planted and planted.tenant in (None, tenant):
                share[planted.signal][starts >= planted.since] += planted.points
            lost = rng.binomial(runs, share["query_coverage"])
            dropped = rng.binomial(runs - lost, share["evidence_overlap"])
            fresh = rng.binomial(runs - lost - dropped, share["answer_coverage"])
            wrong = rng.binomial(lost + dropped, 0.8) + fresh
            cites = rng.binomial(wrong, 0.5) + rng.binomial(runs - wrong, share["citation_coverage"])
            bad = dict(zip(BASE, (lost, dropped, wrong, cites), strict=True)) | {"undecided": np.zeros(steps, int)}
            self.counts[tenant] = {k: np.concatenate([[0], np.cumsum(v)]) for k, v in {"": runs, **bad}.items()}
        whole = self.counts.values()
        self.counts[""] = {k: np.sum([each[k] for each in whole], axis=0) for k in self.counts["a"]}
        self.sums = {name: {k: v.tolist() for k, v in each.items()} for name, each in self.counts.items()}

    def tally(self, signal, since, until, segment=None, threshold=None) -> Tally:
        sums = self.sums[(segment or {}).get("tenant", "")]
        low, high = max(0, int(since // STEP)), max(0, int(until // STEP))
        n, bad = sums[""][high] - sums[""][low], sums[signal.name][high] - sums[signal.name][low]
        return Tally(runs=n, decided=n, bad=bad, weight=n, bad_weight=bad, squares=n)


OWNERS = {
    "retrieval": "retrieval",
    "ranking": "ranking",
    "contradicts": "generation",
    "uncited": "release_guard",
    "declines": "generation",
    "judge": "evaluator",
}
LEVEL = {"right": (0.95, ""), "errs": (0.8, "factors = [2.4, 2, 1]\n"), "words": (0.95, "")}


def seen(kind: str, judge: str, *, answered: bool) -> Iterator[tuple[float, Observation]]:
    """What a judge leaves of a run of which one thing went wrong, with probabilities."""
    lost, dropped = kind == "retrieval", kind == "ranking"
    declined = kind == "declines" or ((lost or dropped) and not answered)
    absent, against = (lost or dropped) and answered, kind == "contradicts"
    if kind == "judge":
        yield 1.0, Observation(id="", at=0.0, state="error", outcomes={"not_judged": 5})
        return
    by, slip = ("words", 0.4) if judge == "words" else ("judge", 0.1 if judge == "errs" else 0.0)
    for flips in product((False, True), repeat=3):
        p = prod(slip if flip else 1 - slip for flip in flips)
        if not p:
            continue
        covered, kept, wrong = (
            x ^ flip for x, flip in zip((not lost, not dropped, absent or against), flips, strict=True)
        )
        if judge == "words":
            p, wrong = p / (slip if flips[2] else 1 - slip) / 2, absent or against
        bad = "contradicted" if against or not absent else "absent"
        outcomes = {} if declined else {"supported": 2, bad: 3} if wrong else {"supported": 5}
        state = "abstained" if declined else "assessed"
        if judge == "words" and absent:
            state, outcomes = "unverified", {"undecided": 5}
        shares = {"query_coverage": covered, "selection": kept}
        figures = {name: Figure(value=float(share), n=3, decided_by=by) for name, share in shares.items()}
        if not declined:
            cites = Figure(value=float(kind != "uncited"), n=5, decided_by="judge")
            figures |= {"citation_presence": cites, "citation_recall": cites}
        if outcomes.get("supported"):
            figures["answer_coverage"] = Figure(value=outcomes["supported"] / 5, n=5, decided_by="judge")
        yield p, Observation(id="", at=0.0, state=state, outcomes=outcomes, figures=figures)


class Played(Traffic):
    """Counts of runs of an incident, by the signals of what a judge leaves of them."""

    def __init__(self, rate: float, days: float, seed: int, judge: str, incident: tuple | None = None) -> None:
        rng = np.random.default_rng(seed)
        starts = np.arange(int(days * DAY // STEP)) * STEP
        mean = rate * STEP / DAY * (1 + 0.8 * np.sin(2 * np.pi * starts / DAY))
        kinds = [
            (kind, p, each)
            for kind in ("good", *OWNERS)
            for answered, part in ((True, 0.4), (False, 0.6))
            for p, each in ((part * q, run) for q, run in seen(kind, judge, answered=answered))
        ]
        told = np.array([[SIGNALS[name].bad(run) for name in SIGNALS] for _, _, run in kinds], dtype=object)
        self.sums = {}
        for tenant, part in TENANTS.items():
            runs, counts = rng.poisson(mean * part), 0
            for during in (False, True):
                broken, where, since, until = incident or ("", None, 0, 0)
                hit = (starts >= since) & (starts < until) & (where in {None, tenant})
                level = {kind: 0.4 if during and kind == broken else 0.01 for kind in OWNERS}
                p = np.array([q * level.get(kind, 1 - sum(level.values())) for kind, q, _ in kinds])
                counts = counts + rng.multinomial(np.where(hit == during, runs, 0), p / p.sum())
            bad, known = ((told == True).astype(int), (told != None).astype(int))  # noqa: E711, E712 - of each cell
            columns = {"": counts.sum(1)}
            for n, name in enumerate(SIGNALS):
                columns |= {name: counts @ bad[:, n], f"known {name}": counts @ known[:, n]}
            self.sums[tenant] = {name: np.concatenate([[0], np.cumsum(each)]) for name, each in columns.items()}
        self.sums[""] = {name: sum(self.sums[tenant][name] for tenant in TENANTS) for name in columns}

    def tally(self, signal, since, until, segment=None, threshold=None) -> Tally:
        sums = self.sums[(segment or {}).get("tenant", "")]
        low, high = max(0, int(since // STEP)), max(0, int(until // STEP))
        names = ("", f"known {signal.name}", signal.name)
        n, known, bad = (int(sums[name][high] - sums[name][low]) for name in names)
        return Tally(runs=n, decided=known, bad=bad, weight=known, bad_weight=bad, squares=known)


def scene(task) -> tuple:
    """Owners called and pages told in an incident, or in a month without one."""
    rate, judge, kind, tenant, seed = task
    objective, factors = LEVEL[judge]
    names = [name for name in SIGNALS if name not in {"unsupported", "undecided"}]
    tables = [
        f'[[objective]]\nsignal = "{name}"\nobjective = {objective}\n{segment}'
        for name in names
        for segment in ("", 'segment = { tenant = "*" }\n')
    ]
    wanted = parse(f"lag = 0\n{factors}" + "\n".join(tables))
    since = 4 * DAY + np.random.default_rng(seed + 10**6).integers(0, DAY // STEP) * STEP
    until = since + (3 if kind else 30) * DAY
    traffic = Played(rate, 35 if not kind else 9, seed, judge, (kind, tenant, since, until) if kind else None)
    called = [call for call in ours(traffic, DAY, until, wanted) if call.at >= since]
    owners = {call.owner for call in called}
    pages = sum(call.severity == "page" for call in called)
    verdict = "silence" if not owners else "right" if owners == {OWNERS.get(kind)} else "another"
    verdict = "left open" if judge == "words" and verdict == "another" and owners == {"evaluator"} else verdict
    return (rate, judge, kind or "nothing"), (verdict, pages, sorted(owners))


class Call(NamedTuple):
    at: float
    owner: str
    severity: str


def ours(traffic: Traffic, since: float, until: float, wanted: Objectives) -> Iterator[Call]:
    history = History()
    known = {"tenant": tuple(TENANTS)}
    for at in range(int(since), int(until), LOOK):
        for event in history.update(evaluate(wanted, traffic, at, known), at):
            if event.kind != "ends":
                yield Call(at, event.alert.owner, event.alert.severity)


def plain(traffic: Traffic, since: float, until: float, wanted: Objectives, *, instant: bool) -> Iterator[Call]:
    """Thresholds on bad shares as they are: begins of what exceeds them, after 15 minutes of quiet."""
    last: dict[tuple, float] = {}
    segments = [{}, *({"tenant": name} for name in TENANTS)]
    for at, (each, segment) in product(range(int(since), int(until), LOOK), list(product(wanted, segments))):
        if bool(each.segment) != bool(segment) or each.stage == "evaluator":
            continue

        def share(length, at=at, each=each, segment=segment):
            return traffic.tally(each.signal, at - length, at, segment).share or 0.0

        if instant:
            severity = "page" if share(STEP) > each.budget else None
        else:
            severity = next(
                (
                    rate.severity
                    for rate, factor in zip(each.rates, TEXTBOOK, strict=True)
                    if min(share(rate.short), share(rate.long)) > factor * each.budget
                ),
                None,
            )
        if severity:
            key = (each.name, *segment.values(), severity)
            if at - last.get(key, -DAY) > 900:
                yield Call(at, each.owner, severity)
            last[key] = at


WAYS = {"ours": ours, "textbook": partial(plain, instant=False), "instant": partial(plain, instant=True)}


def watched(task) -> tuple:
    """One degradation: by way, hours until the first call and the first page (None: not within 7 days), and whether
    the first call was the right one.
    """
    rate, signal, points, tenant, seed = task
    since = 4 * DAY + np.random.default_rng(seed + 10**6).integers(0, DAY // STEP) * STEP
    traffic = Traffic(rate, 13, seed, Planted(signal, points / 100, tenant, float(since)))
    wanted, found = objectives(), {}
    for name, way in WAYS.items():
        first, owners, paged = None, set(), None
        for call in way(traffic, since, since + 7 * DAY, wanted):
            hours = (call.at - since) / 3600
            first = hours if first is None else first
            if hours == first:
                owners.add(call.owner)
            if call.severity == "page" and paged is None:
                paged = hours
            if first is not None and hours > first and (paged is not None or points < 10):
                break
        found[name] = (first, paged, owners == {STAGES[signal]})
    return (rate, points, tenant or "all"), found


def month(task) -> tuple:
    """Pages and tickets of 30 days without a degradation, by way."""
    rate, seed = task
    traffic, wanted, found = Traffic(rate, 35, seed), objectives(), {}
    for name, way in WAYS.items():
        severities = [call.severity for call in way(traffic, 4 * DAY, 34 * DAY, wanted)]
        found[name] = (severities.count("page"), severities.count("ticket"))
    return rate, found


def of(part: int, n: int) -> dict:
    return (
        {"share": round(part / n, 3), "n": n, "interval": [round(x, 3) for x in wilson(part / n, n)]} if n else {"n": 0}
    )


def counted(total: int, n: int) -> dict:
    """Events a month."""
    spread = 1.96 * sqrt(total + 0.9604)
    low, high = max(0.0, total + 1.9208 - spread), total + 1.9208 + spread
    return {"a_month": round(total / n, 2), "interval": [round(low / n, 2), round(high / n, 2)], "n": n}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--months", type=int, default=20)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--rates", type=int, nargs="+", default=[50, 500, 5_000, 50_000])
    options.add_argument("--points", type=int, nargs="+", default=[2, 5, 10, 30])
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--scenes", action="store_true")
    asked = options.parse_args()
    if asked.scenes:
        of_rates = product(asked.rates, LEVEL, OWNERS, (None, "b"), range(asked.repeats))
        tasks = [(*each, n) for n, (*each, _) in enumerate(of_rates)]
        tasks += [
            (rate, judge, "", None, 10**6 + n) for rate in asked.rates for judge in LEVEL for n in range(asked.months)
        ]
        with ProcessPoolExecutor(asked.processes) as pool:
            found = list(pool.map(scene, tasks, chunksize=4))
        for key in dict.fromkeys(key for key, _ in found):
            each = [told for at, told in found if at == key]
            line = dict(zip(("rate", "judge", "scene"), key, strict=True))
            verdicts = Counter(verdict for verdict, _, _ in each)
            line |= {"owner": {name: of(n, len(each)) for name, n in verdicts.items()}}
            others = Counter(owner for verdict, _, owners in each if verdict == "another" for owner in owners)
            print(
                json.dumps(line | {"pages": counted(sum(n for _, n, _ in each), len(each)), "called": others}),
                flush=True,
            )
        return
    months = [(rate, 1_000 * n + rate) for rate in asked.rates for n in range(asked.months)]
    cases = product(asked.rates, STAGES, asked.points, (None, "b"), range(asked.repeats))
    planted = [(rate, signal, points, tenant, n) for n, (rate, signal, points, tenant, _) in enumerate(cases)]
    with ProcessPoolExecutor(asked.processes) as pool:
        false = list(pool.map(month, months))
        found = list(pool.map(watched, planted, chunksize=4))
    for rate, way in product(asked.rates, WAYS):
        each = [by[way] for key, by in false if key == rate]
        pages, tickets = (counted(sum(x[i] for x in each), len(each)) for i in (0, 1))
        print(json.dumps({"measure": "false", "rate": rate, "way": way, "pages": pages, "tickets": tickets}))
    for key in dict.fromkeys(key for key, _ in found):
        for way in WAYS:
            each = [by[way] for at, by in found if at == key]
            hours = [x[0] for x in each if x[0] is not None]
            line = {"measure": "planted", "rate": key[0], "points": key[1], "runs": key[2], "way": way}
            line |= {"found": of(len(hours), len(each)), "paged": of(sum(x[1] is not None for x in each), len(each))}
            if hours:
                line |= {
                    "median_h": round(float(np.median(hours)), 1),
                    "p90_h": round(float(np.quantile(hours, 0.9)), 1),
                }
            line |= {"right": of(sum(x[2] for x in each if x[0] is not None), len(hours))}
            print(json.dumps(line))


if __name__ == "__main__":
    main()
