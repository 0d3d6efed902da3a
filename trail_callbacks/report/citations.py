"""How well an answer cites: coverage, precision and recall of its citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.claims import Claim

__all__ = ["CitationFigures", "citation_figures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFigures:
    """Counts and shares of the citations of one answer.

    After ALCE (Gao et al., EMNLP 2023), a claim in place of a sentence. Shares are 0.0 to 1.0, or None where there is
    nothing to divide by.

    Attributes:
        claims: Checkable claims.
        cited: Those that name at least one source.
        coverage: `cited / claims`.
        recall: Share of the claims that a source they cite supports.
        citations: Citations in all; one of several claims counts for each.
        decided: Those whose support was judged, or whose source is unknown.
        precision: Share of the decided citations whose source supports the claim.
        unknown: Citations of a source that did not reach the answer.
    """

    claims: int
    cited: int
    coverage: float | None
    recall: float | None
    citations: int
    decided: int
    precision: float | None
    unknown: int


def citation_figures(claims: Sequence[Claim]) -> CitationFigures | None:
    """Computes the figures; None for an answer that cites nothing."""
    checkable = [claim for claim in claims if claim.checkable]
    citing = [claim for claim in checkable if claim.citations]
    if not citing:
        return None
    statuses = [citation.status for claim in citing for citation in claim.citations]
    decided = [status for status in statuses if status != "undecided"]
    backed = sum(any(citation.status == "supported" for citation in claim.citations) for claim in citing)
    return CitationFigures(
        claims=len(checkable),
        cited=len(citing),
        coverage=len(citing) / len(checkable),
        recall=backed / len(checkable),
        citations=len(statuses),
        decided=len(decided),
        precision=decided.count("supported") / len(decided) if decided else None,
        unknown=statuses.count("unknown_source"),
    )
