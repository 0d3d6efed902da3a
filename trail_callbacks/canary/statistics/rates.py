"""How often a run followed, leaked, blended or abstained: by strategy, and split by model, kind, size and subject."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from trail_callbacks.canary.arm import ARMS, Arm
from trail_callbacks.canary.edit import KINDS, SIZES
from trail_callbacks.canary.policy import right
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.statistics.measures import MEASURES, Case
from trail_callbacks.canary.trial import OUTCOMES, Outcome, Policy
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.rates import Rate, design, rate

__all__ = ["SPLITS", "Figures", "Rates", "Split", "cases", "cluster", "rates"]

Split = Literal["kind", "size", "subject", "model"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)

_UNSAID = "not said"
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
class Rates:
    """All figures of a run under one policy.

    Attributes:
        policy: What counts as right in `Figures.right`; the other policy needs another `Rates`.
        strategies: By name, in the order of the run.
        splits: Of each split the figures of each strategy and value; with several strategies also of all together.
        guessed: Ids of probes whose fictive value was given without being shown: the edit can be guessed.
        designs: Design effect of each measure over all strategies, 1.0 or more; 1.0 where no document has several
            probes.
    """

    policy: Policy
    strategies: Mapping[str, Figures]
    splits: Mapping[Split, Sequence[Figures]]
    guessed: Sequence[str]
    designs: Mapping[str, float]

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "policy": self.policy,
            "designs": {name: round(each, 3) for name, each in self.designs.items()},
            "strategies": [each.as_data() for each in self.strategies.values()],
            "splits": {name: [each.as_data() for each in found] for name, found in self.splits.items()},
            "guessed": list(self.guessed),
        }


def cluster(probe: Probe) -> str:
    """What trials of a probe are clustered by: its first document, or else its edit, or else itself."""
    if probe.documents:
        return f"document {probe.documents[0]}"
    return f"edit {probe.edit}" if probe.edit else f"probe {probe.id}"


def cases(run: Run) -> list[Case]:
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
            known["strategy", trial.strategy, trial.probe] = trial.finding.outcome == "leaks_prior"
            known.setdefault(
                ("model", _model(run, trial.strategy), trial.probe), trial.finding.outcome == "leaks_prior"
            )
    return [
        Case(
            run.probes[each.probe],
            each,
            known.get(
                ("strategy", each.strategy, each.probe), known.get(("model", _model(run, each.strategy), each.probe))
            ),
        )
        for each in run.trials
    ]


def rates(run: Run, policy: Policy = "context_is_authoritative") -> Rates:
    """Computes all figures of a run.

    Args:
        run: The run; it may be unfinished, or hold one arm only.
        policy: What counts as right.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    found = [_Counted(case, policy) for case in cases(run)]
    by_strategy = _grouped(found, lambda each: each.case.trial.strategy)
    counting = _Counting(run, by_strategy.values())
    guesses = ("guessed_empty", "guessed_closed_book")
    return Rates(
        policy=policy,
        strategies={name: counting.figures(by_strategy.get(name, ()), name) for name in run.strategies},
        splits={name: list(counting.split(found, by_strategy, name)) for name in SPLITS},
        guessed=tuple(
            dict.fromkeys(each.case.probe.id for each in found if any(each.hits.get(name) for name in guesses))
        ),
        designs=counting.designs,
    )


class _Counted:
    """A trial with what every measure says of it; counted once, and then put into many groups."""

    def __init__(self, case: Case, policy: Policy) -> None:
        self.case, self.cluster, arm = case, cluster(case.probe), case.trial.arm
        found = ((name, each.counts(case)) for name, each in MEASURES.items() if each.arm == arm)
        self.hits = {name: hit for name, hit in found if hit is not None}
        self.right = right(case.probe, arm, case.trial.finding, policy)

    @property
    def unseen(self) -> bool:
        """Nothing that holds a removed fact can be served, and nobody needs to tell."""
        case = self.case
        removed = case.trial.arm == "fictive" and case.probe.fictive is None
        asked = case.trial.arm in ("real", "fictive") and case.outcome != "unscorable"
        return asked and case.trial.served is None and not removed


