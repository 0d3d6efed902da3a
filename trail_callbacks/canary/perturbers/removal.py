"""Removal: every statement of a fact goes, so that the documents no longer tell and abstaining is right.

A statement is what can be taken out of a text: a sentence, an item of a list, a row of a table.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.pages import Page, Saying
from trail_callbacks.canary.facts.reading import Reading
from trail_callbacks.canary.facts.relations import TOTAL
from trail_callbacks.canary.perturbers.dates import Dated, Key, dates_of

__all__ = ["propose"]

_BACK = re.compile(
    # a word that points back, at the beginning or near it
    r"\s*(?:both|such|there|then|also|however|so|therefore|thus|hence|instead|otherwise|unlike|another|others?"
    r"|in addition|as a result|in (?:contrast|comparison|that case|turn)|by (?:contrast|comparison)|for example"
    r"|the (?:others?|same|rest|former|latter|second|third|pair|two|three|money|sum|amount|figures?|result|reason)"
    r"|(?:[\w-]+ ){0,3}(?:later|after|earlier|before that)\b|and|but|or|yet|nor|er|sie|es|dies\w*|ils?|elles?)\b"
    r"|[^.;:]{0,60}?\b(?:then|its?|this|that|these|those|they|them|their|he|she|his|her|him|latter)\b",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[ \u00a0\t]*")
_CAPITAL = re.compile(r"(?<!^)\b[A-Z][^\W\d_]{2,}")
_ITEM = re.compile(r"(?P<indent>[ \t]{0,12})(?:[-*+\u2022]|(?P<number>\d{1,2})[.)])[ \t]+\S")
_MANY = 4  # statements of one fact; what is said more often is what a text is about
_LEFT = 4  # times as many sentences as are taken out of a document it has, if they are several
_ROWS = 3  # of a table, header included, of which one can be taken out
_NO_STATEMENT = "it stands in a heading, markup or a part of a sentence, not in a statement of its own"


@dataclass(frozen=True, slots=True)
class _Statement:
    """A stretch of a document that can be taken out of it, with the blanks or the line break behind it."""

    document: str
    start: int
    end: int
    form: Literal["sentence", "item", "row"]

    def has(self, document: str, offset: int) -> bool:
        return self.document == document and self.start <= offset < self.end


def propose(reading: Reading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to remove a number, a date or a name, with all sentences, list items and table rows that state it.

    Left alone are statements that the text needs: one that the next leans on (`It also ...`), that introduces somebody
    who is named again, that is numbered, or with numbers that others follow from, such as a total; and facts that other
    sentences may tell in other words.
    """
    del sizes
    targets = [*_targets(reading)]
    rng.shuffle(targets)
    for real, places, unfit in targets:
        removed = unfit or _stating(reading, places)
        if isinstance(removed, str):
            yield Skipped(f"{places[0][0]}: unanswerable {real!r}", removed)
        else:
            texts = ((each, reading.by_id[each.document].text[each.start : each.end]) for each in removed)
            gone = tuple(Replacement(each.document, each.start, each.end, old, "") for each, old in texts)
            yield Edit(id="", kind="unanswerable", real=real, fictive=None, replacements=gone)


def _targets(reading: Reading) -> Iterator[tuple[str, Sequence[tuple[str, int]], str]]:
    """Values as a person writes them, with all their places, and why they are none."""
    for fact in reading.facts:
        told = fact.named.tells or any(each.row is not None for each in fact.figures)
        places = [(each.page.id, each.start) for each in fact.figures]
        yield fact.named.words, places, "" if told else "the number is no value by itself"
    by_year: dict[Page, dict[int, list[Dated]]] = {page: defaultdict(list) for page in reading.pages}
    for page, years in by_year.items():
        for date in dates_of(page):
            years[date.of.key[0]].append(date)
    for page, years in by_year.items():
        about = sorted((page, *reading.near[page]), key=lambda each: each.number)
        for year in [each for each in years if each]:  # without one, it may be of any year
            others = [each for other in about for told in (year, 0) for each in by_year[other].get(told, ())]
            for key, date in {each.of.key: each for each in reversed(years[year])}.items():  # of each day the first
                same = [each for each in others if _may_be_one(key, each.of.key)]
                if not key[3] and same[0] is date:  # with all that say the same day or a part of it
                    yield date.of.words, [(each.page.id, each.of.start) for each in same], ""
    for name in reading.names.found:
        yield name.full, [(each.document, each.start) for word in name.words for each in name.mentions[word]], ""


def _may_be_one(one: Key, other: Key) -> bool:
    """Whether two dates may be one: what both tell is the same, and they tell a year or a month both."""
    pairs = [(a, b) for a, b in zip(one[:3], other[:3], strict=True) if a and b]
    both = any(a and b for a, b in zip(one[:2], other[:2], strict=True))
    return both and all(a == b for a, b in pairs)


