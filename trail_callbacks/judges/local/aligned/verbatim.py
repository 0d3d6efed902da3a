"""Verbatim: whether a sentence states a claim nearly word for word, and leaves nothing out that would limit it."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.aligned.alignment import Alignment, Token
from trail_callbacks.judges.local.aligned.markers import (
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
_LABEL = re.compile(
    r"\W*(?:[\[(\u3010](?:\w{1,12}\s)?\d{1,3}[\])\u3011]|(?:source|document|doc|passage|context|chunk)\s\[?\d{1,3}\]?\s?[:.)-])\s*",
    re.IGNORECASE,
)
"""The number under which an app shows a source: `[1] ...`, `[Source 1] ...`."""
_ITEM = re.compile(r"(?:^|\n|:)\W*(\d{1,2})(?=\s)")
"""The number of an item, at the beginning of a line or behind a heading."""


def states(alignment: Alignment) -> bool:
    """Tells whether the sentence says what the claim says.

    Every word of the claim stands in it in the same order, function words of little weight aside. Between them the
    sentence has at most two other words, none of which is a number or limits what is said; before them nothing in the
    same clause; behind them nothing that takes it back or makes it conditional.
    """
    if len(alignment.matched) < _FEWEST and not _unbroken(alignment):
        return False
    for i, token in enumerate(alignment.own):
        if i in alignment.pairs or _is_bound(alignment, i):
            continue
        if token.kind != "light" or token.form in TURNING or (token.form in _PRONOUNS and i == 0):
            return False
    first, last = alignment.matched[0], alignment.matched[-1]
    if alignment.words & _ALL_OR_NONE and not _says_no_more(alignment, first):
        return False
    spare = [j for j in range(len(alignment.given)) if j not in alignment.taken]
    conjoined = _conjoined(alignment)
    between = [alignment.given[j] for j in spare if first < j < last and j not in conjoined]
    if any(token.form in _RESTRICTING | TURNING | _UNDOING | _JOINING or _is_amount(token) for token in between):
        return False
    if sum(token.content for token in between) > _DROPPED:
        return False
    return _free_before(alignment, first) and _free_behind(alignment, last)


def _says_no_more(alignment: Alignment, first: int) -> bool:
    """Whether a sentence about all, none or only some of a kind has no content that the claim has not.

    What holds of no large dog, of all staff in Oslo, or not on Sundays need not hold of all: a word that is left out
    makes such a claim say more, wherever it stands in the clause.
    """
    text = alignment.passage.text
    label = _label_end(text)
    for j in range(first - 1, -1, -1):
        token = alignment.given[j]
        if _END.search(text[token.end : alignment.given[j + 1].start]):
            break
        if token.content and token.end > label and j not in alignment.taken and not _is_item(alignment, j):
            return False
    for j in range(first, len(alignment.given)):
        token = alignment.given[j]
        if j > first and j > alignment.matched[-1] and _END.search(text[alignment.given[j - 1].end : token.start]):
            return True
        if j not in alignment.taken and (token.content or token.form in _RESTRICTING):
            return False
    return True


def _unbroken(alignment: Alignment) -> bool:
    """Whether a short claim stands at the beginning of the sentence, word for word."""
    own, given = ([token.form for token in each] for each in (alignment.own, alignment.given))
    return given[: len(own)] == own


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
        run = range(start, end + 1)
        if not any(alignment.given[j].form in _RESTRICTING | _UNDOING for j in run):
            found.update(run)
    return found


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


def _free_before(alignment: Alignment, first: int) -> bool:
    text = alignment.passage.text
    title = alignment.given[first].kind == "name"  # `Comet Ardley-Voss`, `singer Kit Allard`
    label = _label_end(text)
    for j in range(first - 1, -1, -1):
        token = alignment.given[j]
        if _END.search(text[token.end : alignment.given[j + 1].start]):
            return True
        if token.end <= label or j in alignment.taken or _is_item(alignment, j):
            continue
        if token.form in _RESTRICTING:
            return False
        is_title = title and j == first - 1 and token.kind != "number"
        if token.content and not is_title and not _BORDER.search(text[token.end : alignment.given[first].start]):
            return False
    return True


def _is_item(alignment: Alignment, j: int) -> bool:
    """Whether a number at the beginning is that of an item (`3  Peel the bulb`), and no amount (`3 bulbs are peeled`).

    A gap follows it, or a capital letter where another line has the number before or after it.
    """
    text, token = alignment.passage.text, alignment.given[j]
    match = next((m for m in _ITEM.finditer(text) if m.span(1) == (token.start, token.end)), None)
    if match is None:
        return False
    behind = text[token.end :]
    if behind[:2].isspace():
        return True
    others = {int(m[1]) for reading in alignment.around for m in _ITEM.finditer(reading.text)}
    return behind.lstrip()[:1].isupper() and not others.isdisjoint({int(match[1]) - 1, int(match[1]) + 1})


def _free_behind(alignment: Alignment, last: int) -> bool:
    text = alignment.passage.text
    bounded = False
    for j in range(last + 1, len(alignment.given)):
        token = alignment.given[j]
        between = text[alignment.given[j - 1].end : token.start]
        if _END.search(between):
            return True
        if token.form == "or" and not bounded:
            return False
        bounded = bounded or token.form == "and" or _BORDER.search(between) is not None
        if j in alignment.taken:
            continue
        if token.form in (_TAKES_BACK if bounded else _RESTRICTING | _TAKES_BACK):
            return False
    return True


def repeats(alignment: Alignment) -> bool:
    """Tells whether claim and sentence are the same, word for word, in any language."""
    label = _label_end(alignment.passage.text)
    given = [token.form for token in alignment.given if token.start >= label]
    return [token.form for token in alignment.own] == given


def _label_end(text: str) -> int:
    found = _LABEL.match(text)
    return found.end() if found else 0
