"""The two kinds of model: pair classifiers read evidence and one claim, token classifiers a context and several.

Of pairs the highest answer over the chunks counts. A word counts as backed if one chunk backs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from trail_callbacks.evidence import Passage, wording
from trail_callbacks.judges.encoder.inference import (
    Asked,
    Chunk,
    Encoder,
    Grounding,
    Probabilities,
    Text,
    UnusableError,
    chunks,
    likeliest,
)
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import SupportClass

if TYPE_CHECKING:
    from tokenizers import Encoding

_SLOT = re.compile(r"\{(evidence|claim)\}")
_LEAST = 32  # tokens of evidence that must be left beside the claims
_SPARE = 8  # tokens that joining evidence, template and claims may add
_WORTH = 0.2  # probability, or share of a claim's characters, from which the sentence behind it is looked for


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is read for one claim, of how many chunks; none if the claim is too long."""

    claim: str
    selected: tuple[Chunk, ...]
    chunks: int


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
        """Reads all asks together."""
        packed: dict[tuple[tuple[Passage, ...], int], list[Chunk]] = {}
        plans = [self._plan(ask, packed) for ask in asks]
        whole = {(chunk.text, plan.claim) for plan in plans for chunk in plan.selected}
        scores = yield from self._scored(sorted(whole))
        single = {(wording(one), plan.claim) for plan in plans for one in _sentences(plan, scores)}
        scores |= yield from self._scored(sorted(single - scores.keys()))
        return [self._reading(plan, scores) for plan in plans]

    def _plan(self, ask: Asked, packed: dict[tuple[tuple[Passage, ...], int], list[Chunk]]) -> _Plan:
        space = self._encoder.loaded.window - len(self._encode("", ask.text).ids) - _SPARE
        if space < _LEAST:
            return _Plan(ask.text, (), 0)
        key = (ask.passages, min(self._encoder.loaded.profile.chunk, space))
        if key not in packed:
            packed[key] = chunks(*key, self._encoder.count)
        chosen = likeliest(ask.text, packed[key])[: self._most]
        return _Plan(ask.text, tuple(chunk for chunk in packed[key] if chunk in chosen), len(packed[key]))

    def _encode(self, evidence: str, claim: str) -> Encoding:
        evidence, claim = self._encoder.plain(evidence), self._encoder.plain(" ".join(claim.split()))
        profile = self._encoder.loaded.profile
        if profile.head == "pair":
            return self._encoder.encode(evidence, claim)
        filled = {"evidence": evidence, "claim": claim}
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
        if not plan.selected:
            return Grounding(failure=_too_long(self._encoder))
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


def _too_long(encoder: Encoder) -> str:
    return f"the claim is too long for the {encoder.loaded.window} tokens of the model"


def _text(evidence: Chunk | Passage) -> str:
    return evidence.text if isinstance(evidence, Chunk) else wording(evidence)


def _value(scores: _Scored, evidence: Chunk | Passage, claim: str, side: int) -> float:
    """A probability; -1.0 where there is none, so that it is never the highest."""
    one = scores.get((_text(evidence), claim))
    return one[side] if isinstance(one, tuple) else -1.0


def _best(plan: _Plan, among: Sequence[Text], scores: _Scored, side: int) -> Text:
    return max(among, key=lambda one: _value(scores, one, plan.claim, side))


def _sentences(plan: _Plan, scores: _Scored) -> Iterator[Passage]:
    """The sentences that are read by themselves: of the chunks that say something for or against the claim."""
    for side in (_FOR, _AGAINST) if plan.selected else ():
        chunk = _best(plan, plan.selected, scores, side)
        if _value(scores, chunk, plan.claim, side) >= _WORTH:
            yield from chunk.passages


_SENTENCES = 4  # sentences among which the one that backs a claim is looked for: those that share most words with it
_PART = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _Answer:
    """Claims that are read together, as one text: their indices, where each begins, what they are read against."""

    text: str
    asks: tuple[int, ...]
    starts: tuple[int, ...]
    chunks: tuple[Chunk, ...]


