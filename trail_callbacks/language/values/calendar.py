"""Dates as values: their parts together, equal or not, and others written the same way."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from trail_callbacks.language.values.dates import month_named
from trail_callbacks.language.values.quantity import Quantity

__all__ = ["CalendarDate", "calendar_dates"]

_PARTS = frozenset({"year", "month", "day", "weekday"})
_BETWEEN = re.compile(
    r"(?:[\s,./\u5e74\u6708\u65e5\u53f7\u865f\ub144\uc6d4\uc77c-]|\b(?:of|de|del|dell?[ao]?|the|den|der|le|el|d')\b|\bd'|"
    r"(?<=\d)(?:st|nd|rd|th|er)\b|[\u00ba\u00aa])*",
    re.IGNORECASE,
)
_GAP = 12  # characters between two parts of a date
_SUFFIX = re.compile(r"(?:st|nd|rd|th|er)\b", re.IGNORECASE)
_LEAP_FREE = 2023  # the year of dates that tell none
_TWO, _TEN, _CENTURY = 2, 10, 100


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A date in a text, whole or in part.

    Attributes:
        text: The text it stands in.
        parts: Its year, month, day and weekday, in the order of the text; a decade by itself.
    """

    text: str
    parts: Sequence[Quantity]

    @property
    def start(self) -> int:
        """Offset of its first part."""
        return self.parts[0].start

    @property
    def end(self) -> int:
        """Offset after it, `th` and the like included."""
        end = self.parts[-1].end
        suffix = _SUFFIX.match(self.text, end) if self.parts[-1].kind == "day" else None
        return suffix.end() if suffix else end

    @property
    def words(self) -> str:
        """As written."""
        return self.text[self.start : self.end]

    def part(self, kind: str) -> Quantity | None:
        """Its part of a kind."""
        return next((each for each in self.parts if each.kind == kind), None)

    @property
    def is_decade(self) -> bool:
        """Whether it is a decade, of which the year is the first."""
        return any(part.bound == "during" for part in self.parts)

    @property
    def key(self) -> tuple[int, int, int, bool]:
        """Year, month and day, 0 where it has none, and whether it is a decade."""
        year, month, day = (part.value if (part := self.part(kind)) else 0.0 for kind in ("year", "month", "day"))
        return int(year), int(month), int(day), self.is_decade

    @property
    def is_whole(self) -> bool:
        """Whether it says one day of one year, beyond doubt."""
        sure = not any(part.also for part in self.parts if part.kind in {"month", "day"})
        return all(self.key[:3]) and sure and not self.is_decade

    @property
    def day(self) -> dt.date | None:
        """The day; of a year without leap day where it says no year; None if there is no such day."""
        year, month, day, _ = self.key
        try:
            return dt.date(year or _LEAP_FREE, month, day)
        except ValueError:
            return None

    @property
    def readings(self) -> Sequence[Mapping[str, float]]:
        """Its parts by kind, in each way that it can be read: `03/04/2020` is of March or of April."""
        choices = [[(reading.kind, reading.value) for reading in part.readings] for part in self.parts]
        found = [dict(choice) for choice in product(*choices) if len({kind for kind, _ in choice}) == len(choice)]
        first, *others = found or [{part.kind: part.value for part in self.parts}]
        turned = (each for each in others if (each.get("day"), each.get("month")) == (first.get("month"), first["day"]))
        return [first, *(turned if "day" in first else ())]

    def agrees(self, other: CalendarDate) -> int:
        """How many parts both say alike, at best; 0 if one differs or none is shared."""
        return max(_shared(mine, its) for mine in self.readings for its in other.readings)

    def moved(self, *, years: int = 0, days: int = 0, keeps_weekday: bool = False, language: str = "") -> str | None:
        """Writes the date that lies before or after it, the same way.

        Args:
            years: Whole years: of a date that says none, nothing changes.
            days: Days, where no years are given.
            keeps_weekday: Its weekday is told beside it.
            language: Of the text, ISO 639-1, for months of which the word alone does not show it.

        Returns:
            The words; None if there is no such date, its weekday would be wrong, or it cannot be written that way.
        """
        keeps_weekday = keeps_weekday or self.part("weekday") is not None
        values = self._by_years(years, keeps_weekday) if years else self._by_days(days, keeps_weekday)
        if values is None:
            return None
        found, at = [], self.start
        for part in self.parts:
            old, value = self.text[part.start : part.end], values.get(part.kind)
            new = old if value is None else self._written(part, old, value, language)
            if new is None:
                return None
            found += [self.text[at : part.start], new]
            at = part.end
            if part.kind == "day" and value is not None and (suffix := _SUFFIX.match(self.text, at)):
                found.append(_ordinal(value, suffix[0]))
                at = suffix.end()
        return "".join((*found, self.text[at : self.end]))

    def _by_years(self, years: int, keeps_weekday: bool) -> dict[str, int] | None:
        year, month, day, decade = self.key
        if not year:
            return {}
        if decade and years % _TEN:
            return None
        if month and day and (was := self.day) is not None:
            try:
                new = dt.date(year + years, month, day)
            except ValueError:
                return None
            if keeps_weekday and new.weekday() != was.weekday():
                return None
        return {"year": year + years}

    def _by_days(self, days: int, keeps_weekday: bool) -> dict[str, int] | None:
        was = self.day
        if was is None or not self.key[1] or not self.key[2] or (days % 7 and keeps_weekday):
            return None
        try:
            new = was + dt.timedelta(days)
        except OverflowError:  # the calendar ends: `valid until 31.12.9999`
            return None
        if not self.key[0] and new.year != was.year:
            return None
        return {"year": new.year, "month": new.month, "day": new.day}

    def _written(self, part: Quantity, old: str, value: int, language: str) -> str | None:
        if part.kind == "month" and not old[0].isdecimal():
            return month_named(value, old, int(part.value), language)
        digits = re.search(r"\d+", old)
        if digits is None:
            return None
        width, is_padded = len(digits[0]), unicodedata.decimal(digits[0][0]) == 0
        if part.kind == "year":
            if width == _TWO and value // _CENTURY != int(part.value) // _CENTURY:
                return None
            new = f"{value % _CENTURY:02d}" if width == _TWO else str(value)
            if len(new) != width:
                return None
        else:
            month = self.part("month")
            in_digits = month is not None and self.text[month.start].isdecimal()
            new = f"{value:02d}" if is_padded or (width == _TWO and in_digits) else str(value)
        return old[: digits.start()] + _in_script(new, digits[0][0]) + old[digits.end() :]


