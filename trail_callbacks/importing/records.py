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
    first = _line(stream)
    blank = 0
    while first and not first.strip():
        first, blank = _line(stream), blank + 1
    if _is_line(first, second := _line(stream)):
        yield from _lines(chain((first, second), iter(lambda: _line(stream), b"")), blank, name, on_error)
    else:
        yield from _values(_Text(chain((first, second), iter(lambda: stream.read(_BLOCK), b"")), blank), name, on_error)


def _line(stream: IO[bytes]) -> bytes:
    return stream.readline(_LARGEST)


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
    """Reads values that are not one a line: members of an array, or one value after another."""
    decoder = json.JSONDecoder()
    text.more()
    found = _AROUND.match(text.held)
    inside = found is not None or text.held.lstrip()[:1] == "["
    if inside:
        wrapped = found[1] if found else ""
        text.skip(found.end() if found else text.held.index("[") + 1)
    else:
        wrapped = ""
    while True:
        text.skip_space()
        if not text.held:
            if inside:
                on_error(text.line, InputError(f"{name}, line {text.line}: the file ends within a list: it is cut off"))
            return
        if inside and text.held[0] == "]":
            return  # what may follow is the end of the object around the list
        try:
            value, end = decoder.raw_decode(text.held)
        except (ValueError, RecursionError) as error:
            if len(text.held) > _LARGEST:
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
        value = {"resourceSpans": [value]} if wrapped.startswith("resource") else value
        yield from _objects(value, text.line, name, on_error)
        text.skip(end)


class _Text:
    """A text of which only the part that is being read is in memory."""

    def __init__(self, parts: Iterator[bytes], before: int) -> None:
        self._parts = parts
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.held = ""
        self.line = before + 1

    def more(self) -> bool:
        """Reads as much again as is held, so that a large object is not parsed too often; False at the end."""
        wanted, parts = max(len(self.held), 1), []
        while wanted > 0 and (part := next(self._parts, None)) is not None:
            parts.append(self._decoder.decode(part))
            wanted -= len(parts[-1])
        if not parts:
            return False
        self.held += "".join(parts)
        return True

    def skip(self, count: int) -> None:
        self.line += self.held.count("\n", 0, count)
        self.held = self.held[count:]

    def skip_space(self) -> None:
        """Goes on to the next value; commas, too, stand between those of a list."""
        while True:
            found = _SPACE.match(self.held)
            self.skip(found.end() if found else 0)
            if self.held or not self.more():
                return