class TokenReader:
    """Reads statements with a model that gives each token of an answer a class.

    Statements with the same sentences to read are put before the model as one answer, which is how it was trained, and
    read once. A word counts as backed if one chunk backs it: the model judges each chunk as if there were no other, and
    the author's own way, to ask support of every chunk, calls the more made up the more is read.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._profile = encoder.loaded.profile
        self._supported = self._profile.labels.index(SupportClass.SUPPORTED)

    def read(self, asks: Sequence[Asked]) -> Pipeline[list[Grounding]]:
        """Reads all asks together."""
        found: dict[int, Grounding] = {}
        answers = list(self._answers(asks, found))
        scored = yield from self._scored([(one.text, chunk) for one in answers for chunk in one.chunks])
        chosen: list[tuple[int, Chunk]] = []
        at = 0
        for answer in answers:
            ours = scored[at : at + len(answer.chunks)]
            at += len(answer.chunks)
            for i, start in zip(answer.asks, answer.starts, strict=True):
                reading, chunk = self._reading(asks[i].text, start, answer.chunks, ours)
                found[i] = reading
                if chunk is not None and max(reading.support, 1.0 - reading.share) >= _WORTH:
                    chosen.append((i, chunk))
        yield from self._cite(asks, chosen, found)
        return [found[i] for i in range(len(asks))]

    def _answers(self, asks: Sequence[Asked], found: dict[int, Grounding]) -> Iterator[_Answer]:
        """Statements in as few texts as leave most of the window to the evidence."""
        together: dict[frozenset[Passage], list[int]] = {}
        for i, ask in enumerate(asks):  # the same ones may be given in another order, the likeliest first
            together.setdefault(frozenset(ask.passages), []).append(i)
        for members in together.values():
            passages = asks[members[0]].passages
            group: list[int] = []
            for i in members:
                texts = " ".join(asks[j].text for j in (*group, i))
                if group and self._encoder.count(texts) > self._encoder.loaded.window // 4:
                    yield from self._answer(asks, group, passages, found)
                    group = []
                group.append(i)
            yield from self._answer(asks, group, passages, found)

    def _answer(
        self, asks: Sequence[Asked], group: Sequence[int], passages: tuple[Passage, ...], found: dict[int, Grounding]
    ) -> Iterator[_Answer]:
        texts = [self._encoder.plain(asks[i].text) for i in group]
        text = " ".join(texts)
        starts, at = [], 0
        for one in texts:
            starts.append(at)
            at += len(one) + 1
        overhead = len(self._encoder.encode(self._context(()), text).ids) + _SPARE
        space = self._encoder.loaded.window - overhead
        if space < _LEAST:
            found.update(dict.fromkeys(group, Grounding(failure=_too_long(self._encoder))))
            return
        packed = chunks(passages, min(self._profile.chunk, space), self._encoder.count, across=True)
        yield _Answer(text, tuple(group), tuple(starts), tuple(packed))

    def _context(self, texts: Sequence[str]) -> str:
        numbered = (
            self._profile.passage.replace("{number}", str(n)).replace("{text}", self._encoder.plain(text))
            for n, text in enumerate(texts, 1)
        )
        head, _, tail = self._profile.template.partition("{evidence}")
        return head + "\n".join(numbered) + tail

    def _scored(self, inputs: Sequence[tuple[str, Chunk]]) -> Pipeline[list[list[float] | UnusableError]]:
        """For each text and chunk, how little each character of the text is backed: 0.0 to 1.0."""
        encodings = [self._encoder.encode(self._context(chunk.texts), text) for text, chunk in inputs]
        found = yield from self._encoder.probabilities(encodings)
        return [
            one if isinstance(one, UnusableError) else self._by_character(text, encoding, one)
            for (text, _), encoding, one in zip(inputs, encodings, found, strict=True)
        ]

    def _by_character(self, text: str, encoding: Encoding, rows: Probabilities) -> list[float]:
        """Several tokens may be parts of one character, as those of an emoji are: the least backed counts."""
        values = [0.0] * len(text)
        for side, (start, end), row in zip(encoding.sequence_ids, encoding.offsets, rows, strict=True):
            if side == 1:
                for at in range(start, end):
                    values[at] = max(values[at], 1.0 - row[self._supported])
        return values

    def _reading(
        self, claim: str, start: int, packed: Sequence[Chunk], scored: Sequence[list[float] | UnusableError]
    ) -> tuple[Grounding, Chunk | None]:
        for one in scored:  # a chunk without an answer might have backed it
            if isinstance(one, UnusableError):
                return Grounding(failure=str(one)), None
        ours = [one[start : start + len(claim)] for one in scored if not isinstance(one, UnusableError)]
        inked = [at for at, sign in enumerate(claim) if not sign.isspace()]
        least = [min(values[at] for values in ours) for at in range(len(claim))]
        flagged = {at for at in inked if least[at] >= 1.0 - self._profile.threshold}
        best = min(range(len(ours)), key=lambda n: sum(ours[n][at] for at in inked))
        return (
            Grounding(
                support=1.0 - max(least[at] for at in inked),
                near=packed[best].passages,
                unbacked=tuple(_runs(claim, flagged)),
                share=len(flagged) / len(inked),
                read=len(packed),
                chunks=len(packed),
            ),
            packed[best],
        )

    def _cite(
        self, asks: Sequence[Asked], chosen: Sequence[tuple[int, Chunk]], found: dict[int, Grounding]
    ) -> Pipeline[None]:
        """Finds the sentence that backs each statement best: the model reads the likeliest ones by themselves."""
        inputs = [
            (i, passage, Chunk((passage,), (wording(passage),), 0))
            for i, chunk in chosen
            for passage in likeliest(asks[i].text, chunk.passages)[:_SENTENCES]
        ]
        texts = [(self._encoder.plain(asks[i].text), chunk) for i, _, chunk in inputs]
        scored = yield from self._scored(texts)
        best: dict[int, tuple[float, Passage]] = {}
        for (i, passage, _), values in zip(inputs, scored, strict=True):
            backed = -1.0 if isinstance(values, UnusableError) else 1.0 - sum(values) / len(values)
            if i not in best or backed > best[i][0]:
                best[i] = (backed, passage)
        for i, (_, passage) in best.items():
            found[i] = replace(found[i], supporting=passage)


def _runs(claim: str, flagged: set[int]) -> Iterator[str]:
    """The words with flagged characters, neighbours together."""
    words = list(_PART.finditer(claim))
    for unbacked, group in groupby(words, key=lambda word: not flagged.isdisjoint(range(*word.span()))):
        run = list(group)
        if unbacked:
            yield claim[run[0].start() : run[-1].end()]


Reader: TypeAlias = PairReader | TokenReader
"""A loaded model that reads statements against sentences, with pauses between batches, so that it can be cancelled."""
