"""An answer without the sentences that nothing supports, if what is left still stands by itself.

With a sentence go those that its unsupported claims touch, the items below it, a heading or lead-in under which nothing
is left, and each sentence that depends on it: one whose claim, which is self-contained, had to take in words that only
the sentence taken out has, or that it has last. Where that cannot be told, where a mark would lose its partner, or a
part of code or JSON would have to go, nothing is taken out. What stays is the answer's own text, character by
character, and code checks that supported claims cover it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from trail_callbacks.claims import Claim, structured
from trail_callbacks.language.detect import is_english, language
from trail_callbacks.language.terms import keys
from trail_callbacks.report import Report
from trail_callbacks.splitting.code import prose_in_code
from trail_callbacks.splitting.layout import pieces
from trail_callbacks.splitting.marks import lines_of, marker, visible
from trail_callbacks.splitting.words import points_back
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.citations import naming
from trail_callbacks.verify.coverage import coverage
from trail_callbacks.verify.threshold import OnUndecided, unsettled

_MOST = 1000  # sentences; a longer answer is not searched for what depends on what
_MARKS = re.compile(r"([*_`~])\1*|\"")  # of which an even number belongs together; apostrophes are too common
_PUT_IN = re.compile(r"\S+ \[([^\[\]]+)\]")  # `it [the ferry]`, as a model tells what is meant
_BRACKETS = ("()", "[]", "{}", "<>", "\u201e\u201c\u201d", "\u00ab\u00bb", "\uff08\uff09", "\u300c\u300d")


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is left of an answer.

    Attributes:
        text: Its text.
        removed: What was taken out, in order and JSON-safe: the words under `text`, and under `claims` each claim with
            its verdict.
    """

    text: str
    removed: tuple[dict[str, Any], ...]


