"""The passages of a text, and which of them bear on a claim.

A text is split into sentences, JSON fields, and rows of tables (Markdown, CSV, TSV) with their header. Passages are
ranked by the words, numbers and names that they, or their immediate context, share with a claim. No weight depends on
the corpus, as the document frequencies of BM25 do: with those, adding fifty texts changes the order of all others, and
with it a verdict. Instead of rare words, passages that cover what the claim still lacks are preferred, so ten headings
with the same name do not crowd out the sentence with the rest. Recall equals that of BM25 on 527 premise sets that were
hardly used for tuning.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from trail_callbacks.language.terms import keys, terms
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.json_fields import Field, regions
from trail_callbacks.splitting.marks import lines_of
from trail_callbacks.text import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_Line: TypeAlias = tuple[int, str]
_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^[\s|:+=-]*-[\s|:+=-]*$")
_NUMBER = re.compile(r"^[\W\d]*\d[\W\d]*$")
_DIGIT = re.compile(r"\d")
_CELL = re.compile(r"[|\t]")
_CSV_ROWS = 3  # fewer lines with equally many commas are coincidence
_CAPTION = 160  # characters of the line above a table that are kept with its header
_HEAD = 400  # characters of the header itself


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of a table.

    Attributes:
        start: Offset of its first character in the text, without surrounding whitespace.
        end: Offset after its last character.
        number: From 1; 0 is the header: above a rule, or names above values.
        head: The line above the table, if there is one, and the first line unless it holds values; empty for that line.
    """

    start: int
    end: int
    number: int
    head: str

    @property
    def address(self) -> str:
        """`row 3`, or `head`."""
        return f"row {self.number}" if self.number else "head"

    def lead(self, text: str) -> str:  # noqa: ARG002 - same signature as Field.lead
        """The header, which says what the cells mean."""
        return self.head


@dataclass(frozen=True, slots=True)
class Table:
    """Whole lines of a text that form a table.

    Attributes:
        start: Offset of the first line.
        end: Offset after the last line.
        rows: The header and the rows, without separator lines.
    """

    start: int
    end: int
    rows: tuple[Row, ...]


def tables(text: str, start: int = 0, end: int | None = None) -> tuple[Table, ...]:
    """Finds the tables of a text, or of a part of it, in order.

    Two consecutive lines with pipes or tabs are a table; lines with commas or semicolons need to be three, with equally
    many cells, no space after a delimiter, and a header without numbers.
    """
    part = text[start:end]
    if not any(delimiter in part for delimiter in "|\t,;"):
        return ()
    found = []
    before = ""
    for delimiter, group in groupby(lines_of(part, start), key=lambda line: _delimiter(line[1])):
        lines = list(group)
        found += [_table(block, before) for block in (_blocks(lines, delimiter) if delimiter else ())]
        _, before = lines[-1]
    return tuple(found)


def labelled(head: str, row: str) -> str | None:
    """Writes a row as `column: cell; ...`; None if it does not have as many cells as the header."""
    found = pairs(head, row)
    return None if found is None else "; ".join(f"{name}: {cell}" if name else cell for name, cell in found if cell)


def pairs(head: str, row: str) -> list[tuple[str, str]] | None:
    """The cells of a row with the names of their columns; None if it does not have as many cells as the header."""
    delimiter = _delimiter(row.strip())
    names, cells = _cells(head, delimiter), _cells(row, delimiter)
    return list(zip(names, cells, strict=True)) if delimiter and len(names) == len(cells) else None


def _cells(line: str, delimiter: str) -> list[str]:
    line = line.strip()
    if delimiter == "|":
        return [cell.strip() for cell in _PIPE.split(line.removeprefix("|").removesuffix("|"))]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])] if delimiter else []


