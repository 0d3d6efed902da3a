"""How often a run followed, leaked, blended or abstained: by strategy, and split by model, kind, size and subject."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from trail_callbacks.canary.arm import ARMS, Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.statistics.measures import MEASURES, ProbeCase, right
from trail_callbacks.canary.trial import OUTCOMES, Outcome, Policy, Run
from trail_callbacks.canary.twin import KINDS, SIZES
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import Z, needed_for_difference, quantile, wilson
from trail_callbacks.statistics.rates import Hit, Rate, design, rate

Split = Literal["kind", "size", "subject", "model"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)

_UNSAID = "not said"
_DISCORDANT = 0.2  # of the probes, those that two strategies answer differently
_MAIN: Mapping[Arm, str] = {  # what goes wrong together by document shows best in these
    "fictive": "follow",
    "real": "follow_real",
    "empty": "right_empty",
    "closed_book": "right_closed_book",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts and rates of a part of a run.

    Attributes:
        strategy: Name of the strategy; None for all of them together.
        value: Value of the split, such as `number` of `kind`; None for the whole strategy.
        outcomes: Of each arm that was asked, how many trials had each of the seven outcomes.
        rates: All measures, see `measures.MEASURES`.
        right: Of each arm, the share that is right by the policy; of the trials of which it can be said.
        unseen: Scorable trials of the real and the fictive arm of which the app does not tell what was served: a
            retrieval miss among them counts as another outcome.
    """

    strategy: str | None
    value: str | None
    outcomes: Mapping[Arm, Mapping[Outcome, int]]
    rates: Mapping[str, Rate]
    right: Mapping[Arm, Rate]
    unseen: int = 0

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "strategy": self.strategy,
            "value": self.value,
            "outcomes": {arm: dict(counts) for arm, counts in self.outcomes.items()},
            "rates": {name: each.as_data() for name, each in self.rates.items()},
            "right": {arm: each.as_data() for arm, each in self.right.items()},
            "unseen": self.unseen,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRates:
    """All figures of a run under one policy.

    Attributes:
        policy: What counts as right in `Figures.right`; the other policy needs another `CanaryRates`.
        strategies: By name, in the order of the run.
        splits: Of each split the figures of each value, of all strategies together.
    """

    policy: Policy
    strategies: Mapping[str, Figures]
    splits: Mapping[Split, Sequence[Figures]]

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "policy": self.policy,
            "strategies": [each.as_data() for each in self.strategies.values()],
            "splits": {name: [each.as_data() for each in found] for name, found in self.splits.items()},
        }


def cluster(probe: Probe) -> str:
    """What trials of a probe are clustered by: its first document, or else its edit, or else itself."""
    if probe.documents:
        return f"document {probe.documents[0]}"
    return f"edit {probe.edit}" if probe.edit else f"probe {probe.id}"


def cases(run: Run) -> list[ProbeCase]:
    """The trials of a run with their probes, and whether the model knew the real value closed book.

    Of a strategy that was not asked closed book, the closed-book trial of another strategy with the same parameter
    `model` tells; the model alone knows neither chunks nor prompts.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    known: dict[tuple[str, str, str], bool] = {}
    for trial in run.trials:
        if trial.probe not in run.probes or trial.strategy not in run.strategies:
            raise InputError(
                f"a trial is of probe {trial.probe!r} and strategy {trial.strategy!r}, but the run does not have both: "
                "its files are not of one run"
            )
        if trial.arm == "closed_book" and trial.finding.outcome != "unscorable":
            knows = trial.finding.outcome == "leaks_prior"
            known["strategy", trial.strategy, trial.probe] = knows
            known.setdefault(("model", _model(run, trial.strategy), trial.probe), knows)
    found = []
    for trial in run.trials:
        by_model = known.get(("model", _model(run, trial.strategy), trial.probe))
        knows_it = known.get(("strategy", trial.strategy, trial.probe), by_model)
        found.append(ProbeCase(run.probes[trial.probe], trial, knows_it))
    return found


def rates(run: Run, policy: Policy = "context_is_authoritative") -> CanaryRates:
    """Computes all figures of a run.

    Args:
        run: The run; it may be unfinished, or hold one arm only.
        policy: What counts as right.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    found = cases(run)
    parts = {name: [each for each in found if each.trial.strategy == name] for name in run.strategies}
    counting = _Counting(run, policy, parts)
    return CanaryRates(
        policy=policy,
        strategies={name: counting.figures(part, name) for name, part in parts.items()},
        splits={split: list(counting.split(split)) for split in SPLITS},
    )


