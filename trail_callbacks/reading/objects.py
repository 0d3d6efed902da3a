"""The JSON objects in a stream, one after the other: lines, an array, an object around an array, or pretty-printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from trail_callbacks.errors import InputError

LARGEST = 64 * 1024 * 1024
"""Bytes of the longest line or field, and of a JSON text without lines, that is read."""

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
    """Yields the objects of a stream, in memory one line or, where values are not one a line, all of its text.

    Args:
        stream: UTF-8 text.
        name: What it is called in places.
        lists: Names of lists in an object whose members are the records, not the object; True: each stays in an object
            with the name.
        largest: Bytes of the longest line, or of a text without lines; None is `LARGEST`.

    Raises:
        InputError: If such a text is larger than can be read.
    """
    lists, largest = lists or {}, largest or LARGEST
    line, blank = stream.readline(largest + 1), 0
    while line and not line.strip():
        line, blank = stream.readline(largest + 1), blank + 1
    second = stream.readline(largest + 1)
    if _is_line(line, second):
        yield from _lines(_whole((line, second), stream, largest), blank, name, lists, largest)
        return
    text = line + second
    text += stream.read(max(0, largest + 1 - len(text)))
    if len(text) > largest:
        raise InputError(
            f"{name} has more than {largest >> 20} MiB that are not one JSON value a line: write one object a line, "
            "for example with jq -c '.resourceSpans[]'"
        )
    yield from _values(text.decode("utf-8", "replace"), blank, name, lists)


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


def _whole(first: Iterable[bytes], stream: IO[bytes], largest: int) -> Iterator[bytes]:
    """The lines; of one that is too long, one byte more than may be there, without what follows."""
    for line in chain(first, iter(lambda: stream.readline(largest + 1), b"")):
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


def _values(text: str, before: int, name: str, lists: Mapping[str, bool]) -> Iterator[Record | Broken]:
    """The objects of values that are not one a line: members of a list, or one value after another."""
    decoder = json.JSONDecoder()
    around: str | None = None  # the key of the list that is being read; empty for a bare one
    at, counted, line, number = 0, 0, before + 1, 0
    while (at := _behind(text, at)) < len(text):
        line, counted = line + text.count("\n", counted, at), at
        if around is None:
            found = _AROUND.match(text, at)
            if (found is not None and found[1] in lists) or text[at] == "[":
                around, at = (found[1], found.end()) if found is not None else ("", at + 1)
                continue
        elif text[at] == "]":
            at = _behind(text, at + 1) if around else at
            if text[at : at + 1] not in {"}", "]"}:
                return  # the rest of the object around the list
            around, at = None, at + 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            why = f"the JSON is broken or truncated, perhaps cut off ({error})"
            yield Broken(f"{name}, line {line}", why, line)
            return
        number += 1
        where = f"line {line}" if around is None else f"item {number}"
        kept = {around: [value]} if around and lists[around] else value
        yield from _objects(kept, f"{name}, {where}", line, lists)
    if around is not None:
        line += text.count("\n", counted)
        yield Broken(f"{name}, line {line}", "the file ends within a list: it is cut off", line)


def _behind(text: str, at: int) -> int:
    """The place behind space and commas."""
    found = _SPACE.match(text, at)
    return found.end() if found else at