def _delimiter(line: str) -> str:
    """The delimiter of the cells of a line, if it may be a row; else empty."""
    stripped = line.strip()
    if "+" in stripped and _RULE.match(stripped):
        return "|"
    if "|" in stripped:
        return "|" if _PIPE.search(stripped[1:]) else ""
    if "\t" in stripped:
        return "\t"
    for delimiter in ";,":
        if delimiter in stripped and f"{delimiter} " not in stripped and not stripped.endswith((".", delimiter)):
            return delimiter
    return ""


def _blocks(lines: Sequence[_Line], delimiter: str) -> Iterator[Sequence[_Line]]:
    """The tables among consecutive lines with the same delimiter."""
    if delimiter in {"|", "\t"}:
        if len(lines) > 1:
            yield lines
        return
    for width, group in groupby(lines, key=lambda line: _width(line[1], delimiter)):
        block = list(group)
        head = block[0][1].strip().split(delimiter)
        if width > 1 and len(block) >= _CSV_ROWS and not any(_NUMBER.match(cell) or not cell for cell in head):
            yield block


def _width(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line.strip()], delimiter=delimiter), []))
    except csv.Error:  # a cell beyond the reader's limit
        return 0


def _table(lines: Sequence[_Line], before: str) -> Table:
    stripped = [line.strip() for _, line in lines]
    rules = [_RULE.match(each) is not None for each in stripped]
    first = rules.index(False) if False in rules else 0
    ruled = any(rules[first + 1 : first + 2])
    named = ruled or not any(_NUMBER.match(cell[:_HEAD]) for cell in _CELL.split(stripped[first]))
    strict = _delimiter(stripped[first]) in {",", ";"}  # lines with these are a table only below a header
    headed = ruled or (named and (strict or any(map(_DIGIT.search, stripped[first + 1 :]))))
    head = caption = before.strip()[:_CAPTION]
    rows: list[Row] = []
    for (start, line), own, rule in zip(lines, stripped, rules, strict=True):
        if rule:
            continue
        at = start + line.index(own)
        rows.append(Row(at, at + len(own), len(rows) + (not headed), "" if named and not rows else head))
        if named and len(rows) == 1:
            head = "\n".join(part for part in (caption, own[:_HEAD]) if part)
    return Table(lines[0][0], lines[-1][0] + len(lines[-1][1]), tuple(rows))


_CONTEXT = 200  # characters of a neighbouring sentence that are shown with a passage
_LONGEST = 600  # characters; a longer "sentence" lacks punctuation and would hide what matters in it
_PROSE = 300  # characters; a longer string in JSON is split like prose
_BREAK = re.compile(r"\s+")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r"(?:```|~~~)\w*")
# Lines that are no wrapped sentence, by how the first begins, and where they part: settings, rows of cells, HTML.
_LINES = (
    (re.compile(r"[^\s:][^\n:!?]{0,60}:\s[^\n]*\n"), re.compile(r"\s*\n\s*(?=[^\s:][^\n:!?]{0,60}:\s)")),
    (re.compile(r"[^\n]*[^\s.:!?](?:\t|[^\S\n]{2,})\S[^\n]*\n"), re.compile(r"\s*\n\s*")),
    (re.compile(r"<\w"), re.compile(r"(?=<(?:tr|li|dt|p|div|h[1-6])\b)|<br\s*/?>", re.IGNORECASE)),
)
_ESCAPE = re.compile(r"\\[nrt]|\\.", re.DOTALL)


class Span(NamedTuple):
    """A passage of a text.

    Attributes:
        start: Offset of its first character in the text.
        end: Offset after its last character.
        place: The row or field that it is, or is part of; None for prose.
    """

    start: int
    end: int
    place: Row | Field | None = None


def spans(text: str) -> Iterator[Span]:
    """Finds the passages of a text that contain a word, in order and without overlap; long ones are cut."""
    at = 0
    for region in regions(text):
        yield from _prose_and_tables(text, at, region.start)
        for field in region.fields:
            if field.is_text and field.end - field.value > _PROSE:
                yield from _long_string(text, field)
            else:
                yield from _cut(text, field.start, field.end, field)
        at = region.end
    yield from _prose_and_tables(text, at, len(text))


