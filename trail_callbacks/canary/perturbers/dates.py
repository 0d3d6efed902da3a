"""Dates: all that belong together are moved by the same time, so that order, intervals and weekdays stay true.

Dates belong together if they stand in one document, or in documents that share a date and what they are about. They are
moved by whole weeks where each of them is a day of a year, and by whole years otherwise; times of day by minutes, or by
hours where they are written without minutes. Dates are moved back, unless the corpus shows that later ones are past.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.calendar import Mention, Moved, mentions, moved
from trail_callbacks.canary.facts.daytimes import daytimes, in_hours, later
from trail_callbacks.canary.facts.figures import Page
from trail_callbacks.canary.facts.neighbours import neighbours
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.language.values import Quantity

__all__ = ["propose"]

_YEARS: Mapping[Size, range] = {"small": range(3, 8), "medium": range(11, 20), "large": range(23, 61)}
_DECADES: Mapping[Size, range] = {"small": range(10, 11, 10), "medium": range(20, 21, 10), "large": range(30, 61, 10)}
_WEEKS: Mapping[Size, range] = {"small": range(3, 12), "medium": range(15, 46), "large": range(60, 400)}
_SEASONS: Mapping[Size, range] = {"small": range(1, 4), "medium": range(5, 10), "large": range(11, 26)}
_MINUTES: Mapping[Size, range] = {"small": range(15, 56, 5), "medium": range(65, 116, 5), "large": range(145, 296, 5)}
_HOURS: Mapping[Size, range] = {"small": range(1, 2), "medium": range(2, 3), "large": range(3, 6)}
_EARLIEST, _LATEST = 1000, 2100  # years that are read as such
_TRIES = 12
_AGE = re.compile(r"\byears?[ -](?:old|ago)\b|\bJahre alt\b|\bvor \d+ Jahren\b", re.IGNORECASE)


@dataclass(slots=True)
class _Group:
    """Documents of which the dates, or the times of day, belong together."""

    pages: list[Page] = field(default_factory=list)
    dates: list[Mention] = field(default_factory=list)
    times: list[tuple[Page, Quantity]] = field(default_factory=list)


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[tuple[Edit, ...] | Skipped]:
    """Proposes later or earlier dates for each group of documents whose dates belong together.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Sizes to draw from, in turn.

    Yields:
        One tuple of edits a group, an edit for each date: they are true together only. A date whose new value stands
        elsewhere in the corpus (a bare year: in the group, for a large corpus has all years) is moved with another edit
        and has none of its own. And what could not be moved.
    """
    read = pages(corpus)
    dates = {page: found for page in read if (found := mentions(page))}
    times = {page: daytimes(page) for page in read}
    written = Counter(each.key for found in dates.values() for each in found)
    clocks = {time.value for found in times.values() for time in found or ()}
    latest = max((each.key[0] for found in dates.values() for each in found), default=0)
    near = neighbours(corpus)
    groups = [*_groups(dates, {}, near), *_groups({}, {page: found for page, found in times.items() if found}, near)]
    shifts = {size: _shuffled(rng, size) for size in sizes}
    rng.shuffle(groups)
    for page, listed in times.items():
        if listed is None:
            yield Skipped(f"{page.document.id}: date", "a time of day of it cannot be written anew")
    for turn, group in enumerate(groups):
        size = sizes[turn % len(sizes)]
        edits = _moved_times(group, size, shifts[size], clocks) if group.times else ()
        if any(map(_tells_age, group.dates)):
            yield Skipped(f"{group.pages[0].document.id}: date", "a sentence with it says how many years ago it is")
            continue
        edits = edits or (_moved_dates(group, size, shifts[size], written, latest) if group.dates else ())
        if edits:
            yield edits
        else:
            place = f"{group.pages[0].document.id}: date"
            yield Skipped(
                place, "its dates or times of day cannot all be moved alike, stay possible, and be new to the corpus"
            )


def _shuffled(rng: random.Random, size: Size) -> Mapping[str, list[int]]:
    """How far dates may be moved, in an order that is the same for all groups."""
    drawn = {}
    for name, table in (
        ("years", _YEARS),
        ("decades", _DECADES),
        ("weeks", _WEEKS),
        ("seasons", _SEASONS),
        ("minutes", _MINUTES),
        ("hours", _HOURS),
    ):
        steps = list(table[size])
        rng.shuffle(steps)
        drawn[name] = steps[:_TRIES]
    return drawn


def _moved_dates(
    group: _Group,
    size: Size,
    shifts: Mapping[str, Sequence[int]],
    written: Mapping[tuple[int, int, int, bool], int],
    latest: int,
) -> tuple[Edit, ...]:
    """The edits of a group, by the first shift that leaves most of its dates with a value of their own."""
    best: tuple[Edit, ...] = ()
    for by in _shifts(group, shifts):
        new = [moved(each, by) for each in group.dates]
        reached = [each.key[0] + by.years + round(by.days / 365) for each in group.dates if each.key[0]]
        if by.years and not all(_keeps_weekday(each, by.years, group) for each in group.dates):
            continue
        if None in new or any(not _EARLIEST <= year <= _LATEST for year in reached):
            continue
        if (by.years > 0 or by.days > 0) and reached and max(reached) >= latest:
            continue
        own: dict[tuple[int, int, int, bool], list[tuple[Mention, str]]] = defaultdict(list)
        for each, words in zip(group.dates, new, strict=True):
            if words is not None and words != each.words:
                own[each.key].append((each, words))
        here = {each.key for each in group.dates}
        after = {key: _key_after(places[0][0], by) for key, places in own.items()}
        free = [key for key in own if after[key] not in (written if any(key[1:3]) else here)]
        if len(free) > len(best):
            best = _edits(size, [own[key] for key in own if key not in free], [own[key] for key in free])
        if len(free) == len(own):
            break
    return best


def _shifts(group: _Group, shifts: Mapping[str, Sequence[int]]) -> Iterator[Moved]:
    dated = [each for each in group.dates if each.key[0]]
    if not dated:
        for weeks in shifts["seasons"]:
            yield from (Moved(days=-7 * weeks), Moved(days=7 * weeks))
    elif all(each.whole for each in group.dates) and not any(_in_quarters(page) for page in group.pages):
        for weeks in shifts["weeks"]:
            yield from (Moved(days=-7 * weeks), Moved(days=7 * weeks))
    else:
        for years in shifts["decades" if any(each.key[3] for each in dated) else "years"]:
            yield from (Moved(-years), Moved(years))


def _keeps_weekday(mention: Mention, years: int, group: _Group) -> bool:
    """Whether the weekday of a date without a year is still right in the years that its document speaks of."""
    year, month, day, _ = mention.key
    if year or not month or not day or not mention.weekday:
        return True
    told = {each.key[0] for each in group.dates if each.page is mention.page and each.key[0]}
    try:
        return all(dt.date(each, month, day).weekday() == dt.date(each + years, month, day).weekday() for each in told)
    except ValueError:
        return False


def _tells_age(mention: Mention) -> bool:
    """Whether the sentence of a date says how long ago that is."""
    return mention.key[0] > 0 and _AGE.search(mention.page.lines[mention.line].text) is not None


def _in_quarters(page: Page) -> bool:
    return any(part.kind == "quarter" for part in page.dated)


def _key_after(mention: Mention, by: Moved) -> tuple[int, int, int, bool]:
    year, month, day, decade = mention.key
    if by.years:
        return year + by.years, month, day, decade
    was = mention.date
    if was is None:
        return mention.key
    new = was + dt.timedelta(by.days)
    return new.year if year else 0, new.month, new.day, decade


def _moved_times(
    group: _Group, size: Size, shifts: Mapping[str, Sequence[int]], clocks: set[float]
) -> tuple[Edit, ...]:
    whole = any(in_hours(page, time) for page, time in group.times)
    best: tuple[Edit, ...] = ()
    for step in shifts["hours" if whole else "minutes"]:
        for minutes in (step * (60 if whole else 1), -step * (60 if whole else 1)):
            new = [later(page, time, minutes) for page, time in group.times]
            if None in new:
                continue
            own: dict[float, list[tuple[Page, Quantity, str]]] = defaultdict(list)
            for (page, time), words in zip(group.times, new, strict=True):
                if words is not None:
                    own[time.value].append((page, time, words))
            free = [value for value in own if value + minutes not in clocks]
            if len(free) > len(best):
                best = _edits(size, [own[each] for each in own if each not in free], [own[each] for each in free])
    return best


_Place = tuple[Mention, str] | tuple[Page, Quantity, str]


def _edits(size: Size, along: Sequence[Sequence[_Place]], own: Sequence[Sequence[_Place]]) -> tuple[Edit, ...]:
    """One edit for each date of its own; the others are moved along with the first."""
    edits = []
    for i, places in enumerate(own):
        replaced = [_replacement(each) for each in places]
        extra = [_replacement(each) for others in along for each in others] if i == 0 else []
        all_ = sorted(
            [(_number(each), place.start, False, place) for each, place in zip(places, replaced, strict=True)]
            + [
                (_number(each), place.start, True, place)
                for each, place in zip((each for others in along for each in others), extra, strict=False)
            ],
            key=lambda each: each[:2],
        )
        forms = dict.fromkeys((place.old, place.new) for place in replaced)
        real, fictive = max(forms, key=lambda form: len(form[0]))
        del forms[real, fictive]
        edits.append(
            Edit(
                id="",
                kind="date",
                size=size,
                real=real,
                fictive=fictive,
                replacements=tuple(each[-1] for each in all_),
                repairs=tuple(k for k, each in enumerate(all_) if each[2]),
                forms=tuple(forms),
            )
        )
    return tuple(edits)


def _number(place: _Place) -> int:
    return place[0].page.number if isinstance(place[0], Mention) else place[0].number


def _replacement(place: _Place) -> Replacement:
    if len(place) == 2:  # noqa: PLR2004 - a date, or a time with its page
        mention, new = place
        return Replacement(mention.page.document.id, mention.start, mention.end, mention.words, new)
    page, time, new = place
    return Replacement(page.document.id, time.start, time.end, page.text[time.start : time.end], new)


def _groups(
    dates: Mapping[Page, Sequence[Mention]],
    times: Mapping[Page, Sequence[Quantity]],
    near: Mapping[Page, Sequence[Page]],
) -> list[_Group]:
    """Documents that share a whole date, or a year or time and what they are about."""
    read = [*dates, *times]
    above = {page: page for page in read}

    def root(page: Page) -> Page:
        while above[page] is not page:
            above[page] = page = above[above[page]]
        return page

    first: dict[object, Page] = {}
    values: dict[Page, set[object]] = {}
    for page in read:
        values[page] = {each.key[0] or each.key for each in dates.get(page, ())}
        values[page] |= {each.value for each in times.get(page, ())}
        whole = dict.fromkeys(each.key for each in dates.get(page, ()) if each.whole)
        others = [first.setdefault(key, page) for key in whole]
        others += [other for other in near[page] if other in values and values[other] & values[page]]
        for other in others:
            least, most = sorted((root(other), root(page)), key=lambda each: each.number)
            above[most] = least
    groups: dict[Page, _Group] = defaultdict(_Group)
    for page in read:
        group = groups[root(page)]
        group.pages.append(page)
        group.dates += dates.get(page, ())
        group.times += [(page, each) for each in times.get(page, ())]
    return list(groups.values())
