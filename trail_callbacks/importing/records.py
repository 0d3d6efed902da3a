"""The JSON objects in a stream, one after the other: lines, an array, an object around an array, or pretty-printed."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from trail_callbacks.errors import InputError

__all__ = ["Record", "records"]

_AROUND = re.compile(r'\s*\{\s*"(runs|data|resourceSpans|resource_spans|spans|observations|traces)"\s*:\s*\[')
"""The start of an object that holds nothing but an array, as far as one sees: its members are read one by one."""
_LISTS = ("runs", "data", "spans", "traces", "items", "results")
_BLOCK = 1 << 20
_LARGEST = 1 << 28
"""Characters of the largest object that is read as one."""
_FIRST = 1 << 22
"""Bytes of the first line that are read to see whether each line is a value."""
_SHORT = 256
_SPACE = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Record:
    """One object.

    Attributes:
        line: The line on which it begins, from 1.
        value: The object.
    """

    line: int
    value: Mapping[str, Any]


def records(stream: IO[bytes], name: str, on_error: Callable[[int, InputError], object]) -> Iterator[Record]:
    """Yields the objects of a stream, of which no more than one is in memory.

    Args:
        stream: UTF-8 text.
        name: What it is called in errors.
        on_error: Called with the line and what is wrong with it; it is left out then.
    """
    first = stream.readline(_FIRST)
    blank = 0
    while first and not first.strip():
        first, blank = stream.readline(_FIRST), blank + 1
    second = stream.readline(_FIRST)
    if _is_line(first, second):
        rest = b"" if second.endswith(b"\n") else stream.readline(_LARGEST)
        lines = chain((first, second + rest), iter(lambda: stream.readline(_LARGEST), b""))
        yield from _lines(lines, blank, name, on_error)
    else:
        yield from _values(_Text(chain((first, second), iter(lambda: stream.read(_BLOCK), b"")), blank), name, on_error)


def _is_line(first: bytes, second: bytes) -> bool:
    """Whether each line is a JSON value, by the first two; the first may be broken, but is no start of a larger one."""
    if _loaded(first) is not None:
        return first.lstrip()[:1] == b"{" or second.lstrip()[:1] in {b"[", b"{"}
    starts = first.strip()[-1:] in {b"[", b"{", b",", b":"} or first.strip() == b""
    return not starts and second[:1] == b"{" and isinstance(_loaded(second), dict)


def _loaded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _lines(
    lines: Iterator[bytes], before: int, name: str, on_error: Callable[[int, InputError], object]
) -> Iterator[Record]:
    for number, line in enumerate(lines, before + 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            cut = "" if line.endswith(b"\n") else ": the line ends too early, perhaps it is still being written"
            on_error(number, InputError(f"{name}, line {number}: not JSON ({error}){cut}"))
            continue
        yield from _objects(value, number, name, on_error)


def _objects(value: object, line: int, name: str, on_error: Callable[[int, InputError], object]) -> Iterator[Record]:
    """The objects of a value: itself, or those of a list, or of the list that it is there for."""
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, list):
            todo += reversed(here)
        elif isinstance(here, dict):
            held = next((here[key] for key in _LISTS if isinstance(here.get(key), list) and "id" not in here), None)
            if held is None:
                yield Record(line, here)
            else:
                todo.append(held)
        elif here is not None:
            kind = type(here).__name__
            on_error(line, InputError(f"{name}, line {line}: a {kind}, expected a JSON object"))


def _values(text: _Text, name: str, on_error: Callable[[int, InputError], object]) -> Iterator[Record]:
    """Reads values that are not one a line: members of a list, or one value after another."""
    decoder = json.JSONDecoder()
    wrapped: str | None = None  # the key of the list that is being read; empty for a bare one
    while text.skip(_SPACE):
        if wrapped is None and (wrapped := _entered(text)) is not None:
            continue
        if wrapped is not None and text.starts_with("]"):
            text.advance(text.at + 1)
            if wrapped and not (text.skip(_SPACE) and text.starts_with("}")):
                return  # the rest of the object around the list
            text.advance(text.at + bool(wrapped))
            wrapped = None
            continue
        try:
            value, end = decoder.raw_decode(text.held, text.at)
        except (ValueError, RecursionError) as error:
            if len(text.held) - text.at > _LARGEST:
                raise InputError(
                    f"{name}, line {text.line}: one JSON object of more than {_LARGEST >> 20} MB: write JSON lines "
                    "instead, for example with jq -c '.resourceSpans[]'"
                ) from error
            if text.more():
                continue
            on_error(text.line, InputError(f"{name}, line {text.line}: not JSON, or cut off ({error})"))
            return
        if end == len(text.held) and text.more():
            continue  # a number may go on
        value = {"resourceSpans": [value]} if wrapped and wrapped.startswith("resource") else value
        yield from _objects(value, text.line, name, on_error)
        text.advance(end)
    if wrapped is not None:
        on_error(text.line, InputError(f"{name}, line {text.line}: the file ends within a list: it is cut off"))


def _entered(text: _Text) -> str | None:
    """Goes into a list that begins here; returns its key in the object around it, which may be empty, else None."""
    around = text.match(_AROUND)
    if around is not None:
        text.advance(around.end())
        return around[1]
    if text.starts_with("["):
        text.advance(text.at + 1)
        return ""
    return None


class _Text:
    """A text of which only the part that is being read is in memory.

    Attributes:
        held: That part.
        at: The place in it that has been reached.
        line: The line of that place, from 1.
    """

    def __init__(self, parts: Iterator[bytes], before: int) -> None:
        self._parts = parts
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.held = ""
        self.at = 0
        self.line = before + 1

    def more(self) -> bool:
        """Reads as much again as is held, so that a large object is not parsed too often; False at the end."""
        self.held = self.held[self.at :]
        self.at = 0
        wanted, parts = max(len(self.held), 1), []
        while wanted > 0 and (part := next(self._parts, None)) is not None:
            parts.append(self._decoder.decode(part))
            wanted -= len(parts[-1])
        if not parts:
            return False
        self.held += "".join(parts)
        return True

    def advance(self, to: int) -> None:
        """Goes on to a place in what is held."""
        self.line += self.held.count("\n", self.at, to)
        self.at = to

    def skip(self, what: re.Pattern[str]) -> bool:
        """Goes on behind what matches, which may be nothing; False at the end of the text."""
        while True:
            found = what.match(self.held, self.at)
            self.advance(found.end() if found else self.at)
            if self.at < len(self.held):
                return True
            if not self.more():
                return False

    def match(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """Matches a short pattern at the place that has been reached."""
        if len(self.held) - self.at < _SHORT:
            self.more()
        return what.match(self.held, self.at)

    def starts_with(self, what: str) -> bool:
        return self.held.startswith(what, self.at)