def outside(ranges: Sequence[tuple[int, int]], passages: Iterable[Span], text: str) -> Iterator[Span]:
    """Cuts ranges of a text out of its passages; each remainder that contains a word becomes a passage."""
    for span in passages:
        at = span.start
        for start, end in ranges:
            if start >= span.end:
                break
            if end > at:
                yield from _remainder(span, at, start, text)
                at = end
        yield from _remainder(span, at, span.end, text)


def _remainder(span: Span, start: int, end: int, text: str) -> Iterator[Span]:
    if (start, end) == (span.start, span.end):
        yield span
    elif start < end and _WORD.search(text, start, end):
        inside = text[start:end]
        yield span._replace(start=start + len(inside) - len(inside.lstrip()), end=start + len(inside.rstrip()))


def clip(text: str, *, tail: bool = False, size: int = _CONTEXT) -> str:
    """Shortens a text to its first (or last) characters, between words where possible."""
    if len(text) <= size:
        return text
    if tail:
        part = text[-size:]
        gap = _BREAK.search(part)
        return part[gap.end() :] if gap and gap.end() < size else part
    part = text[: size + 1]
    at = max((gap.start() for gap in _BREAK.finditer(part)), default=0)
    return part[: at or size]


def _prose_and_tables(text: str, start: int, end: int) -> Iterator[Span]:
    """Prose and tables."""
    at = start
    for table in tables(text, start, end):
        yield from _prose(text[at : table.start], text, at)
        for row in table.rows:
            yield from _cut(text, row.start, row.end, row)
        at = table.end
    yield from _prose(text[at:end], text, at)


def _prose(part: str, text: str, offset: int, place: Field | None = None) -> Iterator[Span]:
    for sentence in sentences(part):
        if _FENCE.fullmatch(sentence.text):
            continue
        at = offset + sentence.start
        parts = next((parts for begins, parts in _LINES if begins.match(sentence.text)), None)
        for line in parts.finditer(sentence.text) if parts else ():
            yield from _cut(text, at, offset + sentence.start + line.start(), place)
            at = offset + sentence.start + line.end()
        yield from _cut(text, at, offset + sentence.end, place)


def _long_string(text: str, field: Field) -> Iterator[Span]:
    """The sentences of a long string; escaped line breaks separate them too."""
    part = text[field.value + 1 : field.end - 1]
    yield from _prose(_ESCAPE.sub(_as_whitespace, part), text, field.value + 1, field)


def _as_whitespace(escape: re.Match[str]) -> str:
    """Whitespace of the same length, so that offsets stay valid."""
    return " \n" if escape[0] in {r"\n", r"\r"} else "  " if escape[0] == r"\t" else escape[0]


