"""The functions that replace one kind of value, and several of them as one, and the placeholders that they write."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias, get_args

from trail_callbacks.errors import InputError
from trail_callbacks.redaction.finding import Found, find_cards, find_emails, find_ibans, find_keys, find_phones

_LETTERS = "bcdfghjklmnpqrstvwxz"  # neither digits, which would be read as quantities, nor vowels, which make words
_LENGTH = 6  # letters; of a thousand values in one run, two share a placeholder with a chance of under 1 %
_OWN = secrets.token_bytes(32)  # of this process, and of those forked from it


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


Kind: TypeAlias = Literal["key", "email", "iban", "card", "phone"]
"""What is replaced; in this order, if several are."""

_FIND: Mapping[Kind, Callable[[str], Iterator[Found]]] = {
    "key": find_keys,
    "email": find_emails,
    "iban": find_ibans,
    "card": find_cards,
    "phone": find_phones,
}


@dataclass(frozen=True, slots=True)
class Presets:
    """Replaces several kinds of values: a function for `redact`, which can be compared and pickled.

    Attributes:
        kinds: What is replaced.
        secret: See `presets`.
        distinct: Different values have different placeholders: redacted ids need nothing else to be told apart.
    """

    distinct: ClassVar[bool] = True
    kinds: tuple[Kind, ...]
    secret: bytes | None = field(default=None, repr=False)

    def __call__(self, text: str) -> str:
        """Returns the text with placeholders."""
        for kind in self.kinds:
            text = replaced(text, kind, _FIND[kind](text), self.secret)
        return text


def presets(*kinds: Kind, secret: bytes | None = None) -> Presets:
    """Returns a function for `redact` that replaces several kinds of values.

    Args:
        *kinds: `email`, `key` (API keys, tokens, passwords), `card` (payment cards), `iban` and `phone`; none for all.
        secret: Key of the hash that placeholders are made of, 16 to 64 bytes. With the same one two processes write
            the same placeholder for the same value, so that their reports can be compared; whoever has it can test
            guesses. By default each process has one of its own, which nobody can read.

    Raises:
        InputError: If a kind is unknown, or the secret has another length.
    """
    known = get_args(Kind)
    for kind in kinds:
        if kind not in known:
            raise InputError(f"there is no preset {kind!r}, expected some of {', '.join(known)}")
    if secret is not None:
        _check_secret(secret)
    return Presets(tuple(kind for kind in known if not kinds or kind in kinds), secret)


def _check_secret(secret: object) -> None:
    if not isinstance(secret, bytes) or not 16 <= len(secret) <= 64:  # noqa: PLR2004 - see above
        raise InputError("secret is no bytes of length 16 to 64: use secrets.token_bytes(32), and keep it")
