"""Numbers with their units as values: `40 minutes` is `2/3 hour` and `about 40`, and neither 41 minutes nor 40 euros.

An answer may round, and never be more exact than the value. It gives a value if it equals it after conversion, or

- within half of its last digit and 5 %, where it says that it is rounded (`about`),
- within half of its last digit, or of its second one, and 2 %, where it is in another unit,
- within half of its last digit and 1 %, where it keeps two digits of a value that has more (`3.1 million`).

So `about 40` gives 41, and neither `41` nor `about 41` gives 40. Where a number fits several of the probe's values,
one that it equals goes first; else it is none for sure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from trail_callbacks.canary.outcomes.mention import Mention, Values
from trail_callbacks.canary.outcomes.reading import plain
from trail_callbacks.canary.outcomes.wording import alternatives
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.detect import language
from trail_callbacks.language.quantities import EXACT, Quantity, quantities
from trail_callbacks.language.terms import stem, vocabulary

__all__ = ["Amounts", "amounts"]

_COMPOUND = frozenset({"time", "length", "mass", "volume"})
_BETWEEN = frozenset({"", "and", ",", "und", "et", "y", "e", "en", ", and"})
_PEOPLE = vocabulary(
    """employees employee staff workers members colleagues
    people person persons resident residents inhabitant inhabitants citizens habitants habitantes abitanti einwohner
    einwohnern personen menschen bewohner personnes personas persone pessoas inwoners mensen mieszkańców osób человек
    жителей жителя люди नागरिक लोग निवासी نسمة شخص souls islanders villagers"""
)
_NO_NOUNS = vocabulary(
    """oder und sondern aber statt nicht mais pero sino instead rather not also maar sowie plutôt invece
    can cannot may must will would should shall could might was were are has had have does did only nor
    according based depending if when while though although however per cada zijn sind sont son sono selon laut"""
)  # what `quantities` takes for the thing counted
_LABEL = re.compile(r"(?:^|[\n|])[ \t]*(?:[-*][ \t]*)?(?P<label>[^\W\d_][^\n|:\d]{0,40}?)[ \t]*[:|][ \t]*$")
_INCLUSIVE = re.compile(
    r"(?:up\sto|at\s(?:most|least)|no\s(?:more|less|fewer)\sthan|as\smany\sas|mindestens|höchstens|bis\szu|au\s(?:moins|plus)|jusqu'à|"
    r"al\smenos|hasta|como\smáximo|almeno|fino\sa|pelo\smenos|até|minstens|hoogstens|≤|≥)\W*$",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:over|above|under|below|exceed\w*|more\sthan|less\sthan|fewer\sthan|at\sleast|at\smost|up\sto|minimum|maximum)\b",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"(?:\s?/\s?|\s(?:per|a|an|each|every|pro|par|por|al?|im|om|i|w|в)\s)"
    r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|annum|person|head|mo|yr|tag|nacht|monat|woche|jahr|jour|nuit|mois|"
    r"semaine|an|día|noche|mes|semana|año|giorno|notte|mese|settimana|anno|dia|noite|mês|ano|dag|nacht|maand|week|jaar|dygn|natt|månad|år)(?!\w)",
    re.IGNORECASE,
)
_HOURS = re.compile(r"(?<![\d.,:])(\d{1,2}) h (\d\d)(?!\d|\s?m)")
_UNITS: dict[str, dict[str, float]] = {
    "pounds": {"mass": 0.4536, "money:gbp": 1.0},
    "pound": {"mass": 0.4536, "money:gbp": 1.0},
    "pfund": {"mass": 0.5, "money:gbp": 1.0},
    "libras": {"mass": 0.4536, "money:gbp": 1.0},
    "livres": {"mass": 0.4536, "money:gbp": 1.0},
    "sterline": {"money:gbp": 1.0},
    "tons": {"mass": 1000.0},
    "metric": {"mass": 1000.0},
    "gal": {"volume": 3.785411784},
    "cubic": {"volume": 1000.0},
    "knots": {"speed": 1.852},
}  # by the word behind a number: `6,800 pounds`
_OF_THEM = re.compile(r"\s(?:of|out\sof)\s(?:them|these|those|which|whom|the)\b|\s(?:davon|d'entre)\b", re.IGNORECASE)
_PROPER = re.compile(
    r"[^\s.!?:|*\"'(-][\s,]+(?!About|Around|In|At|On|Is)[A-Z][\w-]*[ -]$"
)  # `the TerraVac 900`, in mid-sentence
_WORDS = re.compile(r"[^\W\d_]+")
_BEHIND = 3  # words behind a number in which the counted thing is: `870 API requests`
_LARGE = 100  # a count from which the same number is hardly of another thing by chance
_ABOUT, _CONVERTED, _ROUNDED = 0.05, 0.02, 0.01
_TWO_DIGITS = 10  # a number of two digits is at least ten times its last one
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity, or several that make one: `1 hour and 3 minutes`."""

    quantity: Quantity
    converted: float  # base units in one of the unit that it is written in
    behind: tuple[str, ...] = ()  # stems of the words behind it
    text: str = ""  # where it stands

    @property
    def value(self) -> float:
        """In base units."""
        return self.quantity.value

    @property
    def is_foreign(self) -> bool:
        """In a text of another language than English, whose units are not all known. Takes time to tell."""
        return language(self.text) not in {"en", ""}


