"""Signals: what makes a run bad at one stage, and who owns that stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from trail_callbacks.observations.observation import FigureName, Observation

__all__ = ["SIGNALS", "Owner", "Signal", "SignalName"]

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
    """What makes a run bad.

    Attributes:
        name: Its name.
        owner: Who is called: the owner of the stage that it shows broken.
        figures: Figures that decide, the first that is known. Empty for signals that are counted.
        threshold: A run is bad if that figure is below it, 0.0 to 1.0; None for signals that are counted.
        about: What a bad run is, in words.
    """

    name: SignalName
    owner: Owner
    about: str
    figures: tuple[FigureName, ...] = ()
    threshold: float | None = None

    def bad(self, run: Observation, threshold: float | None = None) -> bool | None:
        """Whether a run is bad; None if nobody knows, so that it counts neither way.

        Args:
            run: The run.
            threshold: Overrides the signal's.
        """
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
