"""Dates and times of day: `March 4, 2020`, `4. März 2020`, `2020-03-04`, `the 1990s`, `5:30 p.m.`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from trail_callbacks.language.values.numerals import ORDINALS, Style
from trail_callbacks.language.values.quantity import Quantity, exact

__all__ = ["DAYS", "MONTHS", "dates", "month_named", "times"]

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
