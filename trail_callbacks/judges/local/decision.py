"""A decision: what the sentences nearest to a claim show about it, or why they show nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.evidence import Evidence, Relation, quoted
from trail_callbacks.judges.judge import Judgement, Question
from trail_callbacks.judges.local import losses, slots
from trail_callbacks.judges.local.alignment import Alignment, Mismatch, Token, align, shared, tokens
from trail_callbacks.judges.local.markers import DENIALS, DENYING
from trail_callbacks.judges.local.numbers import is_about_another
from trail_callbacks.judges.local.reading import Reading
from trail_callbacks.judges.local.verbatim import repeats, states
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["MISMATCHES", "Decision", "laid_beside", "mismatches"]

_NEAR = 0.3  # share of the claim's content that a sentence must have to be laid beside it
_LONGEST = 70  # words of a sentence; a longer one is a text whose sentences were not told apart
_COMPARED = 3  # sentences that may show a difference
_CLOSE = 0.25  # how much less of the claim than the best they may have
_SHOWN = 3  # nearest sentences that are shown where nothing is decided
_SAME = 0.8  # share of a claim that a sentence of another source must have to contradict what one states
_ALL_ELSE = 0.99  # share of the rest of a claim, in other languages than English
_STEP = re.compile(
    r"(?:\w+\s\d+:)?\W*(?:step|method|option|phase|stage|part|day|week)\s+(?:\d+|[a-z]+)\s*[:.)]", re.IGNORECASE
)
_REACH = 6  # words ahead of a number or name in which it may be denied
_STOPS = (", ", "; ", " (", ") ")

MISMATCHES: dict[str, tuple[Callable[[Alignment], Mismatch | None], ...]] = {
    "number": (slots.number,),
    "entity": (slots.name,),
    "negation": (losses.negation, slots.opposite),
    "temporal": (losses.plan,),
    "quantifier": (losses.limit,),
    "hyperbole": (losses.hedge, losses.degree),
    "attribution": (losses.view,),
    "condition": (losses.condition,),
    "invented": (slots.new_name, slots.new_year),
}
"""What compares a claim with one sentence, by the names that `LocalJudge(without=...)` takes."""

_ANY_LANGUAGE = ("number", "entity")
"""What needs no English grammar; the rest is looked for only where claim and sentence are English."""


@dataclass(frozen=True)
class Decision:
    """One claim and the sentences that it is compared with.

    Attributes:
        question: The claim with its passages.
        claim: The claim, read.
        passages: Its passages, read.
        around: All sentences that the judge was shown: these, and those before and after each.
        names: What to look for, see `MISMATCHES`.
    """

    question: Question
    claim: Reading
    passages: Sequence[Reading]
    around: Sequence[Reading]
    names: Sequence[str]

    def judgement(self) -> Judgement:
        """Decides by what a sentence states, then by what it states differently; else says why not."""
        if not self.passages:
            return self._undecided("no passage states anything that it could be compared with", ())
        for p, alignment in self._alignments:
            if repeats(alignment) or (alignment.claim.english and states(alignment)):
                return self._supported(p)
        for p, alignment in self._alignments[:_COMPARED]:
            if alignment.coverage() < self._alignments[0][1].coverage() - _CLOSE:
                break
            if _STEP.match(alignment.passage.text):
                continue  # one of several that differ in a word only
            found = next(iter(self._mismatches(alignment)), None)
            if found is not None and not self._elsewhere(p, found):
                return self._departs(p, found)
        if not self._alignments:
            return self._undecided("no sentence of the sources has enough of its words", range(len(self.passages)))
        reason = "no sentence states it word for word, and none differs from it in one number, name or denial only"
        return self._undecided(reason, [p for p, _ in self._alignments])

    @cached_property
    def _alignments(self) -> list[tuple[int, Alignment]]:
        """The passages that have most of the claim, best first."""
        aligned = laid_beside(self.claim, self.passages, self.around)
        return sorted(aligned.items(), key=lambda each: (-each[1].coverage(), each[0]))

    def _mismatches(self, alignment: Alignment) -> list[Mismatch]:
        found = list(mismatches(alignment, self.names))
        if alignment.claim.english and alignment.passage.english:
            return found
        # Without grammar nobody knows what another difference is about: all else must be the same.
        return [one for one in found if alignment.coverage(*self._disputed(alignment, one)) >= _ALL_ELSE]

    def _elsewhere(self, p: int, found: Mismatch) -> bool:
        """Whether another sentence that has nearly as much of the claim has what this one has not."""
        by_passage = dict(self._alignments)
        disputed = self._disputed(by_passage[p], found)
        least = by_passage[p].coverage(*disputed)
        return any(
            q != p
            and alignment.coverage(*disputed) >= least
            and all(i in alignment.pairs for i in disputed)
            and not self._mismatches(alignment)
            for q, alignment in self._alignments
        )

    def _disputed(self, alignment: Alignment, found: Mismatch) -> list[int]:
        """The words of the claim that a mismatch is about; none if it is about the whole."""
        start, end = found.claim_span
        if start == 0 and end == len(self.claim.text):
            return []
        return [i for i, token in enumerate(alignment.own) if start <= token.start < end and token.kind != "light"]

    def _supported(self, p: int) -> Judgement:
        conflicts = self._conflicts(p)
        said = ", but another source says otherwise" if conflicts else ""
        evidence = (quoted(self.question.passages[p], "supports"), *conflicts)
        return self._judgement(SupportClass.SUPPORTED, f"A sentence states it nearly word for word{said}.", evidence)

    def _conflicts(self, stating: int) -> tuple[Evidence, ...]:
        """What other sources say against a claim that one states."""
        node = self.question.passages[stating].node_id
        against = [
            self.question.passages[p]
            for p, alignment in self._alignments
            if self.question.passages[p].node_id != node
            and any(self._opposes(alignment, found) for found in self._mismatches(alignment))
        ]
        return tuple(quoted(passage, "contradicts") for passage in against[:_SHOWN])

    def _opposes(self, alignment: Alignment, found: Mismatch) -> bool:
        """Whether a sentence contradicts a claim about the same thing: one that begins with another name does not."""
        disputed = self._disputed(alignment, found)
        subject = next((i for i, token in enumerate(alignment.own) if token.content), -1)
        return (
            found.support is SupportClass.CONTRADICTED
            and alignment.coverage(*disputed) >= _SAME
            and (subject not in disputed or found.error_type is not ErrorType.ENTITY)
        )

    def _departs(self, p: int, found: Mismatch) -> Judgement:
        relation: Relation = "contradicts" if found.support is SupportClass.CONTRADICTED else "supports"
        whole = found.claim_span == (0, len(self.claim.text))
        return self._judgement(
            found.support,
            f"{found.error_type.value}: {_difference(found, whole=whole)}",
            (quoted(self.question.passages[p], relation),) if found.support is not SupportClass.ABSENT else (),
            found,
        )

    def _undecided(self, reason: str, near: Sequence[int]) -> Judgement:
        return Judgement(
            claim_id=self.question.claim.id,
            undecided=f"The offline judge cannot tell: {reason}.",
            evidence=tuple(quoted(self.question.passages[p], "nearest") for p in list(near)[:_SHOWN]),
        )

    def _judgement(
        self, support: SupportClass, rationale: str, evidence: tuple[Evidence, ...], found: Mismatch | None = None
    ) -> Judgement:
        if not self.claim.english:
            rationale += " The claim is not in English: only numbers, names and repeated sentences were compared."
        return Judgement(
            claim_id=self.question.claim.id,
            support=support,
            error_type=found.error_type if found else None,
            detail=found.detail if found else None,
            rationale=rationale,
            evidence=evidence,
        )


def _difference(found: Mismatch, *, whole: bool) -> str:
    """What a mismatch shows, in a sentence; of a whole claim it shows a word of the source that is left out."""
    mine, its = repr(found.claim_words), repr(found.evidence_words)
    if found.support is SupportClass.ABSENT:
        return f"No passage has {mine}."
    if not found.evidence_words:
        return f"It says {mine}, which the nearest sentence does not."
    if not whole:
        return f"It says {mine} where the source says {its}."
    if found.error_type is ErrorType.ATTRIBUTION_FAILURE:
        return f"It states as a fact what the source gives as a view or a report, with {its}."
    if found.error_type is ErrorType.OVERGENERALIZATION:
        return f"It leaves out the condition or exception that the source states with {its}."
    return f"It states as settled what the source qualifies with {its}."


def laid_beside(claim: Reading, passages: Sequence[Reading], around: Sequence[Reading]) -> dict[int, Alignment]:
    """Aligns a claim with those passages, by index, that have enough of its words in any order.

    A word at the beginning of one text is a name if it is one elsewhere.
    """
    texts = [claim, *passages]
    names = frozenset().union(*(text.named for text in texts)).difference(*(text.plain for text in texts))
    own, given = tokens(claim, names), [tokens(passage, names) for passage in passages]
    return {
        p: align(claim, own, passages[p], words, around)
        for p, words in enumerate(given)
        if len(words) <= _LONGEST and shared(own, words) >= _NEAR
    }


def mismatches(alignment: Alignment, names: Sequence[str]) -> Iterator[Mismatch]:
    """Yields what a sentence says differently from a claim, of what is to be looked for, see `MISMATCHES`."""
    english = alignment.claim.english and alignment.passage.english
    for name in names if english else [name for name in names if name in _ANY_LANGUAGE]:
        for compare in MISMATCHES[name]:
            found = compare(alignment)
            if found is None:
                continue
            exchanged = found.error_type in {ErrorType.NUMBER, ErrorType.ENTITY} or found.detail == "opposite"
            if not (exchanged and (_denies(alignment, found) or is_about_another(alignment.claim, alignment.passage))):
                yield found


def _denies(alignment: Alignment, found: Mismatch) -> bool:
    """Whether the claim denies what it says, or the sentence what stands in its place.

    That a ferry does not cost 6 euros is true if it costs 5: another number, name or opposite is no contradiction then.
    """
    return _denied(alignment.claim.text, alignment.own, found.claim_span, DENIALS | DENYING) or _denied(
        alignment.passage.text, alignment.given, found.span, DENIALS
    )


def _denied(text: str, words: Sequence[Token], span: tuple[int, int], denials: frozenset[str]) -> bool:
    """Whether a denial stands shortly before some words of a text, or between the same commas."""
    start, end = span
    before = [token for token in words if token.start < end]
    first = max((text.rfind(mark, 0, start) for mark in _STOPS), default=-1)
    last = min((at for mark in _STOPS if (at := text.find(mark, end)) >= 0), default=len(text))
    near = [*before[-_REACH:], *(token for token in words if first < token.start < last)]
    return any(token.form in denials for token in near)
