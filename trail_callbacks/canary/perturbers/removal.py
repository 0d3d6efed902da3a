"""Removal: every statement of a fact goes, so that the documents no longer tell and abstaining is right.

A statement is what can be taken out of a text: a sentence, an item of a list, a row of a table.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.arithmetic import TOTAL
from trail_callbacks.canary.facts.facts import facts, neighbours
from trail_callbacks.canary.facts.names import names_of
from trail_callbacks.canary.facts.pages import Figure, Page, pages
from trail_callbacks.canary.facts.relations import relations
from trail_callbacks.canary.facts.sayings import Saying, sayings_of
from trail_callbacks.canary.perturbers.dates import Dated, dates_of
from trail_callbacks.language.terms import keys

__all__ = ["propose"]

_BACK = re.compile(
    r"\s*(?:both|such|there|then|also|however|so|therefore|thus|hence|consequently|accordingly|afterwards|meanwhile"
    r"|in addition|as a result|instead|otherwise|unlike|another|others?|anything|everything|similarly|likewise"
    r"|the (?:others?|same|rest|former|latter|second|third|pair|two|three|money|sum|amount|figures?|result|reason)"
    r"|in (?:contrast|comparison|that case|turn|both)|by (?:contrast|comparison)|for example"
    r"|(?:[\w-]+ ){0,3}(?:later|after|earlier|before that)\b|only then"
    r"|and|but|or|yet|nor|er|sie|es|dies\w*|il|elle|ils|elles|cela|\u00e9l|ella|esto|questo)\b"
    # a word that points back, near the beginning
    r"|[^.;:]{0,60}?\b(?:then|its?|this|that|these|those|they|them|their|he|she|his|her|him|latter"
    r"|comes? (?:in )?(?:second|third|last))\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"[A-Z]\w{0,12}\s?:\s")
_TAG = re.compile(r"<[^<>]{0,2000}>")
_CAPITAL = re.compile(r"(?<!^)\b[A-Z][^\W\d_]{2,}")
_SUBJECT = 40  # characters of a sentence in which its subject stands
_MANY = 4  # statements of one fact; what is said more often is what a text is about
_LEFT = 4  # times as many sentences as are taken out of a document it has, if they are several
_ITEM = re.compile(r"(?P<indent>[ \t]{0,12})(?:(?P<bullet>[-*+\u2022])|(?P<number>\d{1,2})[.)])[ \t]+\S")
_ROWS = 3  # of a table, header included, of which one can be taken out
_NO_STATEMENT = "it stands in a heading, markup or a part of a sentence, not in a statement of its own"

_Place = tuple[str, int]
_Key = tuple[int, int, int, bool]


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to remove a number, a date or a name, with all sentences, list items and table rows that state it.

    Left alone are statements that the text needs: one that the next leans on (`It also ...`), that introduces somebody
    who is named again, that is numbered, or with numbers that others follow from, such as a total; and facts that other
    sentences may tell in other words.
    """
    del sizes
    statements = _Statements(corpus)
    targets = [*_targets(corpus)]
    rng.shuffle(targets)
    for real, places, unfit in targets:
        removed = unfit or statements.stating(places)
        if isinstance(removed, str):
            yield Skipped(f"{places[0][0]}: unanswerable {real!r}", removed)
        else:
            texts = ((each, corpus[each.document].text[each.start : each.end]) for each in removed)
            gone = tuple(Replacement(each.document, each.start, each.end, old, "") for each, old in texts)
            yield Edit(id="", kind="unanswerable", real=real, fictive=None, replacements=gone)


def _targets(corpus: Corpus) -> Iterator[tuple[str, Sequence[_Place], str]]:
    """Values as a person writes them, with all their places, and why they are none."""
    for fact in facts(corpus):
        told = fact.named.tells or any(each.row is not None for each in fact.figures)
        places = [(each.page.document.id, each.start) for each in fact.figures]
        yield fact.named.words, places, "" if told else "the number is no value by itself"
    near = neighbours(corpus)
    by_year: dict[Page, dict[int, list[tuple[_Key, Dated]]]] = {page: defaultdict(list) for page in pages(corpus)}
    for page, years in by_year.items():
        for date in dates_of(page):
            key = date.key
            years[key[0]].append((key, date))
    for page, years in by_year.items():
        about = sorted((page, *near[page]), key=lambda each: each.number)
        for year in [each for each in years if each]:  # without one, it may be of any year
            others = [each for other in about for told in (year, 0) for each in by_year[other].get(told, ())]
            firsts: dict[_Key, Dated] = {}
            for key, date in years[year]:
                firsts.setdefault(key, date)
            for key, date in firsts.items():  # of each day once: a log names one day thousands of times
                same = [each for its, each in others if _may_be_one(key, its)]
                if not key[3] and same[0] is date:  # with all that say the same day or a part of it
                    yield date.words, [(each.page.document.id, each.of.start) for each in same], ""
    for name in names_of(corpus).found:
        yield name.full, [(each.document, each.start) for word in name.words for each in name.mentions[word]], ""