class _Counting:
    """Counts parts of a run; design effects are of each measure over all strategies, with the main one of its arm."""

    def __init__(self, run: Run, parts: Iterable[Sequence[_Counted]]) -> None:
        self._run = run
        hits = {name: [_hits(part, name) for part in parts] for name in MEASURES}
        self.designs = {
            name: design([*hits[name], *([] if name == _MAIN[each.arm] else hits[_MAIN[each.arm]])])
            for name, each in MEASURES.items()
        }

    def figures(self, found: Sequence[_Counted], strategy: str | None, value: str | None = None) -> Figures:
        by_arm = {arm: [each for each in found if each.case.trial.arm == arm] for arm in ARMS}
        asked = [arm for arm in ARMS if arm in self._run.arms]
        counts = {arm: Counter(each.case.outcome for each in by_arm[arm]) for arm in ARMS}
        why = {arm: self._why(arm, counts[arm]) for arm in ARMS}
        of_policy = {arm: [(x.cluster, x.right) for x in by_arm[arm] if x.right is not None] for arm in asked}
        return Figures(
            strategy=strategy,
            value=value,
            outcomes={arm: {each: counts[arm][each] for each in OUTCOMES} for arm in asked},
            rates={
                name: rate(_hits(by_arm[each.arm], name), self.designs[name], why[each.arm])
                for name, each in MEASURES.items()
            },
            right={arm: rate(of_policy[arm], self.designs[_MAIN[arm]], why[arm]) for arm in asked},
            unseen=sum(each.unseen for each in found),
        )

    def split(
        self, found: Sequence[_Counted], by_strategy: Mapping[str, Sequence[_Counted]], split: Split
    ) -> Iterator[Figures]:
        """Values in their order of `KINDS` and `SIZES`, others by their names."""
        parts: dict[str | None, Sequence[_Counted]] = {None: found}
        if split != "model":  # a strategy has one
            parts.update(by_strategy)
        if len(by_strategy) == 1 and split != "model":  # one strategy is all of them together
            del parts[None]
        for strategy, part in parts.items():
            groups = _grouped(part, lambda each: self._value(each, split))
            for value in sorted(groups, key=_place):
                yield self.figures(groups[value], strategy, value)

    def _value(self, each: _Counted, split: Split) -> str:
        if split == "model":
            return _model(self._run, each.case.trial.strategy)
        said: str | None = getattr(each.case.probe, split)
        return _UNSAID if said is None else said

    def _why(self, arm: Arm, counts: Mapping[Outcome, int]) -> str:
        """Why nothing may be in a denominator."""
        words, whole = arm.replace("_", " "), sum(counts.values())
        if arm not in self._run.arms:
            return f"the {words} arm was not asked"
        if not whole:
            return f"no trial of the {words} arm"
        if counts["unscorable"] == whole:
            return f"all {whole:,} trials of the {words} arm are unscorable"
        if counts["unscorable"] + counts["retrieval_miss"] == whole:
            return f"in no scorable trial of the {words} arm was the passage served"
        return f"no scorable trial of the {words} arm is of this kind"


def _model(run: Run, strategy: str) -> str:
    said = run.strategies[strategy].parameters.get("model")
    return _UNSAID if said is None else str(said)


def _hits(found: Iterable[_Counted], name: str) -> list[tuple[str, bool]]:
    return [(each.cluster, each.hits[name]) for each in found if name in each.hits]


def _grouped(found: Iterable[_Counted], key: Callable[[_Counted], str]) -> dict[str, list[_Counted]]:
    groups: dict[str, list[_Counted]] = defaultdict(list)
    for each in found:
        groups[key(each)].append(each)
    return groups


def _place(value: str) -> tuple[int, str]:
    order = (*KINDS, *SIZES)
    return (order.index(value) if value in order else len(order) + (value == _UNSAID), value)
