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
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.facts import Joined, neighbours
from trail_callbacks.canary.facts.pages import Page, pages
from trail_callbacks.language.values import CalendarDate, Quantity, calendar_dates, later

__all__ = ["Dated", "dates_of", "propose"]

_STEPS: Final[Mapping[str, Mapping[Size, range]]] = {
    "years": {"small": range(3, 8), "medium": range(11, 20), "large": range(23, 61)},
    "decades": {"small": range(10, 11, 10), "medium": range(20, 21, 10), "large": range(30, 61, 10)},
    "weeks": {"small": range(3, 12), "medium": range(15, 46), "large": range(60, 400)},
    "seasons": {"small": range(1, 4), "medium": range(5, 10), "large": range(11, 26)},
    "minutes": {"small": range(15, 56, 5), "medium": range(65, 116, 5), "large": range(145, 296, 5)},
    "hours": {"small": range(60, 61), "medium": range(120, 121), "large": range(180, 301, 60)},
}
_EARLIEST, _LATEST, _THOUSAND = 1000, 2100, 1000  # years that are read as such
_TRIES = 12
_AGE = re.compile(r"\byears?[ -](?:old|ago)\b|\bJahre alt\b|\bvor \d+ Jahren\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"\b(?:years?|dates?|since|founded|founding|established|built|opened|launched|started|born|died|jahr|baujahr|gegründet|"
    r"año|année|anno|ano|jaar|год)\b|(?:year|date|_at|_on)\b",
    re.IGNORECASE,
)
_KEY = re.compile(r"([\w ]{1,40})[\"']?\s{0,3}[:=]\s{0,3}[\"']?$")
_NO_TIME = re.compile(
    r"\b(?:gen(?:esis)?|exodus|leviticus|numbers|deuteronomy|samuel|kings|chronicles|psalms?|proverbs|isaiah|jeremiah|ezekiel"
    r"|daniel|matt(?:hew)?|mark|luke|john|acts|romans|corinthians|galatians|ephesians|philippians|colossians|timothy|hebrews"
    r"|james|peter|revelation|surah|quran|under|time\sof|clocked|ran|record\sof)\.?\s$",
    re.IGNORECASE,
)  # a chapter and verse, `Romans 8:29`, or how long a race took: `in under 1:46`
_UNREAD = re.compile(
    r"(?<![\d:.])\d{1,2}\s?(?:-|\u2013)\s?\d{1,2}\s?(?:[ap]\.?\s?m\b|Uhr\b)|(?<!\d)\d{1,2}:\d\d\.\d", re.IGNORECASE
)
_OPEN = re.compile(r"\d\s?(?:-|\u2013|to|bis|and)\s?$")


@dataclass(frozen=True, slots=True)
class Dated:
    """A date or a time of day in a document.

    Attributes:
        page: The document.
        of: The date, or the time as it was read.
    """

    page: Page
    of: CalendarDate | Quantity

    @property
    def words(self) -> str:
        """As written."""
        return self.page.text[self.of.start : self.of.end]

    @property
    def key(self) -> tuple[int, int, int, bool]:
        """Year, month and day, 0 where it has none, and whether it is a decade; of a time its minutes only."""
        return self.of.key if isinstance(self.of, CalendarDate) else (0, 0, -int(self.of.value), False)

    @property
    def is_whole(self) -> bool:
        """Whether it says one day of one year, beyond doubt."""
        return isinstance(self.of, CalendarDate) and self.of.is_whole

    def moved(self, *, years: int = 0, days: int = 0, minutes: int = 0) -> str | None:
        """Writes it anew, earlier or later; None if there is no such date, or it cannot be written that way."""
        if isinstance(self.of, CalendarDate):
            line = self.page.line_of(self.of.start)
            keeps = any(each.kind == "weekday" and self.page.line_of(each.start) == line for each in self.page.dated)
            return self.of.moved(years=years, days=days, keeps_weekday=keeps, language=self.page.writing.language)
        hours = [self.page.text[each.start : each.start + 2] for each in self.page.dated if each.kind == "clock"]
        pads = not any(each[:1].isdecimal() and not each[1:].isdecimal() for each in hours)
        return later(self.page.text, self.of, minutes, pads=pads)


def dates_of(page: Page) -> list[Dated]:
    """The dates of a document. Numbers that may be years and are more likely none are left out."""
    return [Dated(page, each) for each in calendar_dates(page.dated, page.text) if _is_date(page, each)]


def _is_date(page: Page, date: CalendarDate) -> bool:
    part, *others = date.parts
    if others:
        return True
    is_label = page.labels.overlap(date.start, date.end) or (part.value == _THOUSAND and not date.words[-1].isalpha())
    if part.kind != "year" or is_label:
        return False
    key = _KEY.search(page.text[max(0, part.start - 50) : part.start])
    named = page.headings(part.start) or ((key[1],) if key else ())
    in_table = page.row_of(part.start) is not None
    return not part.also or not named or (not in_table and key is None) or any(_YEARLY.search(each) for each in named)


def _times(page: Page) -> list[Dated] | None:
    """The times of day of a document; None if one cannot be moved, so that none may be (`9-11 a.m.`)."""
    found = [each for each in page.dated if each.kind == "clock"]
    found = [each for each in found if not _NO_TIME.search(page.text[max(0, each.start - 20) : each.start])]
    if found and _UNREAD.search(page.text):
        return None
    for i, each in enumerate(found):
        is_end = _OPEN.search(page.text[max(0, each.start - 8) : each.start])
        if later(page.text, each, 0) is None or (is_end and (not i or each.start - found[i - 1].end > 8)):  # noqa: PLR2004
            return None
    return [Dated(page, each) for each in found]


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[tuple[Edit, ...] | Skipped]:
    """Proposes later or earlier dates for all documents whose dates belong together, as one tuple of edits.

    A date whose new value stands elsewhere in the corpus (a bare year: in the group, for a large corpus has all years)
    is moved with the edit of another date, and has none of its own.
    """
    read, near = pages(corpus), neighbours(corpus)
    dates = {page: dates_of(page) for page in read}
    times = {page: _times(page) for page in read}
    latest = max((each.key[0] for found in dates.values() for each in found), default=0)
    groups = [*_groups(dates, near), *_groups({page: found or [] for page, found in times.items()}, near)]
    steps: dict[Size, dict[str, list[int]]] = {
        size: {unit: rng.sample(list(of[size]), len(of[size]))[:_TRIES] for unit, of in _STEPS.items()}
        for size in sizes
    }
    rng.shuffle(groups)
    written = Counter(each.key for group in groups for each in group)
    for page, listed in times.items():
        if listed is None:
            yield Skipped(f"{page.document.id}: date", "a time of day of it cannot be written anew")
    for turn, group in enumerate(groups):
        size = sizes[turn % len(sizes)]
        place = f"{group[0].page.document.id}: date"
        aged = (
            each
            for each in group
            if each.key[0] and _AGE.search(each.page.lines[each.page.line_of(each.of.start)].text)
        )
        if any(aged):
            yield Skipped(place, "a sentence with it says how many years ago it is")
        elif edits := _moved(group, size, steps[size], written, latest):
            yield edits
        else:
            why = "its dates or times of day cannot all be moved alike, stay possible, and be new to the corpus"
            yield Skipped(place, why)


def _shifts(group: Sequence[Dated], steps: Mapping[str, Sequence[int]]) -> Iterator[dict[str, int]]:
    dated = [each for each in group if each.key[0]]
    if not isinstance(group[0].of, CalendarDate):
        whole = any(not re.search(r"\d[:h.]\d", each.words) for each in group)
        unit, factor, scale = ("minutes", 1, "hours" if whole else "minutes")
    elif not dated:
        unit, factor, scale = ("days", 7, "seasons")
    elif all(each.is_whole for each in group) and not any(
        part.kind == "quarter" for each in group for part in each.page.dated
    ):
        unit, factor, scale = ("days", 7, "weeks")
    else:
        unit, factor, scale = ("years", 1, "decades" if any(each.key[3] for each in dated) else "years")
    for step in steps[scale]:
        yield from ({unit: -factor * step}, {unit: factor * step})


def _moved(
    group: Sequence[Dated],
    size: Size,
    steps: Mapping[str, Sequence[int]],
    written: Mapping[tuple[int, int, int, bool], int],
    latest: int,
) -> tuple[Edit, ...]:
    """The edits of a group, by the first shift that leaves most of its dates with a value of their own."""
    best: tuple[Edit, ...] = ()
    here = {each.key for each in group}
    for by in _shifts(group, steps):
        new = [each.moved(**by) for each in group]
        forward = max(by.values()) > 0
        reached = [each.key[0] + by.get("years", 0) + round(by.get("days", 0) / 365) for each in group if each.key[0]]
        possible = all(_EARLIEST <= year <= _LATEST for year in reached) and _weekdays_stay(group, by.get("years", 0))
        if None in new or not possible or (forward and reached and max(reached) >= latest):
            continue
        own: dict[tuple[int, int, int, bool], list[tuple[Dated, str]]] = defaultdict(list)
        for each, words in zip(group, new, strict=True):
            if words is not None and words != each.words:
                own[each.key].append((each, words))
        free = [key for key in own if _after(own[key][0][0], by) not in (written if any(key[1:3]) else here)]
        if len(free) > len(best):
            best = tuple(_edits(size, [own[key] for key in own if key not in free], [own[key] for key in free]))
        if len(free) == len(own):
            break
    return best


def _weekdays_stay(group: Sequence[Dated], years: int) -> bool:
    """Whether weekdays of dates without a year are right in the years that their documents speak of, when moved."""
    for each in group if years else ():
        year, month, day, _ = each.key
        of = each.of
        if year or not isinstance(of, CalendarDate) or not (month and day and of.part("weekday")):
            continue
        told = {other.key[0] for other in group if other.page is each.page and other.key[0]}
        try:
            if any(dt.date(at, month, day).weekday() != dt.date(at + years, month, day).weekday() for at in told):
                return False
        except ValueError:
            return False
    return True


def _after(date: Dated, by: Mapping[str, int]) -> tuple[int, int, int, bool]:
    year, month, day, decade = date.key
    if isinstance(date.of, CalendarDate) and "days" in by and date.of.day is not None:
        new = date.of.day + dt.timedelta(by["days"])
        return new.year if year else 0, new.month, new.day, decade
    return (year + by["years"], month, day, decade) if "years" in by else (0, 0, day - by.get("minutes", 0), False)


def _edits(
    size: Size, along: Sequence[Sequence[tuple[Dated, str]]], own: Sequence[Sequence[tuple[Dated, str]]]
) -> Iterator[Edit]:
    """One edit for each date of its own; the others are moved along with the first."""
    for i, places in enumerate(own):
        extra = [each for others in along for each in others] if i == 0 else []
        listed = sorted((*places, *extra), key=lambda each: (each[0].page.number, each[0].of.start))
        forms = dict.fromkeys((date.words, new) for date, new in places)
        real, fictive = max(forms, key=lambda form: len(form[0]))
        del forms[real, fictive]
        yield Edit(
            id="", kind="date", size=size, real=real, fictive=fictive, forms=tuple(forms),
            replacements=tuple(
                Replacement(date.page.document.id, date.of.start, date.of.end, date.words, new) for date, new in listed
            ),
            repairs=tuple(k for k, each in enumerate(listed) if each in extra),
        )  # fmt: skip


def _groups(found: Mapping[Page, Sequence[Dated]], near: Mapping[Page, Sequence[Page]]) -> list[list[Dated]]:
    """The dates of documents that share a whole date, or a year or time and what they are about."""
    joined = Joined()
    first: dict[Hashable, Page] = {}
    values = {page: {each.key[0] or each.key for each in listed} for page, listed in found.items() if listed}
    for page, own in values.items():
        others = [first.setdefault(each.key, page) for each in found[page] if each.is_whole]
        others += [other for other in near[page] if other in values and values[other] & own]
        for other in others:
            joined.join(page.number, other.number)
    groups: dict[int, list[Dated]] = defaultdict(list)
    for page in values:
        groups[joined.root(page.number)] += found[page]
    return list(groups.values())
