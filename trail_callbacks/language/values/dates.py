"""Dates and times of day: how they are written (`4. März 2020`, `the 1990s`, `5:30 p.m.`), and dates as values."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

from trail_callbacks.language.values.numerals import ORDINALS, Style
from trail_callbacks.language.values.quantity import Quantity, exact

_MONTHS_OF = {
    "en": """january february march april may june july august september october november december
        jan feb mar apr may jun jul aug sep oct nov dec""",
    "de": """januar februar märz april mai juni juli august september oktober november dezember
        jan feb mrt apr mai jun jul aug sep okt nov dez""",
    "fr": """janvier février mars avril mai juin juillet août septembre octobre novembre décembre
        janv févr mars avr mai juin juil août sept oct nov déc""",
    "es": """enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        ene feb mar abr may jun jul ago sep oct nov dic""",
    "it": """gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
        gen feb mar apr mag giu lug ago set ott nov dic""",
    "pt": """janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
        jan fev mar abr mai jun jul ago set out nov dez""",
    "nl": """januari februari maart april mei juni juli augustus september oktober november december
        jan feb mrt apr mei jun jul aug sep okt nov dec""",
    "ru": """января февраля марта апреля мая июня июля августа сентября октября ноября декабря
        январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь""",
}
_LISTS = [
    (code, names[at : at + 12]) for at in (0, 12) for code, listed in _MONTHS_OF.items() for names in [listed.split()]
]
_UNREAD = frozenset({"ago", "fev", "gen", "mag", "ott", "out", "set"})  # commoner as other words, or in names
_NUMBERS = {name: float(i) for _, words in _LISTS for i, name in enumerate(words, 1) if name not in _UNREAD}
"""Number of a month by its case-folded name; common words among them (`may`, `mars`) count beside a number only."""
_NUMBERS |= {"setiembre": 9.0}
MONTHS = [name.title() for name in _LISTS[0][1]]
"""English names of months, in order."""
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
"""English names of weekdays, in order."""
_MONTH_WORDS = frozenset(_NUMBERS)
_VERBS = frozenset({"may", "march"})
_MONTH_COUNT, _LONGEST_MONTH = 12, 31
_CENTURY_TURN = 50  # a year of two digits below it is of this century
_NOON, _DAY = 12, 1440


def month_named(month: int, like: str, was: int, language: str = "") -> str | None:
    """Names a month in the language, the length and the capitals of another one; None where that is not certain.

    Args:
        month: Its number.
        like: The word for the other one, of number `was`.
        was: See `like`.
        language: ISO 639-1 code that decides where several languages have that word; English if it is not known.
    """
    fits = {code: names[month - 1] for code, names in reversed(_LISTS) if names[was - 1] == like.casefold()}
    if len(set(fits.values())) > 1:
        fits = {code: name for code, name in fits.items() if code == (language or "en")}
    if len(set(fits.values())) != 1:
        return None
    new = next(iter(fits.values()))
    return new.upper() if like.isupper() and len(like) > 1 else new.capitalize() if like[0].isupper() else new


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    """Patterns that need the name of a month, and others; compiled at first use, to keep the import short."""
    month = rf"(?P<month>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b\.?"
    year = r"(?P<year>[12]\d{3})(?![\d%]|[.,]\d)"
    day = r"(?<![\w.,:/$€£])(?<![^\W\d_]-)(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.|º|ª)?"
    named = (
        rf"{day}\s+(?:of\s+|de\s+|d[ei]l?\s+|d')?{month}(?:,?\s+(?:de[l]?\s+)?{year})?",
        rf"\b{month}(?:\s+the)?\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\w%/]|[.,:]\d)(?:,?\s+{year})?",
        rf"\b{month},?\s+(?:of\s+|del?\s+)?{year}",
    )
    numeric = (
        (
            r"(?:(?<![\w.,/-])|(?<=mid-))(?P<decade>1\d{2}0|20\d0)(?:['\u2019]?s|er)\b"
            r"|\b[Tt]he ['\u2019]?(?P<short>[2-9]0)s\b"
        ),
        r"(?<![\w.,/-])(?P<first>1\d{3}|20\d\d)\s?[-\u2013/]\s?(?P<last>\d\d)(?![\w%/-]|[.,]\d)",
        r"(?<!\w)Q(?P<quarter>[1-4])\b|(?i:\b(?P<nth>first|second|third|fourth)[\s-](?:fiscal\s)?quarter)\b(?!\s+of\s+an?\b)",
        r"(?<![\w.,/-])(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?=T\d\d:|(?![\w/]|-\d|[.,]\d))",
        r"(?<![\w.,/-])(?P<a>\d\d?)(?P<mark>[/.-])\s?(?P<b>\d\d?)(?P=mark)\s?(?P<year>\d{4}|\d\d(?=\D|$))(?![\w/]|-\d|[.,]\d)",
        r"(?P<year>\d{4})\s?[年년]\s?(?:(?P<month>\d\d?)\s?[月월])?\s?(?:(?P<day>\d\d?)\s?[日号號일])?",
        r"(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日号號일]",
    )
    return tuple(re.compile(each, re.IGNORECASE) for each in named), tuple(re.compile(each) for each in numeric)


def dates(text: str, style: Style) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Finds dates, decades, `2019/20` as two years, and quarters of a year.

    Yields:
        The span of each with its parts; an ambiguous day or month has both readings.
    """
    named, numeric = _patterns()
    for pattern in (*(named if style.words & _MONTH_WORDS else ()), *numeric):
        for match in pattern.finditer(text):
            parts = tuple(_numeric(match, style) if "a" in match.re.groupindex else _parts(match, style))
            if parts:
                yield match.start(), match.end(), parts