def stripped(
    report: Report,
    texts: Iterable[str],
    on_undecided: OnUndecided,
    min_share: float,
    *,
    self_contained: bool,
) -> Stripped | None:
    """Takes out of an answer what is not supported; None if what is left would be no answer, or cannot be trusted."""
    answer = report.graph.answer.text if report.graph.answer else ""
    written = next((text for text in texts if text.strip() == answer.strip()), None)
    if written is None or report.claims_error is not None or structured(answer) is not None:
        return None
    page = _Page(answer, report, on_undecided)
    if not page.take_out() or not (self_contained or page.english):
        return None
    signs = page.kept()
    if signs is None:
        return None
    left = "".join(sign or (" " if was not in "\r\n" else was) for sign, was in zip(signs, answer, strict=True))
    claims = page.staying()
    stay = {claim.id for claim in claims}
    torn = any(any(map(str.isalnum, left[each.start : each.end])) for each in report.claims if each.id not in stay)
    question = report.graph.question.text if report.graph.question else None
    if torn or coverage(left, claims, question, cited=naming(report.graph)).uncovered:
        return None
    supported = any(report.verdict(claim.id).support is SupportClass.SUPPORTED for claim in claims)
    if not (supported and page.share >= min_share):
        return None
    blank = written[: len(written) - len(written.lstrip())], written[len(written.rstrip()) :]
    return Stripped(f"{blank[0]}{''.join(signs).strip()}{blank[1]}", tuple(page.removed()))


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that sentences share: `lines[first:last + 1]`, with the numbers of the sentences."""

    first: int
    last: int
    parts: range
    indent: int
    item: bool
    level: int
    """Of a heading: 1 for the highest; 0 for anything else."""


class _Page:
    """An answer as it is laid out, and what is taken out of it.

    Attributes:
        english: Whether the rules for English apply.
    """

    def __init__(self, answer: str, report: Report, on_undecided: OnUndecided) -> None:
        self._answer, self._report = answer, report
        self._parts = list(pieces(answer, language(visible(answer[:2000])) or "en"))
        self._lines = [*lines_of(answer)]
        self._starts = [start for start, _ in self._lines]
        self._holding: dict[str, list[int]] = defaultdict(list)  # the sentences with a word
        for n in range(len(self._parts)):
            for word in set(keys(self._said(n))):
                self._holding[word].append(n)
        self._places = {claim.id: self._touched(claim) for claim in report.claims}
        self._claims: list[list[Claim]] = [[] for _ in self._parts]
        for claim in report.claims:
            for n in self._places[claim.id]:
                self._claims[n].append(claim)
        stay = {SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE, *(("undecided",) if on_undecided == "pass" else ())}
        self._bad = [each for each in report.claims if each.uncovered or report.verdict(each.id).outcome not in stay]
        self._bad += unsettled(report) if on_undecided == "fail" else []
        self._asked = set(keys(report.graph.question.text)) if report.graph.question else set[str]()
        self._gone: set[int] = set()
        self.english = is_english(answer)

    def _said(self, number: int) -> str:
        part = self._parts[number]
        return self._answer[part.start : part.end]

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _touched(self, claim: Claim) -> frozenset[int]:
        first = bisect_right(self._parts, claim.start, key=lambda part: part.end)
        return frozenset(range(first, bisect_left(self._parts, claim.end, key=lambda part: part.start)))

    def take_out(self) -> bool:
        """Finds what is to go; False if something cannot, or if it cannot be told whether something else depends."""
        if len(self._parts) > _MOST or any(not self._places[claim.id] for claim in self._bad):
            return False
        self._gone = {n for claim in self._bad for n in self._places[claim.id]}
        size = -1
        while size != len(self._gone):
            size = len(self._gone)
            for touched in self._places.values():
                if touched & self._gone:
                    self._gone |= touched
            self._gone |= {*self._below(), *self._above()}
            self._gone |= {n for n in self._after() if self._depends(n)}
        code = prose_in_code(self._answer, self._lines)
        for part in (self._parts[n] for n in self._gone if code):
            at = self._line(part.start)
            below = (n for n in range(at + 1, len(self._lines)) if self._lines[n][1].strip())
            if at in code or (part.title and next(below, None) in code):  # which it introduces
                return False
        staying = (claim for n in self._after() if self.english for claim in self._claims[n])
        return not any(points_back(_explained(claim)) for claim in staying)

    def _after(self) -> list[int]:
        """The sentences behind the first one that goes."""
        first = min(self._gone, default=len(self._parts))
        return [n for n in range(first, len(self._parts)) if n not in self._gone]

    def _below(self) -> Iterator[int]:
        """What stands below an item or lead-in that goes."""
        for at, block in enumerate(self._blocks):
            item = block.item and self._gone.issuperset(block.parts)
            if item or (self._leads(at) and block.parts[-1] in self._gone):
                yield from (n for each in self._led(at) for n in each.parts)

    def _above(self) -> Iterator[int]:
        """Headings, lead-ins and names of columns below which nothing is left."""
        for at, block in enumerate(self._blocks):
            led = self._led(at) if block.level or self._leads(at) else []
            named = self._parts[block.parts[-1]].title == "column"
            inside = {n for each in led for n in each.parts if self._parts[n].title != "column"}
            if inside and self._gone >= inside:
                yield from block.parts if block.level or named else block.parts[-1:]

    def _leads(self, at: int) -> bool:
        """Whether the last sentence of a block says that it introduces what follows."""
        return self._parts[self._blocks[at].parts[-1]].title in {"lead", "column"}

    def _led(self, at: int) -> list[_Block]:
        """What stands below a heading or an item; or else the list or table that a block introduces, or paragraph."""
        block, below = self._blocks[at], self._blocks[at + 1 :]

        def belongs(each: _Block) -> bool:
            if block.level:
                return not 0 < each.level <= block.level
            if block.item:
                return each.indent > block.indent
            listed = each.item or any(self._parts[n].row or self._parts[n].title == "column" for n in each.parts)
            return not each.level and (listed or each is below[0] or each.indent > below[0].indent)

        return [*takewhile(belongs, below)]

    def _depends(self, number: int) -> bool:
        """Whether a sentence cannot be understood without one that goes."""
        own, points = {*keys(self._said(number))}, self.english and points_back(self._said(number))
        for claim in self._claims[number]:
            said = set(keys(claim.text))
            sharing = {word: [n for n in self._holding.get(word, ()) if n < number] for word in said}
            brought = [(word, places) for word, places in sharing.items() if word not in own and places]
            if any(word not in self._asked and self._gone.issuperset(places) for word, places in brought):
                return True
            named = any(word in own and not self._gone.isdisjoint(places) for word, places in sharing.items())
            if not brought or (self.english and named and not points):
                continue
            counts = Counter(n for _, places in brought for n in places)
            if max(counts, key=lambda n: (counts[n], n)) in self._gone:
                return True
        states = self._parts[number].title or any(claim.checkable for claim in self._claims[number])
        return points and not states

    def staying(self) -> list[Claim]:
        """The claims of what stays."""
        return [claim for claim in self._report.claims if not self._places[claim.id] & self._gone]

    @property
    def share(self) -> float:
        """How much of the text of the sentences stays."""
        sizes = [(len(self._said(n)), n) for n, part in enumerate(self._parts) if not part.title]
        return sum(size for size, n in sizes if n not in self._gone) / (sum(size for size, _ in sizes) or 1)

    def removed(self) -> Iterator[dict[str, Any]]:
        """What goes, with its verdicts."""
        for n in sorted(self._gone):
            yield {
                "text": self._said(n),
                "claims": [
                    {
                        "claim": claim.text,
                        "outcome": str(verdict.outcome),
                        "error_type": verdict.error_type and str(verdict.error_type),
                        "reason": verdict.rationale or verdict.undecided or verdict.error or "",
                    }
                    for claim in self._claims[n]
                    for verdict in [self._report.verdict(claim.id)]
                ],
            }

    def kept(self) -> list[str] | None:
        """Returns the answer sign by sign, empty where one goes; None if a mark would lose its partner."""
        out = self._gone
        cuts: list[tuple[int, int]] = []
        taken: list[str] = []
        whole: set[int] = set()
        for block in self._blocks:
            end = self._starts[block.last] + len(self._lines[block.last][1])
            if out.issuperset(block.parts):
                whole.update(range(block.first, block.last + 1))
                taken.append(self._answer[self._parts[block.parts[0]].start : self._parts[block.parts[-1]].end])
                continue
            for n in out.intersection(block.parts):
                part, last = self._parts[n], out.issuperset(range(n, block.parts[-1] + 1))
                following = self._parts[n + 1].start if n < block.parts[-1] else end
                if self._answer[part.end : following].strip():
                    return None
                taken.append(self._said(n))
                cuts.append((self._parts[n - 1].end, part.end) if last else (part.start, following))
        cuts += self._lines_out(whole)
        signs = [*self._answer]
        for start, end in cuts:
            signs[start:end] = [""] * (end - start)
        left = frozenset(signs)
        return signs if all(_balanced(text, left) for text in taken) else None

    def _lines_out(self, whole: AbstractSet[int]) -> Iterator[tuple[int, int]]:
        """The lines that go, with the blank ones that would be left double, and the border below a head."""
        blank, gap = [-1], False  # the blank lines since the last one that stays, and the start
        for number, (start, line) in enumerate(self._lines):
            empty = not line.strip(" \t\r\n>")
            border = number - 1 in whole and not empty and set(line.strip()) <= set("|-:= ")
            if number in whole or border or (gap and blank and empty):
                gap = True
                yield start, start + len(line)
            else:
                blank, gap = ([*blank, number] if empty else []), False
        for number in blank if gap else []:
            yield self._starts[number], self._starts[number] + len(self._lines[number][1])

    @cached_property
    def _blocks(self) -> list[_Block]:
        blocks: list[_Block] = []
        for n, part in enumerate(self._parts):
            first, last = self._line(part.start), self._line(part.end - 1)
            if blocks and first <= blocks[-1].last:
                parts = range(blocks[-1].parts.start, n + 1)
                blocks[-1] = replace(blocks[-1], last=max(last, blocks[-1].last), parts=parts, level=0)
                continue
            line = self._lines[first][1].lstrip(">")
            wide, said = line.expandtabs(4), line.strip()
            level = (len(said) - len(said.lstrip("#")) or 7) if part.title == "heading" else 0
            item = marker(self._lines[first][1])[1] and not level
            blocks.append(_Block(first, last, range(n, n + 1), len(wide) - len(wide.lstrip()), item, level))
        return blocks


def _balanced(text: str, left: AbstractSet[str]) -> bool:
    """Whether each mark in a text has its partner there, or none in what is left: `27"` and `:)` have none."""
    marks = Counter(found[0][0] for found in _MARKS.finditer(text))
    counts = Counter(text)
    if any(n % 2 and mark in left for mark, n in marks.items()) or text.count("</") * 2 > counts["<"]:
        return False
    return all(counts[each[0]] == sum(map(counts.__getitem__, each[1:])) or left.isdisjoint(each) for each in _BRACKETS)


def _explained(claim: Claim) -> str:
    """A claim with what its judge put in, in place of the word that this explains."""
    return claim.text if "[" in claim.quote else _PUT_IN.sub(r"\1", claim.text)
