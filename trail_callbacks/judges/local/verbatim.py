"""Verbatim: whether a sentence states a claim nearly word for word, and leaves nothing out that would limit it."""

from __future__ import annotations

import re
from itertools import pairwise

from trail_callbacks.judges.local.alignment import Alignment, Token
from trail_callbacks.judges.local.markers import (
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
)
from trail_callbacks.language.terms import vocabulary

__all__ = ["repeats", "states"]

_FEWEST = 3  # words of content
_BOUND = 3  # words of a bound, such as `no more than`
_DROPPED = 2  # words of content of the sentence that may be missing between those of the claim
_RESTRICTING = MARKERS | PLANS | POSSIBLE | SOME | CONDITIONS | VIEWS | REPORTS | LIMITS
_TAKES_BACK = (
    CONDITIONS
    | VIEWS
    | REPORTS
    | vocabulary("not no never unlikely false wrong myth untrue only just until whether least")
)
_UNDOING = vocabulary(
    """to yet denied denies deny refused refuses failed fails stopped stops cancelled canceled avoided avoids forgot
    delayed postponed rejected rejects ruled attempted attempts tried tries former alleged fake false"""
)
"""Words that make something else of the verb or noun behind them: `failed to`, `is due to`, `the former`."""
_MOMENTS = frozenset({"weekday", "day", "month", "clock"})
_BORDER = re.compile(r"[,;:.!?()\u2013\u2014|]|\band\b")
_END = re.compile(r"[;:.!?|]")
_ALL_OR_NONE = ALL | DENIALS | vocabulary("only just any few nor")
_JOINING = vocabulary("and while whereas")  # the subject behind one may be another
_AUXILIARY = vocabulary("is are was were has have had")
_PRONOUNS = vocabulary("it they he she this these those that we i")
_HEADS = _PRONOUNS | vocabulary("one another others them which who")
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
    return [token.form for token in alignment.own] == [each.form for each in alignment.given if each.start >= label]


def states(alignment: Alignment) -> bool:
    """Tells whether the sentence says what the claim says.

    Every word of the claim stands in it in the same order, function words of little weight aside. Between them the
    sentence has at most two other words, none of which is a number or limits what is said; before them nothing in the
    same clause; behind them nothing that takes it back or makes it conditional.
    """
    own, given = ([token.form for token in each] for each in (alignment.own, alignment.given))
    if len(alignment.matched) < _FEWEST and given[: len(own)] != own:
        return False
    for i, token in enumerate(alignment.own):
        if i in alignment.pairs or _is_bound(alignment, i):
            continue
        if token.kind != "light" or token.form in TURNING or (token.form in _PRONOUNS and i == 0):
            return False
    first, last = alignment.matched[0], alignment.matched[-1]
    between = [j for j in range(first, last) if j not in alignment.taken and j not in _conjoined(alignment)]
    words = [alignment.given[j] for j in between]
    if any(token.form in _RESTRICTING | TURNING | _UNDOING | _JOINING or _is_amount(token) for token in words):
        return False
    if sum(token.content for token in words) > _DROPPED or _crosses(alignment, between):
        return False
    sweeping = bool(alignment.words & _ALL_OR_NONE)
    return _free_before(alignment, first, sweeping=sweeping) and _free_behind(alignment, first, last, sweeping=sweeping)


def _is_bound(alignment: Alignment, i: int) -> bool:
    """Whether a word makes a bound (`nearly 500`, `more than 40`) that the exact number of the sentence keeps."""
    for k in range(i + 1, min(len(alignment.own), i + 1 + _BOUND)):
        mine = alignment.own[k].quantity
        if mine is not None:
            its = alignment.given[alignment.pairs[k]].quantity if k in alignment.pairs else None
            return mine.bound != "exact" and its is not None and its.bound == "exact" and its.within is None
        if alignment.own[k].content:
            return False
    return False


def _is_amount(token: Token) -> bool:
    return token.quantity is not None and token.quantity.kind not in _MOMENTS


def _conjoined(alignment: Alignment) -> set[int]:
    """The words of another statement about one subject: `was rebuilt in 1543 and` before `is tall` or `costs a lot`."""
    found: set[int] = set()
    for end, token in enumerate(alignment.given[:-1]):
        follows = alignment.given[end + 1]
        verb = follows.content or follows.form in _AUXILIARY  # and no `the`, with which another subject begins
        if token.form != "and" or end + 1 not in alignment.taken or not verb:
            continue
        start = end
        while start > 0 and start - 1 not in alignment.taken:
            start -= 1
        if not any(alignment.given[j].form in _RESTRICTING | _UNDOING for j in range(start, end + 1)):
            found.update(range(start, end + 1))
    return found


def _crosses(alignment: Alignment, between: list[int]) -> bool:
    """Whether a clause ends between the words of the claim: `led by Holt; Reed took part` is not `led by Reed`.

    So does `three boxes, one of them from here`: one comma, where two would enclose what is left out.
    """
    text, given = alignment.passage.text, alignment.given
    for j, k in pairwise(alignment.matched):
        left_out = [i for i in between if j < i < k]
        gap = text[given[j].end : given[k].start]
        if left_out and (_END.search(gap) or (gap.count(",") == 1 and given[left_out[0]].form in _HEADS)):
            return True
    return False


def _free_before(alignment: Alignment, first: int, *, sweeping: bool) -> bool:
    """Whether nothing before the words of the claim, in their clause, changes what they say.

    What holds of no large dog, of all staff in Oslo, or not on Sundays need not hold of all: a sweeping claim says more
    with any word that is left out.
    """
    text, given = alignment.passage.text, alignment.given
    label = _label_end(text)
    items = {match.span(1) for match in _ITEM.finditer(text)}
    for j in range(first - 1, -1, -1):
        token = given[j]
        if _END.search(text[token.end : given[j + 1].start]):
            return True
        if token.end <= label or j in alignment.taken or (token.start, token.end) in items:
            continue
        if token.form in _RESTRICTING or (sweeping and token.content):
            return False
        # `Comet Ardley-Voss`, `singer Kit Allard`
        is_title = given[first].kind == "name" and j == first - 1 and token.kind != "number"
        if token.content and not is_title and not _BORDER.search(text[token.end : given[first].start]):
            return False
    return True


def _free_behind(alignment: Alignment, first: int, last: int, *, sweeping: bool) -> bool:
    """Whether nothing behind the words of the claim takes them back; for a sweeping claim, nor between them."""
    text, given = alignment.passage.text, alignment.given
    bounded = False
    for j in range(first if sweeping else last + 1, len(given)):
        token, between = given[j], text[given[j - 1].end : given[j].start] if j else ""
        if j > last and _END.search(between):
            return True
        if j > last and token.form == "or" and not bounded:
            return False
        bounded = bounded or (j > last and (token.form == "and" or _BORDER.search(between) is not None))
        if j in alignment.taken:
            continue
        if token.form in (_TAKES_BACK if bounded and not sweeping else _RESTRICTING | _TAKES_BACK):
            return False
        if sweeping and token.content:
            return False
    return True


def _label_end(text: str) -> int:
    found = _LABEL.match(text)
    return found.end() if found else 0
