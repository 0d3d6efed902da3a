"""How often a run followed, leaked, blended or abstained: by strategy, and split by model, kind, size and subject."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from trail_callbacks.canary.arm import ARMS, Arm
from trail_callbacks.canary.edit import KINDS, SIZES
from trail_callbacks.canary.policy import right
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.statistics.measures import MEASURES, Case, Measure, MeasureName
from trail_callbacks.canary.statistics.rate import Hit, Rate, cluster, design, rate
from trail_callbacks.canary.trial import OUTCOMES, Outcome, Policy
from trail_callbacks.errors import InputError

__all__ = ["SPLITS", "Figures", "Rates", "Split", "cases", "rates"]

Split = Literal["kind", "size", "subject", "model"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)

_UNSAID = "not said"
_GUESSES: tuple[MeasureName, ...] = ("guessed_empty", "guessed_closed_book")
_BY_ARM: Mapping[Arm, tuple[Measure, ...]] = {
    arm: tuple(each for each in MEASURES.values() if each.arm == arm) for arm in ARMS
}
_LIKE: Mapping[Arm, MeasureName] = {  # what goes wrong together by document shows best in these
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
    rates: Mapping[MeasureName, Rate]
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
    designs: Mapping[MeasureName, float]

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "policy": self.policy,
            "designs": {name: round(each, 3) for name, each in self.designs.items()},
            "strategies": [each.as_data() for each in self.strategies.values()],
            "splits": {name: [each.as_data() for each in found] for name, found in self.splits.items()},
            "guessed": list(self.guessed),
        }


@dataclass(frozen=True, slots=True)
class _Counted:
    """A trial with what every measure says of it; counted once, and then put into many groups.

    Attributes:
        case: The trial.
        cluster: See `rate.cluster`.
        hits: Of each measure whose denominator it is in, whether it is a hit.
        right: Whether it is right by the policy; None if that cannot be said.
    """

    case: Case
    cluster: str
    hits: Mapping[MeasureName, bool]
    right: bool | None


@dataclass(frozen=True, slots=True)
class _Frame:
    run: Run
    designs: Mapping[MeasureName, float]


def cases(run: Run) -> list[Case]:
    """The trials of a run with their probes, and whether the model knew the real value closed book.

    Of a strategy that was not asked closed book, the closed-book trial of another strategy with the same parameter
    `model` tells; the model alone knows neither chunks nor prompts.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    own: dict[tuple[str, str], bool] = {}
    same: dict[tuple[str, str], bool] = {}
    for trial in run.trials:
        if trial.probe not in run.probes or trial.strategy not in run.strategies:
            raise InputError(
                f"a trial is of probe {trial.probe!r} and strategy {trial.strategy!r}, but the run does not have both: "
                "its files are not of one run"
            )
        if trial.arm == "closed_book" and trial.finding.outcome != "unscorable":
            known = trial.finding.outcome == "leaks_prior"
            own[trial.strategy, trial.probe] = known
            same.setdefault((_model(run, trial.strategy), trial.probe), known)
    return [
        Case(run.probes[each.probe], each, own.get((each.strategy, each.probe), same.get((model, each.probe))))
        for each in run.trials
        for model in [_model(run, each.strategy)]
    ]


