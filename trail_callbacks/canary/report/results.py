"""All that a report of a canary run says: rates, comparisons of strategies, ties, and what could not be scored."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json

from trail_callbacks import display
from trail_callbacks.canary.statistics.comparing import Compared, contrasts, ranking
from trail_callbacks.canary.statistics.rates import MEASURES, CanaryRates, Figures, cases, precision, rates
from trail_callbacks.canary.trial import Arm, Policy, Run
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.statistics.contrasts import Contrast
from trail_callbacks.statistics.rates import Rate

FORMAT: Final = "trail-canary-results/2"
"""Format of the JSON; the number changes if a field changes its meaning or goes."""

_RANKED: Final[Mapping[Policy, tuple[Compared, ...]]] = {
    "context_is_authoritative": ("follow", "leak"),
    "verify_the_context": ("right_fictive",),
}
_REASON = 200  # characters


@dataclass(frozen=True, slots=True)
class CountedReason:
    """Why trials could not be scored, or passages that were found were not served."""

    words: str  # the error, the reason of the finding, or that of the app
    trials: int  # in how many trials
    passages: int  # how many passages, one of several trials as often
    example: str  # place of the first of them


@dataclass(frozen=True, kw_only=True, repr=False)
class Results:
    """What a run shows. `print` and notebooks show it; `rate` and `right` are its main figures.

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
    rates: CanaryRates
    contrasts: Mapping[Compared, Sequence[Contrast]]
    ranking: Mapping[Compared, Sequence[Sequence[str]]]
    unscorable: Sequence[CountedReason]
    dropped: Sequence[CountedReason]

    @property
    def precision(self) -> str:
        """What the scored probes can show: those of the strategy whose probes say least."""
        known = [rate for each in self.rates.strategies.values() if (rate := each.rates["follow"]).n]
        return precision(min(known, key=lambda rate: rate.effective, default=Rate(k=0, n=0)))

    def as_data(self) -> dict[str, Any]:
        """JSON-like; without NaN."""
        run = self.run
        about = {
            "probes": len(run.probes),
            "strategies": {name: dict(each.parameters) for name, each in run.strategies.items()},
            "arms": list(run.arms),
            "trials": len(run.trials),
            "stopped": run.stopped,
            "settings": dict(run.settings),
            "skipped": [asdict(each) for each in run.skipped],
        }
        return {
            "format": FORMAT,
            # JSON has no NaN; what a user wrote into a matrix might.
            "run": json.loads(to_json(about, inf_nan_mode="strings", serialize_unknown=True)),
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

    def rate(self, measure: str = "leak", strategy: str | None = None) -> Rate:
        """Returns a rate of one strategy, with its n and interval.

        Args:
            measure: Its name, such as `leak`, `follow` or `leak_known`; all are in `statistics.rates.MEASURES`.
            strategy: Name of the strategy; may be left out if the run has one.

        Raises:
            InputError: If there is no such measure or strategy.
        """
        if measure not in MEASURES:
            raise InputError(f"there is no measure {measure!r}, expected one of {', '.join(MEASURES)}")
        return self._figures(strategy).rates[measure]

    def right(self, arm: Arm = "fictive", strategy: str | None = None) -> Rate:
        """Returns the share of answers under an arm that are right by the policy, with its n and interval.

        Args:
            arm: `real`, `fictive` or `empty`; of the model alone, closed book, nothing is right or wrong.
            strategy: As for `rate`.

        Raises:
            InputError: If the arm was not asked, or there is no such strategy.
        """
        right = self._figures(strategy).right
        if arm not in right:
            raise InputError(f"the arm {arm!r} was not asked, only {', '.join(right) or 'none'}")
        return right[arm]

    def _figures(self, strategy: str | None) -> Figures:
        known = self.rates.strategies
        if strategy is None and len(known) == 1:
            return next(iter(known.values()))
        if strategy is None or strategy not in known:
            names = f"expected one of {', '.join(map(repr, known))}" if known else "the run has no strategy"
            raise InputError(f"strategy is {strategy!r}, {names}")
        return known[strategy]

    def to_json(self, path: str | Path | None = None) -> str:
        """Returns the figures as JSON, without texts of trials; see `FORMAT`.

        Args:
            path: Also write it to this file.

        Raises:
            InputError: If the file cannot be written.
        """
        text = json.dumps(self.as_data(), ensure_ascii=False, allow_nan=False, indent=2)
        if path is not None:
            write(str(path), text + "\n")
        return text

    def to_html(self, path: str | Path | None = None, *, title: str | None = None) -> str:
        """Returns one self-contained HTML page: figures, comparisons, and examples of each outcome.

        Args:
            path: Also write it to this file.
            title: Title of the page.

        Raises:
            InputError: If the file cannot be written.
        """
        text = display.made("page", self, title=title)
        if path is not None:
            write(str(path), text)
        return text

    def __repr__(self) -> str:
        run = self.run
        return f"<Results trials={len(run.trials)} strategies={len(run.strategies)} policy={self.rates.policy!r}>"

    def __str__(self) -> str:
        """Renders for a terminal, without colour."""
        return display.made("text", self)

    def __rich__(self) -> Any:
        """Renders for a rich console."""
        return display.made("rich", self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 - IPython's protocol
        """Renders for IPython; notebooks store this text beside the HTML."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """Renders the main figures for a notebook: no script, all text escaped."""
        return display.made("fragment", self)


def assess(run: Run, policy: Policy = "context_is_authoritative") -> Results:
    """Computes what a run shows.

    Args:
        run: The run; it may be unfinished or empty.
        policy: What counts as right.

    Raises:
        InputError: If a trial is of a probe or strategy that the run does not have.
    """
    found, figures = cases(run), rates(run, policy)
    compared: dict[Compared, Sequence[Contrast]] = {}
    ranked: dict[Compared, list[list[str]]] = {}
    for name in _RANKED[policy]:
        compared[name] = contrasts(found, list(run.strategies), name, policy)
        known = ((key, each.rates.get(name) or each.right.get("fictive")) for key, each in figures.strategies.items())
        shares = {key: rate.value for key, rate in known if rate is not None and rate.value is not None}
        ranked[name] = ranking(compared[name], shares, best="low" if name == "leak" else "high")
    lost = ((n, each) for n, each in enumerate(run.trials) if each.finding.outcome == "unscorable")
    return Results(
        run=run,
        rates=figures,
        contrasts=compared,
        ranking=ranked,
        unscorable=_counted((n, each.error or each.finding.reason or "no reason was kept", "") for n, each in lost),
        dropped=_counted((n, each.why, each.place) for n, trial in enumerate(run.trials) for each in trial.dropped),
    )


def _counted(said: Iterable[tuple[int, str, str]]) -> tuple[CountedReason, ...]:
    """What was said in which trial of which place, by its words."""
    by_words: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for trial, words, place in said:
        by_words[words[:_REASON]].append((trial, place))
    found = [CountedReason(words, len(dict(each)), len(each), each[0][1]) for words, each in by_words.items()]
    return tuple(sorted(found, key=lambda each: -each.passages))
