"""The verdicts of one iteration: each claim judged by the evidence selected for it, in parts if that is too long.

Too long is what exceeds `LONGEST`, or what the model says does not fit it; then less is tried for all later verdicts.
Support in one part wins over silence or partial support in others; with contradicting evidence beside it the claim is
`supported`, and the evidence says that the sources disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Judge, Judgement, Question, absent, matched
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.drive import together
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.sources import request
from trail_callbacks.verify.walk import LONGEST, PassageCache, Walk, length, packed

_HALVINGS = 4  # of the room, for one verification; a model with still less is of no use
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
    """How much evidence one verdict takes: characters, and how often they may still be halved for a small model."""

    characters: int = LONGEST
    halvings: int = _HALVINGS

    def shrink(self, refused: int) -> bool:
        """Takes note that so many characters were too long; returns False if less is not to be tried."""
        if not self.halvings:
            return False
        self.halvings -= 1
        self.characters = min(self.characters, refused) // 2
        return True


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Evidence for one verdict; `is_all` if it is all evidence of the walk."""

    walk: Walk
    passages: tuple[Passage, ...]
    is_all: bool = False


def interim_verdicts(
    walks: Sequence[Walk], judge: Judge, cache: PassageCache, room: Room
) -> Pipeline[tuple[dict[str, Judgement], tuple[str, ...]]]:
    """Judges the claim of each walk by the evidence of its layer; without evidence it is absent, unasked."""
    warnings: list[str] = []
    judged: dict[Walk, dict[_Part, Judgement]] = {walk: {} for walk in walks}
    parts = [part for walk in walks for part in _parts(walk, cache, room)]
    while parts:
        answers = yield from _asked(parts, judge, room, warnings)
        refused = [part for part, answer in answers.items() if answer.too_long and len(part.passages) > 1]
        if refused and not room.shrink(min(length(part.passages) for part in refused)):
            refused = []
        for part, answer in answers.items():
            if part not in refused:
                judged[part.walk][part] = answer
        parts = [smaller for part in refused for smaller in _smaller(part, cache, room)]
    merged = {walk.claim.id: _merged(walk, list(answers.values())) for walk, answers in judged.items()}
    return merged, tuple(dict.fromkeys(warnings))


def _asked(parts: Sequence[_Part], judge: Judge, room: Room, warnings: list[str]) -> Pipeline[dict[_Part, Judgement]]:
    """Asks about parts at the same time: undivided ones together, unless the model was found to take little."""
    shared = [part for part in parts if part.is_all] if room.halvings == _HALVINGS else []
    batches = [batch for batch in (shared, *([part] for part in parts if part not in shared)) if batch]
    asked = [
        [Question(claim=p.walk.claim, passages=p.passages, asked=request(p.walk.graph)) for p in batch]
        for batch in batches
    ]
    answers: dict[_Part, Judgement] = {}
    assessments = yield from together([judge.assess(questions) for questions in asked])
    for batch, questions, assessment in zip(batches, asked, assessments, strict=True):
        warnings += assessment.warnings
        answers |= zip(batch, matched(questions, assessment.judgements), strict=True)
    return {part: answers[part] for part in parts}


def _parts(walk: Walk, cache: PassageCache, room: Room) -> list[_Part]:
    contexts = walk.contexts(cache, room.characters)
    return [_Part(walk, passages, is_all=len(contexts) == 1) for passages in contexts]


def _smaller(part: _Part, cache: PassageCache, room: Room) -> list[_Part]:
    if part.is_all:
        return _parts(part.walk, cache, room)
    return [_Part(part.walk, passages) for passages in packed(part.passages, room.characters)]


def _merged(walk: Walk, answers: Sequence[Judgement]) -> Judgement:
    """What holds by rule."""
    id_ = walk.claim.id
    if walk.failure is not None:
        return Judgement(claim_id=id_, error=walk.failure)
    if not walk.evidence():
        return absent(
            id_, "Nothing that was read addresses it." if walk.layer else "The answer has no recorded inputs."
        )
    if failed := next((answer for answer in answers if answer.error is not None), None):
        return failed
    if len(answers) == 1:
        return answers[0]
    first = min(answers, key=lambda answer: _PRECEDENCE.index(answer.support))
    telling = {first.support} | ({SupportClass.CONTRADICTED} if first.support is SupportClass.SUPPORTED else set())
    return replace(
        first,
        evidence=tuple(item for answer in answers if answer.support in telling for item in answer.evidence),
        rationale=f"{first.rationale} (The evidence was too long and was judged in {len(answers)} parts.)",
    )
