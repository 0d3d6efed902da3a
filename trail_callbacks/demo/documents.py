"""The documents of the demo: an invented museum harbour, in three files, and how its apps search them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files
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


def search(query: str, limit: int = 3) -> tuple[DemoDocument, ...]:
    """Finds the paragraphs that share most words with a query; rare words count more. Best first."""
    known = {part: set(keys(part.text)) for part in paragraphs()}
    frequency = Counter(word for words in known.values() for word in words)
    scores = {part: sum(1 / frequency[word] for word in set(keys(query)) & words) for part, words in known.items()}
    best = sorted(scores, key=lambda part: -scores[part])[:limit]
    return tuple(part for part in best if scores[part] > 0)
