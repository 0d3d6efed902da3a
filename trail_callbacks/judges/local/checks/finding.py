"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass

from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One way in which a claim departs from a passage on the same subject.

    Attributes:
        error_type: The type.
        support: The class it leads to: contradicted, or partially_supported where the core still holds.
        claim_words: What the claim says, verbatim.
        evidence_words: What the passage says, verbatim; empty where it only lacks the claim's words.
        claim_span: Offsets of `claim_words` in the claim's text.
        span: Offsets of `evidence_words` in the passage's text.
        detail: A finer word: `negation flip`, `opposite`, ...
    """

    error_type: ErrorType
    support: SupportClass
    claim_words: str
    evidence_words: str
    claim_span: tuple[int, int]
    span: tuple[int, int]
    detail: str | None = None

    @classmethod
    def quoting(
        cls,
        claim: Reading,
        claim_span: tuple[int, int],
        passage: Reading,
        span: tuple[int, int],
        *,
        error_type: ErrorType,
        support: SupportClass,
        detail: str | None = None,
    ) -> Finding:
        """Makes a finding that quotes both texts at the given offsets."""
        return cls(
            error_type=error_type,
            support=support,
            claim_words=claim.text[slice(*claim_span)],
            evidence_words=passage.text[slice(*span)],
            claim_span=claim_span,
            span=span,
            detail=detail,
        )
