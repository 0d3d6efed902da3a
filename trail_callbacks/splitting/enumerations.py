"""Enumerations whose items can be claimed one by one: `It offers: a pool, a sauna and two bars`.

Only behind verbs that say the same of each thing (to offer, to include), never behind those that speak of all together
(to consist of, to combine), and only where each item is a noun phrase by its own form.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.tokens import DETERMINERS, PREPOSITIONS, Token, first_verb

__all__ = ["items"]

_EACH = vocabulary(
    """offers offer offered includes include included contains contain contained features sells sell sold has have
    had provides provide provided serves served supports supported stocks publishes exports exported imports
    imported"""
)
_APART = vocabulary(
    """or nor between both either neither such like respectively together that which who whose where not only
    except but"""
)
_LONGEST = 6  # words an item
_FEWEST = 3  # items; two may be one thing (`bed and breakfast`)


def items(tokens: Sequence[Token]) -> list[tuple[int, int, tuple[int, int]]]:
    """Finds the items of a sentence that is one enumeration.

    Args:
        tokens: The sentence.

    Returns:
        For each item the range of the text that makes it and the range of the words that all share, which come before
        its own; empty for the first item, which holds them. Nothing if the sentence is no such enumeration.
    """
    verb = first_verb(tokens)
    if verb is None or verb == 0 or tokens[verb].form not in _EACH or tokens[0].form in PREPOSITIONS:
        return []
    if any(token.form in _APART or token.inner or token.form in {";", "?"} for token in tokens):
        return []
    if any(token.form in {"no", "none", "few", ",", "never", "there"} for token in tokens[:verb]):
        return []
    first = verb + 1
    if first < len(tokens) and tokens[first].form == ":":
        first += 1
    last = len(tokens)
    while last > first and not tokens[last - 1].word:
        last -= 1
    ranges = _ranges(tokens, first, last)
    if len(ranges) < _FEWEST or first_verb(tokens, first) is not None:
        return []
    if not all(_is_phrase(tokens[a:b]) for a, b in ranges):
        return []
    shared = (tokens[0].start, tokens[verb].end)
    (a, b), *rest = ranges
    found = [
        (tokens[0].start, tokens[b - 1].end, (0, 0)),
        *((tokens[x].start, tokens[y - 1].end, shared) for x, y in rest),
    ]
    return found if a < b else []


def _ranges(tokens: Sequence[Token], first: int, last: int) -> list[tuple[int, int]]:
    """Ranges between commas and the last `and`."""
    marks = [at for at in range(first, last) if tokens[at].form in {",", "and"}]
    if [tokens[at].form for at in marks].count("and") != 1 or not marks or tokens[marks[-1]].form != "and":
        return []
    edges = [first - 1, *marks, last]
    ranges = [(a + 1, b) for a, b in pairwise(edges)]
    if len(marks) > 1 and marks[-2] == marks[-1] - 1:  # `, and`
        ranges = [(a, b) for a, b in ranges if a < b]
    return ranges


def _is_phrase(words: Sequence[Token]) -> bool:
    """Whether words are a noun phrase by themselves: opened by a determiner or number, or with a plural at the end."""
    if not 0 < len(words) <= _LONGEST or not all(token.word for token in words):
        return False
    if any(token.form in PREPOSITIONS for token in words):
        return False
    opened = len(words) > 1 and (words[0].form in DETERMINERS or words[0].written[0].isdigit())
    last = words[-1].form
    return opened or (last.endswith("s") and not last.endswith(("ss", "us", "is", "ous")) and last.isalpha())