def rates(run: Run, policy: Policy = "context_is_authoritative") -> Rates:
    """Computes all figures of a run.

    Args:
        run: The run; it may be unfinished, or hold one arm only.
        policy: What counts as right.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    found = [_counted(case, policy) for case in cases(run)]
    by_strategy = _grouped(found, lambda each: each.case.trial.strategy)
    frame = _Frame(run, _designs(list(by_strategy.values())))
    strategies = {name: _figures(by_strategy.get(name, ()), frame, strategy=name) for name in run.strategies}
    guessed = [each.case.probe.id for each in found if any(each.hits.get(name) for name in _GUESSES)]
    return Rates(
        policy=policy,
        strategies=strategies,
        splits={name: list(_split(found, frame, name)) for name in SPLITS},
        guessed=tuple(dict.fromkeys(guessed)),
        designs=frame.designs,
    )


def _counted(case: Case, policy: Policy) -> _Counted:
    trial = case.trial
    hits = {each.name: hit for each in _BY_ARM[trial.arm] if (hit := each.counts(case)) is not None}
    return _Counted(case, cluster(case.probe), hits, right(case.probe, trial.arm, trial.finding, policy))


def _model(run: Run, strategy: str) -> str:
    said = run.strategies[strategy].parameters.get("model")
    return _UNSAID if said is None else str(said)


def _of(each: _Counted, run: Run, split: Split) -> str:
    probe = each.case.probe
    if split == "model":
        return _model(run, each.case.trial.strategy)
    said = {"kind": probe.kind, "size": probe.size, "subject": probe.subject}[split]
    return _UNSAID if said is None else said


def _grouped(found: Iterable[_Counted], key: Callable[[_Counted], str]) -> dict[str, list[_Counted]]:
    groups: dict[str, list[_Counted]] = defaultdict(list)
    for each in found:
        groups[key(each)].append(each)
    return groups


def _split(found: Sequence[_Counted], frame: _Frame, split: Split) -> Iterator[Figures]:
    """Values in their order of `KINDS` and `SIZES`, others by their names."""

    def values(part: Iterable[_Counted]) -> dict[str, list[_Counted]]:
        return _grouped(part, lambda each: _of(each, frame.run, split))

    parts: dict[str | None, dict[str, list[_Counted]]] = {None: values(found)}
    if split != "model":  # a strategy has one
        strategies = _grouped(found, lambda each: each.case.trial.strategy)
        parts |= {name: values(part) for name, part in strategies.items()}
    if len(parts) == 2:  # noqa: PLR2004 - one strategy is all of them together
        del parts[None]
    for strategy, groups in parts.items():
        for value in sorted(groups, key=_place):
            yield _figures(groups[value], frame, strategy=strategy, value=value)


def _place(value: str) -> tuple[int, str]:
    order = (*KINDS, *SIZES)
    return (order.index(value) if value in order else len(order) + (value == _UNSAID), value)


def _designs(parts: Sequence[Sequence[_Counted]]) -> dict[MeasureName, float]:
    """The design effect of each measure over all strategies, steadied by the main one of its arm."""
    hits = {name: [_hits(part, name) for part in parts] for name in MEASURES}
    return {
        name: design(hits[name] if name == _LIKE[each.arm] else [*hits[name], *hits[_LIKE[each.arm]]])
        for name, each in MEASURES.items()
    }


def _figures(found: Sequence[_Counted], frame: _Frame, *, strategy: str | None, value: str | None = None) -> Figures:
    by_arm: dict[Arm, list[_Counted]] = {arm: [] for arm in ARMS}
    for each in found:
        by_arm[each.case.trial.arm].append(each)
    asked = [arm for arm in ARMS if arm in frame.run.arms]
    counts = {arm: Counter(each.case.outcome for each in by_arm[arm]) for arm in ARMS}
    why = {arm: _why(arm, counts[arm], frame.run) for arm in ARMS}
    of_policy = {arm: [(each.cluster, each.right) for each in by_arm[arm] if each.right is not None] for arm in asked}
    return Figures(
        strategy=strategy,
        value=value,
        outcomes={arm: {each: counts[arm][each] for each in OUTCOMES} for arm in asked},
        rates={
            name: rate(_hits(by_arm[each.arm], name), frame.designs[name], why[each.arm])
            for name, each in MEASURES.items()
        },
        right={arm: rate(of_policy[arm], frame.designs[_LIKE[arm]], why[arm]) for arm in asked},
        unseen=sum(_unseen(each.case) for arm in ("real", "fictive") for each in by_arm[arm]),
    )


def _unseen(case: Case) -> bool:
    """Nothing that holds a removed fact can be served, and nobody needs to tell."""
    removed = case.trial.arm == "fictive" and case.probe.fictive is None
    return case.trial.served is None and case.outcome != "unscorable" and not removed


def _hits(found: Iterable[_Counted], name: MeasureName) -> list[Hit]:
    return [(each.cluster, each.hits[name]) for each in found if name in each.hits]


def _why(arm: Arm, counts: Mapping[Outcome, int], run: Run) -> str:
    """Why nothing may be in a denominator."""
    words, whole = arm.replace("_", " "), sum(counts.values())
    if arm not in run.arms:
        return f"the {words} arm was not asked"
    if not whole:
        return f"no trial of the {words} arm"
    if counts["unscorable"] == whole:
        return f"all {whole:,} trials of the {words} arm are unscorable"
    if counts["unscorable"] + counts["retrieval_miss"] == whole:
        return f"in no scorable trial of the {words} arm was the passage served"
    return f"no scorable trial of the {words} arm is of this kind"
