"""An embedding that needs no model: a bag of hashed words, long words weighing more."""

from __future__ import annotations

import re
from zlib import crc32

_WIDTH = 512
_WORD = re.compile(r"\w+")


def embed(text: str) -> list[float]:
    """Returns a vector of length 1."""
    vector = [0.0] * _WIDTH
    for word in set(_WORD.findall(text.casefold())):
        vector[crc32(word.encode()) % _WIDTH] += len(word) ** 1.5
    size = sum(value * value for value in vector) ** 0.5 or 1.0
    return [value / size for value in vector]
