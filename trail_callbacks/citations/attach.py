"""Citation marks given to the claims they stand with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.citations.library import Library, Region
from trail_callbacks.citations.marks import Mark, marks
from trail_callbacks.claims import Claim
from trail_callbacks.graph import Node
from trail_callbacks.language.detect import language
from trail_callbacks.splitting.sentences import sentences_of

__all__ = ["Cited", "attach"]

_ROW = re.compile(r"\|\s*$")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A mark with the claim it belongs to and the parts of sources it names; none if there is no such source."""

    claim_id: str
    mark: Mark
    regions: tuple[Region, ...]


def attach(claims: Sequence[Claim], answer: str, sources: Sequence[Node]) -> tuple[Cited, ...]:
    """Finds the citations of an answer, each with its claim and the sources it names.

    A mark belongs to the claims of its sentence that stand before it, back to the mark before; a mark that opens a
    sentence (`According to [2], ...`) to those after it, up to the next mark; a mark inside a claim to that claim.

    Args:
        claims: The claims of the answer, in order.
        answer: Its text.
        sources: The evidence upstream of it, in the order in which the app had it.

    Returns:
        One entry for each claim and each source that a mark names, in the order of the answer. A mark in a sentence
        without a claim is left out.
    """
    library = Library(sources, answer)
    found = [(mark, library.find(mark)) for mark in marks(answer)]
    found = [(mark, regions) for mark, regions in found if regions or mark.certain]
    cited: list[Cited] = []
    if found:
        at = 0
        for start, end in _sentences(answer, [mark for mark, _ in found]):
            inside = []
            while at < len(found) and found[at][0].start < end:
                inside.append(found[at])
                at += 1
            if inside:
                within = [claim for claim in claims if claim.start < end and start < claim.end]
                cited.extend(_shared(within, inside))
    return tuple(cited)


def _shared(claims: Sequence[Claim], found: Sequence[tuple[Mark, tuple[Region, ...]]]) -> Iterator[Cited]:
    """Gives each mark of a sentence its claims."""
    groups: list[list[tuple[Mark, tuple[Region, ...]]]] = []
    for one in found:
        near = groups and not any(groups[-1][-1][0].end <= claim.start < one[0].start for claim in claims)
        if near and not any(groups[-1][-1][0].end < claim.end < one[0].start for claim in claims):
            groups[-1].append(one)
        else:
            groups.append([one])
    before = 0
    for number, group in enumerate(groups):
        first, last = group[0][0].start, group[-1][0].end
        following = groups[number + 1][0][0].start if number + 1 < len(groups) else None
        mine = [claim for claim in claims if claim.start < first and claim.end > before]
        if not mine:
            mine = [c for c in claims if c.end > last and (following is None or c.start < following)]
        for claim in mine:
            yield from (Cited(claim_id=claim.id, mark=mark, regions=regions) for mark, regions in group)
        before = last


def _sentences(answer: str, found: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """The sentences of an answer, a row of a table as one; each reaches to the next, and over marks that follow it."""
    code = language(answer) or "en"
    starts: list[int] = []
    offset = 0
    for line in answer.splitlines(keepends=True):
        if _ROW.search(line):
            starts.append(offset)
        else:
            starts += [offset + sentence.start for sentence in sentences_of(line.rstrip("\r\n"), code)]
        offset += len(line)
    stating = [
        (start, end)
        for start, end in pairwise([*starts, len(answer)])
        if _LETTER.search(_without(answer, start, end, found))
    ]
    return pairwise([0, *(start for start, _ in stating[1:]), len(answer)])


def _without(answer: str, start: int, end: int, found: Sequence[Mark]) -> str:
    """What is left of a sentence beside its marks; the words of a link are its own."""
    text = answer[start:end]
    for mark in reversed(found):
        if start <= mark.start and mark.end <= end:
            text = text[: mark.start - start] + text[mark.end - start :]
    return text
