"""Marks in a passage around what edits change, which survive until its markup is gone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trail_callbacks.canary.edit import Replacement
from trail_callbacks.retrieval.passages import Span
from trail_callbacks.splitting.marks import marker

__all__ = ["MARKS", "OWN", "bare", "joined", "marked", "parsed"]

OWN, _OWN_END, _OTHER, _OTHER_END = "\ue000", "\ue001", "\ue002", "\ue003"  # private characters, taken out of texts
MARKS: Final = re.compile(f"[{OWN}-{_OTHER_END}]")
"""The marks, as a pattern."""


def marked(text: str, passage: Span, inside: Sequence[tuple[Replacement, bool]], real: str) -> str:
    """The passage with private characters around what is replaced."""
    parts, at = [], passage.start
    for each, own in inside:
        start, end = max(each.start, at), min(each.end, passage.end)
        if own:  # of a longer stretch that is replaced, such as a sentence, only the value itself
            found = text.find(real, start, end)
            if found >= 0:
                start, end = found, found + len(real)
        if end <= start:
            continue
        parts += [MARKS.sub(" ", text[at:start]), OWN if own else _OTHER]
        parts += [MARKS.sub(" ", text[start:end]), _OWN_END if own else _OTHER_END]
        at = end
    return "".join((*parts, MARKS.sub(" ", text[at : passage.end])))


def bare(line: str) -> str:
    """A line without what makes it a list item or a heading."""
    line = line.lstrip("# ") if line.startswith("#") else line
    return line[marker(line)[0] :].strip()


def parsed(marked: str) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]] | None:
    """The text without private characters, and what they enclosed; None if cleaning took one of a pair."""
    text: list[str] = []
    length, at = 0, 0
    values: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    opened: tuple[str, int] | None = None
    for mark in MARKS.finditer(marked):
        text.append(marked[at : mark.start()])
        length, at = length + mark.start() - at, mark.end()
        if mark[0] in {OWN, _OTHER}:
            if opened is not None:
                return None
            opened = (mark[0], length)
        else:
            if opened is None or (opened[0] == OWN) != (mark[0] == _OWN_END):
                return None
            (values if opened[0] == OWN else others).append((opened[1], length))
            opened = None
    text.append(marked[at:])
    return None if opened is not None else ("".join(text), values, others)


def joined(text: str, values: Sequence[tuple[int, int]], real: str) -> list[tuple[int, int]]:
    """Values as a person sees them: a name whose words are replaced one by one is one value."""
    found: list[tuple[int, int]] = []
    for start, end in values:
        if found and end <= found[-1][1]:
            continue
        at = text.find(real, max(0, end - len(real)), start + len(real)) if real else -1
        if at >= 0:
            start, end = min(start, at), max(end, at + len(real))  # noqa: PLW2901 - the whole of it
        if found and (start <= found[-1][1] or text[found[-1][1] : start].isspace()):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
