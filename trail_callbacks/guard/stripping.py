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
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from trail_callbacks.claims import Claim, structured
from trail_callbacks.language.detect import is_english, language
from trail_callbacks.language.terms import keys
from trail_callbacks.report import Report
from trail_callbacks.splitting.code import prose_in_code
from trail_callbacks.splitting.layout import pieces
from trail_callbacks.splitting.marks import marker, visible
from trail_callbacks.splitting.references import points_back
from trail_callbacks.splitting.sentences import lines_of
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.coverage import coverage
from trail_callbacks.verify.threshold import OnUndecided

__all__ = ["Stripped", "stripped"]

_MOST = 1000  # sentences; a longer answer is not searched for what depends on what
_MARKS = re.compile(r"([*_`~])\1*|\"")  # of which an even number belongs together; apostrophes are too common
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
    ended: bool = True,
) -> Stripped | None:
    """Takes out of an answer what is not supported; None if what is left would be no answer, or cannot be trusted.

    Args:
        report: The report on the answer.
        texts: What the app returned: one of them is the answer, unless the judge read it redacted, or put together.
        on_undecided: Whether undecided claims may stay.
        min_share: Share of its text that has to be left, 0.0 to 1.0.
        self_contained: Whether a model wrote the claims. Rules find what a pronoun means in English only, so that in
            other languages nothing can stay behind a sentence that is taken out, up to the next item or heading.
        ended: False for an answer that is still being written: a heading or lead-in at its end waits for what follows.
    """
    answer = report.graph.answer.text if report.graph.answer else ""
    written = next((text for text in texts if text.strip() == answer.strip()), None)
    if written is None or report.claims_error is not None or structured(answer) is not None:
        return None
    page = _Page(answer, report, on_undecided)
    if not page.take_out() or not (self_contained or page.english or not page.exposed()):
        return None
    held = page.introducing() if not ended else frozenset()
    ranges = page.kept(held, ended=ended)
    if ranges is None:
        return None
    text = "".join(answer[start:end] for start, end in ranges)
    claims = [_moved(claim, ranges, text) for claim in page.staying(held)]
    question = report.graph.question.text if report.graph.question else None
    if None in claims or coverage(text, [c for c in claims if c], question, sources=report.graph.nodes).uncovered:
        return None
    supported = any(report.verdict(c.id).support is SupportClass.SUPPORTED for c in claims if c)
    if ended and not (supported and page.share >= min_share):
        return None
    blank = written[: len(written) - len(written.lstrip())], written[len(written.rstrip()) :]
    return Stripped(f"{blank[0]}{text.strip()}{blank[1] if ended else ''}", tuple(page.removed()))


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
        self._words = [set(keys(self._said(n))) for n in range(len(self._parts))]
        self._holding: dict[str, list[int]] = defaultdict(list)  # the sentences with a word
        for n, words in enumerate(self._words):
            for word in words:
                self._holding[word].append(n)
        self._places = {claim.id: self._touched(claim) for claim in report.claims}
        self._claims: list[list[Claim]] = [[] for _ in self._parts]
        for claim in report.claims:
            for n in self._places[claim.id]:
                self._claims[n].append(claim)
        self._bad = [claim for claim in report.claims if not self._may_stay(claim, on_undecided)]
        self._asked = set(keys(report.graph.question.text)) if report.graph.question else set[str]()
        self._gone: set[int] = set()
        self.english = is_english(answer)

    def _said(self, number: int) -> str:
        part = self._parts[number]
        return self._answer[part.start : part.end]

    def _touched(self, claim: Claim) -> frozenset[int]:
        first = bisect_right(self._parts, claim.start, key=lambda part: part.end)
        return frozenset(range(first, bisect_left(self._parts, claim.end, key=lambda part: part.start)))

    def _may_stay(self, claim: Claim, on_undecided: OnUndecided) -> bool:
        outcome = self._report.verdict(claim.id).outcome
        if claim.uncovered:
            return False
        if outcome == "undecided" or (outcome == SupportClass.UNEVALUATABLE and claim.checkable):
            return on_undecided == "pass"
        return outcome in {SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE}

    # ------------------------------------------------------------------ what goes

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
        if any(self._line(self._parts[n].start) in code for n in self._gone):
            return False
        return not any(points_back(claim.text) for n in self._after() if self.english for claim in self._claims[n])

    def _after(self) -> list[int]:
        """The sentences behind the first one that goes."""
        first = min(self._gone, default=len(self._parts))
        return [n for n in range(first, len(self._parts)) if n not in self._gone]

    def _below(self) -> Iterator[int]:
        """What stands below an item or lead-in that goes."""
        for at, block in enumerate(self._blocks):
            if block.item and self._gone.issuperset(block.parts):
                for child in self._deeper(at):
                    yield from child.parts
            if self._leads(at) and block.parts[-1] in self._gone:
                yield from (n for each in self._led(at) for n in each.parts)

    def _above(self) -> Iterator[int]:
        """Headings, lead-ins and names of columns below which nothing is left."""
        for at, block in enumerate(self._blocks):
            led = self._section(at) if block.level else self._led(at) if self._leads(at) else []
            named = [n for n in block.parts if self._parts[n].title == "column"]
            led = [each for each in led if each.parts[0] not in named]
            inside = {n for each in led for n in each.parts if self._parts[n].title != "column"}
            if inside and self._gone >= inside and not self._residue(block.last + 1, led[-1].last):
                yield from block.parts if block.level or named else block.parts[-1:]

    def _leads(self, at: int) -> bool:
        """Whether the last sentence of a block introduces what follows: it says so, or states nothing above a list."""
        last = self._blocks[at].parts[-1]
        if self._parts[last].title in {"lead", "column"}:
            return True
        follows = at + 1 < len(self._blocks) and self._blocks[at + 1].item and not self._blocks[at].item
        return follows and not self._blocks[at].level and not any(claim.checkable for claim in self._claims[last])

    def _led(self, at: int) -> list[_Block]:
        """The list or table that a block introduces, or else the paragraph."""
        block, following = self._blocks[at], self._blocks[at + 1 :]
        if block.item:
            return self._deeper(at)
        led: list[_Block] = []
        for each in following:
            listed = each.item or any(self._parts[n].row or self._parts[n].title == "column" for n in each.parts)
            if each.level or (led and not (listed or each.indent > led[0].indent)):
                break
            led.append(each)
            if not listed and len(led) == 1:
                break
        return led

    def _deeper(self, at: int) -> list[_Block]:
        found = []
        for each in self._blocks[at + 1 :]:
            if each.indent <= self._blocks[at].indent:
                break
            found.append(each)
        return found

    def _section(self, at: int) -> list[_Block]:
        found = []
        for each in self._blocks[at + 1 :]:
            if 0 < each.level <= self._blocks[at].level:
                break
            found.append(each)
        return found

    def _residue(self, first: int, last: int) -> bool:
        """Whether lines hold something besides sentences, such as code."""
        inside = {n for block in self._blocks for n in range(block.first, block.last + 1)}
        return any(any(sign.isalnum() for sign in self._lines[n][1]) for n in range(first, last + 1) if n not in inside)

    def _depends(self, number: int) -> bool:
        """Whether a sentence cannot be understood without one that goes."""
        own, points = self._words[number], self.english and points_back(self._said(number))
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
        return points and not self._states(number)

    def _states(self, number: int) -> bool:
        return bool(self._parts[number].title) or any(claim.checkable for claim in self._claims[number])

    def exposed(self) -> bool:
        """Whether a sentence stays behind one that goes, in the same paragraph or before the next item or heading."""
        open_ = False
        for block in self._blocks:
            if block.item or block.level or self._parts[block.parts[0]].row:
                open_ = False
            for n in block.parts:
                if open_ and n not in self._gone and self._states(n):
                    return True
                open_ = open_ or n in self._gone
        return False

    # ------------------------------------------------------------------ what stays

    def introducing(self) -> frozenset[int]:
        """The headings and lead-ins at the end."""
        held = set()
        for n in reversed(range(len(self._parts))):
            if not self._parts[n].title and n not in self._gone:
                break
            held.add(n)
        return frozenset(held - self._gone)

    def staying(self, held: AbstractSet[int]) -> list[Claim]:
        """The claims of what stays."""
        out = self._gone | held
        return [claim for claim in self._report.claims if not self._places[claim.id] & out]

    @property
    def share(self) -> float:
        """How much of the text of the sentences stays."""
        sizes = [(len(self._said(n)), n) for n, part in enumerate(self._parts) if not part.title]
        return sum(size for size, n in sizes if n not in self._gone) / (sum(size for size, _ in sizes) or 1)

    def removed(self) -> Iterator[dict[str, Any]]:
        """What goes, with its verdicts."""
        for n in sorted(self._gone):
            verdicts = [(claim, self._report.verdict(claim.id)) for claim in self._claims[n]]
            yield {
                "text": self._said(n),
                "claims": [
                    {
                        "claim": claim.text,
                        "outcome": str(verdict.outcome),
                        "error_type": verdict.error_type and str(verdict.error_type),
                        "reason": verdict.rationale or verdict.undecided or verdict.error or "",
                    }
                    for claim, verdict in verdicts
                ],
            }

    def kept(self, held: AbstractSet[int], *, ended: bool) -> list[tuple[int, int]] | None:
        """Returns the ranges of the answer that stay; None if a mark would lose its partner."""
        out = self._gone | held
        cuts: list[tuple[int, int]] = []
        whole: set[int] = set()
        for block in self._blocks:
            if out.issuperset(block.parts):
                whole.update(range(block.first, block.last + 1))
                if not _balanced(self._answer[self._parts[block.parts[0]].start : self._parts[block.parts[-1]].end]):
                    return None
                continue
            found = self._cuts(block, out)
            if found is None:
                return None
            cuts += found
        cuts += self._lines_out(whole)
        if not ended:
            last = max((self._parts[n].end for n in range(len(self._parts)) if n not in out), default=0)
            cuts.append((last, len(self._answer)))
        ranges, at = [], 0
        for start, end in sorted(cuts):
            if start > at:
                ranges.append((at, start))
            at = max(at, end)
        return [*ranges, (at, len(self._answer))]

    def _cuts(self, block: _Block, out: AbstractSet[int]) -> list[tuple[int, int]] | None:
        """What goes of lines of which something stays."""
        cuts = []
        line_end = self._starts[block.last] + len(self._lines[block.last][1])
        for n in block.parts:
            if n not in out:
                continue
            part = self._parts[n]
            last = n == block.parts[-1]
            following = line_end if last else self._parts[n + 1].start
            if self._answer[part.end : following].strip() or not _balanced(self._said(n)):
                return None
            stays = all(each in out for each in range(n, block.parts[-1] + 1))  # nothing more of these lines
            before = self._parts[n - 1].end if stays else part.start
            cuts.append((before, part.end if stays else following))
        return cuts

    def _lines_out(self, whole: AbstractSet[int]) -> Iterator[tuple[int, int]]:
        """The lines that go, with the blank ones that would be left double."""
        blank, gap = [-1], False  # the blank lines since the last one that stays, and the start
        for number, (start, line) in enumerate(self._lines):
            empty = not line.strip(" \t\r\n>")
            if number in whole or self._is_ruler(number, whole) or (gap and blank and empty):
                gap = True
                yield start, start + len(line)
            else:
                blank, gap = ([*blank, number] if empty else []), False
        for number in blank if gap else []:
            yield self._starts[number], self._starts[number] + len(self._lines[number][1])

    def _is_ruler(self, number: int, whole: AbstractSet[int]) -> bool:
        """Whether a line draws the border below names of columns that go."""
        return (
            number - 1 in whole and set(self._lines[number][1].strip()) <= set("|-: ") and "-" in self._lines[number][1]
        )

    # ------------------------------------------------------------------ layout

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    @cached_property
    def _blocks(self) -> list[_Block]:
        found: list[list[int]] = []
        for n, part in enumerate(self._parts):
            first, last = self._line(part.start), self._line(part.end - 1)
            if found and first <= found[-1][1]:
                found[-1][1:] = [max(last, found[-1][1]), n]
            else:
                found.append([first, last, n])
        blocks, at = [], 0
        for first, last, until in found:
            line = self._lines[first][1].lstrip(">")
            wide = line.expandtabs(4)
            title = self._parts[at].title == "heading" and at == until
            level = (len(line.strip()) - len(line.strip().lstrip("#")) or 7) if title else 0
            item = marker(self._lines[first][1])[1] and not title
            blocks.append(_Block(first, last, range(at, until + 1), len(wide) - len(wide.lstrip()), item, level))
            at = until + 1
        return blocks


def _balanced(text: str) -> bool:
    """Whether each mark in a text has its partner there."""
    marks = Counter(found[0][0] for found in _MARKS.finditer(text))
    counts = Counter(text)
    if any(n % 2 for n in marks.values()) or text.count("</") * 2 > counts["<"]:
        return False
    return all(counts[marks[0]] == sum(counts[mark] for mark in marks[1:]) for marks in _BRACKETS)


def _moved(claim: Claim, ranges: Sequence[tuple[int, int]], text: str) -> Claim | None:
    """A claim at its place in what is left of the answer; None if its words are not whole there."""
    at = 0
    for start, end in ranges:
        if start <= claim.start and claim.end <= end:
            moved = at + claim.start - start
            there = replace(claim, start=moved, end=moved + len(claim.quote), citations=())
            return there if text[there.start : there.end] == claim.quote else None
        at += end - start
    return None