def _stating(reading: Reading, places: Iterable[tuple[str, int]]) -> list[_Statement] | str:
    """The statements at some places, and all that say the same, in order; or why they cannot be taken out."""
    found: list[_Statement] = []
    for place in places:
        if any(each.has(*place) for each in found):
            continue
        own = _statement(reading, *place)
        if own is None:
            return _NO_STATEMENT
        same, kindred = reading.same(_said(reading, own))
        if any(not _is_beside(reading, own, each) for each in kindred):
            return "other sentences speak of the same in other words"
        there = [_statement(reading, each.page.id, each.start) for each in same if not _is_beside(reading, own, each)]
        if None in there:
            return _NO_STATEMENT
        found += [each for each in dict.fromkeys((own, *there)) if each and each not in found]
        if len(found) > _MANY:
            return f"more than {_MANY} statements tell it"
    return next((why for each in found if (why := _needed(reading, each, found))), "") or found


def _statement(reading: Reading, document: str, offset: int) -> _Statement | None:
    """The statement at a place; None if what stands there cannot be taken out."""
    page = reading.by_id[document]
    text = page.text
    if page.row_of(offset) is not None:
        return _row(page, offset)
    start, end = _line(text, offset)
    if _ITEM.match(text, start, end):
        return _item(page, start, end)
    saying = reading.saying_at(document, offset)
    blanks = _BLANKS.match(text, saying.end) if saying and saying.is_whole else None
    return _Statement(document, saying.start, blanks.end(), "sentence") if saying and blanks else None


def _row(page: Page, offset: int) -> _Statement | None:
    start, end, table, row = page.rows[page.row_of(offset) or 0]
    grid = page.grids[table]
    is_fixed = any(page.fixed.overlap(*cell) for cell in grid[row])
    if row == 0 or len(grid) < _ROWS or TOTAL.search(page.text[slice(*grid[row][0])]) or is_fixed:
        return None
    opened, closed = page.text.rfind("<tr", 0, start), page.text.find("</tr>", end)
    if opened < 0 or page.text.find("</tr", opened, start) >= 0:
        return _Statement(page.id, *_with_break(page.text, *_line(page.text, start)), "row")
    if closed < 0 or page.text.find("<tr", end, closed) >= 0 or "rowspan" in page.text:
        return None
    return _Statement(page.id, opened, closed + len("</tr>"), "row")


def _item(page: Page, start: int, end: int) -> _Statement | None:
    text = page.text
    before, after = _line(text, start - 2) if start > 1 else (0, 0), _line(text, end + 1)
    own, above, below = (_ITEM.match(text, *line) for line in ((start, end), before, after))
    beside = [each for each in (above, below) if own and each and each["indent"] == own["indent"]]
    goes_on = after[0] > end and text[slice(*after)].strip() and (text[after[0]] in " \t" or below)
    is_numbered = own and own["number"] and below and below in beside
    if not beside or (goes_on and below not in beside) or is_numbered or page.fixed.overlap(start, end):
        return None
    return _Statement(page.id, *_with_break(text, start, end), "item")


def _said(reading: Reading, own: _Statement) -> Saying:
    """What a statement says, without the markup of a table."""
    saying = reading.saying_at(own.document, own.start)
    if own.form == "sentence" and saying is not None:
        return saying
    page = reading.by_id[own.document]
    return Saying(page, own.start, own.end, page.text[own.start : own.end])


def _is_beside(reading: Reading, own: _Statement, other: Saying) -> bool:
    """Whether a sentence is in another row or item of the same document, which is like it and of something else."""
    if own.document != other.page.id or (own.start < other.end and other.start < own.end):
        return own.document == other.page.id
    there = None if own.form == "sentence" else _statement(reading, other.page.id, other.start)
    return there is not None and there.form == own.form


def _needed(reading: Reading, own: _Statement, removed: Sequence[_Statement]) -> str:
    """Why a statement has to stay; empty if it has not."""
    page, sayings = reading.by_id[own.document], reading.by_id[own.document].lines
    gone = [each for each in removed if each.document == own.document]
    is_sentence = own.form == "sentence"
    reached = (each for one in reading.relations(page.figures_in(own.start, own.end)) for each in one.figures)
    after = next((each for each in sayings[page.line_of(own.end) :] if each.start >= own.end), None)
    leans = after and _BACK.match(after.text) and not any(one.has(page.id, after.start) for one in gone)
    reasons = (
        (len(sayings) <= len(gone), "nothing would be left of the document"),
        (len(gone) > 1 and len(sayings) < _LEFT * len(gone), "too little would be left of the document"),
        (
            any(not any(each.has(figure.page.id, figure.start) for each in removed) for figure in reached),
            "numbers that would stay follow from it, or it from them",
        ),
        (is_sentence and own.start <= sayings[0].start, "it introduces what its document is about"),
        (leans, "the sentence after it leans on it"),
    )
    if why := next((why for is_so, why in reasons if is_so), ""):
        return why
    for name in _CAPITAL.findall(page.text[own.start : own.end]):
        first, last = reading.spread[page.id].get(name, (0, 0))
        if own.start <= first and last >= own.end:
            return "a sentence after it speaks of somebody or something that it introduces"
    return ""


def _line(text: str, offset: int) -> tuple[int, int]:
    """The line at an offset, without its break."""
    offset = max(0, min(offset, len(text)))
    end = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, end if end >= 0 else len(text)


def _with_break(text: str, start: int, end: int) -> tuple[int, int]:
    """A line with the break behind it; of the last line, with the one before it."""
    return (start, end + 1) if end < len(text) else (max(0, start - 1), end)
