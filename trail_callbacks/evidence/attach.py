"""Citation marks given to the claims they stand with."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.claims import Claim, Within
from trail_callbacks.evidence.library import CitedPart, Library
from trail_callbacks.evidence.marks import Mark, marks
from trail_callbacks.graph import Node
from trail_callbacks.language.detect import language
from trail_callbacks.splitting.sentences import lines_of, sentences_of

_ROW = re.compile(r"\|\s*$")
_LETTER = re.compile(r"[^\W_]")
_Found = tuple[Mark, tuple[CitedPart, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A mark with the claim it belongs to and the parts of sources it names; none if there is no such source."""

    claim_id: str
    mark: Mark
    parts: tuple[CitedPart, ...]


def attach(
    claims: Sequence[Claim],
    answer: str,
    sources: Sequence[Node],
    shown: Mapping[str, tuple[CitedPart, ...]] | None = None,
) -> tuple[Cited, ...]:
    """Finds the citations of an answer, each with its claim and the sources it names.

    A mark belongs to the claims of its sentence that stand before it, back to the mark before; a mark that opens a
    sentence (`According to [2], ...`) to those after it, up to the next mark; a mark inside a claim to that claim.
    """
    library = Library(sources, answer, shown)
    named = ((mark, library.find(mark)) for mark in marks(answer))
    found = deque((mark, parts) for mark, parts in named if parts or mark.certain)
    cited: list[Cited] = []
    within = Within(claims)
    for start, end in _sentences(answer, [mark for mark, _ in found]) if found else ():
        inside = []
        while found and found[0][0].start < end:
            inside.append(found.popleft())
        if inside:
            cited.extend(_shared([claims[n] for n in within.between(start, end)], inside))
    return tuple(cited)


def _shared(claims: Sequence[Claim], found: Sequence[_Found]) -> Iterator[Cited]:
    """Gives each mark of a sentence its claims; marks between which no claim begins or ends belong together."""
    groups: list[list[_Found]] = []
    order = sorted(claims, key=lambda claim: claim.start)
    starts, ends = [claim.start for claim in order], sorted(claim.end for claim in claims)
    for one in found:
        last, here = groups[-1][-1][0].end if groups else 0, one[0].start
        begins = bisect_left(starts, here) > bisect_left(starts, last)
        if groups and not begins and bisect_left(ends, here) <= bisect_right(ends, last):
            groups[-1].append(one)
        else:
            groups.append([one])
    before = 0
    within = Within(claims)
    for number, group in enumerate(groups):
        first, last = group[0][0].start, group[-1][0].end
        mine = [claims[n] for n in within.between(before, first)]
        if not mine:  # then no claim that begins before the marks reaches beyond them
            following = groups[number + 1][0][0].start if number + 1 < len(groups) else math.inf
            behind = order[bisect_left(starts, first) : bisect_left(starts, following)]
            mine = [claim for claim in behind if claim.end > last]
        for claim in mine:
            yield from (Cited(claim_id=claim.id, mark=mark, parts=parts) for mark, parts in group)
        before = last


def _sentences(answer: str, found: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """The sentences of an answer, a row of a table as one; each reaches to the next, and over marks that follow it."""
    code = language(answer) or "en"
    starts: list[int] = []
    for offset, line in lines_of(answer):
        row = _ROW.search(line) is not None
        starts += [offset] if row else [offset + each.start for each in sentences_of(line.rstrip("\r\n"), code)]
    places = [mark.start for mark in found]
    stating = [
        start
        for start, end in pairwise([*starts, len(answer)])
        if _states(answer, start, end, found[bisect_left(places, start) : bisect_left(places, end)])
    ]
    return pairwise([0, *stating[1:], len(answer)])


def _states(answer: str, start: int, end: int, found: Sequence[Mark]) -> bool:
    """Whether a sentence has a letter beside its marks; the words of a link are its own."""
    at = start
    for mark in found:
        if at <= mark.start and mark.end <= end:
            if _LETTER.search(answer, at, mark.start):
                return True
            at = mark.end
    return _LETTER.search(answer, at, end) is not None
