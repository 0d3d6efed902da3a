"""What states a fact and can be taken out of a text: a sentence, an item of a list, a row of a table."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.edit import Replacement
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.canary.facts.sayings import Saying, sayings_of
from trail_callbacks.canary.facts.totals import TOTAL
from trail_callbacks.canary.perturbers.consequences import consequences
from trail_callbacks.language.terms import keys

__all__ = ["Statement", "Statements", "statements_of"]

_BACK = re.compile(
    r"\s*(?:both|such|there|then|also|however|so|therefore|thus|hence"
    r"|consequently|accordingly|afterwards|meanwhile"
    r"|in addition|as a result|instead|otherwise|unlike|another|others?"
    r"|the (?:others?|same|rest|former|latter|second|third|pair|two|three)"
    r"|in (?:contrast|comparison|that case|turn|both)|by (?:contrast|comparison)"
    r"|the (?:money|sum|amount|figures?|numbers?|sign|change|result|increase|decrease|rise|fall|reason)"
    r"|anything|everything|(?:a )?(?:reply|answer)"
    r"|similarly|likewise|conversely|for example"
    r"|(?:[\w-]+ ){0,3}(?:later|after|earlier|before that)\b|after(?:wards| that)|only then"
    r"|and|but|or|yet|nor|er|sie|es|dies\w*|il|elle|ils|elles|cela|\u00e9l|ella|esto|questo)\b"
    # a word that points back, near the beginning
    r"|[^.;:]{0,60}?\b(?:then|its?|this|that|these|those|they|them|their|he|she|his|her|him|latter|comes? (?:in )?"
    r"(?:second|third|fourth|fifth|last)|(?:second|third|fourth|fifth) place)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"[A-Z]\w{0,12}\s?:\s")
_TAG = re.compile(r"<[^<>]{0,2000}>")
_WORD = re.compile(r"[^\W\d_]+")
_CAPITAL = re.compile(r"(?<!^)\b[A-Z][^\W\d_]{2,}")
_SUBJECT = 40  # characters of a sentence in which its subject stands
_MANY = 4  # statements of one fact; what is said more often is what a text is about
_LEFT = 4  # times as many sentences as are taken out of a document it has, if they are several
_ITEM = re.compile(r"(?P<indent>[ \t]{0,12})(?:(?P<bullet>[-*+\u2022])|(?P<number>\d{1,2})[.)])[ \t]+\S")
_NO_STATEMENT = "it stands in a heading, markup or a part of a sentence, not in a statement of its own"
_ELSEWHERE = "other sentences speak of the same in other words"
_LIST = 2000  # characters of a list whose items somebody counts
_ROWS = 3  # of a table, header included, of which one can be taken out

_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Statement:
    """A stretch of a document that can be taken out of it.

    Attributes:
        document: Id of the document.
        start: Offset.
        end: Offset after it, with the blanks or the line break behind it.
        form: What it is.
    """

    document: str
    start: int
    end: int
    form: Literal["sentence", "item", "row"]


class Statements:
    """Finds what states something, by its place.

    Args:
        corpus: The documents.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._sayings = sayings_of(corpus)
        self._fixed = fixed_in(corpus)
        self._following = consequences(corpus)
        self._pages: Mapping[str, Page] = {page.document.id: page for page in pages(corpus)}
        self._by_document: dict[str, list[Saying]] = defaultdict(list)
        for saying in self._sayings.found:
            self._by_document[saying.document].append(saying)
        self._spanning = {document.id for document in corpus if "rowspan" in document.text.casefold()}
        self._first: dict[str, dict[str, int]] = {}
        self._named: dict[str, dict[str, list[int]]] = {}
        self._starts = {id_: [each.start for each in found] for id_, found in self._by_document.items()}

    def stating(self, places: Iterable[_Place]) -> list[Statement] | str:
        """Finds the statements at some places, and all that say the same.

        Args:
            places: Documents and offsets: all mentions of a fact.

        Returns:
            The statements in order, or why they cannot be taken out.
        """
        found: dict[_Place, Statement] = {}
        for document, offset in places:
            if any(each.document == document and each.start <= offset < each.end for each in found.values()):
                continue
            own = self.at(document, offset)
            if own is None:
                return _NO_STATEMENT
            found[own.document, own.start] = own
            same, kindred = self._sayings.same(self._said(own))
            if any(not self._beside(own, each) for each in kindred):
                return _ELSEWHERE
            for other in (each for each in same if not self._beside(own, each)):
                another = self.at(other.document, other.start)
                if another is None:
                    return _NO_STATEMENT
                found[another.document, another.start] = another
            if len(found) > _MANY:
                return f"more than {_MANY} statements tell it"
        return next((why for each in found.values() if (why := self.needed(each, found))), "") or list(found.values())

    def at(self, document: str, offset: int) -> Statement | None:
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
        end = saying.end
        while end < len(page.text) and page.text[end] in " \u00a0\t":
            end += 1
        return Statement(document, saying.start, end, "sentence")

    def _said(self, statement: Statement) -> Saying:
        """What a statement says, without the markup of a table."""
        document, start, end = statement.document, statement.start, statement.end
        saying = self._sayings.at(document, start)
        if statement.form == "sentence" and saying is not None:
            return saying
        text = self._pages[document].text[start:end]
        return Saying(document, start, end, text, frozenset(keys(_TAG.sub(" ", text))), whole=False)

    def replaced(self, statement: Statement) -> Replacement:
        """The statement taken out."""
        text = self._pages[statement.document].text
        old = text[statement.start : statement.end]
        return Replacement(statement.document, statement.start, statement.end, old, "")

    def _row(self, page: Page, offset: int) -> Statement | None:
        number = page.row_of(offset)
        assert number is not None  # noqa: S101 - asked before
        start, end, table, row = page.rows[number]
        grid = page.grids[table]
        cells = grid.rows[row]
        first = page.text[slice(*cells[0])]
        if row == 0 or len(grid.rows) < _ROWS or TOTAL.search(first):
            return None
        if any(self._fixed[page.document.id].overlap(*cell) for cell in cells):
            return None
        folded = page.text[max(0, start - 2000) : start].casefold()
        opened = folded.rfind("<tr")
        if opened < 0 or "</tr" in folded[opened:]:
            start, end = _line(page.text, start)
            return Statement(page.document.id, *_with_break(page.text, start, end), "row")
        start -= len(folded) - opened
        rest = page.text[end : end + 2000].casefold()
        closed = rest.find("</tr>")
        if closed < 0 or "<tr" in rest[:closed] or page.document.id in self._spanning:
            return None
        return Statement(page.document.id, start, end + closed + len("</tr>"), "row")

    def _item(self, page: Page, start: int, end: int) -> Statement | None:
        text = page.text
        before, after = _line(text, start - 2) if start > 1 else (0, 0), _line(text, end + 1)
        own, above, below = (_ITEM.match(text, *line) for line in ((start, end), before, after))
        assert own is not None  # noqa: S101 - asked before
        beside = [each for each in (above, below) if each and each["indent"] == own["indent"]]
        goes_on = after[0] > end and text[slice(*after)].strip() and text[after[0]] in " \t" and below not in beside
        deeper = below is not None and below not in beside
        if not beside or goes_on or deeper or (own["number"] and below in beside and below is not None):
            return None
        if self._fixed[page.document.id].overlap(start, end) or self._counted(page, start):
            return None
        return Statement(page.document.id, *_with_break(text, start, end), "item")

    def _counted(self, page: Page, start: int) -> bool:
        """Whether the line above a list says how many items it has."""
        text, n = page.text, 0
        line = _line(text, start)
        while line[0] > 0 and _ITEM.match(text, *line) and start - line[0] < _LIST:
            line = _line(text, line[0] - 1)
        lead = line if text[slice(*line)].strip() or line[0] == 0 else _line(text, line[0] - 1)
        at = line[1] + 1
        while at < min(len(text), start + _LIST) and _ITEM.match(text, *(here := _line(text, at))):
            n, at = n + 1, here[1] + 1
        return any(each.quantity.value == n for each in _figures(page, *lead))

    def _beside(self, own: Statement, other: Saying) -> bool:
        """Whether a sentence is in another row or item of the same document, which is like it and of something else."""
        if own.document == other.document and own.start < other.end and other.start < own.end:
            return True
        if own.form == "sentence" or own.document != other.document:
            return False
        there = self.at(other.document, other.start)
        return there is not None and there.form == own.form

    def needed(  # noqa: PLR0911 - one for each reason
        self, statement: Statement, removed: Mapping[_Place, Statement]
    ) -> str:
        """Why a statement has to stay; empty if it has not."""
        gone = [each for each in removed.values() if each.document == statement.document]
        beside = self._by_document[statement.document]

        def left(saying: Saying) -> bool:
            return not any(each.start <= saying.start < each.end for each in gone)

        if not any(map(left, beside)):
            return "nothing would be left of the document"
        if len(gone) > 1 and len(beside) < _LEFT * len(gone):
            return "too little would be left of the document"
        if self._follows(statement, removed):
            return "numbers that would stay follow from it, or it from them"
        first = bisect_left(self._starts[statement.document], statement.start)
        last = bisect_left(self._starts[statement.document], statement.end)
        after = beside[last] if last < len(beside) and left(beside[last]) else None
        if statement.form == "sentence" and first == 0:
            return "it introduces what its document is about"
        if statement.form == "sentence" and _ANSWERS.match(beside[first].text):
            return "it answers a question in the text"
        if after is not None and (
            _BACK.match(after.text)
            or (statement.form == "sentence" and self._introduces(statement.document, first, after))
        ):
            return "the sentence after it leans on it"
        said = self._pages[statement.document].text[statement.start : statement.end]
        for name in dict.fromkeys(_CAPITAL.findall(said)):
            places = self._capitals(statement.document)[name]
            if places[0] >= first and any(left(beside[at]) for at in places[bisect_left(places, last) :]):
                return "a sentence after it speaks of somebody or something that it introduces"
        return ""

    def _capitals(self, document: str) -> Mapping[str, Sequence[int]]:
        """The sentences of a document, by number, in which each word with a capital stands."""
        if document not in self._named:
            found: dict[str, list[int]] = defaultdict(list)
            for number, saying in enumerate(self._by_document[document]):
                for name in dict.fromkeys(_WORD.findall(saying.text)):
                    if name[0].isupper():
                        found[name].append(number)
            self._named[document] = found
        return self._named[document]

    def _follows(self, statement: Statement, removed: Mapping[_Place, Statement]) -> bool:
        """Whether a relation of its numbers reaches out of what is removed."""
        own = list(_figures(self._pages[statement.document], statement.start, statement.end))
        return any(
            not any(
                each.document == figure.page.document.id and each.start <= figure.start < each.end
                for each in removed.values()
            )
            for relation in self._following.touching(own)
            for figure in (relation.result, *relation.parts)
        )

    def _introduces(self, document: str, number: int, after: Saying) -> bool:
        """Whether a sentence is the first to speak of what the next one begins with."""
        if document not in self._first:
            told: dict[str, int] = {}
            for i, saying in enumerate(self._by_document[document]):
                for key in saying.keys:
                    told.setdefault(key, i)
            self._first[document] = told
        known = frozenset(keys(after.text[:_SUBJECT])) & self._by_document[document][number].keys
        return any(self._first[document][key] == number for key in known)


@of_last_corpus
def statements_of(corpus: Corpus) -> Statements:
    """Finds what states something in a corpus."""
    return Statements(corpus)


def _figures(page: Page, start: int, end: int) -> Iterator[Figure]:
    first = bisect_left(page.figures, start, key=lambda each: each.start)
    last = bisect_right(page.figures, end - 1, key=lambda each: each.start)
    yield from page.figures[first:last]


def _line(text: str, offset: int) -> tuple[int, int]:
    """The line at an offset, without its break."""
    offset = max(0, min(offset, len(text)))
    end = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, end if end >= 0 else len(text)


def _with_break(text: str, start: int, end: int) -> tuple[int, int]:
    """A line with the break behind it; of the last line, with the one before it."""
    if end < len(text):
        return start, end + 1
    return max(0, start - 1), end
