"""What a judge must be able to do to diagnose an evidence path: say what is asked for, and which lines meet it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from trail_callbacks.evidence import Passage
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report.diagnosis import Facet

__all__ = ["Survey", "Surveyor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a question asks for, and what some passages have of it.

    Attributes:
        facets: What it asks for or is restricted by.
        met: The passages that meet a facet, by its id; none if it is missing here.
        in_query: Whether the queries sent name a facet, by its id; unknown if it is missing here.
        answers: Sets of passages, each of which answers the question by itself; empty if none does. None if unknown.
        missing: What is missing to answer it; empty if nothing.
        conflicts: Pairs of passages that disagree about what the question asks.
        error: Why there is no survey: the model failed.
        warnings: What a reader should know besides.
    """

    facets: tuple[Facet, ...] = ()
    met: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    in_query: Mapping[str, bool] = field(default_factory=dict)
    answers: tuple[tuple[Passage, ...], ...] | None = None
    missing: str = ""
    conflicts: tuple[tuple[Passage, Passage], ...] = ()
    error: str | None = None
    warnings: tuple[str, ...] = ()


@runtime_checkable
class Surveyor(Protocol):
    """A judge that can survey passages. The method is a pipeline, as those of `Judge` are."""

    def survey(
        self, question: str, queries: Sequence[str], passages: Sequence[Passage], facets: Sequence[Facet] = ()
    ) -> Pipeline[Survey]:
        """Surveys what some passages have of what a question asks for, in one call.

        Args:
            question: The user's request.
            queries: The queries that were sent to retrievers.
            passages: All lines that were retrieved, or as many as may be read.
            facets: What the question asks for, if the caller knows; otherwise the judge finds it.

        Returns:
            The survey; one with `error` if the model failed.
        """
