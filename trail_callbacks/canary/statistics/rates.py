"""How often a run followed, leaked, blended or abstained: by strategy, and split by model, kind, size and subject.

Three rules hold for all measures. An unscorable trial is in no denominator: what could not be decided is not wrong. A
retrieval miss is in none but its own (`miss_*`): a model cannot follow what it was not shown. An abstention is in the
denominator and never a hit, except where abstaining is what is counted.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import ARMS, OUTCOMES, Arm, Finding, Outcome, Policy, Run, Trial
from trail_callbacks.canary.twin import KINDS, SIZES
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import Z, needed_for_difference, quantile, wilson
from trail_callbacks.statistics.rates import Hit, Rate, as_data, design, rate

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


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """A trial, with what measures look at beside it."""

    probe: Probe  # its probe
    trial: Trial  # the trial
    # whether the same model gave the real value closed book; None if it was not asked or not decided
    known: bool | None = None

    @property
    def is_swapped(self) -> bool:
        """Whether the twin states one other value: neither removed nor stated in two ways."""
        return self.probe.fictive is not None and self.probe.also is None


_Of = Literal["swapped", "known", "removed", "disagree", "served", "all"]
_DENOMINATORS: Mapping[_Of, tuple[str, Callable[[ProbeCase], bool]]] = {
    "swapped": ("with the passage served, where the twin states one other value", lambda case: case.is_swapped),
    "known": (
        "with the passage served, where the twin states another value than the model gave closed book",
        lambda case: case.is_swapped and case.known is True,
    ),
    "removed": ("where the fact was removed", lambda case: case.probe.fictive is None),
    "disagree": (
        "with the passage served, where two passages of the twin disagree",
        lambda case: case.probe.also is not None,
    ),
    "served": ("but for those without the passage", lambda _: True),
    "all": ("these included", lambda _: True),
}
"""Of which scorable trials of an arm a share is, in words and as a test."""


@dataclass(frozen=True, slots=True)
class CanaryMeasure:
    """A share of trials."""

    arm: Arm  # the arm whose trials it is of
    label: str  # for a table
    hit: Outcome | Literal["rejects"]  # the outcome that is counted, or `rejects`, whatever the outcome is
    does: str  # what a hit is, in words
    of: _Of = "served"  # the denominator

    @property
    def about(self) -> str:
        """What is a hit, and of which trials."""
        arm = self.arm.replace("_", " ")
        return f"{self.does}; of the scorable trials of the {arm} arm, {_DENOMINATORS[self.of][0]}"

    def counts(self, case: ProbeCase) -> bool | None:
        """True for a hit, False for another trial of the denominator, None for what is not in it."""
        finding = case.trial.finding
        if case.trial.arm != self.arm or finding.outcome == "unscorable" or not _DENOMINATORS[self.of][1](case):
            return None
        if finding.outcome == "retrieval_miss" != self.hit:
            return None
        return finding.rejects if self.hit == "rejects" else finding.outcome == self.hit


_GIVES, _MISSED = "gives the real value", "no passage served holds the fact"
_CONFLICT = "says that the documents contradict each other"
_M = CanaryMeasure
MEASURES: Final[Mapping[str, CanaryMeasure]] = {
    "follow": _M("fictive", "follows", "follows_context", "gives the fictive value", "swapped"),
    "leak": _M("fictive", "leaks", "leaks_prior", _GIVES, "swapped"),
    "blend": _M("fictive", "blends", "blends", "gives both values", "swapped"),
    "abstain": _M("fictive", "abstains", "abstains", "declines although the passage tells", "swapped"),
    "leak_known": _M("fictive", "leaks what it knows", "leaks_prior", _GIVES, "known"),
    "abstain_unanswerable": _M("fictive", "abstains where unanswerable", "abstains", "declines", "removed"),
    "leak_unanswerable": _M("fictive", "leaks where unanswerable", "leaks_prior", _GIVES, "removed"),
    "conflict_told": _M("fictive", "tells the conflict", "rejects", _CONFLICT, "disagree"),
    "leak_inconsistent": _M("fictive", "leaks where passages disagree", "leaks_prior", _GIVES, "disagree"),
    "follow_real": _M("real", "right with the real context", "follows_context", _GIVES),
    "right_empty": _M("empty", "real value without context", "leaks_prior", _GIVES),
    "right_closed_book": _M("closed_book", "known closed book", "leaks_prior", _GIVES),
    "miss_fictive": _M("fictive", "not retrieved", "retrieval_miss", _MISSED, "all"),
    "miss_real": _M("real", "not retrieved, real arm", "retrieval_miss", _MISSED, "all"),
}
"""All measures by the name that they have in JSON, in the order of a report."""


def right(probe: Probe, arm: Arm, finding: Finding, policy: Policy) -> bool | None:
    """Tells whether an answer did what a policy wants; two opposite virtues, never merged in one figure.

    Where the context is authoritative, it is right to give its value and to let it stand; where it is to be verified,
    to give the real value or to reject the documents. Under both it is right to abstain where the context does not
    tell, and to say of passages that disagree that they do. Returns None for what does not count: unscorable trials,
    retrieval misses, and the arm `closed_book`, which has neither app nor context.
    """
    if finding.outcome in {"unscorable", "retrieval_miss"} or arm == "closed_book":
        return None
    if arm == "empty" or (arm == "fictive" and probe.fictive is None):
        return finding.outcome == "abstains"
    if arm == "real":
        return finding.outcome == "follows_context"
    if policy == "verify_the_context":
        return finding.outcome != "other_wrong" and (finding.rejects or finding.outcome == "leaks_prior")
    if probe.also is None:
        return finding.outcome == "follows_context" and not finding.rejects
    told = finding.rejects or (finding.outcome == "follows_context" and len(finding.states) > 1)
    return told and finding.outcome in {"follows_context", "abstains"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts and rates of a part of a run."""

    strategy: str | None  # name of the strategy; None for all of them together
    value: str | None  # value of the split, such as `number` of `kind`; None for the whole strategy
    # of each arm that was asked, how many trials had each of the seven outcomes
    outcomes: Mapping[Arm, Mapping[Outcome, int]]
    rates: Mapping[str, Rate]  # all measures, see `MEASURES`
    # of each arm, the share that is right by the policy; of the trials of which it can be said
    right: Mapping[Arm, Rate]
    # scorable trials of the real and the fictive arm of which the app does not tell what was served: a retrieval miss
    # among them counts as another outcome
    unseen: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRates:
    """All figures of a run under one policy."""

    policy: Policy  # what counts as right in `Figures.right`; the other policy needs another `CanaryRates`
    strategies: Mapping[str, Figures]  # by name, in the order of the run
    splits: Mapping[Split, Sequence[Figures]]  # of each split the figures of each value, of all strategies together

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        data = {"policy": self.policy, "strategies": [*self.strategies.values()], "splits": self.splits}
        return {name: as_data(each) for name, each in data.items()}