def amounts(text: str) -> Iterator[Amount]:
    """Reads the numbers of a text; parts of one measure are joined."""
    found = [_plain(each, text) for each in quantities(text)]
    i = 0
    while i < len(found):
        one = found[i]
        factor = one.value / one.raw if one.raw else 1.0
        while i + 1 < len(found) and _continues(one, factor, found[i + 1], text):
            part = found[i + 1]
            factor = part.value / part.raw if part.raw else 1.0
            value = one.value + math.copysign(part.value, one.value)
            one = replace(one, raw=value / factor, value=value, step=part.step, end=part.end, also=())
            i += 1
        behind = tuple(stem(word.casefold()) for word in _WORDS.findall(text[one.end : one.end + 40])[:_BEHIND])
        yield Amount(one, factor, behind, text)
        i += 1


def _plain(one: Quantity, text: str) -> Quantity:
    """A quantity whose limit includes it (`up to 63`) gives it; words such as `or` are nothing that is counted."""
    if one.bound in {"over", "under"} and _INCLUSIVE.search(text[max(0, one.start - 24) : one.start]):
        one = replace(one, bound="exact")
    return replace(one, noun="") if one.noun in _NO_NOUNS else one


def _continues(one: Quantity, factor: float, part: Quantity, text: str) -> bool:
    """Whether a quantity is a smaller part of the one before it: `1 h 3 min`, `5 ft 4 in`."""
    smaller = part.value / part.raw if part.raw else 1.0
    return (
        one.kind == part.kind
        and one.kind in _COMPOUND
        and smaller < factor
        and one.raw == int(one.raw)
        and 0 < part.value < factor
        and one.within is None
        and part.within is None
        and text[one.end : part.start].strip() in _BETWEEN
    )


