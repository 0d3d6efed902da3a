"""Removal: every sentence that states a fact goes, so that the documents no longer tell and abstaining is right."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.pages import Page, Saying
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.perturbers.dates import Dated, Key, dates_of
from trail_callbacks.canary.twin import Edit, Replacement, Size
from trail_callbacks.splitting.words import points_back

_CAPITAL = re.compile(r"(?<!^)\b[A-Z][^\W\d_]{2,}")
_MANY = 4  # sentences that state one fact; what is said more often is what a text is about
_LEFT = 4  # times as many sentences as are taken out of a document it has, if they are several


def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to remove a number, a date or a name, with all sentences that state it.

    Left alone are sentences that the text needs: one that the next leans on (`It also ...`), that introduces somebody
    who is named again, or with numbers that others follow from; and facts that stand in a list or a table, or that
    other sentences may tell in other words.
    """
    del sizes
    targets = [*_targets(reading)]
    rng.shuffle(targets)
    for real, places, unfit in targets:
        removed = unfit or _stating(reading, places)
        if isinstance(removed, str):
            yield Skipped(f"{places[0][0]}: unanswerable {real!r}", removed)
            continue
        gone = []
        for page, start, end in ((each.page, each.start, each.end) for each in removed):
            upto = end + len(page.text[end:]) - len(page.text[end:].lstrip(" \u00a0\t"))
            gone.append(Replacement(page.id, start, upto, page.text[start:upto], ""))
        yield Edit(id="", kind="unanswerable", real=real, fictive=None, replacements=tuple(gone))


def _targets(reading: FactReading) -> Iterator[tuple[str, Sequence[tuple[str, int]], str]]:
    """Values as a person writes them, with all their places, and why they are none."""
    for fact in reading.facts:
        places = [(each.page.id, each.start) for each in fact.figures]
        yield fact.named.words, places, "" if fact.named.tells else "the number is no value by itself"
    by_year: dict[Page, dict[int, list[Dated]]] = {page: defaultdict(list) for page in reading.pages}
    for page, years in by_year.items():
        for date in dates_of(page):
            years[date.of.key[0]].append(date)
    for page, years in by_year.items():
        about = sorted((page, *reading.near[page]), key=lambda each: each.number)
        for year in [each for each in years if each]:  # without one, it may be of any year
            others = [each for other in about for told in (year, 0) for each in by_year[other].get(told, ())]
            for key, date in {each.of.key: each for each in reversed(years[year])}.items():  # of each day the first
                same = [each for each in others if _may_be_one(key, each.of.key)]
                if not key[3] and same[0] is date:  # with all that say the same day or a part of it
                    yield date.of.words, [(each.page.id, each.of.start) for each in same], ""
    for name in reading.names.found:
        yield name.full, [(each.document, each.start) for word in name.words for each in name.mentions[word]], ""


def _may_be_one(one: Key, other: Key) -> bool:
    """Whether two dates may be one: what both tell is the same, and they tell a year or a month both."""
    pairs = [(a, b) for a, b in zip(one[:3], other[:3], strict=True) if a and b]
    both = any(a and b for a, b in zip(one[:2], other[:2], strict=True))
    return both and all(a == b for a, b in pairs)


def _stating(reading: FactReading, places: Iterable[tuple[str, int]]) -> list[Saying] | str:
    """The sentences at some places, and all that say the same, in order; or why they cannot be taken out."""
    found: dict[Saying, None] = {}
    for document, offset in places:
        own = reading.by_id[document].saying_at(offset)
        same, kindred = reading.same(own) if own else ((), ())
        if not own or not all(each.is_whole for each in (own, *same)):
            return "it stands in a heading, a list, a table or a part of a sentence, not in a sentence of its own"
        if kindred:
            return "other sentences speak of the same in other words"
        found |= dict.fromkeys((own, *same))
        if len(found) > _MANY:
            return f"more than {_MANY} sentences tell it"
    return next((why for each in found if (why := _needed(reading, each, found))), "") or list(found)


def _needed(reading: FactReading, own: Saying, removed: Mapping[Saying, None]) -> str:
    """Why a sentence has to stay; empty if it has not."""
    page, sayings = own.page, own.page.lines
    gone = [each for each in removed if each.page is page]
    reached = (each for one in reading.relations(page.figures_in(own.start, own.end)) for each in one.figures)
    stay = any((told := each.page.saying_at(each.start)) is None or told not in removed for each in reached)
    after = next((each for each in sayings if each.start >= own.end), None)
    if len(sayings) <= len(gone) or (len(gone) > 1 and len(sayings) < _LEFT * len(gone)):
        return "too little would be left of the document"
    if stay:
        return "numbers that would stay follow from it, or it from them"
    if own.start <= sayings[0].start:
        return "it introduces what its document is about"
    if after and after not in gone and points_back(after.text):
        return "the sentence after it leans on it"
    for name in _CAPITAL.findall(own.text):
        if own.start <= page.text.find(name) and page.text.rfind(name) >= own.end:
            return "a sentence after it speaks of somebody or something that it introduces"
    return ""