def _parts(match: re.Match[str], style: Style) -> Iterator[Quantity]:
    groups = match.groupdict()
    if "decade" in groups:
        first = float(groups["decade"] or 0) or 1900 + float(groups["short"])
        yield replace(exact("year", first, match.span()), bound="during", within=(first, first + 9))
    if "quarter" in groups:
        group = "quarter" if groups["quarter"] else "nth"
        yield exact("quarter", float(groups["quarter"] or 0) or ORDINALS[groups["nth"].casefold()], match.span(group))
    if "last" in groups and int(groups["last"]) > int(groups["first"]) % 100:
        last = float(groups["first"][:2] + groups["last"])
        yield exact("year", float(groups["first"]), match.span("first"))
        yield exact("year", last, match.span("last"))
    month, day, year = (groups.get(name) for name in ("month", "day", "year"))
    value = (_NUMBERS.get(month.casefold()) or float(month)) if month else 1.0
    if not 1 <= value <= _MONTH_COUNT or not 1 <= int(day or 1) <= _LONGEST_MONTH:
        return
    if month in _VERBS and style.language in {"en", ""} and not year:
        return  # `you may 5 times` does not name a month
    for kind, number in (("year", year), ("day", day)):
        if number:
            yield exact(kind, float(number), match.span(kind))
    if month:
        yield exact("month", value, match.span("month"))


def _numeric(match: re.Match[str], style: Style) -> Iterator[Quantity]:
    """`03/04/2020`: 3 April in most of the world, 4 March in the United States."""
    a, b, year = float(match["a"]), float(match["b"]), float(match["year"])
    if len(match["year"]) == 2:  # noqa: PLR2004 - digits
        if match["mark"] != "/" and style.decimal_mark != ",":
            return
        year += 2000 if year < _CENTURY_TURN else 1900
    days_first, months_first = b <= _MONTH_COUNT, a <= _MONTH_COUNT
    if not min(a, b) >= 1 or max(a, b) > _LONGEST_MONTH or not (days_first or months_first):
        return
    sure = match["mark"] == "." or (style.language not in {"en", ""}) or a == b
    day, month = ("b", "a") if months_first and not (days_first and sure) else ("a", "b")
    values = {"a": a, "b": b}
    both = days_first and months_first and not sure
    yield exact("year", year, match.span("year"))
    yield exact("month", values[month], match.span(month), *([values[day]] if both else []))
    yield exact("day", values[day], match.span(day), *([values[month]] if both else []))


_TIME = re.compile(
    r"(?:(?<![\w.,:/-])|(?<=\0T))(?:"  # behind a date, as in `2020-03-04T17:30`
    r"(?P<h>[0-2]?\d)[:h](?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s?(?P<half>[ap])\.?\s?m\b\.?)?"
    r"|(?P<hh>1[0-2]|0?\d)(?:\.(?P<mm>[0-5]\d))?\s?(?P<half2>[ap])\.?\s?m\b\.?"
    r"|(?P<uhr>[0-2]?\d)(?:[.:](?P<min>[0-5]\d))?\s?(?:Uhr|o['\u2019]clock)\b)",
    re.IGNORECASE,
)


def times(text: str, _: Style) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Finds times of day as minutes after midnight.

    Without `am` or `pm` an hour from one to twelve may be of either half of the day, unless it is written `05:30`.
    """
    for match in _TIME.finditer(text):
        hours = int(match["h"] or match["hh"] or match["uhr"])
        half = (match["half"] or match["half2"] or "").casefold()
        if half and 1 <= hours <= _NOON:
            hours = hours % _NOON + (_NOON if half == "p" else 0)
        elif hours > 2 * _NOON:
            continue
        minutes = 60.0 * (hours % 24) + int(match["m"] or match["mm"] or match["min"] or 0)
        either = not half and 1 <= hours <= _NOON and not match[0].startswith("0")
        also = [(minutes + _DAY / 2) % _DAY] if either else []
        yield *match.span(), (exact("clock", minutes, match.span(), *also),)


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
