"""A comparison: one claim and the passages of an output, and whether they state it, by shared words.

Only localisation compares like this. It asks which of many outputs carries a claim that the sources do not support;
there the best guess is worth more than silence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.checks.reading import Finding
from trail_callbacks.judges.local.checks.registry import ANY_LANGUAGE, CHECKS
from trail_callbacks.judges.local.overlap import Overlap
from trail_callbacks.taxonomy import ErrorType

__all__ = ["Comparison"]

_CLOSE = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_ENOUGH = 0.65  # share of the claim's words that makes a statement of it
_MOST = 4  # passages that the checks compare
_NOT_HERE = "attribution"  # a claim that leaves out who said it counts as stated


@dataclass(frozen=True)
class Comparison:
    """One claim, its passages and what they have in common.

    Attributes:
        question: The claim and its passages.
        overlap: What the passages hold of the claim.
        names: The checks to make.
    """

    question: Question
    overlap: Overlap
    names: Sequence[str]

    @cached_property
    def closest(self) -> list[int]:
        """The passages most about the claim, which may state it."""
        return self._about(_CLOSE)

    def _about(self, least: float) -> list[int]:
        """Passages by what they hold of the claim, numbers aside: a number alone is not a common subject."""
        overlap = self.overlap
        shares = [overlap.weight(held, numbers=False) for held in overlap.held]
        order = sorted(range(len(shares)), key=lambda p: (-shares[p], -overlap.weight(overlap.held[p]), p))
        return [p for p in order if shares[p] >= least * shares[order[0]]][:_MOST]

    @cached_property
    def stating(self) -> tuple[int, ...] | None:
        """Passages that state the claim by their words, none of which departs from it; None if there are none."""
        everything = self.overlap.everything
        findings = {p: found for p in self.closest if (found := self._findings(p))}
        disputed = any(found[0].error_type is ErrorType.NUMBER for found in findings.values())
        for p in self.closest:
            group = self._group(p, everything, findings.keys())
            if p not in findings and self._suffices(group, everything, attached=disputed):
                return group
        return None

    def passages(self, indices: Sequence[int]) -> tuple[Passage, ...]:
        """Returns the passages at the given indices."""
        return tuple(self.question.passages[i] for i in indices)

    def _group(self, p: int, wanted: frozenset[int], excluded: Collection[int] = ()) -> tuple[int, ...]:
        """A passage and what others add; `capital: Bergen` is not stated by two of which one has neither's sense."""
        claim = self.question.claim
        field = claim.path and claim.text != " ".join(claim.quote.split())
        return (p,) if field else self.overlap.together(p, wanted, excluded)

    def _findings(self, p: int) -> list[Finding]:
        """What departs from a passage, by all checks that may be made."""
        claim, passage = self.overlap.claim, self.overlap.passages[p]
        english = claim.english and passage.english
        names = [name for name in self.names if name in CHECKS and name != _NOT_HERE]
        checks = [CHECKS[name] for name in names if english or name in ANY_LANGUAGE]
        return [finding for check in checks if (finding := check(claim, passage)) is not None]

    def _suffices(self, group: Sequence[int], wanted: frozenset[int], *, attached: bool = False) -> bool:
        """Enough words, and every number and name; where a number is disputed, it must stand beside its word."""
        have = self.overlap.covered(group, attached=attached)
        complete = not any(self.overlap.items[i].required for i in wanted - have)
        return complete and self.overlap.share(have, wanted) >= _ENOUGH
