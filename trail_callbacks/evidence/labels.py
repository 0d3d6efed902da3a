"""Numbers that an app prints before its sources, for a model to cite: `[2] ...`, `Source 2: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LABEL = re.compile(
    r"^[ \t]{0,8}(?:\[(\d{1,3})\]|\u3010(\d{1,3})[^\u3010\u3011\n]{0,40}\u3011"
    r"|(?:source|document|doc|passage|context|chunk|reference|snippet|excerpt)\s?[#\[]?(\d{1,3})\]?\s?(?:[:.)\u2013-]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(r"(?<=\s)(?:\[(1)\]|(?i:source|document|passage)\s(1)\s?[:.)])")


class Labelled(NamedTuple):
    """A labelled part of a text: the label starts at `start`, what it stands for at `body`, the next label at `end`."""

    label: str
    start: int
    body: int
    end: int


def labelled(text: str) -> Iterator[Labelled]:
    """Finds the labelled parts of a text, in order; a label may come more than once."""
    found = list(_LABEL.finditer(text))
    if found and _number(found[0]) == "2":  # `Answer from [1] ...`: a prompt may go on before its first source
        first = _FIRST.search(text, 0, found[0].start())
        found = [first, *found] if first else found
    ends = [*(one.start() for one in found[1:]), len(text)]
    for one, end in zip(found, ends, strict=False):
        yield Labelled(_number(one), one.start(), one.end(), end)


def _number(found: re.Match[str]) -> str:
    return str(int(next(filter(None, found.groups()))))