def _may_be_one(one: _Key, other: _Key) -> bool:
    """Whether two dates may be one: what both tell is the same, and they tell a year or a month both."""
    pairs = [(a, b) for a, b in zip(one[:3], other[:3], strict=True) if a and b]
    both = any(a and b for a, b in zip(one[:2], other[:2], strict=True))
    return both and all(a == b for a, b in pairs)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A stretch of a document that can be taken out of it, with the blanks or the line break behind it."""

    document: str
    start: int
    end: int
    form: Literal["sentence", "item", "row"]


class _Statements:
    """Finds what states something, by its place."""

    def __init__(self, corpus: Corpus) -> None:
        self._sayings = sayings_of(corpus)
        self._following = relations(corpus)
        self._pages: Mapping[str, Page] = {page.document.id: page for page in pages(corpus)}
        self._told: dict[str, dict[str, list[int]]] = {}

    def stating(self, places: Iterable[_Place]) -> list[_Statement] | str:
        """The statements at some places, and all that say the same, in order; or why they cannot be taken out."""
        found: dict[_Place, _Statement] = {}
        for document, offset in places:
            if any(each.document == document and each.start <= offset < each.end for each in found.values()):
                continue
            own = self._at(document, offset)
            if own is None:
                return _NO_STATEMENT
            found[own.document, own.start] = own
            same, kindred = self._sayings.same(self._said(own))
            if any(not self._beside(own, each) for each in kindred):
                return "other sentences speak of the same in other words"
            for other in (each for each in same if not self._beside(own, each)):
                another = self._at(other.document, other.start)
                if another is None:
                    return _NO_STATEMENT
                found[another.document, another.start] = another
            if len(found) > _MANY:
                return f"more than {_MANY} statements tell it"
        gone = list(found.values())
        return next((why for each in gone if (why := self._needed(each, gone))), "") or gone

    def _at(self, document: str, offset: int) -> _Statement | None:
        """The statement at a place; None if what stands there cannot be taken out."""
        page = self._pages[document]
        if page.row_of(offset) is not None:
            return self._row(page, offset)
        start, end = _line(page.text, offset)
        if _ITEM.match(page.text, start, end):
            return self._item(page, start, end)
        saying = self._sayings.at(document, offset)
        if saying is None or not saying.whole:
            return None
        blanks = re.compile(r"[ \u00a0\t]*").match(page.text, saying.end)
        return _Statement(document, saying.start, blanks.end() if blanks else saying.end, "sentence")

    def _said(self, own: _Statement) -> Saying:
        """What a statement says, without the markup of a table."""
        saying = self._sayings.at(own.document, own.start)
        if own.form == "sentence" and saying is not None:
            return saying
        text = self._pages[own.document].text[own.start : own.end]
        return Saying(own.document, own.start, own.end, text, frozenset(keys(_TAG.sub(" ", text))))

    def _row(self, page: Page, offset: int) -> _Statement | None:
        start, end, table, row = page.rows[page.row_of(offset) or 0]
        grid = page.grids[table]
        is_fixed = any(page.fixed.overlap(*cell) for cell in grid[row])
        if row == 0 or len(grid) < _ROWS or TOTAL.search(page.text[slice(*grid[row][0])]) or is_fixed:
            return None
        opened = page.text[max(0, start - 2000) : start].casefold()
        if "<tr" not in opened or "</tr" in opened[opened.rfind("<tr") :]:
            return _Statement(page.document.id, *_with_break(page.text, *_line(page.text, start)), "row")
        rest = page.text[end : end + 2000].casefold()
        closed = rest.find("</tr>")
        if closed < 0 or "<tr" in rest[:closed] or "rowspan" in page.text.casefold():
            return None
        begin = start - len(opened) + opened.rfind("<tr")
        return _Statement(page.document.id, begin, end + closed + len("</tr>"), "row")

    def _item(self, page: Page, start: int, end: int) -> _Statement | None:
        text = page.text
        before, after = _line(text, start - 2) if start > 1 else (0, 0), _line(text, end + 1)
        own, above, below = (_ITEM.match(text, *line) for line in ((start, end), before, after))
        beside = [each for each in (above, below) if own and each and each["indent"] == own["indent"]]
        goes_on = after[0] > end and text[slice(*after)].strip() and (text[after[0]] in " \t" or below)
        numbered = own and own["number"] and below in beside and below is not None
        if not beside or (goes_on and below not in beside) or numbered or page.fixed.overlap(start, end):
            return None
        return _Statement(page.document.id, *_with_break(text, start, end), "item")

    def _beside(self, own: _Statement, other: Saying) -> bool:
        """Whether a sentence is in another row or item of the same document, which is like it and of something else."""
        if own.document == other.document and own.start < other.end and other.start < own.end:
            return True
        if own.form == "sentence" or own.document != other.document:
            return False
        there = self._at(other.document, other.start)
        return there is not None and there.form == own.form

    def _needed(self, own: _Statement, removed: Sequence[_Statement]) -> str:
        """Why a statement has to stay; empty if it has not."""
        gone = [each for each in removed if each.document == own.document]
        beside = self._sayings.of[own.document]

        def is_left(saying: Saying) -> bool:
            return not any(each.start <= saying.start < each.end for each in gone)

        if not any(map(is_left, beside)):
            return "nothing would be left of the document"
        if len(gone) > 1 and len(beside) < _LEFT * len(gone):
            return "too little would be left of the document"
        if self._follows(own, removed):
            return "numbers that would stay follow from it, or it from them"
        first, last = (bisect_left(beside, at, key=lambda each: each.start) for at in (own.start, own.end))
        return self._leant_on(own, first, [i for i in range(last, len(beside)) if is_left(beside[i])], last)

    def _follows(self, own: _Statement, removed: Sequence[_Statement]) -> bool:
        """Whether a relation of its numbers reaches out of what is removed."""
        figures = _figures(self._pages[own.document], own.start, own.end)
        reached = chain.from_iterable((each.result, *each.parts) for each in self._following.touching(figures))
        return any(
            not any(
                each.start <= figure.start < each.end for each in removed if each.document == figure.page.document.id
            )
            for figure in reached
        )

    def _leant_on(self, own: _Statement, first: int, after: Sequence[int], last: int) -> str:
        """Why the sentences behind a statement need it; `after` are those that are left, by number."""
        beside, is_sentence = self._sayings.of[own.document], own.form == "sentence"
        if is_sentence and first == 0:
            return "it introduces what its document is about"
        if is_sentence and _ANSWERS.match(beside[first].text):
            return "it answers a question in the text"
        leans = after[:1] == [last] and _BACK.match(beside[last].text) is not None
        if leans or (after[:1] == [last] and is_sentence and self._introduces(own, first, last)):
            return "the sentence after it leans on it"
        told = self._first_told(own.document)
        for name in dict.fromkeys(_CAPITAL.findall(self._pages[own.document].text[own.start : own.end])):
            places = told.get(name, [first])
            if places[0] >= first and not set(after).isdisjoint(places):
                return "a sentence after it speaks of somebody or something that it introduces"
        return ""

    def _introduces(self, own: _Statement, first: int, after: int) -> bool:
        """Whether a sentence is the first to speak of what the next one begins with."""
        sayings = self._sayings.of[own.document]
        known = frozenset(keys(sayings[after].text[:_SUBJECT])) & sayings[first].keys
        return any(self._first_told(own.document)[key][0] == first for key in known)

    def _first_told(self, document: str) -> Mapping[str, Sequence[int]]:
        """The sentences of a document, by number, in which each stem and each word with a capital stands."""
        if document not in self._told:
            found: dict[str, list[int]] = defaultdict(list)
            for number, saying in enumerate(self._sayings.of[document]):
                for word in {*saying.keys, *re.findall(r"[A-Z][^\W\d_]+", saying.text)}:
                    found[word].append(number)
            self._told[document] = found
        return self._told[document]


def _figures(page: Page, start: int, end: int) -> Sequence[Figure]:
    first, last = (bisect_left(page.figures, at, key=lambda each: each.start) for at in (start, end))
    return page.figures[first:last]


def _line(text: str, offset: int) -> tuple[int, int]:
    """The line at an offset, without its break."""
    offset = max(0, min(offset, len(text)))
    end = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, end if end >= 0 else len(text)


def _with_break(text: str, start: int, end: int) -> tuple[int, int]:
    """A line with the break behind it; of the last line, with the one before it."""
    return (start, end + 1) if end < len(text) else (max(0, start - 1), end)
