"""The texts of `trail canary demo`: the pages and notes of an invented town, and how its apps cut them up."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.demo.documents import documents

__all__ = ["town", "windows"]


@cache
def town() -> Corpus:
    """Reads the corpus: thirty pages of the town and the three documents of its harbour."""
    folder = files("trail_callbacks.demo") / "town"
    pages = sorted((each for each in folder.iterdir() if each.name.endswith((".html", ".txt"))), key=lambda e: e.name)
    read = [Document(each.name, each.read_text(encoding="utf-8"), {"source": each.name}) for each in pages]
    return Corpus([*read, *(Document(each.name, each.text, {"source": each.name}) for each in documents())])


def windows(text: str, length: int, overlap: int) -> list[str]:
    """Cuts a text into windows that begin and end at a blank; lengths are in characters.

    The frameworks' own splitters would need another package, or data from the network.
    """
    cut: list[str] = []
    start = 0
    while start < len(text):
        end = len(text) if start + length >= len(text) else text.rfind(" ", start + overlap + 1, start + length)
        end = end if end > 0 else start + length
        cut.append(text[start:end].strip())
        if end == len(text):
            break
        begin = text.find(" ", end - overlap, end)
        start = begin + 1 if begin >= 0 else end
    return [each for each in cut if each]
