"""JSON inside a text, as fields with offsets and addresses.

Libraries that map JSON to offsets only read whole documents, and recurse. Tool results may have prose around them, be
JSON lines, be truncated or written by `str(dict)`, and nest as deep as an attacker likes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

__all__ = ["Field", "Region", "json_path", "regions"]

_WHOLE = 300  # characters; a record up to this length stays one field
_RUN = 120  # characters of consecutive numbers that stay one field
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


@dataclass(slots=True, eq=False)
class _Container:
    """An object or array while it is being parsed."""

    start: int
    array: bool
    above: _Container | None
    step: str | int
    key: int  # offset of its key; in an array its own offset
    depth: int
    simple: bool  # a record: contains no list of records
    run: int  # characters of consecutive numbers that stay one field
    count: int = 0
    parts: list[_Part] = field(default_factory=list)
    names: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Part:
    start: int
    end: int
    value: int  # offset of the value, after its key
    step: str | int
    kind: str  # string, scalar or container
    last: int = 0  # for a run of numbers, the index of the last one


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
    _container: _Container | None
    _step: str | int = ""
    _last: int = 0

    @property
    def address(self) -> str:
        """Its place as a JSONPath: `$.data[0].price`, `$.values[0:40]`, `line 3: $.price`."""
        *above, step = self.steps
        last = f"[{step}:{self._last + 1}]" if isinstance(step, int) and self._last > step else json_path([step])
        path = json_path(above) + last
        return f"line {self.line}: ${path}" if self.line else f"${path}"

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The keys, as they are written, and indices that lead to it; the first is that of the root, and empty."""
        steps: list[str | int] = [self._step]
        container = self._container
        while container is not None:
            steps.append(container.step)
            container = container.above
        return tuple(reversed(steps))

    @property
    def record(self) -> tuple[int, ...]:
        """What tells the records it is in from all others, the outermost first: where each begins."""
        starts: list[int] = []
        container = self._container
        while container is not None:
            starts.append(container.start)
            container = container.above
        return tuple(reversed(starts))

    def lead(self, text: str) -> str:
        """The first short fields of the enclosing records, which show what it belongs to."""
        found: list[str] = []
        room = _LEAD
        container = self._container
        while container is not None and room > 0:
            named = ", ".join(text[a:b] for a, b in [n for n in container.names if n[0] != self.start][:_NAMES])
            if named and len(named) <= room:
                found.append(named)
                room -= len(named) + 2
            container = container.above
        return ", ".join(reversed(found))


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a text that is JSON.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        fields: Its fields, in order.
    """

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


def regions(text: str, *, single: bool = False) -> tuple[Region, ...]:
    """Finds the JSON in a text: whole documents, lines, inside prose or fences, in Python notation, or truncated.

    A record (an object without lists of records) of up to 300 characters is one field; a larger one is split into its
    fields. Broken JSON is left out.

    Args:
        text: Any text.
        single: Makes each string, number, truth value and null a field of its own.

    Returns:
        Regions in order, without overlap. Time and memory are linear in the text.
    """
    found: list[tuple[int, int, list[Field]]] = []
    at = 0
    broken = False
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    while start := _START.search(text, at):
        fields: list[Field] = []
        end, good = _read(text, start.start(), fields, single=single)
        whole = start.start() <= first and last <= end
        if good and ((single and fields and whole) or _is_data(text, start.start(), end, fields)):
            found.append((start.start(), end, fields))
        broken = broken or (not good and end > start.end())
        at = max(end, start.end())
    several = broken or len(found) > 1  # the rest of broken JSON is not the only root either
    out = []
    line, counted = 1, 0
    for a, b, fields in found:
        line, counted = line + text.count("\n", counted, a), a
        numbered = [_numbered(each, line) for each in fields] if several else fields
        out.append(Region(a, b, tuple(sorted(numbered, key=lambda each: each.start))))
    return tuple(out)


def _numbered(each: Field, line: int) -> Field:
    return Field(each.start, each.end, each.value, each.is_text, line, each._container, each._step, each._last)  # noqa: SLF001 - a copy


def _is_data(text: str, start: int, end: int, fields: list[Field]) -> bool:
    """Whether it is data; `[1]` in prose is a citation, and so is `["sic"]`."""
    if not fields:
        return False
    if text[start] == "{" or any(each._container is not None and not each._container.array for each in fields):  # noqa: SLF001 - of this module
        return True
    objects = any(text[each.value] == "{" for each in fields)
    before = start
    while before and text[before - 1] != "\n" and text[before - 1].isspace():  # no further: lines may be long
        before -= 1
    alone = (not before or text[before - 1] == "\n") and not text[end : end + 1].strip()
    return objects or (alone and any(quote in text[start:end] for quote in "\"'"))


def _read(text: str, at: int, out: list[Field], *, single: bool) -> tuple[int, bool]:  # noqa: C901, PLR0912 - one branch for each token
    """Parses one value; returns where it ends or breaks, and whether it is complete or merely truncated."""
    container: _Container | None = None
    key: tuple[int, str] | None = None
    tokens = _tokens()
    awaiting = "value"  # or: key, colon, next
    while True:
        token = tokens.match(text, at)
        if token is None or (single and (token["call"] or token["mark"] in {"(", ")"})):  # Python's, not of an answer
            solid = _SOLID.search(text, at)
            begin = solid.start() if solid else at
            if (
                text[begin : begin + 1] in {'"', "'"} and awaiting == "value" and container is not None
            ):  # an unterminated string
                _add(container, key, (begin, len(text.rstrip())), "string")
                return _truncated(text, container, out)
            return at, False
        begin, end = token.span(token.lastgroup or 0)
        if token["end"] is not None:
            return _truncated(text, container, out)
        mark = token["mark"]
        if mark in {"{", "[", "("} and awaiting == "value":
            if container is not None and container.depth >= _DEEPEST:
                return begin, False
            step = key[1] if key else container.count if container else ""
            depth = container.depth + 1 if container else 0
            at_key, run = key[0] if key else begin, 0 if single else _RUN
            container = _Container(begin, mark != "{", container, step, at_key, depth, not single, run)
            key, awaiting = None, "key" if mark == "{" else "value"
        elif (
            container is not None
            and mark == _CLOSING[text[container.start]]
            and (_may_end(container, awaiting) or (mark == ")" and awaiting == "value"))
        ):
            above = container.above
            _close(container, end, out)
            if above is None:
                return end, True
            container, awaiting = above, "next"
        elif mark == "," and awaiting == "next" and container is not None:
            awaiting = "value" if container.array else "key"
        elif mark == ":" and awaiting == "colon":
            awaiting = "value"
        elif token["string"] and awaiting == "key":
            key, awaiting = (begin, text[begin + 1 : end - 1]), "colon"
        elif (token["string"] or token["scalar"] or token["call"]) and awaiting == "value" and container is not None:
            _add(container, key, (begin, end), "string" if token["string"] else "scalar")
            key, awaiting = None, "next"
        else:
            return begin, False
        at = end


def _may_end(container: _Container, awaiting: str) -> bool:
    return awaiting == "next" or (not container.count and awaiting == ("value" if container.array else "key"))


def _truncated(text: str, container: _Container | None, out: list[Field]) -> tuple[int, bool]:
    """The text ends inside a value: what is complete is kept."""
    end = len(text.rstrip())
    while container is not None:
        above = container.above
        container.simple = False
        _close(container, end, out)
        container = above
    return end, bool(out)


def _add(container: _Container, key: tuple[int, str] | None, value: tuple[int, int], kind: str) -> None:
    start = key[0] if key else value[0]
    last = container.parts[-1] if container.parts else None
    if (
        container.array
        and kind == "scalar"
        and last
        and last.kind == "scalar"
        and value[1] - last.start <= container.run
    ):
        last.end, last.last = value[1], container.count
    else:
        container.parts.append(_Part(start, value[1], value[0], key[1] if key else container.count, kind))
    if not container.array and value[1] - start <= _SHORT and len(container.names) <= _NAMES:
        container.names.append((start, value[1]))
    container.count += 1


def _close(container: _Container, end: int, out: list[Field]) -> None:
    above = container.above
    if above is not None:
        above.count += 1
        above.simple = above.simple and container.simple and not above.array
    if container.simple and end - container.start <= _WHOLE:
        if above is not None:
            above.parts.append(_Part(container.key, end, container.start, container.step, "container"))
        elif container.count:
            out.append(Field(container.start, end, container.start, False, 0, None))
    else:
        out.extend(
            Field(part.start, part.end, part.value, part.kind == "string", 0, container, part.step, part.last)
            for part in container.parts
        )
        if above is not None:
            above.simple = False
    container.parts = []


def _path_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    step = " ".join(step.split())
    if not step or _PLAIN.fullmatch(step):
        return f".{step[:_KEY]}" if step else ""
    return f"['{step[:_KEY]}']"
