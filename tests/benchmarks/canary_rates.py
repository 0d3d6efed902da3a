"""Do the intervals of a canary run cover the truth, and which differences between strategies can n probes carry?

    python tests/benchmarks/canary_rates.py coverage --seeds 1000
    python tests/benchmarks/canary_rates.py coverage --seeds 300 --clustered
    python tests/benchmarks/canary_rates.py table --seeds 200
    python tests/benchmarks/canary_rates.py gate --seeds 400
    python tests/benchmarks/canary_rates.py runner --seeds 100

Models are played: what they do is drawn from known rates, so that the truth is known. `coverage` counts in how many
runs the 95 % interval holds it, beside Wald's interval and Wilson's without regard to documents. `table` plays the
published comparison in shape: 4 chunkers x HTML yes or no, with 10 probes and with 300. `gate` counts false alarms and
misses of `compare`. `runner` plays apps whose answers are asked for, classified and stored by `canary.runs.run`.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from trail_callbacks.canary import Answered, Arm, Ask, Finding, Outcome, Probe, Run, Strategy, Trial
from trail_callbacks.canary.statistics.comparing import compare, contrasts, ranking
from trail_callbacks.canary.statistics.rates import cases, rates
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.statistics.rates import Rate

NORMAL = NormalDist()
MISSES, FAILURES = 0.04, 0.02


@dataclass(frozen=True)
class Played:
    """A model of known behaviour.

    Attributes:
        known: Share of facts that it knows closed book.
        leak: Probability that it gives the real value where it knows it and the context says otherwise.
        abstain: Probability that it declines, if it does not leak.
        blend: That it gives both, likewise.
        wrong: That it gives something else, likewise.
        together: Correlation of leaks on one document, 0.0 to 1.0.
    """

    known: float = 0.5
    leak: float = 0.1
    abstain: float = 0.05
    blend: float = 0.02
    wrong: float = 0.02
    together: float = 0.0

    @property
    def truth(self) -> dict[str, float]:
        """The rates that a run estimates."""
        leaks = self.known * self.leak
        return {
            "follow": (1 - leaks) * (1 - self.abstain - self.blend - self.wrong),
            "leak": leaks,
            "leak_known": self.leak,
        }


def beta(chance: random.Random, mean: float, together: float) -> float:
    """The probability of one document; documents have this mean and this correlation."""
    if not together or mean in (0.0, 1.0):
        return mean
    size = 1 / together - 1
    return chance.betavariate(mean * size, (1 - mean) * size)


def probes(n: int, each: int) -> list[Probe]:
    """Probes, some of each document."""
    return [
        Probe(id=f"p{i}", question=f"How long does ferry {i} take?", real="40 minutes", fictive="53 minutes",
              documents=(f"d{i // each}",), kind="number")
        for i in range(n)
    ]  # fmt: skip


def trial(asked: Probe, arm: Arm, strategy: str, outcome: Outcome) -> Trial:
    return Trial(
        probe=asked.id, arm=arm, strategy=strategy, answer="", finding=Finding(outcome=outcome, how="value"),
        served=outcome != "retrieval_miss",
    )  # fmt: skip


def play(model: Played, asked: Sequence[Probe], seed: str, name: str = "one") -> list[Trial]:
    """Closed-book and fictive trials of a model."""
    chance = random.Random(seed)  # noqa: S311 - played answers
    leaks: dict[str, float] = {}
    found = []
    for probe in asked:
        place = probe.documents[0]
        leak = leaks.setdefault(place, beta(chance, model.leak, model.together))
        known = chance.random() < model.known
        found.append(trial(probe, "closed_book", name, "leaks_prior" if known else "other_wrong"))
        odds = chance.random()
        outcome: Outcome
        if odds < FAILURES:
            outcome = "unscorable"
        elif odds < FAILURES + MISSES:
            outcome = "retrieval_miss"
        elif known and chance.random() < leak:
            outcome = "leaks_prior"
        else:
            shares = (1 - model.abstain - model.blend - model.wrong, model.abstain, model.blend, model.wrong)
            kinds: tuple[Outcome, ...] = ("follows_context", "abstains", "blends", "other_wrong")
            outcome = chance.choices(kinds, shares)[0]
        found.append(trial(probe, "fictive", name, outcome))
    return found


def made(trials: Sequence[Trial], asked: Sequence[Probe]) -> Run:
    names = dict.fromkeys(each.strategy for each in trials)
    return Run(
        probes={each.id: each for each in asked},
        strategies={name: Strategy(name) for name in names},
        arms=("closed_book", "real", "fictive"),
        trials=trials,
    )


def wald(rate: Rate) -> tuple[float, float]:
    share = rate.value or 0.0
    half = 1.96 * math.sqrt(share * (1 - share) / rate.n)
    return share - half, share + half


def covers(limits: tuple[float, float], truth: float) -> bool:
    return limits[0] - 1e-12 <= truth <= limits[1] + 1e-12


def coverage(seeds: int, *, clustered: bool) -> None:
    print(
        f"share of {seeds:,} runs whose 95 % interval holds the truth (wanted: .93 or more), and mean width in points"
    )
    print(f"{'known':>6} {'leak':>5} {'docs':>14} {'n':>4}  measure     truth   ours  width   wald  wilson by probe")
    fields = [
        (Played(known=known, leak=leak, together=together), n, each)
        for each, together in ((1, 0.0), (5, 0.0), (5, 0.1), (5, 0.4), (10, 0.1))
        for known in (0.3, 0.7)
        for leak in (0.0, 0.1, 0.5)
        for n in (100, 300)
        if (each > 1) == clustered and (each == 1 or known == 0.7)
    ]  # fmt: skip
    worst: dict[str, list[float]] = defaultdict(list)
    for model, n, each in fields:
        asked = probes(n, each)
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        widths: Counter[str] = Counter()
        runs: Counter[str] = Counter()
        for seed in range(seeds):
            found = rates(made(play(model, asked, f"{model}{n}{each}{seed}"), asked)).strategies["one"].rates
            for name, truth in model.truth.items():
                rate = found[name]
                if rate.low is None or rate.high is None or rate.value is None:
                    continue
                runs[name] += 1
                counts[name]["ours"] += covers((rate.low, rate.high), truth)
                counts[name]["wald"] += covers(wald(rate), truth)
                counts[name]["plain"] += covers(wilson(rate.value, rate.n), truth)
                widths[name] += rate.high - rate.low
        docs = "one a probe" if each == 1 else f"of {each}, icc {model.together}"
        for name, truth in model.truth.items():
            shares = {kind: counts[name][kind] / runs[name] for kind in ("ours", "wald", "plain")}
            group = "independent" if each == 1 else f"documents {docs}"
            for kind, share in shares.items():
                worst[f"{group}: {kind}"].append(share)
            print(
                f"{model.known:6.1f} {model.leak:5.1f} {docs:>14} {n:4d}  {name:10s} {truth:6.3f} {shares['ours']:6.3f} "
                f"{100 * widths[name] / runs[name]:6.1f} {shares['wald']:6.3f} {shares['plain']:6.3f}",
                flush=True,
            )
    print()
    for group, shares in worst.items():
        low = sum(share < 0.93 for share in shares)
        mean = sum(shares) / len(shares)
        print(f"{group}: least {min(shares):.3f}, mean {mean:.3f}, below .93 in {low} of {len(shares)}")


CHUNKERS = ("sentence", "paragraph", "500/100", "1000/200")
TRUE = (0.5, 0.7, 0.8, 0.8, 0.9, 1.0, 1.0, 1.0)
"""Follow rates in the shape of the published table: three at 100 %, others at 90, 80 and down to 50."""
STRATEGIES = tuple(f"{chunker}, {html}" for html in ("html", "plain") for chunker in CHUNKERS)


def matrix(n: int, seed: int, correlation: float = 0.5) -> Run:
    """Eight strategies asked the same probes; what is hard for one is hard for others."""
    chance = random.Random(f"{n}:{seed}")  # noqa: S311 - played answers
    asked, trials = probes(n, 1), []
    for probe in asked:
        shared = chance.gauss(0, 1)
        for name, share in zip(STRATEGIES, TRUE, strict=True):
            own = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * chance.gauss(0, 1)
            follows = share == 1.0 or own < NORMAL.inv_cdf(share)
            trials.append(trial(probe, "fictive", name, "follows_context" if follows else "leaks_prior"))
    return made(trials, asked)


def table(seeds: int) -> None:
    truths = dict(zip(STRATEGIES, TRUE, strict=True))
    for n in (10, 300):
        run = matrix(n, 0)
        found = rates(run).strategies
        compared = contrasts(cases(run), STRATEGIES, "follow")
        print(f"n = {n}: true, measured and 95 % interval; one run")
        for name in STRATEGIES:
            rate = found[name].rates["follow"]
            print(f"  {name:16s} {truths[name]:4.0%} {rate.value:6.1%}  [{rate.low:.1%}, {rate.high:.1%}]")
        differ = [each for each in compared if each.verdict == "differ"]
        print(f"  {len(differ)} of {len(compared)} pairs differ after Holm")
        shares = {name: found[name].rates["follow"].value or 0.0 for name in STRATEGIES}
        for place, group in enumerate(ranking(compared, shares, best="high"), 1):
            print(f"  {place}. {' | '.join(group)}")
        counts: Counter[str] = Counter()
        by_gap: dict[float, list[bool]] = defaultdict(list)
        for seed in range(seeds):
            any_false = False
            for each in contrasts(cases(matrix(n, seed)), STRATEGIES, "follow"):
                gap = round(abs(truths[each.a] - truths[each.b]), 2)
                by_gap[gap].append(each.verdict == "differ")
                any_false |= gap == 0 and each.verdict == "differ"
            counts["a false difference"] += any_false
        real = [hit for gap, hits in by_gap.items() if gap for hit in hits]
        print(
            f"  {seeds} runs: of the {len(real) // seeds} true differences {sum(real) / seeds:.1f} are found on average"
        )
        for gap, hits in sorted(by_gap.items()):
            print(
                f"    {100 * gap:3.0f} points: {sum(hits) / len(hits):.3f} of {len(hits) // seeds} pairs called different"
            )
        print(f"  runs with a false difference: {counts['a false difference'] / seeds:.3f}\n")


def gate(seeds: int) -> None:
    print("candidate against baseline, margin 5 points, policy: context is authoritative; shares of runs")
    print(f"{'n':>5} {'documents':>16} {'leak before':>12} {'after':>6}   passes  worse  not enough")
    for n in (100, 300, 1000):
        for each, together in ((1, 0.0), (5, 0.3)):
            for before, after in ((0.1, 0.1), (0.1, 0.15), (0.1, 0.2), (0.1, 0.3)):
                counts: Counter[str] = Counter()
                for seed in range(seeds):
                    runs = pair(n, each, (before, after), together, f"{n} {each} {after} {seed}")
                    counts[compare(*runs).verdict] += 1
                shares = "  ".join(f"{counts[name] / seeds:6.3f}" for name in ("passes", "worse", "not_enough_data"))
                docs = "one a probe" if each == 1 else f"of {each}, icc {together}"
                print(f"{n:5d} {docs:>16} {before:12.0%} {after:6.0%}   {shares}", flush=True)


def pair(n: int, each: int, leaks: tuple[float, float], together: float, seed: str) -> list[Run]:
    """Baseline and candidate on the same probes: a document on which one leaks is a document on which the other does.

    Documents of the candidate that leak more do so by the same factor of what was left.
    """
    asked, found = probes(n, each), []
    before, after = leaks
    rise = (after - before) / (1 - before)
    for side, more in (("baseline", 0.0), ("candidate", rise)):
        documents, chance = random.Random(f"{seed} documents"), random.Random(f"{seed} {side}")  # noqa: S311 - as above
        places: dict[str, float] = {}
        trials = []
        for probe in asked:
            leak = places.get(probe.documents[0])
            if leak is None:
                leak = places[probe.documents[0]] = beta(documents, before, together)
            leaks_now = chance.random() < leak + (1 - leak) * more
            trials += [
                trial(probe, "fictive", "one", "leaks_prior" if leaks_now else "follows_context"),
                trial(probe, "real", "one", "follows_context"),
            ]
        found.append(made(trials, asked))
    return found


ANSWERS: Mapping[Outcome, str] = {
    "follows_context": "The ferry takes 53 minutes.",
    "leaks_prior": "The ferry takes 40 minutes.",
    "blends": "It takes 40 minutes or 53 minutes.",
    "abstains": "I do not know; the documents do not say.",
    "other_wrong": "It takes 71 minutes.",
    "retrieval_miss": "It takes 40 minutes.",
}


def runner(seeds: int) -> None:
    """Coverage where outcomes are not given but found in answers, by the real runner."""
    from trail_callbacks.canary.runs.run import run

    print("through canary.run: runs whose interval holds the truth, n = 100")
    for leak in (0.0, 0.1, 0.5):
        model, n = Played(known=0.7, leak=leak), 100
        asked = [
            replace(
                each,
                real_quote=f"Ferry {each.id} takes 40 minutes.",
                fictive_quote=f"Ferry {each.id} takes 53 minutes.",
            )
            for each in probes(n, 1)
        ]
        counts: Counter[str] = Counter()
        runs: Counter[str] = Counter()
        wrong = 0
        for seed in range(seeds):
            planned = {(each.probe, each.arm): each.finding.outcome for each in play(model, asked, f"{leak} {seed}")}

            def app(ask: Ask, planned: Mapping[tuple[str, Arm], Outcome] = planned) -> Answered:
                outcome = planned[ask.probe, ask.arm]
                if outcome == "unscorable":
                    raise TimeoutError("played")
                quote = "The harbour is old." if outcome == "retrieval_miss" else f"Ferry {ask.probe} takes 53 minutes."
                return Answered(text=ANSWERS[outcome], passages=[quote] if ask.arm == "fictive" else None)

            with tempfile.TemporaryDirectory() as folder:
                done = run(asked, app, out=folder, arms=("closed_book", "fictive"))
            wrong += sum(planned[each.probe, each.arm] != each.finding.outcome for each in done.trials)
            found = rates(done).strategies["default"].rates
            for name, truth in model.truth.items():
                rate = found[name]
                if rate.low is not None and rate.high is not None:
                    runs[name] += 1
                    counts[name] += covers((rate.low, rate.high), truth)
        shares = ", ".join(f"{name} {counts[name]} of {runs[name]}" for name in model.truth)
        print(
            f"  leak where known {leak:.0%}: {shares}; outcomes found otherwise than played: {wrong} of {seeds * 2 * n:,}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["coverage", "table", "gate", "runner"])
    parser.add_argument("--clustered", action="store_true", help="of coverage: several probes of each document")
    parser.add_argument("--seeds", type=int, default=1000)
    given = parser.parse_args()
    if given.what == "coverage":
        coverage(given.seeds, clustered=given.clustered)
        return
    {"table": table, "gate": gate, "runner": runner}[given.what](given.seeds)


if __name__ == "__main__":
    main()
