"""Dates: all that belong together are moved by the same time, so that order, intervals and weekdays stay true.

Dates belong together if they stand in one document, or in documents that share a date and what they are about. They are
moved by whole weeks where each of them is a day of a year, and by whole years otherwise. Dates are moved back, unless
the corpus shows that later ones are past. Times of day stay.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.joined import Joined
from trail_callbacks.canary.facts.pages import Page
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.twin import Edit, Replacement, Size
from trail_callbacks.language.values import CalendarDate, calendar_dates

_STEPS: Final[Mapping[str, Mapping[Size, range]]] = {
    "years": {"small": range(3, 11), "medium": range(11, 21), "large": range(23, 61)},
    "days": {"small": range(14, 84, 7), "medium": range(105, 322, 7), "large": range(420, 2800, 7)},
}
_SAME_DAYS = 28  # years after which the days of the year are the same weekdays
_EARLIEST, _LATEST, _THOUSAND = 1000, 2100, 1000  # years that are read as such
_TRIES = 24
_AGE = re.compile(r"\byears?[ -](?:old|ago)\b|\bJahre alt\b|\bvor \d+ Jahren\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"\b(?:years?|dates?|since|found(?:ed|ing)|established|built|opened|launched|started|born|died|(?:bau)?jahr|gegründet"
    r"|año|année|ann?o|jaar)\b|(?:year|date|_at|_on)\b",
    re.IGNORECASE,
)
_KEY = re.compile(r"([\w ]{1,40})[\"']?\s{0,3}[:=]\s{0,3}[\"']?$")

Key = tuple[int, int, int, bool]
"""Year, month and day, 0 where a date has none, and whether it is a decade."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A date in a document."""

    page: Page
    of: CalendarDate

    def moved(self, by: Mapping[str, int]) -> str | None:
        """Writes it anew, earlier or later; None if there is no such date, or it cannot be written that way."""
        keeps = self.page.line_of(self.of.start) in self.page.weekdays
        return self.of.moved(**by, keeps_weekday=keeps, language=self.page.writing.language)

    def key_after(self, by: Mapping[str, int]) -> Key:
        """Its key when it is moved."""
        year, month, day, decade = self.of.key
        if "days" in by and self.of.day is not None:
            new = self.of.day + dt.timedelta(by["days"])
            return new.year if year else 0, new.month, new.day, decade
        return year and year + by.get("years", 0), month, day, decade


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


def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[tuple[Edit, ...] | Skipped]:
    """Proposes later or earlier dates for all documents whose dates belong together, as one tuple of edits.

    A date whose new value stands elsewhere in the corpus (a bare year: in the group, for a large corpus has all years)
    is moved with the edit of another date, and has none of its own.
    """
    groups = _groups({page: found for page in reading.pages if (found := dates_of(page))}, reading.near)
    written = Counter(each.of.key for group in groups for each in group)
    steps = {(unit, size): rng.sample(of, len(of))[:_TRIES] for unit, by in _STEPS.items() for size, of in by.items()}
    rng.shuffle(groups)
    for turn, group in enumerate(groups):
        said = (each.page.lines[each.page.line_of(each.of.start)].text for each in group if each.of.key[0])
        edits: tuple[Edit, ...] = ()
        why = "its dates cannot all be moved alike, stay possible, and be new to the corpus"
        if any(map(_AGE.search, said)):
            why = "a sentence with it says how many years ago it is"
        else:
            unit = _unit(group)
            for size in (sizes[(turn + i) % len(sizes)] for i in range(len(sizes))):
                edits = edits or _moved(group, size, {unit: steps[unit, size]}, written)
        yield edits or Skipped(f"{group[0].page.id}: date", why)


def _unit(group: Sequence[Dated]) -> str:
    """What the dates of a group are moved by."""
    quarters = any(part.kind == "quarter" for page in {each.page for each in group} for part in page.dated)
    whole = all(each.of.is_whole for each in group) and not quarters
    return "days" if whole or not any(each.of.key[0] for each in group) else "years"


def _moved(
    group: Sequence[Dated], size: Size, steps: Mapping[str, Sequence[int]], written: Mapping[Key, int]
) -> tuple[Edit, ...]:
    """The edits of a group, by the first shift that leaves most of its dates with a value of their own."""
    best: tuple[Edit, ...] = ()
    here = {each.of.key for each in group}
    latest = max((key[0] for key in written), default=0)
    ((unit, listed),) = steps.items()
    weekdays = unit == "years" and any(each.page.weekdays for each in group)
    for step in (sign * step for step in listed for sign in (-1, 1)):
        by = {unit: step}
        new = [each.moved(by) for each in group] if not weekdays or step % _SAME_DAYS == 0 else [None]
        if None in new:
            continue
        reached = [year for each in group if (year := each.key_after(by)[0])]
        is_late = step > 0 and max(reached, default=0) >= max(latest, 1)
        if is_late or not all(_EARLIEST <= year <= _LATEST for year in reached):
            continue
        own: dict[Key, list[tuple[Dated, str]]] = defaultdict(list)
        for each, words in zip(group, new, strict=True):
            if words is not None and words != each.of.words:
                own[each.of.key].append((each, words))
        free = [key for key in own if own[key][0][0].key_after(by) not in (written if any(key[1:3]) else here)]
        if len(free) > len(best):
            best = tuple(_edits(size, [own[key] for key in own if key not in free], [own[key] for key in free]))
        if len(free) == len(own):
            break
    return best


def _edits(
    size: Size, along: Sequence[Sequence[tuple[Dated, str]]], own: Sequence[Sequence[tuple[Dated, str]]]
) -> Iterator[Edit]:
    """One edit for each date of its own; the others are moved along with the first."""
    for i, places in enumerate(own):
        extra = [each for others in along for each in others] if i == 0 else []
        listed = sorted((*places, *extra), key=lambda each: (each[0].page.number, each[0].of.start))
        forms = dict.fromkeys((date.of.words, new) for date, new in places)
        real, fictive = max(forms, key=lambda form: len(form[0]))
        del forms[real, fictive]
        yield Edit(
            id="", kind="date", size=size, real=real, fictive=fictive, forms=tuple(forms),
            replacements=tuple(
                Replacement(date.page.id, date.of.start, date.of.end, date.of.words, new) for date, new in listed
            ),
            repairs=tuple(k for k, each in enumerate(listed) if each in extra),
        )  # fmt: skip


def _groups(found: Mapping[Page, Sequence[Dated]], near: Mapping[Page, Sequence[Page]]) -> list[list[Dated]]:
    """The dates of documents that share a whole date, or a year and what they are about."""
    joined = Joined()
    first: dict[Key, Page] = {}
    pages = list(found)
    number = {page: i for i, page in enumerate(pages)}
    values: dict[Page, set[Hashable]] = {
        page: {each.of.key[0] or each.of.key for each in found[page]} for page in pages
    }
    for page in pages:
        others = [first.setdefault(each.of.key, page) for each in found[page] if each.of.is_whole]
        others += [other for other in near[page] if other in found and values[other] & values[page]]
        for other in others:
            joined.join(number[page], number[other])
    return [[each for i in those for each in found[pages[i]]] for those in joined.sets(len(pages))]
