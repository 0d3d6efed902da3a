"""The documents of the demo: an invented museum harbour, in three files, and how its apps search them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from trail_callbacks.language.terms import keys

_NAMES = ("history.md", "fleet.md", "season.md")
_GAP = re.compile(r"\n{2,}")


@dataclass(frozen=True, slots=True)
class DemoDocument:
    """A file of the demo.

    Attributes:
        name: Its file name.
        text: Markdown.
    """

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
    return tuple(
        DemoDocument(each.name, part) for each in documents() for part in _GAP.split(each.text) if part.strip()
    )


def search(query: str, limit: int = 3) -> tuple[DemoDocument, ...]:
    """Finds the paragraphs that share most words with a query; rare words count more. Best first."""
    wanted = set(keys(query))
    word_sets = [set(keys(part.text)) for part in paragraphs()]
    frequency = {word: sum(word in words for words in word_sets) for word in wanted}
    scores = [sum(1 / frequency[word] for word in wanted & words) for words in word_sets]
    best = sorted(range(len(word_sets)), key=lambda i: -scores[i])[:limit]
    return tuple(paragraphs()[i] for i in best if scores[i] > 0)
