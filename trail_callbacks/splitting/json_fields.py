"""JSON inside a text, as fields with offsets and addresses.

Libraries that map JSON to offsets only read whole documents, and recurse. Tool results may have prose around them, be
JSON lines, be truncated or written by `str(dict)`, and nest as deep as an attacker likes.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from trail_callbacks.language.terms import vocabulary

_WHOLE = 300  # characters; a record up to this length stays one field
_DEEPEST = 100  # levels; deeper nesting is an attack or a dump
_NAMES = 3  # fields that identify a record
_SHORT = 60  # characters of such a field
_KEY = 40  # characters of a key in an address
_LEAD = 200  # characters

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"' + r"|'[^'\\]*(?:\\.[^'\\]*)*'"
_START = re.compile(r"\{(?=\s*[\"'])|\[(?=\s*[(\[{\"'\-\dtfnTFN])")
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_PLAIN = re.compile(r"[^\W\d]\w*")
_SOLID = re.compile(r"\S")
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)[ \t]*([\w-]*)[^\n]*$", re.MULTILINE)
_JSON = vocabulary("json json5 jsonc jsonl ndjson geojson text txt") | {""}
_BLANK = re.compile(r"[^\S\n]*(?:\n|\Z)")
_LEAD_IN = frozenset({"", "\n", ":", "\uff1a", ">"})  # what may stand before a block


@dataclass(slots=True, eq=False)
class _Value:
    """A value: `text[value:end]`, with its key from `start`; `mark` is the bracket, `"` of a string, or empty."""

    start: int
    value: int
    end: int
    mark: str
    step: str | int
    above: _Value | None
    depth: int = 0
    is_cut: bool = False
    parts: list[_Value] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A record, field or element of JSON that is small enough to be one passage.

    Attributes:
        start: Offset in the text; a field begins with its key.
        end: Offset after its last character.
        value: Offset of the value.
        is_text: Whether the value is a string, with its quotation marks.
        line: Line of the text, from 1, on which the JSON begins; 0 if the text has only one piece of JSON.
    """

    start: int
    end: int
    value: int
    is_text: bool
    line: int
    _own: _Value

    @property
    def address(self) -> str:
        """Its place as a JSONPath: `$.data[0].price`, `line 3: $.price`."""
        path = json_path(self.steps)
        return f"line {self.line}: ${path}" if self.line else f"${path}"

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The keys, as they are written, and indices that lead to it; the first is that of the root, and empty."""
        return tuple(reversed([self._own.step, *(each.step for each in self._above())]))

    @property
    def record(self) -> tuple[int, ...]:
        """What tells the records it is in from all others, the outermost first: where each begins."""
        return tuple(reversed([each.value for each in self._above()]))

    def lead(self, text: str) -> str:
        """The first short fields of the enclosing records, which show what it belongs to."""
        found: list[str] = []
        room = _LEAD
        for record in self._above():
            short = [p for p in record.parts if p.mark in {"", '"'} and p.end - p.start <= _SHORT]
            names = [p for p in short[: _NAMES + 1] if p.start != self.start][:_NAMES] if record.mark == "{" else []
            named = ", ".join(text[p.start : p.end] for p in names)
            if named and len(named) <= room:
                found.append(named)
                room -= len(named) + 2
        return ", ".join(reversed(found))

    def _above(self) -> Iterator[_Value]:
        above = self._own.above
        while above is not None:
            yield above
            above = above.above


class JsonRegion(NamedTuple):
    """A part of a text that is JSON, `text[start:end]`, with its fields in order."""

    start: int
    end: int
    fields: tuple[Field, ...]


@cache
def _tokens() -> re.Pattern[str]:
    """Compiled on first use, to keep the import of the package fast."""
    return re.compile(
        rf"\s*(?:(?P<string>{_STRING})"
        r"|(?P<scalar>(?:-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity|inf)|true|false|null|NaN|True|False|None|nan)(?![\w.]))"
        rf"|(?P<call>[^\W\d][\w.]*\((?:[^()\"']|{_STRING})*\))"  # Decimal('1.5') in a row of a database
        r"|(?P<mark>[{}\[\](),:])|(?P<end>\Z))",
        re.DOTALL,
    )


def json_path(steps: Iterable[str | int]) -> str:
    """Writes keys and indices as a JSONPath without its `$`: `.data[0].price`; long keys are cut."""
    return "".join(_path_step(step) for step in steps)


def _path_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    step = " ".join(step.split())
    if not step or _PLAIN.fullmatch(step):
        return f".{step[:_KEY]}" if step else ""
    return f"['{step[:_KEY]}']"


def regions(text: str, *, single: bool = False) -> tuple[JsonRegion, ...]:
    """Finds the JSON in a text: whole documents, lines, inside prose or fences, in Python notation, or truncated.

    A record (an object without lists of records) of up to 300 characters is one field, and so is a list of numbers; a
    larger record is split into its fields. Broken JSON is left out.

    Args:
        text: Any text.
        single: Makes each string, number, truth value and null a field of its own.

    Returns:
        Regions in order, without overlap. Time and memory are linear in the text.
    """
    found: list[tuple[_Value, list[_Value]]] = []
    at = 0
    broken = False
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    while start := _START.search(text, at):
        root, end = _read(text, start.start(), single=single)
        if root is not None:
            own: list[_Value] = []
            if _stays(root, own, single=single) and root.parts:
                own = [root]
            whole = single and root.value <= first and last <= end
            if own and (whole or _is_data(text, root)):
                found.append((root, own))
            broken = broken or (not own and root.is_cut)
        else:
            broken = broken or end > start.end()
        at = max(end, start.end())
    several = broken or len(found) > 1  # the rest of broken JSON is not the only root either
    out = []
    line, counted = 1, 0
    for root, own in found:
        line, counted = line + text.count("\n", counted, root.value), root.value
        fields = [Field(v.start, v.end, v.value, v.mark == '"', line if several else 0, v) for v in own]
        out.append(JsonRegion(root.value, root.end, tuple(sorted(fields, key=lambda each: each.start))))
    return tuple(out)


def _stays(value: _Value, out: list[_Value], *, single: bool) -> bool:
    """Whether a container stays one field: it is small and has no list of records, or it is a list of numbers."""
    parts = [part for part in value.parts if part.mark not in _CLOSING or _stays(part, out, single=single)]
    whole = len(parts) == len(value.parts) and (value.mark == "{" or not any(p.mark in _CLOSING for p in parts))
    small = whole and not value.is_cut and value.end - value.value <= _WHOLE
    if not single and (small or (value.mark == "[" and not any(part.mark for part in value.parts))):
        return True
    out += parts
    return False


def _is_data(text: str, root: _Value) -> bool:
    """Whether it is data; `[1]` in prose is a citation, and so is `["sic"]`."""
    values = [root]
    while values:
        value = values.pop()
        if value.mark == "{" and value.parts:
            return True
        values += value.parts
    alone = _ahead(text, root.value) in {"", "\n"} and not text[root.end : root.end + 1].strip()
    return alone and any(quote in text[root.value : root.end] for quote in "\"'")


def _read(text: str, at: int, *, single: bool) -> tuple[_Value | None, int]:  # noqa: C901, PLR0912 - one branch for each token
    """Parses one container; returns it, complete or merely truncated, or None if it is broken, and where it ends."""
    root = here = None
    key: tuple[int, str] | None = None
    tokens = _tokens()
    awaiting = "value"  # or: key, colon, next
    while True:
        token = tokens.match(text, at)
        if token is None or (single and (token["call"] or token["mark"] in {"(", ")"})):  # Python's, not of an answer
            solid = _SOLID.search(text, at)
            begin = solid.start() if solid else at
            if here is None or awaiting != "value" or text[begin : begin + 1] not in {'"', "'"}:
                return None, at
            _add(here, key, begin, len(text.rstrip()), '"')  # an unterminated string
            return _cut(text, here)
        begin, end = token.span(token.lastgroup or 0)
        mark = token["mark"]
        if token["end"] is not None:
            return _cut(text, here)
        if mark in _CLOSING and awaiting == "value":
            if here is not None and here.depth >= _DEEPEST:
                return None, begin
            here = _add(here, key, begin, end, mark)
            root = root or here
            key, awaiting = None, "key" if mark == "{" else "value"
        elif here is not None and mark == _CLOSING[here.mark] and _may_end(here, awaiting):
            here.end = end
            if here.above is None:
                return root, end
            here, awaiting = here.above, "next"
        elif mark == "," and awaiting == "next" and here is not None:
            awaiting = "key" if here.mark == "{" else "value"
        elif mark == ":" and awaiting == "colon":
            awaiting = "value"
        elif token["string"] and awaiting == "key":
            key, awaiting = (begin, text[begin + 1 : end - 1]), "colon"
        elif not mark and awaiting == "value" and here is not None:
            _add(here, key, begin, end, '"' if token["string"] else "")
            key, awaiting = None, "next"
        else:
            return None, begin
        at = end


def _may_end(here: _Value, awaiting: str) -> bool:
    opening = awaiting == ("key" if here.mark == "{" else "value")
    return awaiting == "next" or (opening and (not here.parts or here.mark == "("))


def _add(here: _Value | None, key: tuple[int, str] | None, value: int, end: int, mark: str) -> _Value:
    step = key[1] if key else len(here.parts) if here else ""
    added = _Value(key[0] if key else value, value, end, mark, step, here, here.depth + 1 if here else 0)
    if here is not None:
        here.parts.append(added)
    return added


def _cut(text: str, here: _Value | None) -> tuple[_Value | None, int]:
    """The text ends inside a value: what is complete is kept."""
    end = len(text.rstrip())
    root = None
    while here is not None:
        here.end, here.is_cut, root = end, True, here
        here = here.above
    return root, end


@dataclass(frozen=True, slots=True)
class Block:
    """JSON in an answer: `answer[start:end]`, the lines of its fence included, and what stands in it."""

    start: int
    end: int
    region: JsonRegion


def blocks(answer: str) -> Iterator[Block]:
    """Finds the JSON of an answer. JSON inside a sentence is a part of the sentence, and code stays code.

    Yields:
        The blocks in order; they do not overlap. JSON cut off at the end is read as far as it goes; other broken JSON
        is none. Time is linear in the answer.
    """
    fences = list(_FENCE.finditer(answer))
    pairs = deque(zip(fences[::2], fences[1::2], strict=False))
    at = 0
    for region in regions(answer, single=True):
        start, end = region.start, region.end
        while pairs and pairs[0][1].end() <= start:
            pairs.popleft()
        if pairs and pairs[0][0].start() < start:
            opening, closing = pairs[0]
            if opening[1].casefold() not in _JSON or end > closing.start():
                continue
            start, end = max(at, opening.start()), closing.end()
        elif not _alone(answer, start, end):
            continue
        yield Block(start, max(end, region.end), region)
        at = end


def _alone(answer: str, start: int, end: int) -> bool:
    """Whether a stretch begins a line, or follows a lead-in, and ends a line."""
    if not _BLANK.match(answer, end):
        return False
    return _ahead(answer, start) in _LEAD_IN


def _ahead(text: str, at: int) -> str:
    """The character before a place and the blanks ahead of it: a line break, or nothing, if it begins its line."""
    while at and text[at - 1] != "\n" and text[at - 1].isspace():  # no further: lines may be long
        at -= 1
    return text[at - 1 : at]