def calendar_dates(found: Sequence[Quantity], text: str) -> list[CalendarDate]:
    """Puts parts of dates together.

    Args:
        found: Quantities of the text, in order; those that are no parts of dates are left out.
        text: The text.

    Returns:
        The dates in order; a number that may be a year is one by itself.
    """
    groups: list[list[Quantity]] = []
    for part in found:
        if part.kind not in _PARTS:
            continue
        last = groups[-1] if groups else []
        if last and part.kind not in {each.kind for each in last} and _joins(last[-1], part, text):
            last.append(part)
        else:
            groups.append([part])
    return [CalendarDate(text, tuple(group)) for group in groups]


def _joins(one: Quantity, other: Quantity, text: str) -> bool:
    gap = text[one.end : other.start]
    if len(gap) > _GAP or "\n" in gap or gap.count(".") >= _TWO or "during" in {one.bound, other.bound}:
        return False
    if one.kind == "year" and re.search(r"[.!?]\s", gap):
        return False  # `in 1950. 3 May was a Monday`
    return _BETWEEN.fullmatch(text, one.end, other.start) is not None


def _shared(mine: Mapping[str, float], its: Mapping[str, float]) -> int:
    both = mine.keys() & its.keys()
    return len(both) if all(mine[kind] == its[kind] for kind in both) else 0


def _in_script(digits: str, like: str) -> str:
    """The same digits in the script of another digit."""
    zero = ord(like) - unicodedata.decimal(like)
    return "".join(chr(zero + int(each)) if each.isdecimal() else each for each in digits)


def _ordinal(day: int, old: str) -> str:
    """The ending of a day in place of another: `2nd` for `4th`, `4` for `1er`."""
    if old.casefold() == "er":
        return old if day == 1 else ""
    new = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % _TEN, "th")  # noqa: PLR2004 - eleventh
    return new.upper() if old.isupper() else new
