"""A number in a text: what else it may mean, and what the words or the second number beside it make of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.language.values.numerals import MAGNITUDES

EXACT = frozenset({"year", "month", "weekday", "day", "rank", "clock", "quarter"})
"""Kinds that are equal or different, never near: nothing is rounded, added up or converted."""

_BOUNDS = {
    words: name
    for name, listed in {
        "about": """about,around,roughly,approximately,approx.,approx,some,nearly,almost,close to,circa,ca,ca.,c.,
            estimated,~,≈,etwa,rund,ungefähr,environ,unos,quase,ongeveer""",
        "over": "over,more than,above,exceed,exceeds,exceeded,exceeding,at least,upwards of,greater than,>,≥,über",
        "under": "under,less than,below,fewer than,at most,up to,as many as,no more than,<,≤,unter",
    }.items()
    for words in map(str.strip, listed.split(","))
}
_YEAR_BOUNDS = {"after": "over", "later than": "over", "before": "under", "prior to": "under", "earlier than": "under"}
_REACH = 24  # characters before a number in which such words stand

_TO = re.compile(r"\s*(?:to|until|till|through|bis|à|al?|hasta|tot|até|-|\u2013|\u2014)\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|or|und|y|et|e|en)\s*", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|between|zwischen|von|entre|de|tra|fra|da|tussen|van|desde)\s+(?:the\s+)?\W?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        raw: As written, magnitude applied but without its unit.
        value: In the base unit of its kind: metres, kilograms, seconds, watts, percent, plain count, month 1-12.
        kind: `count`, `year`, `month`, `day`, `weekday`, `clock` (minutes after midnight), `quarter`, `rank`,
            `money:<code>` or a dimension such as `length`; values of different kinds are not comparable.
        noun: For a count, the word behind the number, case-folded; otherwise empty.
        bound: `exact`, or what the words before it make of it: `about`, `over`, `under`; `during` for a decade, of
            which `value` is the first year.
        step: Size of the last digit written, in base units: how coarse the number is. 0 for spelt-out numbers.
        start: Offset in the text.
        end: Offset after it, unit included.
        also: Kind and value of what it may stand for as well: `1.000` where nothing tells whether the point separates
            thousands, `03/04/2020`, `5:30` without a half of the day.
        within: First and last value of the range or decade that it is an end of, in base units.
    """

    raw: float
    value: float
    kind: str
    noun: str
    bound: str
    step: float
    start: int
    end: int
    also: tuple[tuple[str, float], ...] = ()
    within: tuple[float, float] | None = None

    @property
    def readings(self) -> tuple[Quantity, ...]:
        """It and what else it may stand for, each as a quantity that can mean one thing only."""
        if not self.also:
            return (self,)
        factor = self.raw / self.value if self.value else 1.0
        others = [
            replace(self, raw=value * factor if kind == self.kind else value, value=value, kind=kind, also=())
            for kind, value in self.also
        ]
        return (replace(self, also=()), *others)

    def may_be(self, other: Quantity) -> bool:
        """Tells whether one leaves open that it is the other: a year in a decade, a number in a range, 3 April.

        That is not a reason to call the other stated, only one not to call it wrong.
        """
        return any(
            mine.kind == its.kind and (mine.value == its.value or _holds(mine, its) or _holds(its, mine))
            for mine in self.readings
            for its in other.readings
        )


def _holds(one: Quantity, other: Quantity) -> bool:
    return one.within is not None and one.within[0] <= other.value <= one.within[1]


def exact(kind: str, value: float, span: tuple[int, int], *also: float) -> Quantity:
    """Makes a quantity of one of the kinds in `EXACT`, with the values it may have as well."""
    return Quantity(value, value, kind, "", "exact", 0.0, *span, also=tuple((kind, other) for other in also))


def bound(text: str, start: int) -> str:
    """Reads the words before a number: `about`, `over`, `under`, or `exact` if there are none."""
    return _last_words(text, start, _BOUNDS) or "exact"


def year_bound(text: str, start: int) -> str:
    """Reads the words before a year, which may also lie `before` or `after`."""
    return _last_words(text, start, _YEAR_BOUNDS) or bound(text, start)


def _last_words(text: str, start: int, table: Mapping[str, str]) -> str:
    """Looks up the last word before a number, or the last two or three; a mark may be glued to the number."""
    before = text[max(0, start - _REACH) : start]
    words = before.casefold().split()[-3:]
    for n in range(len(words)):
        if (name := table.get(" ".join(words[n:]).lstrip("([\"'"))) is not None:
            return name
    return table.get(before[-1:], "")


def joined(quantities: Sequence[Quantity], text: str) -> list[Quantity]:
    """Lets the ends of each range share unit, magnitude and limits.

    Args:
        quantities: In the order of the text.
        text: The text.
    """
    result = list(quantities)
    for i in range(len(result) - 1):
        low, high = result[i : i + 2]
        to = _TO.fullmatch(text, low.end, high.start)
        if to or _AND.fullmatch(text, low.end, high.start):
            low = _shared(low, high, text)
            is_range = to or _FROM.search(text[max(0, low.start - _REACH) : low.start])
            result[i : i + 2] = _limited(low, high) if is_range else (low, high)
    return result


def _shared(low: Quantity, high: Quantity, text: str) -> Quantity:
    """The lower end of `2 to 8 km` or `EUR 3 to 4 million` takes over what stands behind the upper end only."""
    scale = 1.0 if _magnitude(low, text) else _magnitude(high, text) or 1.0
    if low.kind == "count" and not low.noun and high.kind == "day" and low.value <= 31:  # noqa: PLR2004 - `4-6 March`
        return replace(low, kind="day")
    if low.kind == "count" and not low.noun and high.kind not in EXACT and high.raw:
        factor = scale * high.value / high.raw
        also = tuple((high.kind, value * factor) for _, value in low.also)
        shared = replace(low, raw=low.raw * scale, value=low.raw * factor, step=low.step * factor, also=also)
        return replace(shared, kind=high.kind, noun=high.noun)
    if low.kind.startswith("money"):
        return replace(low, raw=low.raw * scale, value=low.value * scale, step=low.step * scale)
    return low


def _limited(low: Quantity, high: Quantity) -> tuple[Quantity, Quantity]:
    """Lets the ends of a range know each other."""
    if low.kind != high.kind or low.value >= high.value:
        return low, high
    within = (low.value, high.within[1] if high.within else high.value)
    return replace(low, within=within), replace(high, within=within)


def _magnitude(quantity: Quantity, text: str) -> float | None:
    written = text[quantity.start : quantity.end].casefold().split()
    return next((MAGNITUDES[word] for word in written if word in MAGNITUDES), None)
