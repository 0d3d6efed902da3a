"""Signals: what makes a run bad at one stage, and who owns that stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias

from trail_callbacks.monitor.observation import FigureName, Observation
from trail_callbacks.statistics.intervals import wilson

SignalName: TypeAlias = Literal[
    "query_coverage",
    "evidence_overlap",
    "answer_coverage",
    "contradiction",
    "unsupported",
    "citation_coverage",
    "abstention",
    "undecided",
]

Owner: TypeAlias = Literal["retrieval", "ranking", "generation", "release_guard", "evaluator"]

_JUDGED = frozenset({"assessed", "partial", "abstained", "no_checkable_claims"})
_UNKNOWN = frozenset({"unverified", "error", "partial"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What makes a run bad."""

    name: SignalName  # its name
    owner: Owner  # who is called: the owner of the stage that it shows broken
    about: str  # what a bad run is, in words
    # figures that decide, the first that is known. Empty for signals that are counted.
    figures: tuple[FigureName, ...] = ()
    # a run is bad if that figure is below it, 0.0 to 1.0; None for signals that are counted
    threshold: float | None = None

    def bad(self, run: Observation, threshold: float | None = None) -> bool | None:
        """Whether a run is bad; None if nobody knows, so that it counts neither way."""
        if self.figures:
            limit = self.threshold if threshold is None else threshold
            value = next((run.figures[name].value for name in self.figures if name in run.figures), None)
            return None if value is None or limit is None else value < limit
        if self.name == "undecided":
            return run.state in _UNKNOWN and not (run.state == "partial" and run.decided)
        if run.state not in _JUDGED:
            return None
        if self.name == "abstention":
            return run.state == "abstained"
        if not run.decided:
            return None
        return bool(run.outcomes.get("contradicted") if self.name == "contradiction" else run.unsupported)


_ALL = (
    Signal(
        name="query_coverage",
        owner="retrieval",
        about="what was retrieved meets too few facets of the question (QC)",
        figures=("query_coverage",),
        threshold=0.8,
    ),
    Signal(
        name="evidence_overlap",
        owner="ranking",
        about="too little of the evidence that was found reached the prompt (EO)",
        figures=("evidence_overlap", "selection"),
        threshold=0.8,
    ),
    Signal(
        name="answer_coverage",
        owner="generation",
        about="too few of the answer's decided claims are supported (AC)",
        figures=("answer_coverage",),
        threshold=0.9,
    ),
    Signal(name="contradiction", owner="generation", about="the answer contradicts its sources"),
    Signal(name="unsupported", owner="generation", about="the answer has an unsupported claim"),
    Signal(
        name="citation_coverage",
        owner="release_guard",
        about="too few claims are borne out by a source they cite (CC)",
        figures=("citation_recall",),
        threshold=0.8,
    ),
    Signal(name="abstention", owner="retrieval", about="the app declined to answer"),
    Signal(name="undecided", owner="evaluator", about="the judge failed on the answer, or decided nothing of it"),
)

SIGNALS: Mapping[SignalName, Signal] = MappingProxyType({each.name: each for each in _ALL})
"""All signals, by name, in the order of the evidence path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over runs.

    A run that was judged as one of 1 / rate stands for that many. Where rates differ, `effective` is the number of
    runs judged at one rate that would say as much (Kish's effective sample size): intervals take it as their n.
    """

    runs: int = 0  # runs that were observed, whatever is known of them
    decided: int = 0  # those of which it is known whether they are bad
    bad: int = 0  # those that are
    weight: float = 0.0  # sum of 1 / rate over the decided
    bad_weight: float = 0.0  # the same over the bad
    squares: float = 0.0  # sum of the squares of 1 / rate over the decided

    @classmethod
    def of(cls, runs: Iterable[Observation], signal: Signal, threshold: float | None = None) -> Tally:
        """Counts runs, whenever they were."""
        judged = [(1.0 / run.rate, signal.bad(run, threshold)) for run in runs]
        known = [(weight, is_bad) for weight, is_bad in judged if is_bad is not None]
        bad = [weight for weight, is_bad in known if is_bad]
        return cls(
            runs=len(judged),
            decided=len(known),
            bad=len(bad),
            weight=sum(weight for weight, _ in known),
            bad_weight=sum(bad),
            squares=sum(weight**2 for weight, _ in known),
        )

    @property
    def share(self) -> float | None:
        """Weighted share of bad runs among the decided, 0.0 to 1.0; None if there are none."""
        return self.bad_weight / self.weight if self.weight else None

    @property
    def effective(self) -> float:
        """Effective number of decided runs, 0.0 or more, `decided` at most."""
        return self.weight**2 / self.squares if self.squares else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson interval of the share, 95 %, on the effective number of runs; None without a share."""
        return None if self.share is None else wilson(min(1.0, self.share), self.effective)  # a sum may round up

    @property
    def at_least(self) -> float:
        """Lower end of the interval; 0.0 without a share."""
        return self.interval[0] if self.interval else 0.0

    def __sub__(self, part: Tally) -> Tally:
        """Counts of the runs that are not in a part of these; never below zero."""
        left = {each.name: max(0, getattr(self, each.name) - getattr(part, each.name)) for each in fields(self)}
        return Tally(**left) if left["decided"] else Tally(runs=left["runs"])  # what is left of weights is rounding


class Tallies(Protocol):
    """What counts runs: a store."""

    def tally(
        self,
        signal: Signal,
        since: float,
        until: float,
        segment: Mapping[str, str] | None = None,
        threshold: float | None = None,
    ) -> Tally:
        """Counts the runs that began in a window.

        Args:
            signal: What makes a run bad.
            since: Begin of the window, seconds since the epoch.
            until: Its end, itself outside.
            segment: Values that a run's segments have, by name, see `Observation.segment`; None or empty for all runs.
            threshold: Overrides the signal's.
        """
        ...
