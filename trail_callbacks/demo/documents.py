"""The documents of the demo: an invented museum harbour, in three files, and how its apps search them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from math import log
from typing import NamedTuple

from trail_callbacks.language.terms import keys

_NAMES = ("history.md", "fleet.md", "season.md")
_GAP = re.compile(r"\n{2,}")


class DemoDocument(NamedTuple):
    """A file of the demo, by its name, or a part of one; Markdown."""

    name: str
    text: str


@cache
def documents() -> tuple[DemoDocument, ...]:
    """Reads the documents."""
    folder = files("trail_callbacks.demo") / "documents"
    return tuple(DemoDocument(name, (folder / name).read_text(encoding="utf-8")) for name in _NAMES)


@cache
def paragraphs() -> tuple[DemoDocument, ...]:
    """The paragraphs and tables of all documents, each with the name of its file."""
    parts = ((each.name, part) for each in documents() for part in _GAP.split(each.text))
    return tuple(DemoDocument(name, part) for name, part in parts if part.strip())


class Shelf:
    """Passages that are found by the words which they share with a question; rare ones count more."""

    def __init__(self, passages: Iterable[str]) -> None:
        self._passages = [(passage, frozenset(keys(passage))) for passage in passages]
        self._common = Counter(key for _, found in self._passages for key in found)

    def find(self, question: str, most: int) -> list[str]:
        """Returns the best passages, the best one first; none without a common word."""
        asked = {key: log(1 + len(self._passages) / self._common[key]) for key in keys(question) if self._common[key]}
        scores = [(sum(asked[key] for key in asked.keys() & found), passage) for passage, found in self._passages]
        best = sorted((each for each in scores if each[0]), key=lambda each: -each[0])
        return [passage for _, passage in best[:most]]


def search(query: str) -> list[str]:
    """Finds the three paragraphs that share most words with a query."""
    return Shelf(each.text for each in paragraphs()).find(query, 3)
