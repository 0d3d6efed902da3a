"""Token classifiers: which words of the claims does nothing back? They read long contexts, and all claims in one go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder.chunks import Chunk, chunks, likeliest, wording
from trail_callbacks.judges.encoder.inference import Asked, Encoder, Grounding, Probabilities, UnusableError
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import SupportClass

_LEAST = 48  # tokens of evidence that must be left beside the claims
_SPARE = 8  # tokens that joining evidence, template and claims may add
_SENTENCES = 4  # sentences among which the one that backs a claim is looked for: those that share most words with it
_WORTH = 0.2  # of a claim's probability or characters that must be backed before that sentence is looked for
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
        """See `Reader.read`."""
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
                if group and self._length([asks[j].text for j in (*group, i)]) > self._encoder.loaded.window // 4:
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
        each = self._encoder.count(self._profile.passage.replace("{number}", "99").replace("{text}", "")) + 2
        overhead = len(self._encoder.encode(self._context(()), text)["input_ids"]) + _SPARE
        space = self._encoder.loaded.window - overhead
        if space - each < _LEAST:
            why = f"the claim is too long for the {self._encoder.loaded.window} tokens of the model"
            found.update(dict.fromkeys(group, Grounding(failure=why)))
            return
        room = max(min(self._profile.chunk, space), each + 2)
        packed = chunks(passages, room, self._encoder.count, across=True, each=each)
        yield _Answer(text, tuple(group), tuple(starts), tuple(packed))

    def _length(self, texts: Sequence[str]) -> int:
        return self._encoder.count(" ".join(texts))

    def _context(self, texts: Sequence[str]) -> str:
        numbered = (
            self._profile.passage.replace("{number}", str(n)).replace("{text}", self._encoder.plain(text))
            for n, text in enumerate(texts, 1)
        )
        head, _, tail = self._profile.template.partition("{evidence}")
        return head + "\n".join(numbered) + tail

    def _scored(self, inputs: Sequence[tuple[str, Chunk]]) -> Pipeline[list[list[float] | UnusableError]]:
        """For each text and chunk, how little each character of the text is backed: 0.0 to 1.0."""
        encodings = [self._encoder.encode(self._context(chunk.texts), text, offsets=True) for text, chunk in inputs]
        found = yield from self._encoder.probabilities(encodings)
        return [
            one if isinstance(one, UnusableError) else self._by_character(text, encoding, one)
            for (text, _), encoding, one in zip(inputs, encodings, found, strict=True)
        ]

    def _by_character(self, text: str, encoding: Any, rows: Probabilities) -> list[float]:
        """Several tokens may be parts of one character, as those of an emoji are: the least backed counts."""
        values = [0.0] * len(text)
        for side, (start, end), row in zip(encoding.sequence_ids(0), encoding["offset_mapping"], rows, strict=True):
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
    start = end = None
    for word in _PART.finditer(claim):
        if any(at in flagged for at in range(*word.span())):
            start, end = (word.start() if start is None else start), word.end()
        elif start is not None:
            yield claim[start:end]
            start = None
    if start is not None:
        yield claim[start:end]
