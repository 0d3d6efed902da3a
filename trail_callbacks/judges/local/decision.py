"""A ruling on a claim: what the sentences nearest to it show about it, or why they show nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.evidence import Evidence, Relation, quoted
from trail_callbacks.judges.judge import Judgement, Question
from trail_callbacks.judges.local import losses, slots
from trail_callbacks.judges.local.alignment import Alignment, Mismatch, laid_beside, repeats, states
from trail_callbacks.judges.local.wording import DENIALS, Word, Wording
from trail_callbacks.taxonomy import ErrorType, SupportClass

_COMPARED = 3  # sentences that may show a difference
_CLOSE = 0.25  # how much less of the claim than the best they may have
_SHOWN = 3  # nearest sentences that are shown where nothing is decided
_SAME = 0.8  # share of a claim that a sentence of another source must have to contradict what one states
_ALL_ELSE = 0.99  # share of the rest of a claim, in other languages than English
_REACH = 7  # words ahead of a number or name in which it may be denied

_ANY_LANGUAGE: tuple[Callable[[Alignment], Mismatch | None], ...] = (slots.number, slots.name)
_ENGLISH = (
    *_ANY_LANGUAGE,
    *(losses.negation, slots.opposite, losses.plan, losses.limit, losses.hedge, losses.degree),
    *(losses.view, losses.condition, slots.new_name, slots.new_year),
)
"""What compares a claim with one sentence; the first two need no grammar."""


@dataclass(frozen=True)
class Ruling:
    """One claim and the sentences that it is compared with; `around` are these, and those before and after each."""

    question: Question
    claim: Wording
    passages: Sequence[Wording]
    around: Sequence[Wording]

    def judgement(self) -> Judgement:
        """Decides by what a sentence states, then by what it states differently; else says why not."""
        if not self.passages:
            return self._undecided("no passage states anything that it could be compared with", ())
        if not self._alignments:
            return self._undecided("no sentence of the sources has enough of its words", range(len(self.passages)))
        for p, alignment in self._alignments:
            if repeats(alignment) or (alignment.claim.english and states(alignment)):
                return self._supported(p)
        for p, alignment in self._alignments[:_COMPARED]:
            if alignment.coverage() < self._alignments[0][1].coverage() - _CLOSE:
                break
            found = next(iter(self._mismatches(alignment)), None)
            if found is not None and not self._elsewhere(p, self._disputed(alignment, found)):
                return self._departs(p, found)
        reason = "no sentence states it word for word, and none differs from it in one number, name or denial only"
        return self._undecided(reason, [p for p, _ in self._alignments])

    @cached_property
    def _alignments(self) -> list[tuple[int, Alignment]]:
        """The passages that have most of the claim, best first."""
        aligned = laid_beside(self.claim, self.passages, self.around)
        return sorted(aligned.items(), key=lambda each: (-each[1].coverage(), each[0]))

    def _mismatches(self, alignment: Alignment) -> list[Mismatch]:
        found = list(mismatches(alignment))
        if alignment.english:
            return found
        # Without grammar nobody knows what another difference is about: all else must be the same.
        return [one for one in found if alignment.coverage(*self._disputed(alignment, one)) >= _ALL_ELSE]

    def _elsewhere(self, p: int, disputed: Sequence[int]) -> bool:
        """Whether another sentence that has nearly as much of the claim has what this one has not."""
        least = dict(self._alignments)[p].coverage(*disputed)
        return any(
            q != p and alignment.coverage(*disputed) >= least and all(i in alignment.pairs for i in disputed)
            for q, alignment in self._alignments
            if not self._mismatches(alignment)
        )

    def _disputed(self, alignment: Alignment, found: Mismatch) -> list[int]:
        """The words of the claim that a mismatch is about; none if it is about the whole."""
        start, end = found.claim_span
        if (start, end) == (0, len(self.claim.text)):
            return []
        return [i for i, word in enumerate(alignment.own) if start <= word.start < end and word.kind != "light"]

    def _supported(self, p: int) -> Judgement:
        """The claim is stated; what other sources say against it stands beside."""
        node = self.question.passages[p].node_id
        against = [
            quoted(self.question.passages[other], "contradicts")
            for other, alignment in self._alignments
            if self.question.passages[other].node_id != node
            and any(self._opposes(alignment, found) for found in self._mismatches(alignment))
        ][:_SHOWN]
        said = ", but another source says otherwise" if against else ""
        evidence = (quoted(self.question.passages[p], "supports"), *against)
        return self._judgement(SupportClass.SUPPORTED, f"A sentence states it nearly word for word{said}.", evidence)

    def _opposes(self, alignment: Alignment, found: Mismatch) -> bool:
        """Whether a sentence contradicts a claim about the same thing: one that begins with another name does not.

        Nor does one on `Bus 8` contradict a claim on `Bus 5`.
        """
        disputed = self._disputed(alignment, found)
        content = [i for i, word in enumerate(alignment.own) if word.content] or [-1]
        numbered = len(content) > 2 and alignment.own[content[1]].kind != "word" and content[1] in disputed  # noqa: PLR2004
        return (
            found.support is SupportClass.CONTRADICTED
            and alignment.coverage(*disputed) >= _SAME
            and not numbered
            and (content[0] not in disputed or found.error_type is not ErrorType.ENTITY)
        )

    def _departs(self, p: int, found: Mismatch) -> Judgement:
        relation: Relation = "contradicts" if found.support is SupportClass.CONTRADICTED else "supports"
        whole = found.claim_span == (0, len(self.claim.text))
        return self._judgement(
            found.support,
            _difference(found, whole=whole),
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


def mismatches(alignment: Alignment, *, views: bool = True) -> Iterator[Mismatch]:
    """Yields what a sentence says differently from a claim."""
    for compare in _ENGLISH if alignment.english else _ANY_LANGUAGE:
        found = compare(alignment) if views or compare is not losses.view else None
        if found is None:
            continue
        exchanged = found.error_type in {ErrorType.NUMBER, ErrorType.ENTITY} or found.detail == "opposite"
        other = slots.is_about_another(alignment.claim, alignment.passage)
        other = other or (found.support is SupportClass.CONTRADICTED and slots.is_sibling(alignment))
        if not (exchanged and (other or _denies(alignment, found))):
            yield found


def _denies(alignment: Alignment, found: Mismatch) -> bool:
    """Whether the claim denies what it says, or the sentence what stands in its place.

    That a ferry does not cost 6 euros is true if it costs 5: another number, name or opposite is no contradiction then.
    """
    return _denied(alignment.own, found.claim_span[1]) or _denied(alignment.given, found.span[1])


def _denied(words: Sequence[Word], end: int) -> bool:
    return any(word.form in DENIALS for word in [word for word in words if word.start < end][-_REACH:])
