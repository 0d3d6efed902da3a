"""What is put in the place of a value that was found."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Found", "replaced"]

_LETTERS = "bcdfghjklmnpqrstvwxz"  # neither digits, which would be read as quantities, nor vowels, which make words
_LENGTH = 6  # letters; of a thousand values in one run, two share a placeholder with a chance of under 1 %
_OWN = secrets.token_bytes(32)  # of this process, and of those forked from it


class Found(NamedTuple):
    """A value in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        value: The value in its normal form: two spellings of one value have one placeholder.
    """

    start: int
    end: int
    value: str


def replaced(text: str, kind: str, found: Iterable[Found], secret: bytes | None = None) -> str:
    """Returns a text with placeholders for values.

    Args:
        text: The text.
        kind: The kind of value, which the placeholder names.
        found: The values, in order and without overlap.
        secret: Key of the hash; None is that of this process.
    """
    parts: list[str] = []
    done = 0
    for start, end, value in found:
        parts += text[done:start], _placeholder(kind, value, secret or _OWN)
        done = end
    return "".join((*parts, text[done:])) if parts else text


def _placeholder(kind: str, value: str, secret: bytes) -> str:
    digest = hashlib.blake2b(f"{kind}\0{value}".encode("utf-8", "replace"), key=secret[:64], digest_size=8).digest()
    number, letters = int.from_bytes(digest, "big"), ""
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_LETTERS))
        letters += _LETTERS[place]
    return f"<{kind}:{letters}>"
