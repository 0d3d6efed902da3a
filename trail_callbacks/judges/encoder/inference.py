"""From sentences to probabilities: packed into chunks, tokens counted and never cut, no value that is not a number.

A chunk is as much of the sources as a model reads at once. What stands before a sentence without being citable (its
title, the sentence before, the header of its table) is read with it unless it is there already. `Asked` and `Grounding`
are the vocabulary that pair and token classifiers share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from trail_callbacks.evidence import Passage, wording
from trail_callbacks.judges.encoder.loading import Loaded
from trail_callbacks.judges.encoder.network import first_line
from trail_callbacks.language.speech import is_question
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.text import encodable

if TYPE_CHECKING:
    from tokenizers import Encoding

_SPACE = re.compile(r"\s+")
_SPARE = 2  # tokens that joining two texts may add
_NUMBER = 8  # tokens that may be written beside a source, such as `passage 12:`


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a model reads at once: citable sentences or parts of them, what is read of each source, its tokens."""

    passages: tuple[Passage, ...]
    texts: tuple[str, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All that is read."""
        return "\n".join(self.texts)


Text = TypeVar("Text", Passage, Chunk)


def statements(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Returns what may be evidence, source by source, in text order, each passage once: a question states nothing."""
    order = {node_id: n for n, node_id in enumerate(dict.fromkeys(passage.node_id for passage in passages))}
    distinct = {(p.node_id, p.start, p.end, p.text): p for p in passages if p.text.strip() and not is_question(p.text)}
    return tuple(sorted(distinct.values(), key=lambda passage: (order[passage.node_id], passage.start)))


def chunks(
    passages: Sequence[Passage], limit: int, count: Callable[[str], int], *, across: bool = False
) -> list[Chunk]:
    """Packs passages into as few chunks as follow one another.

    Args:
        passages: From `statements`.
        limit: Tokens of a chunk, 1 or more. A word of more tokens than that is cut.
        count: Counts the tokens of a text.
        across: Whether a chunk may hold several sources; else each has its own chunks.
    """
    done: list[Chunk] = []
    filling = _Filling(limit, count)
    for passage in passages:
        if filling.passages and not across and filling.passages[-1].node_id != passage.node_id:
            done.append(filling.chunk())
            filling = _Filling(limit, count)
        for part in _fitting(passage, limit - _NUMBER, count):
            if not filling.take(part):
                done.append(filling.chunk())
                filling = _Filling(limit, count)
                filling.take(part)
    return [*done, filling.chunk()] if filling.passages else done


class _Filling:
    """A chunk that is being filled."""

    def __init__(self, limit: int, count: Callable[[str], int]) -> None:
        self._limit, self._count = limit, count
        self.passages: list[Passage] = []
        self._texts: list[list[str]] = []
        self._tokens = 0

    def take(self, passage: Passage) -> bool:
        """Adds a passage, with its context if there is room; False if there is none for the passage."""
        fresh = not self.passages or self.passages[-1].node_id != passage.node_id
        own = wording(passage)
        tokens = self._count(own) + _SPARE + (_NUMBER if fresh else 0)
        if self.passages and self._tokens + tokens > self._limit:
            return False
        there = "" if fresh else "\n".join(self._texts[-1])
        context = [line for line in _context(passage) if line not in there]
        room = self._limit - self._tokens - tokens
        while context and (extra := sum(self._count(line) + _SPARE for line in context)) > room:
            context.pop(0)  # the title goes first: the sentence before is nearer
        tokens += extra if context else 0
        if fresh:
            self._texts.append([])
        self._texts[-1] += [*context, own]
        self.passages.append(passage)
        self._tokens += tokens
        return True

    def chunk(self) -> Chunk:
        return Chunk(tuple(self.passages), tuple("\n".join(lines) for lines in self._texts), self._tokens)


def likeliest(claim: str, texts: Sequence[Text]) -> list[Text]:
    """Returns passages or chunks, those that share most words with a claim first."""
    wanted = set(keys(claim))
    return sorted(texts, key=lambda each: -len(wanted.intersection(keys(each.text))))


def _context(passage: Passage) -> list[str]:
    lines = [line for line in passage.before.splitlines() if line.strip()]
    return lines[:-1] if lines and wording(passage) != passage.text else lines


def _fitting(passage: Passage, limit: int, count: Callable[[str], int]) -> list[Passage]:
    """The passage, or the parts of one that is longer than a chunk: cut between words, and words that are too long."""
    if count(wording(passage)) + _SPARE <= limit or len(passage.text) < 2:  # noqa: PLR2004 - one character is whole
        return [passage]
    middle = len(passage.text) // 2
    gaps = [match.span() for match in _SPACE.finditer(passage.text)]
    inner = [gap for gap in gaps if gap[0] > 0 and gap[1] < len(passage.text)]
    stop, start = min(inner, key=lambda gap: abs(gap[0] - middle), default=(middle, middle))
    head = replace(passage, end=passage.start + stop, text=passage.text[:stop], address="")
    tail = replace(passage, start=passage.start + start, text=passage.text[start:], before="", address="")
    return [part for half in (head, tail) for part in _fitting(half, limit, count)]


Probabilities: TypeAlias = list[list[float]]
"""For each token of an input, or for the input as a whole, the probability of each label."""

_TOGETHER = 8192  # tokens of a batch, padding included: more costs memory and saves no time


class UnusableError(Exception):
    """A model gave no usable answer: not a number, or no room for the text. Becomes an error of the judgement."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement and the sentences to read it against, from `chunks.statements`: at least one."""

    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What a model makes of a statement.

    Attributes:
        support: Probability, 0.0 to 1.0, that what was read supports it: the highest over the chunks, or for words the
            lowest over those of the statement.
        against: Probability, 0.0 to 1.0, that something contradicts it; None if the model cannot tell.
        supporting: The sentence that supports it best.
        opposing: The sentence that contradicts it most; None if none was looked for.
        near: The sentences among which `supporting` is.
        unbacked: The parts of the statement that nothing supports, verbatim; of a token classifier only.
        share: Share of the statement's characters, blanks aside, that are in them.
        read: Chunks that were read.
        chunks: Chunks that there are.
        failure: Why there is no answer; all else is then without meaning.
    """

    support: float = 0.0
    against: float | None = None
    supporting: Passage | None = None
    opposing: Passage | None = None
    near: tuple[Passage, ...] = ()
    unbacked: tuple[str, ...] = ()
    share: float = 0.0
    read: int = 0
    chunks: int = 0
    failure: str | None = None


class Encoder:
    """Tokenizes for a model and runs it."""

    def __init__(self, loaded: Loaded, batch_size: int) -> None:
        self.loaded = loaded
        self._batch_size = batch_size
        self._marks = sorted((one.content for one in loaded.tokenizer.get_added_tokens_decoder().values()), key=len)
        self._lengths: dict[str, int] = {}

    def plain(self, text: str) -> str:
        """Takes from a text what the tokenizer would take for marks of its own; offsets stay valid.

        A source that holds `[SEP]` or `</s>` could otherwise end the evidence and go on in the place of the claim.
        """
        text = encodable(text)
        for mark in self._marks:
            if len(mark) > 1 and not mark.isspace() and mark in text:
                text = text.replace(mark, " " + mark[1:])
        return text

    def count(self, text: str) -> int:
        """Counts the tokens of a text, without those that are put around every input."""
        known = self._lengths.get(text)
        if known is None:
            known = len(self.loaded.tokenizer.encode(self.plain(text), add_special_tokens=False).ids)
            self._lengths[text] = known
        return known

    def encode(self, text: str, second: str | None = None) -> Encoding:
        """Encodes one text or a pair; never cut."""
        return self.loaded.tokenizer.encode(text, second)

    def probabilities(self, encodings: Sequence[Encoding]) -> Pipeline[list[Probabilities | UnusableError]]:
        """Runs the model on encoded inputs, those of like length together."""
        results: list[Probabilities | UnusableError] = [[]] * len(encodings)
        fitting = [i for i, one in enumerate(encodings) if len(one.ids) <= self.loaded.window]
        for i in set(range(len(encodings))) - set(fitting):
            results[i] = UnusableError(
                f"{len(encodings[i].ids)} tokens do not fit the {self.loaded.window} of {self.loaded.name}"
            )
        for batch in self._batches(encodings, fitting):
            for i, found in zip(batch, self._run([encodings[i] for i in batch]), strict=True):
                results[i] = found
            yield ()  # whoever drives this may stop here
        return results

    def _batches(self, encodings: Sequence[Encoding], which: Sequence[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        for i in sorted(which, key=lambda i: len(encodings[i].ids)):
            longest = len(encodings[i].ids)
            if batch and (len(batch) == self._batch_size or (len(batch) + 1) * longest > _TOGETHER):
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _run(self, encodings: Sequence[Encoding]) -> list[Probabilities | UnusableError]:
        loaded, tokens = self.loaded, self.loaded.profile.head == "tokens"
        lengths = [len(one.ids) for one in encodings]
        batch = {
            name: np.array([[*row, *([fill] * (max(lengths) - len(row)))] for row in rows], dtype=np.int64)
            for name, fill, rows in (
                ("input_ids", loaded.padding, [one.ids for one in encodings]),
                ("attention_mask", 0, [one.attention_mask for one in encodings]),
                ("token_type_ids", 0, [one.type_ids for one in encodings]),
            )
        }
        try:
            with loaded.lock:
                logits = loaded.network.logits(batch).astype(np.float32)
        except Exception as error:  # noqa: BLE001 - out of memory above all: an answer that is missing, not a crash
            what = first_line(error)
            return [UnusableError(f"{loaded.name} failed on {loaded.network.device}: {what}")] * len(encodings)
        if loaded.profile.head == "text" and logits.ndim == 3:  # noqa: PLR2004 - inputs, tokens, labels
            logits = logits[:, 0]
        outer = batch["input_ids"].shape if tokens else (len(encodings),)
        if logits.shape != (*outer, len(loaded.profile.labels)):
            said = f"{loaded.name} gave {logits.shape}, expected {outer} by {len(loaded.profile.labels)} labels"
            return [UnusableError(said)] * len(encodings)
        with np.errstate(all="ignore"):
            shares = np.exp(logits - logits.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
        found: list[Probabilities | UnusableError] = []
        for row, length in zip(shares, lengths, strict=True):
            own = row[:length] if tokens else row[None]
            if np.isfinite(own).all():
                found.append(own.tolist())
            else:
                found.append(UnusableError(f"{loaded.name} gave a value that is not a number"))
        return found
