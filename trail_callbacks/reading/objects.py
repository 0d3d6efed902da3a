"""The JSON objects in a stream, one after the other: lines, an array, an object around an array, or pretty-printed."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from trail_callbacks.errors import InputError

__all__ = ["LARGEST", "Broken", "Record", "json_objects"]

LARGEST = 64 * 1024 * 1024
"""Bytes of the longest line, field or single JSON value that is read."""

_BLOCK = 1 << 20
_FIRST = 1 << 22  # bytes of the first line that are read to see whether each line is a value
_SHORT = 256
_SPACE = re.compile(r"[\s,]*")
_AROUND = re.compile(r'\s*\{\s*"(\w+)"\s*:\s*\[')


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a file.

    Attributes:
        place: The file, and the line, row or item from 1.
        line: The line on which it begins, from 1.
        value: The object.
    """

    place: str
    line: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that cannot be used: where, and why. `line` is 0 if it is of the whole file."""

    place: str
    why: str
    line: int = 0


def json_objects(
    stream: IO[bytes], name: str, lists: Mapping[str, bool] | None = None, largest: int | None = None
) -> Iterator[Record | Broken]:
    """Yields the objects of a stream, of which no more than one is in memory.

    Args:
        stream: UTF-8 text.
        name: What it is called in places.
        lists: Names of lists in an object whose members are the records, not the object; True: each stays in an object
            with the name.
        largest: Bytes of the longest line or value; None is `LARGEST`.

    Raises:
        InputError: If one value is larger than can be read.
    """
    lists, largest = lists or {}, largest or LARGEST
    line, blank = stream.readline(_FIRST), 0
    while line and not line.strip():
        line, blank = stream.readline(_FIRST), blank + 1
    second = stream.readline(_FIRST)
    if _is_line(line, second):
        second = second if second.endswith(b"\n") else second + next(_rest(stream, largest), b"")
        yield from _lines(chain((line, second), _rest(stream, largest)), blank, name, lists, largest)
    else:
        blocks = chain((line, second), iter(lambda: stream.read(_BLOCK), b""))
        yield from _Reading(blocks, blank, name, lists, largest).values()


def _is_line(first: bytes, second: bytes) -> bool:
    """Whether each line is a JSON value, by the first two; the first may be broken, but is no start of a larger one."""
    if _loaded(first) is not None:
        return first.lstrip()[:1] == b"{" or second.lstrip()[:1] in {b"[", b"{"}
    starts = first.strip()[-1:] in {b"[", b"{", b",", b":"} or first.strip()[:1] == b"["
    return not starts and second[:1] == b"{" and isinstance(_loaded(second), dict)


def _loaded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _rest(stream: IO[bytes], largest: int) -> Iterator[bytes]:
    """The further lines; of one that is too long, one byte more than may be there, without what follows."""
    while line := stream.readline(largest + 1):
        more = line
        while len(more) > largest and not more.endswith(b"\n"):
            more = stream.readline(largest + 1)
        yield line


def _lines(
    lines: Iterator[bytes], before: int, name: str, lists: Mapping[str, bool], largest: int
) -> Iterator[Record | Broken]:
    for number, line in enumerate(lines, before + 1):
        place = f"{name}, line {number}"
        if len(line) > largest:
            yield Broken(place, f"is longer than {largest >> 20} MiB", number)
        elif line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                cut = "" if line.endswith(b"\n") else ": the line ends too early, perhaps it is still being written"
                yield Broken(place, f"the JSON is broken or truncated ({error}){cut}", number)
                continue
            yield from _objects(value, place, number, lists)


def _objects(value: object, place: str, line: int, lists: Mapping[str, bool]) -> Iterator[Record | Broken]:
    """The objects of a value: itself, or those of a list, or of the list that it is there for."""
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, list):
            todo += reversed(here)
        elif isinstance(here, dict):
            held = next((key for key, kept in lists.items() if not kept and isinstance(here.get(key), list)), None)
            if held is None or "id" in here:
                yield Record(place, line, here)
            else:
                todo.append(here[held])
        elif here is not None:
            yield Broken(place, "is no JSON object", line)


class _Reading:
    """Reads values that are not one a line: members of a list, or one value after another.

    Only the part of the text that is being read is in memory: `held`, of which the place `at` has been reached, on
    the line `line`.
    """

    def __init__(self, parts: Iterator[bytes], before: int, name: str, lists: Mapping[str, bool], largest: int) -> None:
        self._parts = parts
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._name, self._lists, self._largest = name, lists, largest
        self._wrapped: str | None = None  # the key of the list that is being read; empty for a bare one
        self._within = False  # it is in an object
        self.held = ""
        self.at = 0
        self.line = before + 1

    def values(self) -> Iterator[Record | Broken]:
        """Yields what there is to the end."""
        decoder, number = json.JSONDecoder(), 0
        while self._skip():
            if self._wrapped is None and self._entered():
                continue
            if self._wrapped is not None and self.held.startswith("]", self.at):
                if not self._left():
                    return  # the rest of the object around the list
                continue
            found = self._decoded(decoder)
            if found is None:
                continue  # with more of the text
            if isinstance(found, Broken):
                yield found
                return
            value, end = found
            number += 1
            if self._wrapped and self._lists.get(self._wrapped):
                value = {self._wrapped: [value]}
            where = f"item {number}" if self._wrapped is not None else f"line {self.line}"
            yield from _objects(value, f"{self._name}, {where}", self.line, self._lists)
            self._advance(end)
        if self._wrapped is not None:
            place = f"{self._name}, line {self.line}"
            yield Broken(place, "the file ends within a list: it is cut off", self.line)

    def _decoded(self, decoder: json.JSONDecoder) -> tuple[Any, int] | Broken | None:
        """The value that begins here and where it ends, or why there is none; None if more had to be read."""
        try:
            value, end = decoder.raw_decode(self.held, self.at)
        except (ValueError, RecursionError) as error:
            place = f"{self._name}, line {self.line}"
            if len(self.held) - self.at > self._largest:
                raise InputError(
                    f"{place}: one JSON value of more than {self._largest >> 20} MiB: write one object a line, for "
                    "example with jq -c '.resourceSpans[]'"
                ) from error
            if self._more():
                return None
            return Broken(place, f"the JSON is broken or truncated, perhaps cut off ({error})", self.line)
        if end == len(self.held) and self._more():
            return None  # a number may go on
        return value, end

    def _entered(self) -> bool:
        """Goes into a list that begins here."""
        if len(self.held) - self.at < _SHORT:
            self._more()
        around = _AROUND.match(self.held, self.at)
        if around is not None and around[1] in self._lists:
            self._wrapped, self._within = around[1], True
            self._advance(around.end())
        elif self.held.startswith("[", self.at):
            self._wrapped, self._within = "", False
            self._advance(self.at + 1)
        return self._wrapped is not None

    def _left(self) -> bool:
        """Goes out of a list; False if something follows in the object around it."""
        self._advance(self.at + 1)
        if self._within:
            if not (self._skip() and self.held.startswith("}", self.at)):
                return False
            self._advance(self.at + 1)
        self._wrapped = None
        return True

    def _more(self) -> bool:
        """Reads as much again as is held, so that a large object is not parsed too often; False at the end."""
        self.held = self.held[self.at :]
        self.at = 0
        wanted, parts = max(len(self.held), 1), []
        while wanted > 0 and (part := next(self._parts, None)) is not None:
            parts.append(self._decoder.decode(part))
            wanted -= len(parts[-1])
        self.held += "".join(parts)
        return bool(parts)

    def _advance(self, to: int) -> None:
        self.line += self.held.count("\n", self.at, to)
        self.at = to

    def _skip(self) -> bool:
        """Goes on behind space and commas; False at the end of the text."""
        while True:
            found = _SPACE.match(self.held, self.at)
            self._advance(found.end() if found else self.at)
            if self.at < len(self.held):
                return True
            if not self._more():
                return False
