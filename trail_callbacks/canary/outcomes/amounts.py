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
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from trail_callbacks.canary.outcomes.amount import Amount, amounts, is_label, is_labelled
from trail_callbacks.canary.outcomes.mention import Mention, Values
from trail_callbacks.canary.outcomes.reading import plain
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.terms import stem, terms, vocabulary
from trail_callbacks.language.values import EXACT, Quantity

__all__ = ["Amounts"]

_PEOPLE = vocabulary(
    """employees employee staff workers members colleagues
    people person persons resident residents inhabitant inhabitants citizens habitants habitantes abitanti einwohner
    einwohnern personen menschen bewohner personnes personas persone pessoas inwoners mensen mieszkańców osób человек
    жителей жителя люди नागरिक लोग निवासी نسمة شخص souls islanders villagers"""
)
_COUNTED = re.compile(r"\b(?:how\s(?:many|much)|wie\sviele?|combien|cuánt[ao]s?|quant[ieo])\b", re.IGNORECASE)
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
_LARGE = 100  # a count from which the same number is hardly of another thing by chance
_ABOUT, _CONVERTED, _ROUNDED = 0.05, 0.02, 0.01
_TWO_DIGITS = 10  # a number of two digits is at least ten times its last one
_DAY = 24  # hours
_CLOSE = 1e-9


class Amounts:
    """Compares the numbers in which a probe's values differ.

    Args:
        values: The values, by their forms.
        question: The question: a limit that it names (`over how many`) is not the answer's.
    """

    how: How = "value"

    def __init__(self, values: Values, question: str = "") -> None:
        self.asked = {term.stem for term in terms(question)}
        self.labels = frozenset() if _COUNTED.search(question) else self.asked  # `which port`, not `how many chapters`
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
        self.is_rate = any(
            "/" in one.quantity.kind or one.quantity.kind == "speed"
            for listed in self.wanted.values()
            for one in listed
        )
        self.is_clock = all(one.quantity.kind == "clock" for listed in self.wanted.values() for one in listed)

    def __bool__(self) -> bool:
        return all(self.wanted.values())

    def find(self, text: str) -> Sequence[Mention]:
        """Finds numbers that are of the kind of the values; others are left out."""
        read = text if self.is_rate else _RATE.sub(lambda match: " " * len(match[0]), text)
        read = _HOURS.sub(r"\1:\2  ", read) if self.is_clock else read
        found = [
            each
            for each in amounts(read)
            if not is_label(each.quantity, text, proper=not self._is_wanted(each), asked=self.labels)
        ]
        if self.is_limit:
            found = [replace(each, quantity=replace(each.quantity, bound="exact")) for each in found]
        graded = [(each, one) for one in found if (each := self._mention(one)) is not None]
        measured = {each.value for each, one in graded if one.quantity.kind not in {"count", "year"}} - {None}
        mentions = [each for each, one in graded if not (is_labelled(one.quantity, text) and measured - {each.value})]
        return _ranges(mentions, found, whole=self.are_ranges)

    def reads(self, text: str, /) -> bool:
        """Whether there is a number: it is another value then."""
        return any(not is_label(each.quantity, text) for each in amounts(text))

    def _is_wanted(self, one: Amount) -> bool:
        return any(_equal(one.quantity.raw, value.quantity.raw) for listed in self.wanted.values() for value in listed)

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
        wanted = [value.quantity for listed in self.wanted.values() for value in listed]
        return Mention(None, *span) if any(self._is_comparable(one.quantity, value) for value in wanted) else None

    def _is_comparable(self, one: Quantity, value: Quantity) -> bool:
        """Whether a number is another value of the same sort: of the same kind, and of the thing that was asked for."""
        if one.kind == "count" and one.noun and not value.noun and value.kind == "count":
            return stem(one.noun) in self.asked or one.noun in _PEOPLE
        kinds = {kind for kind, _ in one.also} | {one.kind}
        return value.kind in kinds or (one.kind == "count" and not one.noun)


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
    for i, one in enumerate(said.quantity.readings):
        for j, value in enumerate(wanted.quantity.readings):
            factor = said.converted if one.kind == said.quantity.kind else 0.0
            grade = _graded(one, factor, value, wanted.converted)
            best = max(best, min(grade, _WEAK) if j > i else grade * _SECOND if i else grade)
    if best == _WEAK and not by_unit and _names_noun(said, wanted):
        return 1.0
    if not best and said.quantity.noun and _equal(said.quantity.raw, wanted.quantity.raw) and said.is_foreign:
        return _WEAK
    return best


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
    if one.kind not in {"count", "year"} or one.noun or value.kind in EXACT - {"clock"}:
        return 0.0
    return 0.75 if _bare(one.raw, value) else 0.0


def _bare(said: float, value: Quantity) -> bool:
    """Whether a number without a unit gives a value: `at three` for a time of day, `0.12` for a share."""
    if value.kind == "clock":
        return said <= _DAY and (60 * said - value.value) % (60 * _DAY / 2) == 0
    return _equal(said, value.raw) or (value.kind == "percent" and 0 < said < 1 and _equal(100 * said, value.raw))


def _rounds(one: Quantity, factor: float, value: Quantity, its: float) -> bool:
    off = abs(one.value - value.value)
    step = one.step or _last_digit(one.raw) * (factor or 1.0)
    if off > step / 2 * (1 + _CLOSE) or not value.value:
        return False
    share = off / abs(value.value)
    if one.bound == "about":
        return share <= _ABOUT
    if not _equal(factor, its):
        return share <= _CONVERTED and off <= _second_digit(one.raw) * (factor or 1.0) / 2 * (1 + _CLOSE)
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
