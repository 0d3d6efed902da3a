"""The verdicts of one iteration: each claim judged by the evidence selected for it, in parts if that is too long.

Too long is what exceeds `LONGEST`, or what the model says does not fit it; then less is tried for all later verdicts.
First only the selected sentences stand for sources; if they are still too long, they are judged in parts. Support in
one part wins over silence or partial support in others. Where parts contradict each other, or each supports only
something of the claim, the judge gets what they cite together for one more verdict. If that decides nothing, support
with contradicting evidence beside it is `supported`, and the evidence says that the sources disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Judge, Judgement, Question, matched
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.drive import together
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.sources import request
from trail_callbacks.verify.walk import LONGEST, PassageCache, Walk, absent, length, packed

__all__ = ["Room", "interim_verdicts"]

_HALVINGS = 4  # of the room, for one verification; a model with still less is of no use
_DECISIVE = frozenset({SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.PARTIALLY_SUPPORTED})
_PRECEDENCE = [
    SupportClass.SUPPORTED,
    SupportClass.CONTRADICTED,
    SupportClass.PARTIALLY_SUPPORTED,
    None,  # the judge abstained
    SupportClass.ABSENT,
    SupportClass.UNEVALUATABLE,
]


@dataclass(slots=True)
class Room:
    """How much evidence one verdict takes.

    Attributes:
        characters: So many, 0 or more.
        halvings: How often it may still be halved because a model takes less.
    """

    characters: int = LONGEST
    halvings: int = _HALVINGS

    @property
    def is_tight(self) -> bool:
        """Whether the model was found to take less than it was given."""
        return self.halvings < _HALVINGS

    def shrink(self, refused: int) -> bool:
        """Takes note that so many characters were too long; returns False if less is not to be tried."""
        if not self.halvings:
            return False
        self.halvings -= 1
        self.characters = min(self.characters, refused) // 2
        return True


@dataclass(frozen=True, slots=True)
class _Part:
    """Evidence for one verdict.

    Attributes:
        walk: Whose claim is judged.
        passages: What it is judged by.
        is_all: Whether this is all evidence of the walk.
    """

    walk: Walk
    passages: tuple[Passage, ...]
    is_all: bool = False

    def cited(self, judgement: Judgement) -> list[Passage]:
        """The passages that a judgement on this part cites for or against the claim."""
        places = {(item.node_id, item.start, item.end, item.quote) for item in judgement.evidence if item.decides}
        return [p for p in self.passages if (p.node_id, p.start, p.end, p.text) in places]


_Judged = tuple[_Part, Judgement]


def interim_verdicts(
    walks: Sequence[Walk], judge: Judge, cache: PassageCache, room: Room
) -> Pipeline[tuple[dict[str, Judgement], tuple[str, ...]]]:
    """Judges the claim of each walk by the evidence of its layer; without evidence it is absent, and nobody is asked.

    Args:
        walks: Walks whose evidence is selected.
        judge: Gives the verdicts.
        cache: Passages of the graph.
        room: How much one verdict takes; shrinks if the model takes less.

    Returns:
        A judgement for each walk, by claim id, and the judge's warnings.
    """
    warnings: list[str] = []
    judged: dict[str, list[_Judged]] = {walk.claim.id: [] for walk in walks}
    parts = [part for walk in walks for part in _parts(walk, cache, room)]
    while parts:
        answers = yield from _asked(parts, judge, room, warnings)
        pairs = list(zip(parts, answers, strict=True))
        refused = [part for part, answer in pairs if answer.too_long and len(part.passages) > 1]
        if refused and not room.shrink(min(length(part.passages) for part in refused)):
            refused = []
        for part, answer in pairs:
            if part not in refused:
                judged[part.walk.claim.id].append((part, answer))
        parts = [smaller for part in refused for smaller in _smaller(part, cache, room)]
    merged = {walk.claim.id: _merged(walk, [answer for _, answer in judged[walk.claim.id]]) for walk in walks}
    open_ = [_together(judged[walk.claim.id]) for walk in walks if _disagree(judged[walk.claim.id])]
    for part, answer in zip(open_, (yield from _asked(open_, judge, room, warnings)), strict=True):
        id_ = part.walk.claim.id
        if answer.support in _DECISIVE:
            note = f"(Judged in {len(judged[id_])} parts, then by what these cite together.)"
            merged[id_] = replace(answer, rationale=f"{answer.rationale} {note}".strip())
    return merged, tuple(dict.fromkeys(warnings))


def _asked(parts: Sequence[_Part], judge: Judge, room: Room, warnings: list[str]) -> Pipeline[list[Judgement]]:
    """Asks about parts, in batches that are asked at the same time."""
    questions = [
        Question(claim=part.walk.claim, passages=part.passages, asked=request(part.walk.graph)) for part in parts
    ]
    batches = _batches(parts, room)
    assessments = yield from together([judge.assess([questions[i] for i in batch]) for batch in batches])
    answers: dict[int, Judgement] = {}
    for batch, assessment in zip(batches, assessments, strict=True):
        warnings += assessment.warnings
        answers |= zip(batch, matched([questions[i] for i in batch], assessment.judgements), strict=True)
    return [answers[i] for i in range(len(parts))]


def _batches(parts: Sequence[_Part], room: Room) -> list[list[int]]:
    """Which parts are asked about together: those of divided evidence alone, and no more than a tight room holds."""
    batches: list[list[int]] = []
    left, joins = 0, False
    for i, part in enumerate(parts):
        size = length(part.passages)
        if joins and part.is_all and (not room.is_tight or size <= left):
            batches[-1].append(i)
        else:
            batches.append([i])
            left = room.characters
        left, joins = left - size, part.is_all
    return batches


def _parts(walk: Walk, cache: PassageCache, room: Room) -> list[_Part]:
    contexts = walk.contexts(cache, room.characters)
    return [_Part(walk, passages, is_all=len(contexts) == 1) for passages in contexts]


def _smaller(part: _Part, cache: PassageCache, room: Room) -> list[_Part]:
    if part.is_all:
        return _parts(part.walk, cache, room)
    return [_Part(part.walk, passages) for passages in packed(part.passages, room.characters)]


def _disagree(judged: Sequence[_Judged]) -> bool:
    """Whether parts cannot be merged by rule: some contradict others, or each supports only something of the claim."""
    if any(answer.error is not None for _, answer in judged):
        return False
    said = [answer.support for _, answer in judged if answer.support in _DECISIVE]
    against = SupportClass.CONTRADICTED in said and len(set(said)) > 1
    return against or (len(said) > 1 and set(said) == {SupportClass.PARTIALLY_SUPPORTED})


def _together(judged: Sequence[_Judged]) -> _Part:
    cited = {passage: None for part, answer in judged for passage in part.cited(answer)}
    return _Part(judged[0][0].walk, tuple(cited))


def _merged(walk: Walk, judgements: Sequence[Judgement]) -> Judgement:
    """What holds by rule."""
    id_ = walk.claim.id
    if walk.failure is not None:
        return Judgement(claim_id=id_, error=walk.failure)
    if not walk.evidence():
        return absent(
            id_, "Nothing that was read addresses it." if walk.layer else "The answer has no recorded inputs."
        )
    failed = [judgement for judgement in judgements if judgement.error is not None]
    if failed or not judgements:
        return failed[0] if failed else Judgement(claim_id=id_, error="the judge gave no verdict")
    if len(judgements) == 1:
        return judgements[0]
    first = min(judgements, key=lambda judgement: _PRECEDENCE.index(judgement.support))
    telling = {first.support} | ({SupportClass.CONTRADICTED} if first.support is SupportClass.SUPPORTED else set())
    return replace(
        first,
        evidence=tuple(item for judgement in judgements if judgement.support in telling for item in judgement.evidence),
        rationale=f"{first.rationale} (The evidence was too long and was judged in {len(judgements)} parts.)",
    )