def _cut(text: str, start: int, end: int, place: Row | Field | None) -> Iterator[Span]:
    while end - start > _LONGEST:
        gaps = [gap.span() for gap in _BREAK.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        stop, after = gaps[-1] if gaps else (start + _LONGEST, start + _LONGEST)
        if _WORD.search(text, start, stop):
            yield Span(start, stop, place)
        start = after
    if _WORD.search(text, start, end):
        yield Span(start, end, place)


_HEAD_WEIGHT = 0.6  # weight of a word in a table header, in the record around a field or in the opening of the text
_BEFORE_WEIGHT = 0.4  # weight of a word in the previous sentence, to which a pronoun may refer
_LONG = 24.0  # words; a passage of this length needs 1.4 times the matches of a short one
_AGAIN = 0.7  # factor on the weight of a claim's word for each picked passage that contains it
_DEPTH = 200  # passages among which picks are made


class Surroundings(NamedTuple):
    """A passage with its context.

    Attributes:
        text: The passage.
        wording: Key that is equal for copies of it.
        before: The previous sentence, or empty.
        heads: Texts above it: header of the table, fields of the record, opening of its node.
    """

    text: str
    wording: str
    before: str
    heads: tuple[str, ...]


class Ranked(NamedTuple):
    """The passages that share something with a claim.

    Attributes:
        order: Indices, highest score first; ties in text order.
        picks: The best of them with different wordings, each chosen to add most to those before it.
    """

    order: NDArray[np.int64]
    picks: NDArray[np.int64]


class Index:
    """Finds passages for claims. English words match by stem, other scripts by words or character pairs."""

    def __init__(self, claims: Sequence[str], passages: Iterator[Surroundings]) -> None:
        import numpy as np  # noqa: PLC0415 - capturing a run does not need it

        self._queries = [_query(text) for text in claims]
        vocabulary = frozenset().union(*self._queries)
        places: dict[str, list[int]] = {key: [] for key in vocabulary}
        values: dict[str, list[float]] = {key: [] for key in vocabulary}
        lengths = []
        distinct: dict[str, int] = {}

        @lru_cache(maxsize=64)  # heads and previous sentences repeat
        def read(text: str) -> tuple[frozenset[str], int]:
            found = keys(text)
            return vocabulary.intersection(found), len(found)

        for i, passage in enumerate(passages):
            own, length = read(passage.text)
            lengths.append(length)
            distinct.setdefault(passage.wording, i)
            weights = dict.fromkeys(read(passage.before)[0], _BEFORE_WEIGHT)
            for head in passage.heads:
                weights |= dict.fromkeys(read(head)[0], _HEAD_WEIGHT)
            weights |= dict.fromkeys(own, 1.0)
            for key, weight in weights.items():
                places[key].append(i)
                values[key].append(weight)
        self._postings = {
            key: (np.array(found, np.int64), np.array(values[key])) for key, found in places.items() if found
        }
        self._short = 1 / np.sqrt(1 + np.array(lengths, float) / _LONG)
        self._first = np.zeros(len(lengths), bool)
        self._first[list(distinct.values())] = True

    def rank(self, limit: int) -> Iterator[Ranked]:
        """Ranks the passages for each claim, in the order of the claims; `limit` is the number of picks."""
        return (self._rank(query, limit) for query in self._queries)

    def _rank(self, query: Counter[str], limit: int) -> Ranked:
        import numpy as np  # noqa: PLC0415 - as above

        scores = np.zeros(len(self._short))
        asked = [(key, count) for key, count in query.items() if key in self._postings]
        for key, count in asked:
            found, values = self._postings[key]
            scores[found] += count * values
        scores *= self._short
        hits = np.flatnonzero(scores)
        order = hits[np.argsort(-scores[hits], kind="stable")]
        distinct = order[self._first[order]]
        return Ranked(order, self._covering(distinct[: max(_DEPTH, 2 * limit)], asked, limit))

    def _covering(self, top: NDArray[np.int64], asked: Sequence[tuple[str, int]], limit: int) -> NDArray[np.int64]:
        """The best passage, then repeatedly the one that covers most of what is not covered yet."""
        import numpy as np  # noqa: PLC0415 - as above

        shows = np.zeros((len(asked), len(top)))
        row = np.zeros(len(self._short))
        for k, (key, _) in enumerate(asked):
            found, values = self._postings[key]
            row[found] = values
            shows[k] = row[top]
            row[found] = 0.0
        worth = np.array([count for _, count in asked], float)
        free = self._short[top]
        picks = np.empty(min(limit, len(top)), np.int64)
        for n in range(len(picks)):
            best = int(np.argmax((worth @ shows) * free))
            picks[n] = top[best]
            free[best] = -1.0
            worth = worth * _AGAIN ** shows[:, best]
        return picks


def _query(text: str) -> Counter[str]:
    """The keys of a claim; names count twice, numbers in every magnitude in which they may be written."""
    asked = keys(text)
    for term in terms(text):
        if term.kind == "name":
            asked += keys(text[term.start : term.end])
    for quantity in quantities(text):
        asked += [f"{quantity.raw / scale:.10g}" for scale in (1, 1e3, 1e6, 1e9)]
    return Counter(asked)
