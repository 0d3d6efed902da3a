"""Citations of an answer: the claims that a mark belongs to, and the source that it names.

A source is named by the label it was shown under, by file, title, id, address, or author and year.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from trail_callbacks.claims import Claim, Within
from trail_callbacks.evidence.labels import labelled
from trail_callbacks.evidence.marks import Mark, marks, references
from trail_callbacks.graph import Node
from trail_callbacks.language.detect import language
from trail_callbacks.splitting.layout import sentences_of
from trail_callbacks.splitting.marks import lines_of

_NAMES = re.compile(
    r"source|file(?:_?name|_?path)?|path|ur[il]|link|href|title|name|key|citation|(?:(?:ref_)?doc(?:ument)?_)?id|ref",
    re.IGNORECASE,
)
_AUTHORS = re.compile(r"authors?|creator|by", re.IGNORECASE)
_DATES = re.compile(r"year|(?:publication_|creation_)?date|published|created", re.IGNORECASE)
_WORDS = re.compile(r"\w+")
_SCHEME = re.compile(r"^(?:https?://)?(?:www\.)?", re.IGNORECASE)
_HEAD = 1000  # characters of a text that may say who wrote it, and when
_CREDITED = r"(?:[\s,.&(]|and\b|et\sal\b|[A-Z][\w'\u2019-]*+){1,20}"  # what stands between a name and a year there
_TITLE = 100  # characters of a first line that is a title
_MENTIONS = 200  # addresses that are looked for in the texts, each through all of them
_DISTINCT = 8  # characters of a name that may be looked for inside a longer entry


class CitedPart(NamedTuple):
    """A cited part of a source: `node.text[start:end]`."""

    node_id: str
    start: int
    end: int


class Library:
    """The sources that an answer may cite."""

    def __init__(
        self, sources: Sequence[Node], answer: str, shown: Mapping[str, tuple[CitedPart, ...]] | None = None
    ) -> None:
        self._shown = shown or {}
        self._sources = [node for node in sources if not node.is_request and node.text.strip()]
        self._entries = references(answer)
        self._found: dict[tuple[str, str], tuple[CitedPart, ...]] = {}
        self._searched = 0

    def find(self, mark: Mark) -> tuple[CitedPart, ...]:
        """Returns the parts of sources that a mark names; empty if there is no such source, or no telling which.

        A link is also looked for inside the texts, as long as the answer has no more than 200 that name no source.
        """
        key = mark.kind, mark.target
        if key not in self._found:
            self._found[key] = self._find(mark)
        return self._found[key]

    def may_be(self, mark: Mark, answer: str) -> bool:
        """Tells whether a number that names no source may be a citation all the same.

        It says so itself (`passage 3`), or it ends a part of a sentence and nobody knows how the app counts sources.
        """
        if mark.kind != "number":
            return False
        documents = [node for node in self._sources if node.kind == "document"]
        counted = self._shown or self._labels or (len(documents) > 1 and len({node.run_id for node in documents}) == 1)
        worded = _WORDED.search(answer[mark.start : mark.end].replace("sup>", ""))
        return bool(worded) if counted else bool(worded) or _WORD.match(answer, mark.end) is None

    def _find(self, mark: Mark) -> tuple[CitedPart, ...]:
        entry = self._entries.get(mark.target)
        if entry is not None and mark.kind in {"number", "name"}:
            named = self._entry(entry)
            return named or (self._shown or self._labels).get(mark.target, ()) if mark.kind == "number" else named
        if mark.kind == "number":
            return self._numbered(mark.target)
        if mark.kind == "work":
            return self._work(mark.target)
        return self._linked(mark.target) if mark.kind == "link" else self._named(mark.target)

    def _numbered(self, number: str) -> tuple[CitedPart, ...]:
        if self._shown:
            return self._shown.get(number, ())
        if self._labels:
            return self._labels.get(number, ())
        documents = [node for node in self._sources if node.kind == "document"] or self._sources
        if len({node.run_id for node in documents}) > 1:
            return ()  # of several retrievals nobody knows how the app counted them
        place = int(number) - 1
        return (_whole(documents[place]),) if 0 <= place < len(documents) else ()

    @cached_property
    def _labels(self) -> Mapping[str, tuple[CitedPart, ...]]:
        """Where the sources say their own numbers: `Source 2: ...`, `[2] ...`; none if it is but one of them."""
        parts: dict[str, list[CitedPart]] = defaultdict(list)
        for node in self._sources:
            found = list(labelled(node.text))
            if len(found) > 1 or (found and not node.text[: found[0].start].strip()):
                for part in found:
                    parts[part.label].append(CitedPart(node.id, part.start, part.end))
        in_order = {"0", "1"} & parts.keys() and len(parts) > 1
        one_each = len(self._sources) == 1 or all(len(each) == 1 for each in parts.values())
        return {label: tuple(each) for label, each in parts.items()} if in_order and one_each else {}

    def _named(self, name: str) -> tuple[CitedPart, ...]:
        wanted = _plain(name)
        return tuple(_whole(node) for node in self._sources if wanted in self._names[node.id])

    def _linked(self, url: str) -> tuple[CitedPart, ...]:
        wanted = _address(url)
        named = [node for node in self._sources if any(_address(name) == wanted for name in _strings(node, _NAMES))]
        self._searched += not named
        search = not named and self._searched <= _MENTIONS
        mentioned = next(([node] for node in self._sources if url in node.text), []) if search else []
        return tuple(map(_whole, named or mentioned)) or self._named(url)

    def _entry(self, entry: str) -> tuple[CitedPart, ...]:
        """The sources that an entry of a list of references names, whatever else it says."""
        words, plain = entry.split(), _plain(entry)
        for word in words:
            if (found := self._linked(word.strip("<>().,;"))) or (found := self._named(word.strip("<>().,;"))):
                return found
        return self._named(entry) or tuple(
            _whole(node)
            for node in self._sources
            if any(len(name) >= _DISTINCT and name in plain for name in self._names[node.id])
        )

    def _work(self, work: str) -> tuple[CitedPart, ...]:
        words = _WORDS.findall(work)
        year = next((word for word in words if word[:4].isdigit()), "")[:4]
        surname = next((word for word in words if word[:1].isupper()), "")
        return tuple(_whole(node) for node in self._sources if _wrote(node, surname, year))

    @cached_property
    def _names(self) -> Mapping[str, frozenset[str]]:
        return {node.id: frozenset(_names_of(node)) for node in self._sources}


def _wrote(node: Node, surname: str, year: str) -> bool:
    """Whether what describes a source says who wrote it and when, or its beginning does: `Smith, J. (2020)`.

    Anywhere else in a text both words mean nothing.
    """
    if not (surname and year):
        return False
    names = [node.id, *_strings(node, _NAMES)]
    by = any(surname.casefold() in _WORDS.findall(_plain(each)) for each in [*names, *_strings(node, _AUTHORS)])
    if by and any(year in each for each in [*names, *_strings(node, _DATES)]):
        return True
    return re.search(rf"\b{re.escape(surname)}{_CREDITED}{year}", node.text[:_HEAD]) is not None


def _names_of(node: Node) -> Iterator[str]:
    first, _, rest = node.text.partition("\n")
    title = [first.lstrip("# ")] if rest.strip() and len(first) <= _TITLE else []
    for name in (node.id, *_strings(node, _NAMES), *title):
        yield _plain(name)
        base = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
        yield _plain(base)
        yield _plain(base.rpartition(".")[0] or base)


def _strings(node: Node, keys: re.Pattern[str]) -> Iterator[str]:
    for key, value in node.attributes.items():
        if keys.fullmatch(key):
            yield from (str(part) for part in (value if isinstance(value, list | tuple) else [value]) if part)


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split()).strip(" .,;:\"'")


def _address(url: str) -> str:
    return _SCHEME.sub("", url.strip()).partition("#")[0].rstrip("/").casefold()


def _whole(node: Node) -> CitedPart:
    return CitedPart(node.id, 0, len(node.text))


_ROW = re.compile(r"\|\s*$")
_LETTER = re.compile(r"[^\W_]")
_WORD, _WORDED = re.compile(r"\s*\w"), re.compile(r"[^\W\d_]")
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
