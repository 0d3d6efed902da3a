"""Units: the number stays, what it is of changes: 40 km become 40 miles."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.facts import Fact, facts
from trail_callbacks.canary.facts.figures import Figure
from trail_callbacks.canary.perturbers.collisions import Present, implausible
from trail_callbacks.canary.perturbers.consequences import Consequences, consequences
from trail_callbacks.language.values import quantities

__all__ = ["propose"]

_FORMS: Mapping[str, Sequence[str]] = {
    # in each column the same kind of form: sign, one, several, and the same in German
    "km": ("km", "kilometre", "kilometres", "kilometer", "kilometers", "Kilometer", "Kilometern"),
    "mi": ("mi", "mile", "miles", "mile", "miles", "Meilen", "Meilen"),
    "m": ("m", "metre", "metres", "meter", "meters", "Meter", "Metern"),
    "ft": ("ft", "foot", "feet", "foot", "feet", "Fuß", "Fuß"),
    "yd": ("yd", "yard", "yards", "yard", "yards", "Yards", "Yards"),
    "cm": ("cm", "centimetre", "centimetres", "centimeter", "centimeters", "Zentimeter", "Zentimetern"),
    "mm": ("mm", "millimetre", "millimetres", "millimeter", "millimeters", "Millimeter", "Millimetern"),
    "inch": ("", "inch", "inches", "inch", "inches", "", ""),
    "kg": ("kg", "kilogram", "kilograms", "kilo", "kilos", "Kilogramm", "Kilogramm"),
    "lb": ("lb", "", "lbs", "", "lbs", "", ""),
    "g": ("g", "gram", "grams", "gram", "grams", "Gramm", "Gramm"),
    "oz": ("oz", "ounce", "ounces", "ounce", "ounces", "", ""),
    "t": ("", "tonne", "tonnes", "tonne", "tonnes", "Tonnen", "Tonnen"),
    "l": ("l", "litre", "litres", "liter", "liters", "Liter", "Litern"),
    "gal": ("", "gallon", "gallons", "gallon", "gallons", "", ""),
    "ha": ("ha", "hectare", "hectares", "hectare", "hectares", "Hektar", "Hektar"),
    "acre": ("", "acre", "acres", "acre", "acres", "", ""),
    "s": ("s", "second", "seconds", "sec", "secs", "Sekunden", "Sekunden"),
    "min": ("min", "minute", "minutes", "min", "mins", "Minuten", "Minuten"),
    "h": ("h", "hour", "hours", "hr", "hrs", "Stunden", "Stunden"),
    "day": ("", "day", "days", "day", "days", "Tage", "Tagen"),
    "week": ("", "week", "weeks", "week", "weeks", "Wochen", "Wochen"),
    "month": ("", "month", "months", "month", "months", "Monate", "Monaten"),
    "year": ("", "year", "years", "year", "years", "Jahre", "Jahren"),
    "kmh": ("km/h", "", "", "", "", "", ""),
    "mph": ("mph", "", "", "", "", "", ""),
    "c": ("°C", "", "", "", "", "", ""),
    "f": ("°F", "", "", "", "", "", ""),
    "mb": ("MB", "megabyte", "megabytes", "megabyte", "megabytes", "Megabyte", "Megabyte"),
    "gb": ("GB", "gigabyte", "gigabytes", "gigabyte", "gigabytes", "Gigabyte", "Gigabyte"),
    "tb": ("TB", "terabyte", "terabytes", "terabyte", "terabytes", "Terabyte", "Terabyte"),
    "kw": ("kW", "kilowatt", "kilowatts", "kilowatt", "kilowatts", "Kilowatt", "Kilowatt"),
    "mw": ("MW", "megawatt", "megawatts", "megawatt", "megawatts", "Megawatt", "Megawatt"),
    "usd": ("$", "dollar", "dollars", "USD", "USD", "Dollar", "Dollar"),
    "eur": ("€", "euro", "euros", "EUR", "EUR", "Euro", "Euro"),
    "gbp": ("£", "", "", "GBP", "GBP", "", ""),
}
_SWAPS: Mapping[str, Sequence[str]] = {
    "km": ("mi",), "mi": ("km",), "m": ("ft", "yd"), "ft": ("m", "yd"), "yd": ("m", "ft"), "cm": ("inch", "mm"),
    "mm": ("cm",), "inch": ("cm",), "kg": ("lb", "g"), "lb": ("kg",), "g": ("oz",), "oz": ("g",), "t": ("kg",),
    "l": ("gal",), "gal": ("l",), "ha": ("acre",), "acre": ("ha",), "s": ("min",), "min": ("s", "h"),
    "h": ("min", "day"),
    "day": ("h", "week"), "week": ("day", "month"), "month": ("week", "year"), "year": ("month",), "kmh": ("mph",),
    "mph": ("kmh",), "c": ("f",), "f": ("c",), "mb": ("gb",), "gb": ("mb", "tb"), "tb": ("gb",), "kw": ("mw",),
    "mw": ("kw",), "usd": ("eur", "gbp"), "eur": ("usd", "gbp"), "gbp": ("eur", "usd"),
}  # fmt: skip
"""What may stand in the place of a unit: another of its dimension, at most some 60 times as large."""

_LOWER: dict[str, tuple[str, int]] = {}
"""Unit and which of its forms, by case-folded form; the first that has it."""
for _unit_name, _forms in _FORMS.items():
    for _column, _form in enumerate(_forms):
        if _form:
            _LOWER.setdefault(_form.casefold(), (_unit_name, _column))
_WORD = re.compile(r"km/h|°[CF]|[$€£]|[^\W\d_]+", re.IGNORECASE)
_MOST = 24.0  # hours, where minutes become hours; weeks, where days become weeks
_TIMES = frozenset({"s", "min", "h", "day", "week", "month"})
_LONGER = frozenset({("min", "h"), ("h", "day"), ("day", "week"), ("week", "month"), ("month", "year")})
_CODE = re.compile(r"\s?(?:USD|EUR|GBP|US|dollars?|euros?|pounds?)\b", re.IGNORECASE)
_NATION = re.compile(r"(?:\bUS|\bA|\bC|\bNZ|USD|EUR|GBP)\s?$")
_RANGE = re.compile(
    r",?\s?(?:to|and|or|-|\u2013)\s?(?:(?:around|about|even|nearly|up\sto|above|below|over|under|almost|roughly|just|only|an?)\s){0,2}",
    re.IGNORECASE,
)
_ENDS = "it is the end of a range, or 1"
_MANY = 500  # of a unit of time that nobody counts to: 5,000 months
_OR_ONE = re.compile(r"\s(?:or|to)\s(?:even\s)?an?\s\w+", re.IGNORECASE)
_BESIDE = 4  # characters between the parts of `5 feet 8 inches`


def propose(
    corpus: Corpus,
    rng: random.Random,
    sizes: Sequence[Size],  # noqa: ARG001 - a unit has no scale
) -> Iterator[Edit | Skipped]:
    """Proposes another unit of the same dimension for numbers with a unit, in all mentions of the fact.

    Left alone are numbers from which others follow, ranges, compounds (`5 feet 8 inches`), rates, and facts that are
    also stated in another unit or without one.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used.

    Yields:
        Edits in random order, and facts that were left alone.
    """
    found = list(facts(corpus))
    following = consequences(corpus)
    present = Present(corpus)
    rng.shuffle(found)
    for fact in found:
        if not any(_unit(each) for each in fact.figures):
            continue
        why = _unfit(fact, following)
        edit = None if why else _edit(fact, rng, present)
        if edit is not None:
            present.add(edit)
            yield edit
        else:
            named = fact.named
            why = why or "no other unit is plausible, new to the corpus, and can be written in all its places"
            yield Skipped(f"{named.page.document.id}: unit {named.words!r}", why)


def _unit(figure: Figure) -> tuple[str, int, int, int] | None:
    """The unit of a figure, which of its forms that is, and where it stands."""
    quantity, numeral = figure.quantity, figure.numeral
    if quantity.kind == "count" or numeral is None:
        return None
    for start, end in ((numeral.end, quantity.end), (quantity.start, numeral.start)):
        for word in _WORD.finditer(figure.page.text, start, max(start, end)):
            if (known := _LOWER.get(word[0].casefold())) is not None and word.end() <= end:
                exact = word[0] if word[0] in _FORMS[known[0]] else None
                column = _FORMS[known[0]].index(exact) if exact is not None else known[1]
                return known[0], column, *word.span()
    return None


def _unfit(fact: Fact, following: Consequences) -> str:
    if len({unit[0] if (unit := _unit(each)) else "" for each in fact.figures}) > 1:
        return "it is also stated in another unit, or without one"
    if following.touching(fact.figures) or any(each in following.locked for each in fact.figures):
        return "other numbers follow from it"
    return next((why for each in fact.figures if (why := _bound(each, fact))), "")


def _bound(figure: Figure, fact: Fact) -> str:
    """Why the unit of a number cannot change by itself; empty if it can."""
    page, i, quantity = figure.page, figure.page.index[figure], figure.quantity
    if quantity.within is not None or figure.numeral is None or figure.numeral.value == 1:
        return _ENDS
    if _CODE.match(page.text, quantity.end) or _NATION.search(page.text[: figure.start][-4:]):
        return "its currency is told twice"
    if _in_one_unit(figure, fact):
        return "other values beside it are in the same unit"
    for other in (each for each in page.figures[max(0, i - 1) : i + 2] if each is not figure):
        first, second = sorted((figure, other), key=lambda each: each.start)
        gap = page.text[first.quantity.end : second.start]
        if _RANGE.fullmatch(gap) or (other.quantity.kind == quantity.kind and len(gap) <= _BESIDE):
            return "it is a part of a range, a compound or a pair"
    return _ENDS if _OR_ONE.match(page.text, quantity.end) else ""


def _in_one_unit(figure: Figure, fact: Fact) -> bool:
    """Whether a document has other amounts in its currency, or its sentence other temperatures on its scale."""
    kind = figure.quantity.kind
    alike = [each for each in figure.page.figures if each.quantity.kind == kind and each not in fact.figures]
    if kind in {"temperature", "fahrenheit"}:
        return any(each.line == figure.line for each in alike)
    return kind.startswith("money") and bool(alike)


def _edit(fact: Fact, rng: random.Random, present: Present) -> Edit | None:
    source = _unit(fact.named)
    if source is None:
        return None
    targets = list(_SWAPS[source[0]])
    rng.shuffle(targets)
    for target in targets:
        raw = fact.named.quantity.raw
        if (source[0], target) in _LONGER and raw > _MOST:
            continue
        if target in _TIMES and raw >= _MANY:
            continue
        written = [(each, _written(each, target)) for each in fact.figures]
        if all(new is not None and _believed(each, new, present) for each, new in written):
            return _made(fact.named, [(each, new) for each, new in written if new is not None])
    return None


def _written(figure: Figure, target: str) -> str | None:
    unit = _unit(figure)
    if unit is None:
        return None
    _, column, start, end = unit
    new = _FORMS[target][column]
    if not new:
        return None
    text = figure.page.text
    if text[start:end].isupper() and len(new) > 1 and end - start > 1 and new.islower() and column:
        new = new.upper()
    return text[figure.start : start] + new + text[end : max(end, figure.quantity.end)]


def _believed(figure: Figure, words: str, present: Present) -> bool:
    """Whether the new words say one number, of the same value, which stands nowhere yet and is possible."""
    read = quantities(words)
    if len(read) != 1 or abs(read[0].raw - figure.quantity.raw) > 1e-9 * abs(figure.quantity.raw):
        return False
    new = read[0]
    if new.kind == "count" or present.value(new.kind, new.value, "", figure.page.document.id) or "/" in new.kind:
        return False
    return new.kind != figure.quantity.kind or not implausible(figure.quantity, new.value, "")


def _made(named: Figure, written: Sequence[tuple[Figure, str]]) -> Edit:
    places = [
        Replacement(each.page.document.id, each.start, each.start + len(old), old, new)
        for each, new in written
        for old in (each.page.text[each.start : max(each.quantity.end, each.start)],)
    ]
    forms = dict.fromkeys((place.old, place.new) for place in places)
    real, fictive = next(
        (each.page.text[each.start : each.quantity.end], new) for each, new in written if each is named
    )
    forms.pop((real, fictive), None)
    return Edit(id="", kind="unit", real=real, fictive=fictive, replacements=tuple(places), forms=tuple(forms))
