"""The texts of `trail canary demo`: the pages and notes of an invented town, and how its apps cut them up."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.passages.places import text_of_html
from trail_callbacks.demo.documents import documents
from trail_callbacks.text import sentences

_BLANK = re.compile(
    r"[ \t]*\n[ \t]*(?:\n[ \t]*)+|(?<=</p>)|(?<=</li>)|(?<=</tr>)|(?<=</h[1-6]>)|(?<=</div>)", re.IGNORECASE
)


@cache
def town() -> Corpus:
    """Reads the corpus: thirty pages of the town and the three documents of its harbour."""
    folder = files("trail_callbacks.demo") / "town"
    pages = sorted((each for each in folder.iterdir() if each.name.endswith((".html", ".txt"))), key=lambda e: e.name)
    read = [Document(each.name, each.read_text(encoding="utf-8"), {"source": each.name}) for each in pages]
    return Corpus([*read, *(Document(each.name, each.text, {"source": each.name}) for each in documents())])


def chunks(text: str, chunker: str, *, html: bool) -> list[str]:
    """Cuts a text up as a strategy of the demo says.

    The frameworks' own splitters would need another package, or data from the network.

    Args:
        text: A page or note.
        chunker: `sentence`, `paragraph`, or sizes in characters: `500/100` is windows of 500 that begin and end at a
            blank, with an overlap of 100.
        html: Keeps the tags of a page; otherwise only what it shows is cut up.
    """
    text = text if html else text_of_html(text)[0]
    if chunker == "sentence":
        found = [each.text for each in sentences(text)]
    elif chunker == "paragraph":
        found = _BLANK.split(text)
    else:
        length, overlap = map(int, chunker.split("/"))
        found, start, end = [], 0, 0
        while end < len(text):
            end = len(text) if start + length >= len(text) else text.rfind(" ", start + overlap + 1, start + length)
            end = end if end > 0 else start + length
            found.append(text[start:end].strip())
            start = max(text.find(" ", end - overlap, end) + 1, start + 1) if overlap else end
    return [each.strip() for each in found if each.strip()]