class _Counting:
    """Counts parts of a run; design effects are of each measure over all strategies, with the main one of its arm."""

    def __init__(self, run: Run, policy: Policy, parts: Mapping[str, Sequence[ProbeCase]]) -> None:
        self._run, self._policy, self._parts = run, policy, parts
        hits = {name: [_hits(part, name) for part in parts.values() if part] for name in MEASURES}
        self._designs = {
            name: design([*hits[name], *([] if name == _MAIN[each.arm] else hits[_MAIN[each.arm]])])
            for name, each in MEASURES.items()
        }

    def figures(self, found: Sequence[ProbeCase], strategy: str | None, value: str | None = None) -> Figures:
        asked = [arm for arm in ARMS if arm in self._run.arms]
        counts = {arm: Counter(each.outcome for each in found if each.trial.arm == arm) for arm in ARMS}
        why = {arm: self._why(arm, counts[arm]) for arm in ARMS}
        rights: dict[Arm, list[Hit]] = {arm: [] for arm in ARMS}
        for each in found:
            if (is_right := right(each.probe, each.trial.arm, each.trial.finding, self._policy)) is not None:
                rights[each.trial.arm].append((cluster(each.probe), is_right))
        return Figures(
            strategy=strategy,
            value=value,
            outcomes={arm: {each: counts[arm][each] for each in OUTCOMES} for arm in asked},
            rates={
                name: rate(_hits(found, name), self._designs[name], why[each.arm]) for name, each in MEASURES.items()
            },
            right={arm: rate(rights[arm], self._designs[_MAIN[arm]], why[arm]) for arm in asked},
            unseen=sum(
                each.trial.served is None and each.outcome != "unscorable"
                and (each.trial.arm == "real" or (each.trial.arm == "fictive" and each.probe.fictive is not None))
                for each in found
            ),
        )  # fmt: skip

    def split(self, split: Split) -> Iterator[Figures]:
        """Values in their order of `KINDS` and `SIZES`, others by their names."""
        groups: dict[str, list[ProbeCase]] = defaultdict(list)
        for each in (each for part in self._parts.values() for each in part):
            groups[self._value(each, split)].append(each)
        for value in sorted(groups, key=_place):
            yield self.figures(groups[value], None, value)

    def _value(self, each: ProbeCase, split: Split) -> str:
        if split == "model":
            return _model(self._run, each.trial.strategy)
        return str(getattr(each.probe, split) or _UNSAID)

    def _why(self, arm: Arm, counts: Mapping[Outcome, int]) -> str:
        """Why nothing may be in a denominator."""
        words, whole = arm.replace("_", " "), sum(counts.values())
        if not whole:
            return f"no trial of the {words} arm" if arm in self._run.arms else f"the {words} arm was not asked"
        if counts["unscorable"] == whole:
            return f"all {whole:,} trials of the {words} arm are unscorable"
        if counts["unscorable"] + counts["retrieval_miss"] == whole:
            return f"in no scorable trial of the {words} arm was the passage served"
        return f"no scorable trial of the {words} arm is of this kind"


def _model(run: Run, strategy: str) -> str:
    said = run.strategies[strategy].parameters.get("model")
    return _UNSAID if said is None else str(said)


def _hits(found: Iterable[ProbeCase], name: str) -> list[Hit]:
    """What a measure says of trials; those of other arms are in no denominator."""
    of = MEASURES[name]
    counted = ((each, of.counts(each)) for each in found if each.trial.arm == of.arm)
    return [(cluster(each.probe), hit) for each, hit in counted if hit is not None]


def _place(value: str) -> tuple[int, str]:
    order = (*KINDS, *SIZES)
    return (order.index(value) if value in order else len(order) + (value == _UNSAID), value)


def planned(probes: Sequence[Probe]) -> str:
    """Says what probes can show if all of them are scored: before a run."""
    hits = [(cluster(each), False) for each in probes]
    return precision(rate(hits, design([hits])))


def precision(found: Rate) -> str:
    """Says what as many probes as those of a rate can show."""
    if not found.n:
        return "no probe was scored: nothing can be said"
    alone = found.effective > found.n - 0.5
    n, z = (float(found.n), Z) if alone else (found.effective, quantile(found.documents))
    low, high = wilson(0.5, n, z)
    none = math.ceil(1000 * wilson(0.0, n, z)[1]) / 10  # rounded up: a bound must hold
    worth = "" if alone else f" (worth {n:,.0f} independent ones)"
    steps = range(1, int(100 * _DISCORDANT) + 1)
    step = next((each for each in steps if needed_for_difference(each / 100, _DISCORDANT) <= n), None)
    apart = (
        "two strategies that answer one probe in five differently are told apart if their rates are "
        f"{step} points or more apart (80 % power)"
        if step
        else "two strategies can hardly be told apart"
    )
    return (
        f"{found.n:,} probe{'' if found.n == 1 else 's'}{worth}: without a single leak, the leak rate would be below "
        f"{none:.1f} %; a rate near 50 % is known to within \u00b1{50 * (high - low):.1f} points; {apart}"
    )
