"""The lines of an answer: paragraphs, list items under their lead-ins, table rows under their columns.

Headings, lead-ins that end in a colon and names of columns are marked as such, because most of them only name what
follows; what they name goes with the list items below that would be fragments without it. Of code and formulas only the
words are read, see `code`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trail_callbacks.splitting.marks import clean, is_reference, lines_of, marker, may_hold_code, visible
from trail_callbacks.text import Sentence, is_wrapped, sentences

_CLOSERS = re.compile(r"[\s*_~`\"'\u201d\u2019\u00bb)\]]+(?=\s|$)")
_CITED = re.compile(
    r"(?:\s*(?:\[[^\][]{1,80}\]\([^()\s]{1,500}\)|\[\^?[\w,\s\u2013-]{1,60}\]|"
    r"\u3010[^\u3010\u3011]{1,200}\u3011|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}"
    r"|\((?:[Pp]assages?|[Ss]ources?|[Dd]ocuments?)\s[^()]{1,60}\)))+[.]?\s*"
)
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:d\.w\.z|approx|incl|excl|est|max|min|avg|vol|pp|cf|al|resp|vs|ca|bzw|bspw|bijv|ecc|"
    r"sig|pag|p\u00e1g|Dhr|Mw|Sra?|Dra?|M|Mme"
    r"|\u0921\u0949|\u0915\u093f|[A-Z])\.$"
)
_TITLES = {"fr": "M.", "it": "S.", "hi": "\u0921\u0949."}
_SMALL = re.compile(r"[^\w\s]*[a-z\u00df-\u00f6\u00f8-\u00ff\d]")


def sentences_of(text: str, language: str) -> list[Sentence]:
    """Splits a paragraph into sentences.

    Args:
        text: One line or paragraph.
        language: ISO 639-1 code.

    Returns:
        The sentences in order, without surrounding blanks.
    """
    found: list[tuple[int, int]] = []
    for sentence in sentences(text, language):
        start, end = sentence.start, sentence.end
        if found and _goes_on(text, *found[-1], start, language):
            found[-1] = (found[-1][0], end)
            continue
        if found:
            reach = _tail(text, found[-1][1], start, end)
            if reach > start:
                found[-1] = (found[-1][0], reach)
                start = reach
        if text[start:end].strip():
            found.append((start + len(text[start:end]) - len(text[start:end].lstrip()), end))
    return [Sentence(start, end, text[start:end]) for start, end in found]


def _tail(text: str, before: int, start: int, end: int) -> int:
    """Where closing marks and citations end that belong to the sentence before; `start` if there are none."""
    closing = _CLOSERS.match(text, start, end) if start == before else None
    cited = _CITED.match(text, closing.end() if closing else start, end)
    last = cited or closing
    return start + len(text[start : last.end()].rstrip()) if last else start


def _goes_on(text: str, start: int, end: int, following: int, language: str) -> bool:
    """Whether the sentence goes on: after a title, or with a small letter after an abbreviation or dots."""
    tail = text[max(start, end - 12) : end]
    if tail.split()[-1:] == [_TITLES.get(language)]:
        return True
    if not _SMALL.match(text[following : following + 4]):
        return False
    dots = tail.endswith(("...", "\u2026")) and text[following].islower()
    return dots or _ABBREVIATED.search(tail) is not None


_HEADING = re.compile(r"\s*(?:>\s*)*#{1,6}\s")
_BOLD = re.compile(r"\s*(\*\*|__)(?!\s)[^*_\n]{1,100}\1\s*$")
_RULER = re.compile(r"\s*(?:\|\s*)?:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*(?:\|\s*)?$")
_CELL = re.compile(r"(?<!\\)\|")
_INSIDE = re.compile(r"(?:\\\||[^|])+")
_LETTER = re.compile(r"\w")
_LEAD = 200  # characters; a longer lead-in is prose, and repeated for each item it could fill the memory
_NAME = 100  # characters of a column's name, for the same reason
_SOURCES = re.compile(
    r"\W*(?:references|sources|citations|bibliography|works cited|further reading|footnotes|quellen|fuentes|"
    r"fontes|fonti|bronnen|r\u00e9f\u00e9rences|\u53c2\u8003\u6587\u732e|\u51fa\u5178)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutPiece:
    """A sentence, list item or table row: `answer[start:end]`.

    Attributes:
        start: Offset in the answer.
        end: Offset after it.
        lead: The line with a colon, or the heading, that a list item stands under.
        row: What a table row says, cell by cell under its columns; empty for anything else.
        line: Number of its line; the same for the sentences of one paragraph or list item.
        item: Whether it is a list item, or a sentence of one.
        reference: Whether it only names where something was found.
        title: What it may only name: the text below (`heading`), the list below (`lead`) or a `column`; empty for
            anything else.
    """

    start: int
    end: int
    lead: str = ""
    row: str = ""
    line: int = 0
    item: bool = False
    reference: bool = False
    title: Literal["", "heading", "lead", "column"] = ""


def pieces(answer: str, language: str) -> Iterator[LayoutPiece]:
    """Finds what an answer may state: its sentences, list items and table rows.

    Args:
        answer: Any text.
        language: ISO 639-1 code.

    Yields:
        The pieces in order; they do not overlap.
    """
    page = _Page(language)
    lines = list(lines_of(answer))
    code: Mapping[int, tuple[tuple[int, int], ...]] = {}  # the words in each line of code and formulas
    if may_hold_code(answer):
        from trail_callbacks.splitting.code import prose_in_code  # noqa: PLC0415 - most answers hold none

        code = prose_in_code(answer, lines)
    last = max((number for number, (_, line) in enumerate(lines, 1) if line.strip()), default=0)
    at = 0
    while at < len(lines):
        start, line = lines[at]
        rows = _table(lines, at)
        if at in code:
            for a, b in code[at]:
                yield from page.read(answer[a:b], a, at, deeper=False, followed=False)
            at += 1
        elif rows:
            yield from _rows([lines[number] for number in rows])
            at = rows[-1] + 1
        else:
            until = at + 1
            while until < len(lines) and until not in code and _continues(lines[until - 1][1], lines[until][1]):
                until += 1
            whole = answer[start : lines[until - 1][0] + len(lines[until - 1][1])]
            deeper = until < len(lines) and _indent(lines[until][1]) > _indent(line) and marker(lines[until][1])[1]
            yield from page.read(whole, start, at, deeper=deeper, followed=until < last)
            at = until


@dataclass(slots=True)
class _Page:
    """What the lines above say about the next one."""

    language: str
    heading: str = ""
    sources: bool = False
    leads: list[tuple[int, str]] = field(default_factory=list)  # of outer and inner lists: indentation and words

    def read(self, text: str, start: int, number: int, *, deeper: bool, followed: bool) -> Iterator[LayoutPiece]:
        """The pieces of a paragraph; the words of a heading or lead-in are kept for what follows.

        Args:
            text: The paragraph.
            start: Its offset in the answer.
            number: Number of its first line.
            deeper: Whether a list item follows that is set in further.
            followed: Whether anything follows that it may introduce.
        """
        plain = clean(text)
        if not _LETTER.search(plain):
            return
        skip, item = marker(text)
        if _HEADING.match(text) or (_BOLD.match(text) and not item and plain[-1] not in ".!?"):
            yield from self._heading(text, plain, start, number)
            return
        indent = _indent(text)
        while self.leads and (self.leads[-1][0] >= indent if item else not self._under(indent)):
            self.leads.pop()
        found = list(self._sentences(text, skip)) or [(skip, len(text.rstrip()))]
        last = clean(text[slice(*found[-1])])
        leads = last.endswith((":", "\uff1a")) or (deeper and item and len(found) == 1 and last[-1:] not in ".!?")
        lead = self._lead() if item else ""
        if _SOURCES.match(last if leads else plain):
            if leads:
                self._head(last.rstrip(":\uff1a "))
            self.sources = True
            return
        if leads:
            self.leads.append((indent if item else -1, last.rstrip(":\uff1a ") if len(last) <= _LEAD else ""))
        self.sources = self.sources and (leads or item)
        title: Literal["heading", "lead"] = "lead" if followed or deeper else "heading"
        for a, b in found:
            if leads and (a, b) == found[-1]:
                yield LayoutPiece(start=start + a, end=start + b, lead=lead, line=number, item=item, title=title)
            else:
                reference = (self.sources and item) or is_reference(clean(text[a:b]))
                yield LayoutPiece(
                    start=start + a, end=start + b, lead=lead, line=number, item=item, reference=reference
                )

    def _heading(self, text: str, plain: str, start: int, number: int) -> Iterator[LayoutPiece]:
        self._head(plain.lstrip("# ").rstrip(":\uff1a "))
        hashes = _HEADING.match(text)
        for a, b in self._sentences(text, hashes.end() if hashes else marker(text)[0]):
            yield LayoutPiece(start=start + a, end=start + b, line=number, title="heading")

    def _sentences(self, text: str, skip: int) -> Iterator[tuple[int, int]]:
        """Where the sentences of a paragraph are that say something, behind its marker."""
        for sentence in sentences_of(text[skip:], self.language):
            if _LETTER.search(clean(sentence.text)):
                yield skip + sentence.start, skip + sentence.end

    def _head(self, words: str) -> None:
        self.leads.clear()
        self.sources = _SOURCES.match(words) is not None
        self.heading = words if len(words) <= _LEAD else ""

    def _under(self, indent: int) -> bool:
        """Whether a paragraph still belongs to a list: it is set in under its item."""
        return indent > 1 and bool(self.leads) and self.leads[-1][0] < indent and self.leads[-1][0] >= 0

    def _lead(self) -> str:
        words = [lead for _, lead in self.leads if lead] or [self.heading]
        joined = ": ".join(words)
        return joined if len(joined) <= _LEAD else words[-1]


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _continues(line: str, following: str) -> bool:
    """Whether a paragraph was merely wrapped here."""
    return (
        is_wrapped(line, following.lstrip())
        and line.endswith(("\n", "\r"))
        and not marker(following)[1]
        and not _HEADING.match(line)
    )


def _table(lines: Sequence[tuple[int, str]], at: int) -> range:
    """The lines of the table that begins here: rows in bars, or any rows with a ruler under the first."""

    def row(number: int) -> bool:
        line = visible(lines[number][1]).strip() if number < len(lines) else ""
        return line.startswith("|") and line.count("|") > 1

    end = at
    while row(end):
        end += 1
    if (
        end == at
        and at + 1 < len(lines)
        and "|" in lines[at][1]
        and "|" in lines[at + 1][1]
        and _RULER.match(lines[at + 1][1])
    ):
        end = at + 2
        while end < len(lines) and "|" in lines[end][1]:
            end += 1
    return range(at, end)


def _rows(lines: Sequence[tuple[int, str]]) -> Iterator[LayoutPiece]:
    """The rows of a table under the names of its columns; a table of one row has no such names."""
    rows = [(start, line) for start, line in lines if _LETTER.search(line)]
    header = [name[:_NAME] for name in _cells(rows[0][1])] if len(rows) > 1 else []
    if header:
        yield from _columns(*rows[0])
    for start, line in rows[1:] if header else rows:
        stripped = line.strip()
        at = start + line.index(stripped)
        said = _row(header, _cells(line))
        if said:
            yield LayoutPiece(start=at, end=at + len(stripped), row=said)


def _columns(start: int, line: str) -> Iterator[LayoutPiece]:
    """The names of the columns, each by itself."""
    for cell in _INSIDE.finditer(line):
        if _LETTER.search(clean(cell[0])):
            first = start + cell.start() + len(cell[0]) - len(cell[0].lstrip())
            yield LayoutPiece(start=first, end=first + len(cell[0].strip()), title="column")


def _cells(line: str) -> list[str]:
    return [clean(cell.strip()) for cell in _CELL.split(line.strip().strip("|"))]


def _row(header: list[str], row: list[str]) -> str:
    names = header + [""] * len(row)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell)
