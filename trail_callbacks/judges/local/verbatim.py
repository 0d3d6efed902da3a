"""Verbatim: whether a sentence states a claim nearly word for word, and leaves nothing out that would limit it."""

from __future__ import annotations

import re
from itertools import pairwise

from trail_callbacks.judges.local.alignment import Alignment
from trail_callbacks.judges.local.wording import (
    ALL,
    CONDITIONS,
    DENIALS,
    LIMITS,
    MARKERS,
    PLANS,
    POSSIBLE,
    REPORTS,
    SOME,
    TURNING,
    VIEWS,
    Word,
)
from trail_callbacks.language.terms import vocabulary

_FEWEST = 3  # words of content
_DROPPED = 2  # words of content of the sentence that may be missing between those of the claim
_SAID = CONDITIONS | VIEWS | REPORTS
_RESTRICTING = _SAID | MARKERS | PLANS | POSSIBLE | SOME | LIMITS
_TAKES_BACK = _SAID | vocabulary("not no never unlikely false wrong myth untrue only just until whether least")
_UNDOING = vocabulary(
    """to yet denied denies deny refused refuses failed fails stopped stops cancelled canceled avoided avoids forgot
    delayed postponed rejected rejects ruled attempted attempts tried tries former alleged fake false"""
)
"""Words that make something else of the verb or noun behind them: `failed to`, `is due to`, `the former`."""
_MOMENTS = frozenset({"weekday", "day", "month", "clock"})
_BORDER = re.compile(r"[,;:.!?()\u2013\u2014|]|\band\b")
_END = re.compile(r"[;:.!?|]")
_ALL_OR_NONE = ALL | DENIALS | vocabulary("only just any few nor")
_JOINING = vocabulary("and while whereas one another others them")  # the subject behind may be another
_PRONOUNS = vocabulary("it they he she this these those that we i")
_POSSESSIVE = vocabulary("its his her their")
_LABEL = re.compile(
    r"\W*(?:[\[(\u3010](?:\w{1,12}\s)?\d{1,3}[\])\u3011]|(?:source|document|doc|passage|context|chunk)\s\[?\d{1,3}\]?\s?[:.)-])\s*",
    re.IGNORECASE,
)
"""The number under which an app shows a source: `[1] ...`, `[Source 1] ...`."""
_ITEM = re.compile(r"(?:^|\n|:)\W*(\d{1,2})(?=\s{2}|\s+[A-Z])")
"""The number of an item, `3  Peel the bulb`, and no amount: `3 bulbs are peeled`."""


def repeats(alignment: Alignment) -> bool:
    """Tells whether claim and sentence are the same, word for word, in any language."""
    label = _label_end(alignment.passage.text)
    return [word.form for word in alignment.own] == [each.form for each in alignment.given if each.start >= label]


def states(alignment: Alignment) -> bool:
    """Tells whether the sentence says what the claim says.

    Every word of the claim stands in it in the same order, function words of little weight aside. Between them the
    sentence has at most two other words, none of which is a number or limits what is said; before them nothing in the
    same clause; behind them nothing that takes it back or makes it conditional.
    """
    own, given = ([word.form for word in each] for each in (alignment.own, alignment.given))
    if len(alignment.matched) < _FEWEST and given[: len(own)] != own:
        return False
    for i, word in enumerate(alignment.own):
        lost = word.kind != "light" or word.form in TURNING or (word.form in _PRONOUNS and i == 0)
        if lost and i not in alignment.pairs:
            return False
    first, last = alignment.matched[0], alignment.matched[-1]
    between = [j for j in range(first, last) if j not in alignment.taken]
    words = [alignment.given[j] for j in between]
    if any(word.form in _RESTRICTING | TURNING | _UNDOING | _JOINING or _is_amount(word) for word in words):
        return False
    if sum(word.content for word in words) > _DROPPED or _crosses(alignment, between):
        return False
    sweeping = bool(alignment.words & _ALL_OR_NONE)
    return _free_before(alignment, first, sweeping=sweeping) and _free_behind(alignment, first, last, sweeping=sweeping)


def _is_amount(word: Word) -> bool:
    return word.quantity is not None and word.quantity.kind not in _MOMENTS


def _crosses(alignment: Alignment, between: list[int]) -> bool:
    """Whether a clause ends between the words of the claim: `led by Holt; Reed took part` is not `led by Reed`."""
    text, given = alignment.passage.text, alignment.given
    return any(
        _END.search(text[given[j].end : given[k].start]) and any(j < i < k for i in between)
        for j, k in pairwise(alignment.matched)
    )


def _free_before(alignment: Alignment, first: int, *, sweeping: bool) -> bool:
    """Whether nothing before the words of the claim, in their clause, changes what they say.

    What holds of no large dog, of all staff in Oslo, or not on Sundays need not hold of all: a sweeping claim says more
    with any word that is left out.
    """
    text, given, own_first = alignment.passage.text, alignment.given, alignment.own[0].form
    label = _label_end(text)
    items = {match.span(1) for match in _ITEM.finditer(text)}
    for j in range(first - 1, -1, -1):
        word = given[j]
        if _END.search(text[word.end : given[j + 1].start]):
            return True
        if word.end <= label or j in alignment.taken or (word.start, word.end) in items:
            continue
        if word.form in _RESTRICTING or (sweeping and word.content):
            return False
        # `Comet Ardley-Voss`, `singer Kit Allard`
        is_title = given[first].kind == "name" and j == first - 1 and word.kind != "number"
        is_owner = own_first in _POSSESSIVE and text[word.end :].startswith(("'s ", "\u2019s "))
        if word.content and not is_title and not is_owner and not _BORDER.search(text[word.end : given[first].start]):
            return False
    return True


def _free_behind(alignment: Alignment, first: int, last: int, *, sweeping: bool) -> bool:
    """Whether nothing behind the words of the claim takes them back; for a sweeping claim, nor between them."""
    text, given = alignment.passage.text, alignment.given
    bounded = False
    for j in range(first if sweeping else last + 1, len(given)):
        word, between = given[j], text[given[j - 1].end : given[j].start] if j else ""
        if j > last and _END.search(between):
            return True
        if j > last and word.form == "or" and not bounded:
            return False
        bounded = bounded or (j > last and (word.form == "and" or _BORDER.search(between) is not None))
        if j in alignment.taken:
            continue
        if word.form in (_TAKES_BACK if bounded and not sweeping else _RESTRICTING | _TAKES_BACK):
            return False
        if sweeping and word.content:
            return False
    return True


def _label_end(text: str) -> int:
    found = _LABEL.match(text)
    return found.end() if found else 0
