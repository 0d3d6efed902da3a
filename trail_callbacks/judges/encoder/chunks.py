"""Sentences packed into chunks: as much of the sources as a model reads at once, each sentence with its place.

Sentences of one text stay together, in the order of the text, however they are given. What stands before a sentence
without being citable (its title, the sentence before, the header of its table) is read with it unless it is there
already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.evidence import Passage
from trail_callbacks.evidence.tables import labelled
from trail_callbacks.language.speech import is_question
from trail_callbacks.language.terms import keys

_SPACE = re.compile(r"\s+")
_SPARE = 2  # tokens that joining two texts may add


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


def statements(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Returns what may be evidence, source by source, in text order, each passage once: a question states nothing."""
    order = {node_id: n for n, node_id in enumerate(dict.fromkeys(passage.node_id for passage in passages))}
    distinct = {(p.node_id, p.start, p.end, p.text): p for p in passages if p.text.strip() and not is_question(p.text)}
    return tuple(sorted(distinct.values(), key=lambda passage: (order[passage.node_id], passage.start)))


def chunks(
    passages: Sequence[Passage], limit: int, count: Callable[[str], int], *, across: bool = False, each: int = 0
) -> list[Chunk]:
    """Packs passages into as few chunks as follow one another.

    Args:
        passages: From `statements`.
        limit: Tokens of a chunk, 1 or more. A word of more tokens than that is cut.
        count: Counts the tokens of a text.
        across: Whether a chunk may hold several sources; else each has its own chunks.
        each: Tokens that are written beside each source in a chunk, such as its number; less than `limit`.
    """
    done: list[Chunk] = []
    filling = _Filling(limit, count, each)
    for passage in passages:
        if filling.passages and not across and filling.passages[-1].node_id != passage.node_id:
            done.append(filling.chunk())
            filling = _Filling(limit, count, each)
        for part in _fitting(passage, limit - each, count):
            if not filling.take(part):
                done.append(filling.chunk())
                filling = _Filling(limit, count, each)
                filling.take(part)
    return [*done, filling.chunk()] if filling.passages else done


class _Filling:
    """A chunk that is being filled."""

    def __init__(self, limit: int, count: Callable[[str], int], each: int) -> None:
        self._limit, self._count, self._each = limit, count, each
        self.passages: list[Passage] = []
        self._texts: list[list[str]] = []
        self._tokens = 0

    def take(self, passage: Passage) -> bool:
        """Adds a passage, with its context if there is room; False if there is none for the passage."""
        fresh = not self.passages or self.passages[-1].node_id != passage.node_id
        own = wording(passage)
        tokens = self._count(own) + _SPARE + (self._each if fresh else 0)
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


def wording(passage: Passage) -> str:
    """What a passage says; the cells of a row under the names of their columns."""
    if passage.address.startswith("row ") and passage.before:
        return labelled(passage.before.splitlines()[-1], passage.text) or passage.text
    return passage.text


def likeliest(claim: str, passages: Sequence[Passage]) -> list[Passage]:
    """Returns passages, those that share most words with a claim first."""
    wanted = set(keys(claim))
    return sorted(passages, key=lambda passage: -len(wanted.intersection(keys(passage.text))))


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
