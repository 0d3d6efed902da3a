"""How many tokens a text has, about, without a tokenizer: every provider has its own, and some tell nobody."""

from __future__ import annotations

__all__ = ["count"]

_LETTERS_A_TOKEN = 4.0  # English prose under common tokenizers


def count(text: str) -> int:
    """Latin letters come about four a token; signs of most other scripts about one each."""
    latin = sum(character < "\u0250" for character in text)
    return round(latin / _LETTERS_A_TOKEN + (len(text) - latin))
