"""All that a report of a canary run says: rates, comparisons of strategies, ties, and what could not be scored."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.statistics.contrasts import Compared, Contrast, contrasts, ranking
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.precision import precision
from trail_callbacks.canary.statistics.rates import Figures, Rates, cases, rates
from trail_callbacks.canary.trial import Policy, Trial

__all__ = ["FORMAT", "Dropped", "Reason", "Results", "assess"]

FORMAT: Final = "trail-canary-results/1"
"""Format of the JSON; the number changes if a field changes its meaning or goes."""

_RANKED: Final[Mapping[Policy, tuple[Compared, ...]]] = {
    "context_is_authoritative": ("follow", "leak"),
    "verify_the_context": ("right_fictive",),
}
_REASON = 200  # characters


@dataclass(frozen=True, slots=True)
class Reason:
    """Why trials could not be scored.

    Attributes:
        words: The error or the reason of the finding.
        trials: How many.
        example: The first of them.
    """

    words: str
    trials: int
    example: Trial


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why passages that were found were not served.

    Attributes:
        words: The reason.
        passages: How many, a passage of several trials as often.
        trials: In how many trials.
        example: One of them.
    """

    words: str
    passages: int
    trials: int
    example: str


@dataclass(frozen=True, kw_only=True)
class Results:
    """What a run shows.

    Attributes:
        run: The run.
        rates: Its figures.
        contrasts: Each pair of strategies: by follow and leak rate, or, where contexts are to be verified, by the
            share that is right with the fictive one.
        ranking: Groups of strategies that cannot be told apart, the best first, by the same measures.
        unscorable: Why trials could not be scored, the most frequent first.
        dropped: Why passages that were found were not served, likewise.
    """

    run: Run
    rates: Rates
    contrasts: Mapping[Compared, Sequence[Contrast]]
    ranking: Mapping[Compared, Sequence[Sequence[str]]]
    unscorable: Sequence[Reason]
    dropped: Sequence[Dropped]

    @property
    def precision(self) -> str:
        """What the number of scored probes can show: that of the strategy with the fewest."""
        counts = [each.rates["follow"].n for each in self.rates.strategies.values() if each.rates["follow"].n]
        return precision(min(counts, default=0))

    def as_data(self) -> dict[str, Any]:
        """JSON-like; without NaN."""
        run = self.run
        return {
            "format": FORMAT,
            "run": {
                "probes": len(run.probes),
                "strategies": {name: _finite(dict(each.parameters)) for name, each in run.strategies.items()},
                "arms": list(run.arms),
                "trials": len(run.trials),
                "stopped": run.stopped,
                "settings": _finite(dict(run.settings)),
                "skipped": [{"place": each.place, "why": each.why} for each in run.skipped],
            },
            "measures": {name: {"arm": each.arm, "about": each.about} for name, each in MEASURES.items()},
            **self.rates.as_data(),
            "contrasts": {name: [each.as_data() for each in found] for name, found in self.contrasts.items()},
            "ranking": {name: [list(group) for group in groups] for name, groups in self.ranking.items()},
            "unscorable": [{"why": each.words, "trials": each.trials} for each in self.unscorable],
            "dropped": [
                {"why": each.words, "passages": each.passages, "trials": each.trials, "example": each.example}
                for each in self.dropped
            ],
            "precision": self.precision,
        }

    def to_json(self) -> str:
        """The figures as JSON, without texts of trials; see `FORMAT`."""
        return json.dumps(self.as_data(), ensure_ascii=False, allow_nan=False, indent=2)


def assess(run: Run, policy: Policy = "context_is_authoritative") -> Results:
    """Computes what a run shows.

    Args:
        run: The run; it may be unfinished or empty.
        policy: What counts as right.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    found, figures = cases(run), rates(run, policy)
    compared = {name: contrasts(found, list(run.strategies), name, policy) for name in _RANKED[policy]}
    return Results(
        run=run,
        rates=figures,
        contrasts=compared,
        ranking={name: _ranked(figures, compared[name], name) for name in compared},
        unscorable=_unscorable(run.trials),
        dropped=_dropped(run.trials),
    )


def _ranked(figures: Rates, compared: Sequence[Contrast], name: Compared) -> list[list[str]]:
    shares = {
        strategy: share for strategy, each in figures.strategies.items() if (share := _share(each, name)) is not None
    }
    return ranking(compared, shares, best="low" if name == "leak" else "high")


def _share(figures: Figures, name: Compared) -> float | None:
    if name in ("follow", "leak"):
        return figures.rates[name].value
    arm: Arm = "real" if name == "right_real" else "fictive"
    return figures.right[arm].value if arm in figures.right else None


def _unscorable(trials: Sequence[Trial]) -> tuple[Reason, ...]:
    counts: Counter[str] = Counter()
    first: dict[str, Trial] = {}
    for each in trials:
        if each.finding.outcome == "unscorable":
            words = (each.error or each.finding.reason or "no reason was kept")[:_REASON]
            counts[words] += 1
            first.setdefault(words, each)
    return tuple(Reason(words, n, first[words]) for words, n in counts.most_common())


def _dropped(trials: Sequence[Trial]) -> tuple[Dropped, ...]:
    passages: Counter[str] = Counter()
    several: Counter[str] = Counter()
    first: dict[str, str] = {}
    for trial in trials:
        for each in trial.dropped:
            passages[each.why[:_REASON]] += 1
            first.setdefault(each.why[:_REASON], each.place)
        several.update({each.why[:_REASON] for each in trial.dropped})
    return tuple(Dropped(words, n, several[words], first[words]) for words, n in passages.most_common())


def _finite(value: Any) -> Any:
    """JSON has no NaN; what a user wrote into a matrix might."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
