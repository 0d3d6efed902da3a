"""Pair classifiers: does this evidence support this claim? The highest answer over the chunks counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder.chunks import Chunk, chunks, likeliest, wording
from trail_callbacks.judges.encoder.inference import Asked, Encoder, Grounding, UnusableError
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import SupportClass

Read = TypeVar("Read", Chunk, Passage)

_SLOT = re.compile(r"\{(evidence|claim|end)\}")
_LEAST = 24  # tokens of evidence that must be left beside a claim
_SPARE = 4  # tokens that joining evidence, template and claim may add
_WORTH = 0.2  # probability from which the sentence behind it is looked for


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is read for one claim, of how many chunks, or why nothing can be read."""

    claim: str
    selected: tuple[Chunk, ...]
    chunks: int
    failure: str | None = None


_FOR, _AGAINST = 0, 1
_Scored: TypeAlias = dict[tuple[str, str], "tuple[float, float] | UnusableError"]
"""What a model says of pairs: probabilities, 0.0 to 1.0, for and against; -1.0 against if it cannot tell."""


class PairReader:
    """Reads statements against chunks with a model that takes evidence and claim."""

    def __init__(self, encoder: Encoder, most: int | None) -> None:
        self._encoder = encoder
        self._most = most
        labels = encoder.loaded.profile.labels
        self._supported = labels.index(SupportClass.SUPPORTED)
        self._against = [i for i, label in enumerate(labels) if label is SupportClass.CONTRADICTED]

    def read(self, asks: Sequence[Asked]) -> Pipeline[list[Grounding]]:
        """See `Reader.read`."""
        packed: dict[tuple[tuple[Passage, ...], int], list[Chunk]] = {}
        plans = [self._plan(ask, packed) for ask in asks]
        whole = {(chunk.text, plan.claim) for plan in plans for chunk in plan.selected}
        scores = yield from self._scored(sorted(whole))
        single = {(wording(one), plan.claim) for plan in plans for one in _sentences(plan, scores)}
        scores |= yield from self._scored(sorted(single - scores.keys()))
        return [self._reading(plan, scores) for plan in plans]

    def _plan(self, ask: Asked, packed: dict[tuple[tuple[Passage, ...], int], list[Chunk]]) -> _Plan:
        window = self._encoder.loaded.window
        space = self._room(ask.text)
        if space < _LEAST:
            return _Plan(ask.text, (), 0, f"the claim is too long for the {window} tokens of the model")
        room = min(self._encoder.loaded.profile.chunk, space)
        key = (ask.passages, room)
        if key not in packed:
            packed[key] = chunks(ask.passages, room, self._encoder.count)
        return _Plan(ask.text, tuple(self._selected(ask.text, packed[key])), len(packed[key]))

    def _room(self, claim: str) -> int:
        """Tokens that the window leaves to the evidence."""
        return self._encoder.loaded.window - len(self._encode("", claim)["input_ids"]) - _SPARE

    def _selected(self, claim: str, found: Sequence[Chunk]) -> list[Chunk]:
        if self._most is None or len(found) <= self._most:
            return list(found)
        wanted = set(keys(claim))
        order = sorted(range(len(found)), key=lambda i: (-len(wanted.intersection(keys(found[i].text))), i))
        return [found[i] for i in sorted(order[: self._most])]

    def _encode(self, evidence: str, claim: str) -> Any:
        evidence, claim = self._encoder.plain(evidence), self._encoder.plain(" ".join(claim.split()))
        profile = self._encoder.loaded.profile
        if profile.head == "pair":
            return self._encoder.encode(evidence, claim)
        filled = {"evidence": evidence, "claim": claim, "end": self._encoder.loaded.tokenizer.eos_token}
        return self._encoder.encode(_SLOT.sub(lambda slot: filled[slot[1]], profile.template))

    def _scored(self, pairs: Sequence[tuple[str, str]]) -> Pipeline[_Scored]:
        found = yield from self._encoder.probabilities([self._encode(*pair) for pair in pairs])
        return {
            pair: one
            if isinstance(one, UnusableError)
            else (one[0][self._supported], sum(one[0][i] for i in self._against) if self._against else -1.0)
            for pair, one in zip(pairs, found, strict=True)
        }

    def _reading(self, plan: _Plan, scores: _Scored) -> Grounding:
        if plan.failure is not None:
            return Grounding(failure=plan.failure)
        for chunk in plan.selected:  # a value that is missing might have been the highest
            if isinstance(lost := scores[chunk.text, plan.claim], UnusableError):
                return Grounding(failure=str(lost))
        favour, against = (_best(plan, plan.selected, scores, side) for side in (_FOR, _AGAINST))
        high, low = _value(scores, favour, plan.claim, _FOR), _value(scores, against, plan.claim, _AGAINST)
        first = _best(plan, favour.passages, scores, _FOR)
        return Grounding(
            support=high,
            against=None if low < 0.0 else low,
            supporting=first if high >= _WORTH else likeliest(plan.claim, favour.passages)[0],
            opposing=None if low < 0.0 else _best(plan, against.passages, scores, _AGAINST),
            near=favour.passages,
            read=len(plan.selected),
            chunks=plan.chunks,
        )


def _text(evidence: Chunk | Passage) -> str:
    return evidence.text if isinstance(evidence, Chunk) else wording(evidence)


def _value(scores: _Scored, evidence: Chunk | Passage, claim: str, side: int) -> float:
    """A probability; -1.0 where there is none, so that it is never the highest."""
    one = scores.get((_text(evidence), claim))
    return one[side] if isinstance(one, tuple) else -1.0


def _best(plan: _Plan, among: Sequence[Read], scores: _Scored, side: int) -> Read:
    return max(among, key=lambda one: _value(scores, one, plan.claim, side))


def _sentences(plan: _Plan, scores: _Scored) -> Iterator[Passage]:
    """The sentences that are read by themselves: of the chunks that say something for or against the claim."""
    for side in (_FOR, _AGAINST) if plan.selected else ():
        chunk = _best(plan, plan.selected, scores, side)
        if _value(scores, chunk, plan.claim, side) >= _WORTH:
            yield from chunk.passages