class Amounts:
    """Compares the numbers in which a probe's values differ.

    Args:
        values: The values, by their forms.
        question: The question: a limit that it names (`over how many`) is not the answer's.
    """

    how: How = "value"

    def __init__(self, values: Values, question: str = "") -> None:
        self.is_limit = _LIMIT.search(question) is not None
        read = {name: [list(amounts(plain(form))) for form in forms] for name, forms in values.items()}
        self.wanted: dict[Stated, list[Amount]] = {}
        for name, forms in read.items():
            others = [form for other, all_ in read.items() if other != name for form in all_]
            told = [[one for one in form if not _in_all(one, others)] for form in forms]
            self.wanted[name] = [one for form in told for one in _first(form)]
        raw = [{one.quantity.raw for one in listed} for listed in self.wanted.values()]
        self.by_unit = any(one & other for one, other in pairwise(raw))
        self.are_ranges = all(one.quantity.within for listed in self.wanted.values() for one in listed)
        self.is_rate = any("/" in one.quantity.kind for listed in self.wanted.values() for one in listed)
        self.is_clock = all(one.quantity.kind == "clock" for listed in self.wanted.values() for one in listed)

    def __bool__(self) -> bool:
        return all(self.wanted.values())

    def find(self, text: str) -> Sequence[Mention]:
        """Finds numbers that are of the kind of the values; others are left out."""
        read = text if self.is_rate else _RATE.sub(lambda match: " " * len(match[0]), text)
        read = _HOURS.sub(r"\1:\2  ", read) if self.is_clock else read
        found = [each for each in amounts(read) if not _is_label(each.quantity, text)]
        if self.is_limit:
            found = [replace(each, quantity=replace(each.quantity, bound="exact")) for each in found]
        graded = [(each, one) for one in found if (each := self._mention(one)) is not None]
        measured = {each.value for each, one in graded if one.quantity.kind not in {"count", "year"}} - {None}
        mentions = [each for each, one in graded if not (measured - {each.value} and _labelled(one.quantity, text))]
        return _ranges(mentions, found, whole=self.are_ranges)

    def reads(self, text: str, /) -> bool:
        """Whether there is a number: it is another value then."""
        return any(not _is_label(each.quantity, text) for each in amounts(text))

    def _mention(self, one: Amount) -> Mention | None:
        grades = {
            name: max((_grade(one, value, by_unit=self.by_unit) for value in listed), default=0.0)
            for name, listed in self.wanted.items()
        }
        best = max(grades.values(), default=0.0)
        span = one.quantity.start, one.quantity.end
        if best > 0:
            named = [name for name, grade in grades.items() if grade == best]
            return Mention(named[0], *span, sure=len(named) == 1 and best > _WEAK)
        same = any(_comparable(one.quantity, value.quantity) for listed in self.wanted.values() for value in listed)
        return Mention(None, *span) if same else None


