"""All that is known of one run when its signature is decided."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.diagnosis.facets import RULED
from trail_callbacks.diagnosis.reach import Reach
from trail_callbacks.judges.judge import Survey
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Certainty, ClaimFinding, Coverage, FacetFinding
from trail_callbacks.taxonomy import UNSUPPORTED

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """All that is known of one run.

    Attributes:
        report: The verification of its answer.
        reach: How far passages got.
        survey: What the question asks for.
        by_judge: Whether a judge made the survey, not rules.
        facets: Where each facet is met.
        claims: Where the text is that bears on each claim.
        coverage: The figures.
        gold: Names of the passages that ought to be retrieved; None if unknown.
    """

    report: Report
    reach: Reach
    survey: Survey
    by_judge: bool
    facets: tuple[FacetFinding, ...]
    claims: tuple[ClaimFinding, ...]
    coverage: Coverage
    gold: Collection[str] | None

    @cached_property
    def wrong(self) -> tuple[ClaimFinding, ...]:
        """Unsupported claims that no text which the model did not read bears out."""
        return tuple(
            each
            for each in self.claims
            if self.report.verdict(each.claim_id).support in UNSUPPORTED and not each.by_memory
        )

    @cached_property
    def memories(self) -> tuple[ClaimFinding, ...]:
        """Claims that hold by a text that the model was not shown."""
        return tuple(each for each in self.claims if each.by_memory)

    @property
    def abstained(self) -> bool:
        """Whether the answer declines."""
        return self.report.state == "abstained"

    @property
    def undecided(self) -> bool:
        """Whether something of the answer was not judged."""
        return self.report.state in {"unverified", "partial", "error", "interrupted"} or bool(self.report.undecided)

    @cached_property
    def lost(self) -> tuple[FacetFinding, ...]:
        """Facets that no passage in the prompt meets, as far as that can be told."""
        return tuple(each for each in self.facets if "selected" not in each.depths and self.trusted(each))

    def trusted(self, finding: FacetFinding) -> bool:
        """Whether it can be told if a passage meets a facet: words do not tell for a topic."""
        return self.by_judge or finding.facet.kind in RULED

    @property
    def enough(self) -> bool | None:
        """Whether the prompt was sufficient."""
        return self.coverage.sufficient.get("selected") if self.reach.packs else None

    @property
    def retrieved_enough(self) -> bool | None:
        """Whether what was retrieved was sufficient."""
        return self.coverage.sufficient.get("retrieved")

    @property
    def unanswerable(self) -> bool:
        """Whether the caller says that nothing in the corpus answers the question."""
        return self.gold is not None and not self.gold

    @property
    def missing(self) -> tuple[str, ...]:
        """What the judge misses, as a reason."""
        return (f"missing: {self.survey.missing}",) if self.survey.missing else ()

    def text(self, claim_id: str) -> str:
        """The text of a claim."""
        return next(claim.text for claim in self.report.claims if claim.id == claim_id)

    @property
    def reading(self) -> Certainty:
        """How certain a facet's finding is."""
        return "medium" if self.by_judge else "low"
