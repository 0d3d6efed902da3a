"""What an answer shows its reader and no claim is made of, so that whoever lets it through can name it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.text import IGNORABLE

# An address by its scheme, an autolink, the goal of a link, of an image or of a reference.
_ADDRESS = re.compile(
    r"((?:(?<![\w+.-])[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s)\]>\"'`|]{1,2000})|<([a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,2000})>"
    r"|\]\([ \t]{0,9}<?([^()\s<>]{1,2000})"
    r"|^[ \t]{0,3}\[[^\[\]^\n][^\[\]\n]{0,100}\]:[ \t]{0,9}<?(?=\S{0,99}?(?:[/#]|\.\w))([^\s<>]{1,2000})",
    re.IGNORECASE | re.MULTILINE,
)
_FLAG = re.compile("\U0001f3f4[\U000e0060-\U000e007f]{2,8}")  # such as that of Scotland, spelled in tags
_HIDDEN = re.compile(f"[\u202d\u202e\U000e0000-\U000e007f]|[{IGNORABLE}]{{4,}}")
_LETTER = re.compile(r"[^\W_]")
_RULES = frozenset("|:-=+*_~#>")  # what draws lines and marks of Markdown
_SIGNS, _GROUPS = 6, 3  # of which a line says something that no letter says, such as Morse


def unclaimed(graph: ProvenanceGraph) -> tuple[str, ...]:
    """Names what the answer of a graph holds beside all that can be a claim; time is linear in its texts.

    They are `code or formulas`, `addresses` that are in no source, `hidden characters` (tags, runs of what is not seen,
    overrides of the direction of writing), and `signs`: lines without a letter or digit, such as Morse.
    """
    from trail_callbacks.splitting.code import code_spans  # noqa: PLC0415 - most answers hold none

    text, leaves = graph.answer.text if graph.answer else "", graph.leaves()
    known = {each.rstrip("/") for leaf in leaves for each in leaf.attributes.values() if isinstance(each, str)}
    new = {*_addresses([text])} - known
    found = {
        "code or formulas": code_spans(text),
        "addresses": new and new.difference(_addresses(leaf.text for leaf in leaves)),
        "hidden characters": not text.isascii() and _HIDDEN.search(_FLAG.sub("", text)),
        "signs": any(map(_is_signs, text.splitlines())),
    }
    return tuple(name for name, there in found.items() if there)


def _addresses(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for found in _ADDRESS.finditer(text):
            yield found[found.lastindex or 0].rstrip(".,;:!?*_/")


def _is_signs(line: str) -> bool:
    groups = line.split()
    signs = set(line) - _RULES - {" "}
    if len(groups) < _GROUPS or not signs or _LETTER.search(line):
        return False
    return len("".join(groups)) >= _SIGNS and len(set("".join(groups))) > 1
