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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.joined import joined
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
_YEARLY = re.compile(
    r"\b(?:years?|since|found(?:ed|ing)|established|built|opened|launched|started|born|died|(?:bau)?jahr|gegründet"
    r"|año|année|ann?o|jaar)\b|(?:year|date)\b",
    re.IGNORECASE,
)  # heads of columns with years

Key = tuple[int, int, int, bool]
"""Year, month and day, 0 where a date has none, and whether it is a decade."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A date in a document."""

    page: Page
    of: CalendarDate

    def moved(self, unit: str, step: int) -> str | None:
        """Writes it anew, earlier or later; None if there is no such date, or it cannot be written that way."""
        years, days = (step if unit == each else 0 for each in ("years", "days"))
        keeps = self.page.line_of(self.of.start) in self.page.weekdays
        return self.of.moved(years=years, days=days, keeps_weekday=keeps, language=self.page.writing.language)

    def key_after(self, unit: str, step: int) -> Key:
        """Its key when it is moved."""
        year, month, day, decade = self.of.key
        if unit == "days" and self.of.day is not None:
            new = self.of.day + dt.timedelta(step)
            return new.year if year else 0, new.month, new.day, decade
        return year and year + step * (unit == "years"), month, day, decade


def dates_of(page: Page) -> list[Dated]:
    """The dates of a document. Numbers that may be years and are more likely none are left out."""
    return [Dated(page, each) for each in calendar_dates(page.dated, page.text) if _is_date(page, each)]


def _is_date(page: Page, date: CalendarDate) -> bool:
    part, *others = date.parts
    if others:
        return True
    is_label = page.labels.overlap(date.start, date.end) or (part.value == _THOUSAND and not date.words[-1].isalpha())
    named = page.headings(part.start)
    yearly = not part.also or not named or any(_YEARLY.search(each) for each in named)
    return part.kind == "year" and not is_label and yearly


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
        edits: tuple[Edit, ...] = ()
        why = "its dates cannot all be moved alike, stay possible, and be new to the corpus"
        quarters = any(part.kind == "quarter" for page in {each.page for each in group} for part in page.dated)
        whole = all(each.of.is_whole for each in group) and not quarters
        unit = "days" if whole or not any(each.of.key[0] for each in group) else "years"
        for size in (sizes[(turn + i) % len(sizes)] for i in range(len(sizes))):
            edits = edits or _moved(group, size, unit, steps[unit, size], written)
        yield edits or Skipped(f"{group[0].page.id}: date", why)


def _moved(
    group: Sequence[Dated], size: Size, unit: str, steps: Sequence[int], written: Mapping[Key, int]
) -> tuple[Edit, ...]:
    """The edits of a group, by the first shift that leaves most of its dates with a value of their own."""
    best: tuple[Edit, ...] = ()
    here = {each.of.key for each in group}
    latest = max((key[0] for key in written), default=0)
    weekdays = unit == "years" and any(each.page.weekdays for each in group)
    for step in (sign * step for step in steps for sign in (-1, 1) if not weekdays or step % _SAME_DAYS == 0):
        new = [each.moved(unit, step) for each in group]
        if None in new:
            continue
        reached = [year for each in group if (year := each.key_after(unit, step)[0])]
        is_late = step > 0 and max(reached, default=0) >= max(latest, 1)
        if is_late or not all(_EARLIEST <= year <= _LATEST for year in reached):
            continue
        own: dict[Key, list[tuple[Dated, str]]] = defaultdict(list)
        for each, words in zip(group, new, strict=True):
            if words is not None and words != each.of.words:
                own[each.of.key].append((each, words))
        free = [key for key in own if own[key][0][0].key_after(unit, step) not in (written if any(key[1:3]) else here)]
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
    first: dict[Key, Page] = {}
    pages = list(found)
    values = {page: {each.of.key[0] or each.of.key for each in found[page]} for page in pages}
    pairs: list[tuple[Page, Page]] = []
    for page in pages:
        pairs += [(page, first.setdefault(each.of.key, page)) for each in found[page] if each.of.is_whole]
        pairs += [(page, other) for other in near[page] if other in found and values[other] & values[page]]
    return [[each for page in those for each in found[page]] for those in joined(pages, pairs)]
