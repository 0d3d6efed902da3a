"""Reads the table beside it, `wording.txt`: what answers say of values."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from trail_callbacks.language.refusals import sources

__all__ = ["alternatives", "pattern"]

_TABLE = Path(__file__).with_name("wording.txt")
_SECTION = re.compile(r"^\[(.+)\]\n", re.MULTILINE)


@cache
def _sections() -> dict[str, list[str]]:
    _, *parts = _SECTION.split(_TABLE.read_text(encoding="utf-8"))
    return {
        title: [line for line in body.splitlines() if line] for title, body in zip(parts[::2], parts[1::2], strict=True)
    }


@cache
def alternatives(section: str) -> str:
    """The words of a section, as alternatives of a regular expression without groups."""
    if section == "source":
        return sources()
    written = "|".join(_sections()[section])
    for name in ("source", "wrong"):
        written = written.replace(f"{{{name}}}", alternatives(name)) if f"{{{name}}}" in written else written
    return written


@cache
def pattern(section: str, *, words: bool = False) -> re.Pattern[str]:
    """A section, compiled at first use, in which case does not count; `words`: no letters stand around a match."""
    listed = alternatives(section)
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)" if words else listed, re.IGNORECASE)
