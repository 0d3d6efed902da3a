"""Dates as a text writes them, and other dates written the same way."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.canary.facts.figures import Page
from trail_callbacks.language.values import Quantity

__all__ = ["Mention", "Moved", "mentions", "moved"]

_FULL = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_SHORT = {
    "en": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de": "jan feb mrt apr mai jun jul aug sep okt nov dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
}
_MONTHS = [(code, words.split()) for table in (_FULL, _SHORT) for code, words in table.items()]
_MONTHS.append(("ru", "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь".split()))  # noqa: SIM905
_BETWEEN = re.compile(
    r"(?:[\s,./\u5e74\u6708\u65e5\u53f7\u865f\ub144\uc6d4\uc77c-]|\b(?:of|de|del|dell?[ao]?|the|den|der|le|el|d')\b|\bd'|"
    r"(?<=\d)(?:st|nd|rd|th|er)\b|[\u00ba\u00aa])*",
    re.IGNORECASE,
)
_GAP = 12  # characters between two parts of a date
_SUFFIX = re.compile(r"(?:st|nd|rd|th|er)\b", re.IGNORECASE)
_YEARLY = re.compile(
    r"\b(?:years?|dates?|since|founded|founding|established|built|opened|launched|started|born|died|jahr|baujahr|gegr\u00fcndet|"
    r"a\u00f1o|ann\u00e9e|anno|ano|jaar|\u0433\u043e\u0434)\b|(?:year|date|_at|_on)\b",
    re.IGNORECASE,
)
_KEY = re.compile(r"([\w ]{1,40})[\"']?\s{0,3}[:=]\s{0,3}[\"']?$")
_LOOK_BACK = 50
_LEAP_FREE = 2023  # the year of dates that tell none
_TWO, _FOUR, _THOUSAND = 2, 4, 1000


@dataclass(frozen=True, eq=False)
class Mention:
    """A date in a text, whole or in part.

    Attributes:
        page: Where it stands.
        parts: Its year, month, day and weekday, in the order of the text; a decade by itself.
        line: Number of its sentence in the page.
    """

    page: Page
    parts: Sequence[Quantity]
    line: int

    @property
    def start(self) -> int:
        """Offset of its first part."""
        return self.parts[0].start

    @property
    def end(self) -> int:
        """Offset after it, `th` and the like included."""
        end = self.parts[-1].end
        suffix = _SUFFIX.match(self.page.text, end) if self.parts[-1].kind == "day" else None
        return suffix.end() if suffix else end

    @property
    def words(self) -> str:
        """As written."""
        return self.page.text[self.start : self.end]

    def part(self, kind: str) -> Quantity | None:
        """Its part of a kind."""
        return next((each for each in self.parts if each.kind == kind), None)

    @property
    def key(self) -> tuple[int, int, int, bool]:
        """Year, month and day, 0 where it has none, and whether it is a decade."""
        year, month, day = (part.value if (part := self.part(kind)) else 0.0 for kind in ("year", "month", "day"))
        return int(year), int(month), int(day), any(part.bound == "during" for part in self.parts)

    @property
    def whole(self) -> bool:
        """Whether it says one day of one year, beyond doubt."""
        sure = not any(part.also for part in self.parts if part.kind in {"month", "day"})
        return all(self.key[:3]) and sure and not self.key[3]

    @cached_property
    def weekday(self) -> bool:
        """Whether it tells its day of the week, or its sentence does: `3 May 2021, a Monday`."""
        page = self.page
        return any(part.kind == "weekday" and page.line_of(part.start) == self.line for part in page.dated)

    @property
    def date(self) -> dt.date | None:
        """The day; of a year without leap day where it says no year; None if there is no such day."""
        year, month, day, _ = self.key
        try:
            return dt.date(year or _LEAP_FREE, month, day)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Moved:
    """How far dates are moved: by whole years, or by days.

    Attributes:
        years: Years.
        days: Days; 0 if by years.
    """

    years: int = 0
    days: int = 0


def mentions(page: Page) -> list[Mention]:
    """Finds the dates of a document, in order. Numbers that may be years and are more likely none are left out."""
    found: list[list[Quantity]] = []
    for part in page.dated:
        if part.kind in {"clock", "quarter"}:
            continue
        last = found[-1] if found else []
        if last and part.kind not in {each.kind for each in last} and _joins(page, last[-1], part):
            last.append(part)
        else:
            found.append([part])
    dated = (Mention(page, tuple(parts), page.line_of(parts[0].start)) for parts in found)
    return [
        each
        for each in dated
        if len(each.parts) > 1
        or (each.parts[0].kind == "year" and not page.labels.overlap(each.start, each.end) and _dates(each))
    ]


def _joins(page: Page, one: Quantity, other: Quantity) -> bool:
    text = page.text
    if one.kind == "year" and page.line_of(one.start) != page.line_of(other.start):
        return False  # `in 1950. 3 May was a Monday`
    if not 0 <= other.start - one.end <= _GAP or "during" in {one.bound, other.bound}:
        return False
    gap = text[one.end : other.start]
    return _BETWEEN.fullmatch(text, one.end, other.start) is not None and "\n" not in gap and gap.count(".") < _TWO


def _dates(mention: Mention) -> bool:
    """Whether a year by itself is one: a bare number in a table or behind a name only if that is of years."""
    (part,) = mention.parts
    if part.value == _THOUSAND and not mention.words[-1].isalpha():
        return False  # a number more likely than the year
    if not part.also:
        return True
    page = mention.page
    headings = page.headings(part.start)
    if headings is not None:
        return not headings or any(_YEARLY.search(each) for each in headings)
    key = _KEY.search(page.text[max(0, part.start - _LOOK_BACK) : part.start])
    return key is None or _YEARLY.search(key[1]) is not None


def moved(mention: Mention, by: Moved) -> str | None:
    """Writes a date that lies before or after one, the same way.

    Args:
        mention: The date.
        by: How far. By years, only the year changes: of a date that says none, nothing.

    Returns:
        The words; None if there is no such date, its weekday would be wrong, or it cannot be written that way.
    """
    text, parts = mention.page.text, []
    at = mention.start
    values = _by_years(mention, by.years) if by.years else _by_days(mention, by.days)
    if values is None:
        return None
    for part in mention.parts:
        old = text[part.start : part.end]
        value = values.get(part.kind)
        new = old if value is None else _written(mention, part, old, value)
        if new is None:
            return None
        parts += [text[at : part.start], new]
        at = part.end
        if part.kind == "day" and value is not None and (suffix := _SUFFIX.match(text, at)):
            parts.append(_ordinal(value, suffix[0]))
            at = suffix.end()
    return "".join((*parts, text[at : mention.end]))


def _by_years(mention: Mention, years: int) -> dict[str, int] | None:
    year, month, day, decade = mention.key
    if not year:
        return {}
    if decade and years % 10:
        return None
    if month and day and (was := mention.date) is not None:
        try:
            new = dt.date(year + years, month, day)
        except ValueError:
            return None
        if mention.weekday and new.weekday() != was.weekday():
            return None
    return {"year": year + years}


def _by_days(mention: Mention, days: int) -> dict[str, int] | None:
    was = mention.date
    if was is None or not mention.key[1] or not mention.key[2] or (days % 7 and mention.weekday):
        return None
    new = was + dt.timedelta(days)
    if not mention.key[0] and new.year != was.year:
        return None
    return {"year": new.year, "month": new.month, "day": new.day}


def _written(mention: Mention, part: Quantity, old: str, value: int) -> str | None:
    if part.kind == "month" and not old[0].isdecimal():
        return _month(mention, old, value)
    digits = re.search(r"\d+", old)
    if digits is None:
        return None
    width = len(digits[0])
    if part.kind == "year":
        if width == _TWO and value // 100 != int(part.value) // 100:
            return None
        new = f"{value % 100:02d}" if width == _TWO else str(value)
        if width not in {_TWO, _FOUR} or len(new) != width:
            return None
    else:
        new = (
            f"{value:02d}" if digits[0][0] == chr(ord(digits[0][0]) - unicodedata.decimal(digits[0][0])) else str(value)
        )
        if width == _TWO and part.value < 10 <= value:  # noqa: PLR2004 - `03` and `12` both have two digits
            new = str(value)
        elif width == _TWO and value < 10 and _padded(mention):  # noqa: PLR2004
            new = f"{value:02d}"
    zero = ord(digits[0][0]) - unicodedata.decimal(digits[0][0])
    return old[: digits.start()] + "".join(chr(zero + int(each)) for each in new) + old[digits.end() :]


def _padded(mention: Mention) -> bool:
    """Whether a day or month below 10 would have a leading zero: as in other numeric dates without any sign of less."""
    month = mention.part("month")
    return month is not None and mention.page.text[month.start].isdecimal()


def _month(mention: Mention, old: str, value: int) -> str | None:
    word = old.casefold()
    was = mention.key[1]
    fits = {code: words[value - 1] for code, words in reversed(_MONTHS) if words[was - 1] == word}
    language = mention.page.writing.language
    if len(set(fits.values())) > 1:
        fits = {code: name for code, name in fits.items() if code == (language or "en")}
    if len(set(fits.values())) != 1:
        return None
    new = next(iter(fits.values()))
    return new.upper() if old.isupper() and len(old) > 1 else new.capitalize() if old[0].isupper() else new


def _ordinal(day: int, old: str) -> str:
    """The ending of a day in place of another: `2nd` for `4th`, `4` for `1er`."""
    if old.casefold() == "er":
        return old if day == 1 else ""
    new = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")  # noqa: PLR2004 - eleventh
    return new.upper() if old.isupper() else new