def _is_label(one: Quantity, text: str) -> bool:
    """Whether a number only numbers something, or is a part of another one: `room 63`, `No. 40`, `12 of them`."""
    before = text[max(0, one.start - 24) : one.start]
    bare = one.kind in {"count", "year"} and not one.noun
    return bare and any((_numbered().search(before), _PROPER.search(before), _OF_THEM.match(text, one.end)))


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives('numbered')})[.\s#]*$", re.IGNORECASE)


def _labelled(one: Quantity, text: str) -> bool:
    """Whether a number without a unit is in a row or line of its own label: `passengers: 40`."""
    return (
        one.kind in {"count", "year"}
        and not one.noun
        and _LABEL.search(text[max(0, one.start - 60) : one.start]) is not None
    )


_SECOND = 0.95  # `2,310` may be read as 2.31; what is meant at first sight goes first
_WEAK = 0.25  # the number alone agrees: of what it is cannot be told


def _first(form: Sequence[Amount]) -> Sequence[Amount]:
    """The first number of a value; both ends, where it begins a range."""
    if len(form) > 1 and form[0].quantity.within is not None and form[0].quantity.within == form[1].quantity.within:
        return form[:2]
    return form[:1]


def _in_all(one: Amount, forms: Iterable[list[Amount]]) -> bool:
    listed = list(forms)
    return bool(listed) and all(any(_grade(one, other) == 1.0 for other in form) for form in listed)


def _grade(said: Amount, wanted: Amount, *, by_unit: bool = False) -> float:
    """How well a number gives a value: 1.0 equal, 0.75 equal without its unit, 0.5 rounded, 0.25 perhaps, 0.0 not."""
    best = 0.0
    for i, one in enumerate((*said.quantity.readings, *_as_other_units(said.quantity))):
        for j, value in enumerate(wanted.quantity.readings):
            grade = _graded(one, said.converted, value, wanted.converted)
            best = max(best, min(grade, _WEAK) if j > i else grade * _SECOND if i else grade)
    if best == _WEAK and not by_unit and _names_noun(said, wanted):
        return 1.0
    if not best and said.quantity.noun and _equal(said.quantity.raw, wanted.quantity.raw) and said.is_foreign:
        return _WEAK
    return best


def _as_other_units(one: Quantity) -> Iterator[Quantity]:
    """What a count of something may be that `quantities` does not know as a unit, or that has two meanings."""
    for kind, factor in _UNITS.get(one.noun, {}).items() if one.kind == "count" else ():
        yield replace(one, kind=kind, value=one.raw * factor, step=one.step * factor, noun="", also=())


def _names_noun(said: Amount, wanted: Amount) -> bool:
    """Whether a count is of the thing counted, by a word further on, or so large that it can hardly be of another."""
    if said.quantity.kind != "count" or said.quantity.bound not in {"exact", "about", wanted.quantity.bound}:
        return False
    return stem(wanted.quantity.noun) in said.behind or wanted.quantity.value >= _LARGE


def _graded(one: Quantity, factor: float, value: Quantity, its: float) -> float:
    if one.kind != value.kind:
        return _across(one, value)
    of_another = one.kind == "count" and not _same_noun(one.noun, value.noun)
    limited = one.bound in {"over", "under", "during"} and one.bound != value.bound
    if _equal(one.value, value.value):
        return _WEAK if of_another or limited else 1.0 if one.kind != "count" or one.noun or not value.noun else 0.75
    if of_another or limited or one.kind in EXACT | {"clock"}:
        return 0.0
    return 0.5 if _rounds(one, factor, value, its) else 0.0


def _across(one: Quantity, value: Quantity) -> float:
    """How well a number gives a value that is of another kind."""
    if one.kind == "clock" and value.kind == "time":  # `0:40 h`
        return 1.0 if _equal(60 * one.value, value.value) else 0.0
    if one.kind.startswith(f"{value.kind}/"):  # `four days per week`, where days a week were asked for
        return 0.75 if _equal(one.raw, value.raw) else 0.0
    if value.kind == "count" and not value.noun and one.kind not in EXACT | {"clock"}:
        return 0.75 if _equal(one.raw, value.raw) else 0.0
    if one.kind not in {"count", "year"} or one.noun or value.kind in EXACT | {"clock"}:
        return 0.0
    share = value.kind == "percent" and 0 < one.raw < 1 and _equal(100 * one.raw, value.raw)
    return 0.75 if share or _equal(one.raw, value.raw) else 0.0


def _rounds(one: Quantity, factor: float, value: Quantity, its: float) -> bool:
    off = abs(one.value - value.value)
    step = one.step or _last_digit(one.raw) * factor
    if off > step / 2 * (1 + _CLOSE) or not value.value:
        return False
    share = off / abs(value.value)
    if one.bound == "about":
        return share <= _ABOUT
    if not _equal(factor, its):
        return share <= _CONVERTED and off <= _second_digit(one.raw) * factor / 2 * (1 + _CLOSE)
    finer = (value.step or 0.0) < step
    return finer and share <= _ROUNDED and abs(one.value) >= _TWO_DIGITS * step


def _last_digit(value: float) -> float:
    """Size of the last digit that is not a zero, of a whole number."""
    digits = str(int(abs(value))) if math.isfinite(value) and abs(value) < 1e15 and value == int(value) else "1"  # noqa: PLR2004 - exact floats
    return 10.0 ** (len(digits) - len(digits.rstrip("0"))) if digits.strip("0") else 1.0


def _second_digit(value: float) -> float:
    """Size of the second digit of a number: what is converted keeps two digits at least."""
    return 10.0 ** (math.floor(math.log10(abs(value))) - 1) if value and math.isfinite(value) else 0.0


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE)


def _same_noun(one: str, other: str) -> bool:
    return not one or not other or stem(one) == stem(other) or (one in _PEOPLE and other in _PEOPLE)


def _comparable(one: Quantity, value: Quantity) -> bool:
    kinds = {kind for kind, _ in one.also} | {one.kind}
    return value.kind in kinds or (one.kind == "count" and not one.noun)


def _ranges(mentions: Sequence[Mention], found: Sequence[Amount], *, whole: bool) -> list[Mention]:
    """Marks the ends of ranges; where the values are ranges, one with an end of its own is another value."""
    spans = {
        (each.quantity.start, each.quantity.end): (a.quantity.start, b.quantity.end)
        for a, b in pairwise(found)
        if a.quantity.within is not None and a.quantity.within == b.quantity.within
        for each in (a, b)
    }
    marked = [replace(each, joined=spans.get((each.start, each.end))) for each in mentions]
    if not whole:
        return marked
    foreign = {each.joined for each in marked if each.value is None} - {None}
    return [replace(each, value=None) if each.joined in foreign else each for each in marked]