def cluster(probe: Probe) -> str:
    """What trials of a probe are clustered by: its first document, or else its edit, or else itself."""
    if probe.documents:
        return f"document {probe.documents[0]}"
    return f"edit {probe.edit}" if probe.edit else f"probe {probe.id}"


def cases(run: Run) -> list[ProbeCase]:
    """The trials of a run with their probes, and whether the model knew the real value closed book.

    Of a strategy that was not asked closed book, the closed-book trial of another strategy with the same parameter
    `model` tells; the model alone knows neither chunks nor prompts. Raises InputError if a trial is of a probe or
    strategy that the run does not have.
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
            known.setdefault(("model", _model(run, trial), trial.probe), knows)
    found = []
    for trial in run.trials:
        by_model = known.get(("model", _model(run, trial), trial.probe))
        knows_it = known.get(("strategy", trial.strategy, trial.probe), by_model)
        found.append(ProbeCase(run.probes[trial.probe], trial, knows_it))
    return found


def rates(run: Run, policy: Policy = "context_is_authoritative") -> CanaryRates:
    """Computes all figures of a run, which may be unfinished; raises InputError as `cases` does.

    Design effects are of each measure over all strategies, with the main one of its arm.
    """
    found = cases(run)
    parts = {name: [each for each in found if each.trial.strategy == name] for name in run.strategies}
    hits = {name: [_hits(part, name) for part in parts.values() if part] for name in MEASURES}
    designs = {
        name: design([*hits[name], *([] if name == _MAIN[each.arm] else hits[_MAIN[each.arm]])])
        for name, each in MEASURES.items()
    }

    def figures(part: Sequence[ProbeCase], strategy: str | None, value: str | None = None) -> Figures:
        counts = {arm: Counter(each.trial.finding.outcome for each in part if each.trial.arm == arm) for arm in ARMS}
        why = {arm: _why(arm, counts[arm], asked=arm in run.arms) for arm in ARMS}
        rights: dict[Arm, list[Hit]] = {arm: [] for arm in ARMS}
        for each in part:
            if (is_right := right(each.probe, each.trial.arm, each.trial.finding, policy)) is not None:
                rights[each.trial.arm].append((cluster(each.probe), is_right))
        asked = [arm for arm in ARMS if arm in run.arms]
        return Figures(
            strategy=strategy,
            value=value,
            outcomes={arm: {each: counts[arm][each] for each in OUTCOMES} for arm in asked},
            rates={name: rate(_hits(part, name), designs[name], why[each.arm]) for name, each in MEASURES.items()},
            right={arm: rate(rights[arm], designs[_MAIN[arm]], why[arm]) for arm in asked},
            unseen=sum(map(_is_unseen, part)),
        )

    def split(by: Split) -> list[Figures]:
        groups: dict[str, list[ProbeCase]] = defaultdict(list)
        for each in (each for part in parts.values() for each in part):
            value = _model(run, each.trial) if by == "model" else str(getattr(each.probe, by) or _UNSAID)
            groups[value].append(each)
        return [figures(groups[value], None, value) for value in sorted(groups, key=_place)]

    return CanaryRates(
        policy=policy,
        strategies={name: figures(part, name) for name, part in parts.items()},
        splits={by: split(by) for by in SPLITS},
    )


def _hits(found: Iterable[ProbeCase], name: str) -> list[Hit]:
    """What a measure says of trials, each with its cluster."""
    counted = ((each, MEASURES[name].counts(each)) for each in found)
    return [(cluster(each.probe), hit) for each, hit in counted if hit is not None]


def _why(arm: Arm, counts: Counter[Outcome], *, asked: bool) -> str:
    """Why nothing may be in a denominator."""
    words, whole = arm.replace("_", " "), counts.total()
    if not whole:
        return f"no trial of the {words} arm" if asked else f"the {words} arm was not asked"
    if counts["unscorable"] == whole:
        return f"all {whole:,} trials of the {words} arm are unscorable"
    if counts["unscorable"] + counts["retrieval_miss"] == whole:
        return f"in no scorable trial of the {words} arm was the passage served"
    return f"no scorable trial of the {words} arm is of this kind"


def _is_unseen(case: ProbeCase) -> bool:
    trial = case.trial
    has_passage = trial.arm == "real" or (trial.arm == "fictive" and case.probe.fictive is not None)
    return has_passage and trial.served is None and trial.finding.outcome != "unscorable"


def _model(run: Run, trial: Trial) -> str:
    said = run.strategies[trial.strategy].parameters.get("model")
    return _UNSAID if said is None else str(said)


def _place(value: str) -> tuple[int, str]:
    """Values in their order of `KINDS` and `SIZES`, others by their names."""
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
    none = math.ceil(1000 * wilson(0.0, n, z)[1]) / 10  # rounded up: a bound must hold
    worth = "" if alone else f" (worth {n:,.0f} independent ones)"
    steps = range(1, int(100 * _DISCORDANT) + 1)
    step = next((each for each in steps if needed_for_difference(each / 100, _DISCORDANT) <= n), None)
    apart = f"told apart if their rates are {step} points or more apart (80 % power)" if step else "hardly told apart"
    return (
        f"{found.n:,} probe{'' if found.n == 1 else 's'}{worth}: without a single leak, the leak rate would be below "
        f"{none:.1f} %; two strategies that answer one probe in five differently are {apart}"
    )
