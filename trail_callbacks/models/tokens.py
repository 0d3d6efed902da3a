"""How many tokens a text has, about, without a tokenizer: every provider has its own, and some tell nobody."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"([A-Za-z\u00c0-\u024f]+)"
    r"|(\d+)"
    r"|([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
    r"|([^\W\d_])"
    r"|(\n\s*)"
    r"|([!-/:-@\[-`{-~])"
    r"|\S"
)
# Least squares over cl100k_base, rounded: 600 English texts (RAG answers, claims, agents' logs) and 150 pages each of
# manuals in German, Spanish, French, Polish, Russian, Japanese and Chinese. Half of the texts of a language come within
# 3 to 11 % of the real count, nine in ten within 8 to 21 %. Newer tokenizers write fewer for other scripts than Latin.
_LONG, _SPLIT = 9, 0.45  # a Latin word is one token, and each letter beyond the ninth a part of one
_ACCENT = 3.0  # and each letter with an accent: words of languages that have them come apart
_DIGITS, _NUMBER = 3, 1.9  # each group of three digits, with the character or blank beside it
_COSTS = {3: 1.0, 4: 0.5, 5: 0.6, 6: 0.55}  # East Asian characters; letters of other scripts; line breaks; ASCII marks
_SYMBOL = 1.5


def count(text: str) -> int:
    """Estimates the tokens of a text, whatever its language."""
    total = 0.0
    for piece in _PIECE.finditer(text):
        kind = piece.lastindex
        if kind == 1:
            word = piece[1]
            total += 1 + _SPLIT * max(0, len(word) - _LONG)
            if not word.isascii():
                total += _ACCENT * sum(letter > "\x7f" for letter in word)
        elif kind == 2:  # noqa: PLR2004 - the groups of the pattern, in order
            total += _NUMBER * -(-len(piece[2]) // _DIGITS)
        else:
            total += _COSTS.get(kind or 0, _SYMBOL)
    return round(total)
