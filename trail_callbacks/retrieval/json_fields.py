"""JSON inside a text as fields with offsets and addresses: what a tool returned, read without losing where it stands.

Libraries that map JSON to offsets read whole documents only and recurse; tool results come with prose around them, as
lines of JSON, cut off in the middle or written by `str(dict)`, and they may nest as deep as an attacker likes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

__all__ = ["Field", "Region", "regions"]

_WHOLE = 300  # signs; up to here a record stays one field
_RUN = 120  # signs of a row of numbers that stay together
_DEEPEST = 100  # deeper nesting is an attack or a dump: nobody reads its addresses
_NAMES = 3  # fields of a record that tell which one it is
_SHORT = 60  # signs of such a field
_KEY = 40  # signs of a key in an address
_LEAD = 200

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"' + r"|'[^'\\]*(?:\\.[^'\\]*)*'"
_START = re.compile(r"\{(?=\s*[\"'])|\[(?=\s*[\[{\"'\-\dtfnTFN])")
_PLAIN = re.compile(r"[^\W\d]\w*")


@dataclass(slots=True, eq=False)
class _Box:
    """An object or array that is being read."""

    start: int
    array: bool
    above: _Box | None
    step: str | int
    key: int  # where its key begins; its own start in an array
    depth: int
    simple: bool = True  # a record: holds no list of records
    count: int = 0
    parts: list[_Part] = field(default_factory=list)
    names: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Part:
    start: int
    end: int
    value: int  # where the value begins, behind its key
    step: str | int
    kind: str  # string, scalar or box
    last: int = 0  # for a run of numbers, the index of its last


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A record, field or element of JSON that is small enough to be read at once.

    Attributes:
        start: Offset in the text; a field begins with its key.
        end: Offset after it.
        value: Offset of the value.
        is_text: Whether the value is a string.
        line: Line of the text, from 1, on which the JSON begins; 0 where it is all the JSON there is.
    """

    start: int
    end: int
    value: int
    is_text: bool
    line: int
    _box: _Box | None
    _step: str | int = ""
    _last: int = 0

    @property
    def address(self) -> str:
        """Where it stands, as a JSONPath: `$.data[0].price`, `$.values[0:40]`, `line 3: $.price`."""
        path = _shown(self._step)
        if isinstance(self._step, int) and self._last > self._step:
            path = f"[{self._step}:{self._last + 1}]"
        box = self._box
        while box is not None:
            path = _shown(box.step) + path
            box = box.above
        return f"line {self.line}: ${path}" if self.line else f"${path}"

    def lead(self, text: str) -> str:
        """The first short fields of the records around it, which tell what it belongs to."""
        found: list[str] = []
        room = _LEAD
        box = self._box
        while box is not None and room > 0:
            named = ", ".join(text[a:b] for a, b in [n for n in box.names if n[0] != self.start][:_NAMES])
            if named and len(named) <= room:
                found.append(named)
                room -= len(named) + 2
            box = box.above
        return ", ".join(reversed(found))


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a text that is JSON.

    Attributes:
        start: Offset.
        end: Offset after it.
        fields: What it falls into, in order.
    """

    start: int
    end: int
    fields: tuple[Field, ...]


@cache
def _tokens() -> re.Pattern[str]:
    """Compiles at first use, to keep the import of the package short."""
    return re.compile(
        rf"\s*(?:(?P<string>{_STRING})"
        r"|(?P<scalar>(?:-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity|inf)|true|false|null|NaN|True|False|None|nan)(?![\w.]))"
        r"|(?P<mark>[{}\[\],:])|(?P<end>\Z))",
        re.DOTALL,
    )


def regions(text: str) -> tuple[Region, ...]:
    """Finds the JSON in a text: documents, lines, inside prose or fences, in Python's notation, cut off at the end.

    A record (an object without lists of records) of up to 300 signs is one field; a larger one falls into its
    fields. JSON that is broken is left out.

    Args:
        text: Any text.

    Returns:
        Regions in order, without overlap. Time and memory are linear in the text.
    """
    found: list[tuple[int, int, list[Field]]] = []
    at = 0
    broken = False
    while start := _START.search(text, at):
        fields: list[Field] = []
        end, good = _read(text, start.start(), fields)
        if good and _tells(text, start.start(), end, fields):
            found.append((start.start(), end, fields))
        broken = broken or (not good and end > start.end())
        at = max(end, start.end())
    several = broken or len(found) > 1  # what is left of broken JSON is no root either
    out = []
    line, counted = 1, 0
    for a, b, fields in found:
        line, counted = line + text.count("\n", counted, a), a
        numbered = [_numbered(each, line) for each in fields] if several else fields
        out.append(Region(a, b, tuple(sorted(numbered, key=lambda each: each.start))))
    return tuple(out)


def _numbered(each: Field, line: int) -> Field:
    return Field(each.start, each.end, each.value, each.is_text, line, each._box, each._step, each._last)  # noqa: SLF001 - a copy of its own kind


def _tells(text: str, start: int, end: int, fields: list[Field]) -> bool:
    """Whether it is data: `[1]` in prose is a citation, and so is `["sic"]`."""
    if not fields:
        return False
    if text[start] == "{" or any(each._box is not None and not each._box.array for each in fields):  # noqa: SLF001 - of this module
        return True
    objects = any(text[each.value] == "{" for each in fields)
    alone = not text[text.rfind("\n", 0, start) + 1 : start].strip() and not text[end : end + 1].strip()
    return objects or (alone and any(sign in text[start:end] for sign in "\"'"))


def _read(text: str, at: int, out: list[Field]) -> tuple[int, bool]:  # noqa: C901, PLR0912 - one branch a token
    """Reads one value; returns where it ends or breaks, and whether it is whole or was only cut off."""
    box: _Box | None = None
    key: tuple[int, str] | None = None
    tokens = _tokens()
    awaiting = "value"  # or: key, colon, next
    while True:
        token = tokens.match(text, at)
        if token is None:
            begin = len(text) - len(text[at:].lstrip())
            if text[begin] in "\"'" and awaiting == "value" and box is not None:  # a string without an end
                _add(box, key, (begin, len(text.rstrip())), "string")
                return _cut_off(text, box, out)
            return at, False
        begin, end = token.span(token.lastgroup or 0)
        if token["end"] is not None:
            return _cut_off(text, box, out)
        mark = token["mark"]
        if mark in {"{", "["} and awaiting == "value":
            if box is not None and box.depth >= _DEEPEST:
                return begin, False
            step = key[1] if key else box.count if box else ""
            depth = box.depth + 1 if box else 0
            box = _Box(begin, mark == "[", box, step, key[0] if key else begin, depth)
            key, awaiting = None, "value" if mark == "[" else "key"
        elif mark in {"}", "]"} and box is not None and box.array == (mark == "]") and _may_end(box, awaiting):
            above = box.above
            _close(box, end, out)
            if above is None:
                return end, True
            box, awaiting = above, "next"
        elif mark == "," and awaiting == "next" and box is not None:
            awaiting = "value" if box.array else "key"
        elif mark == ":" and awaiting == "colon":
            awaiting = "value"
        elif token["string"] and awaiting == "key":
            key, awaiting = (begin, text[begin + 1 : end - 1]), "colon"
        elif (token["string"] or token["scalar"]) and awaiting == "value" and box is not None:
            _add(box, key, (begin, end), "string" if token["string"] else "scalar")
            key, awaiting = None, "next"
        else:
            return begin, False
        at = end


def _may_end(box: _Box, awaiting: str) -> bool:
    return awaiting == "next" or (not box.count and awaiting == ("value" if box.array else "key"))


def _cut_off(text: str, box: _Box | None, out: list[Field]) -> tuple[int, bool]:
    """The text ends inside: what is complete still counts."""
    end = len(text.rstrip())
    while box is not None:
        above = box.above
        box.simple = False
        _close(box, end, out)
        box = above
    return end, bool(out)


def _add(box: _Box, key: tuple[int, str] | None, value: tuple[int, int], kind: str) -> None:
    start = key[0] if key else value[0]
    last = box.parts[-1] if box.parts else None
    if box.array and kind == "scalar" and last and last.kind == "scalar" and value[1] - last.start <= _RUN:
        last.end, last.last = value[1], box.count
    else:
        box.parts.append(_Part(start, value[1], value[0], key[1] if key else box.count, kind))
    if not box.array and value[1] - start <= _SHORT and len(box.names) <= _NAMES:
        box.names.append((start, value[1]))
    box.count += 1


def _close(box: _Box, end: int, out: list[Field]) -> None:
    above = box.above
    if above is not None:
        above.count += 1
        above.simple = above.simple and box.simple and not above.array
    if box.simple and end - box.start <= _WHOLE:
        if above is not None:
            above.parts.append(_Part(box.key, end, box.start, box.step, "box"))
        elif box.count:
            out.append(Field(box.start, end, box.start, False, 0, None))
    else:
        for part in box.parts:
            out.append(Field(part.start, part.end, part.value, part.kind == "string", 0, box, part.step, part.last))  # noqa: PERF401 - `out` is shared
        if above is not None:
            above.simple = False
    box.parts = []


def _shown(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    step = " ".join(step.split())
    if not step or _PLAIN.fullmatch(step):
        return f".{step[:_KEY]}" if step else ""
    return f"['{step[:_KEY]}']"
