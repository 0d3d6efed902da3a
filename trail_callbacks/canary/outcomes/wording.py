"""Reads the tables of words beside it: `wording.txt` (what answers say of values) and `numbers.txt`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__all__ = ["alternatives", "pattern", "table"]

_HERE = Path(__file__).parent
_SECTION = re.compile(r"^\[(.+)\]\n", re.MULTILINE)
_NESTED = ("source", "given", "wrong")


@cache
def _sections(name: str) -> dict[str, list[str]]:
    _, *parts = _SECTION.split(_HERE.joinpath(name).read_text(encoding="utf-8"))
    return {
        title: [line for line in body.splitlines() if line and not line.startswith("#")]
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    }


@cache
def alternatives(section: str) -> str:
    """The words of a section of `wording.txt`, as alternatives of a regular expression without groups."""
    written = "|".join(_sections("wording.txt")[section])
    for name in _NESTED:
        if f"{{{name}}}" in written:
            written = written.replace(f"{{{name}}}", alternatives(name))
    return written


@cache
def pattern(section: str, *, words: bool = False) -> re.Pattern[str]:
    """A section of `wording.txt`, compiled at first use; case does not count.

    Args:
        section: Its title.
        words: Whether letters must not stand around a match.
    """
    listed = alternatives(section)
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)" if words else listed, re.IGNORECASE)


@cache
def table(section: str) -> dict[str, str]:
    """A section of `numbers.txt`: what stands behind each name."""
    return dict(line.split(" = ", 1) for line in _sections("numbers.txt")[section])
