"""Units: the number stays, what it is of changes: 40 km become 40 miles."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.facts import Fact, facts
from trail_callbacks.canary.facts.pages import Figure
from trail_callbacks.canary.facts.relations import Relations, relations
from trail_callbacks.canary.perturbers.present import Present, implausible
from trail_callbacks.language.values import quantities

__all__ = ["propose"]

_SWAPS: Mapping[str, Sequence[str]] = {
    # each line has the same kind of form: sign, one, several, and the same in German
    "km": ("mi",), "kilometre": ("mile",), "kilometres": ("miles",), "kilometer": ("mile",), "kilometers": ("miles",),
    "Kilometer": ("Meilen",), "Kilometern": ("Meilen",), "mi": ("km",), "mile": ("kilometre",),
    "miles": ("kilometres",),
    "m": ("ft", "yd"), "metre": ("foot", "yard"), "metres": ("feet", "yards"), "meter": ("foot", "yard"),
    "meters": ("feet", "yards"), "Meter": ("Yards",), "Metern": ("Yards",), "ft": ("m", "yd"),
    "foot": ("metre", "yard"),
    "feet": ("metres", "yards"), "yd": ("m", "ft"), "yard": ("metre", "foot"), "yards": ("metres", "feet"),
    "cm": ("mm",), "centimetres": ("inches", "millimetres"), "centimeters": ("inches", "millimeters"), "mm": ("cm",),
    "Zentimeter": ("Millimeter",), "millimetres": ("centimetres",), "millimeters": ("centimeters",),
    "inch": ("centimetre",), "inches": ("centimetres",), "kg": ("lb", "g"), "kilograms": ("grams",), "kilos": ("lbs",),
    "lb": ("kg",), "lbs": ("kilos",), "g": ("oz",), "grams": ("ounces",), "oz": ("g",), "ounce": ("gram",),
    "ounces": ("grams",), "tonnes": ("kilograms",), "Tonnen": ("Kilogramm",), "litre": ("gallon",),
    "litres": ("gallons",), "liters": ("gallons",), "gallon": ("litre",), "gallons": ("litres",), "hectare": ("acre",),
    "hectares": ("acres",), "acre": ("hectare",), "acres": ("hectares",), "s": ("min",), "second": ("minute",),
    "seconds": ("minutes",), "Sekunden": ("Minuten",), "min": ("s", "h"), "mins": ("secs", "hrs"),
    "minute": ("second", "hour"), "minutes": ("seconds", "hours"), "Minuten": ("Sekunden", "Stunden"), "h": ("min",),
    "hour": ("minute", "day"), "hours": ("minutes", "days"), "hr": ("min",), "hrs": ("mins",),
    "Stunden": ("Minuten",), "day": ("hour", "week"), "days": ("hours", "weeks"), "Tage": ("Stunden", "Wochen"),
    "Tagen": ("Stunden", "Wochen"), "week": ("day", "month"), "weeks": ("days", "months"), "Wochen": ("Stunden",),
    "month": ("week", "year"), "months": ("weeks", "years"), "Monate": ("Wochen", "Jahre"), "year": ("month",),
    "years": ("months",), "Jahre": ("Monate",), "Jahren": ("Monaten",), "km/h": ("mph",), "mph": ("km/h",),
    "°C": ("°F",), "°F": ("°C",), "MB": ("GB",), "megabytes": ("gigabytes",), "GB": ("MB", "TB"),
    "gigabytes": ("megabytes", "terabytes"), "TB": ("GB",), "kW": ("MW",), "kilowatts": ("megawatts",), "MW": ("kW",),
    "megawatts": ("kilowatts",), "$": ("€", "£"), "dollar": ("euro",), "dollars": ("euros",), "€": ("$", "£"),
    "euro": ("dollar",), "euros": ("dollars",), "£": ("€", "$"), "USD": ("EUR", "GBP"), "EUR": ("USD", "GBP"),
    "GBP": ("EUR", "USD"), "Dollar": ("Euro",), "Euro": ("Dollar",),
}  # fmt: skip
"""What may stand in the place of a unit: another of its dimension, at most some 60 times as large."""
_FOLDED = {form.casefold(): form for form in reversed(tuple(_SWAPS))}
_WORD = re.compile(r"km/h|°[CF]|[$€£]|[^\W\d_]+", re.IGNORECASE)
_MOST = 24.0  # hours, where minutes become hours; weeks, where days become weeks
_MANY = 500  # of a unit of time that nobody counts to: 5,000 months
_CODE = re.compile(r"\s?(?:USD|EUR|GBP|US|dollars?|euros?|pounds?)\b", re.IGNORECASE)
_NATION = re.compile(r"(?:\bUS|\bA|\bC|\bNZ|USD|EUR|GBP)\s?$")
_RANGE = re.compile(
    r",?\s?(?:to|and|or|-|\u2013)\s?(?:(?:around|about|even|nearly|up\sto|above|below|over|under|almost|roughly|just|only|an?)\s){0,2}",
    re.IGNORECASE,
)
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
    """
    found = [fact for fact in facts(corpus) if any(_unit(each) for each in fact.figures)]
    following, present = relations(corpus), Present(corpus)
    rng.shuffle(found)
    for fact in found:
        why = _unfit(fact, following)
        edit = None if why else _edit(fact, rng, present)
        if edit is not None:
            present.add(edit)
            yield edit
        else:
            named = fact.named
            why = why or "no other unit is plausible, new to the corpus, and can be written in all its places"
            yield Skipped(f"{named.page.document.id}: unit {named.words!r}", why)


def _unit(figure: Figure) -> tuple[str, int, int] | None:
    """The unit of a figure as the table has it, and where it stands."""
    quantity, numeral = figure.quantity, figure.numeral
    if quantity.kind != "count" and numeral is not None:
        for start, end in ((numeral.end, quantity.end), (quantity.start, numeral.start)):
            for word in _WORD.finditer(figure.page.text, start, max(start, end)):
                if word[0].casefold() in _FOLDED and word.end() <= end:
                    return (word[0] if word[0] in _SWAPS else _FOLDED[word[0].casefold()]), *word.span()
    return None


def _unfit(fact: Fact, following: Relations) -> str:
    if not all(_unit(each) for each in fact.figures) or len({f"{each.quantity.raw:.9g}" for each in fact.figures}) > 1:
        return "it is also stated in another unit, or without one"
    if following.touching(fact.figures) or any(each in following.locked for each in fact.figures):
        return "other numbers follow from it"
    return next((why for each in fact.figures if (why := _bound(each, fact))), "")


def _bound(figure: Figure, fact: Fact) -> str:
    """Why the unit of a number cannot change by itself; empty if it can."""
    page, i, quantity = figure.page, figure.page.index[figure], figure.quantity
    ends = quantity.within is not None or figure.numeral is None or figure.numeral.value == 1
    if ends or _OR_ONE.match(page.text, quantity.end):
        return "it is the end of a range, or 1"
    if _CODE.match(page.text, quantity.end) or _NATION.search(page.text[: figure.start][-4:]):
        return "its currency is told twice"
    alike = [each for each in page.figures if each.quantity.kind == quantity.kind and each not in fact.figures]
    beside = any(each.line == figure.line for each in alike) and quantity.kind in {"temperature", "fahrenheit"}
    if beside or (quantity.kind.startswith("money") and alike):
        return "other values beside it are in the same unit"
    for first, second in pairwise(page.figures[max(0, i - 1) : i + 2]):
        gap = page.text[first.quantity.end : second.start]
        if _RANGE.fullmatch(gap) or (first.quantity.kind == second.quantity.kind and len(gap) <= _BESIDE):
            return "it is a part of a range, a compound or a pair"
    return ""


def _edit(fact: Fact, rng: random.Random, present: Present) -> Edit | None:
    """The first unit of another draw that can be written and believed in all places."""
    for turn in rng.sample(range(2), 2):
        written = {
            each: new for each in fact.figures if (new := _written(each, turn)) and _believed(each, new, present)
        }
        kinds = {(read.kind, read.value) for new in written.values() for read in quantities(new)}
        if len(written) == len(fact.figures) and len(kinds) == 1:
            places = tuple(
                Replacement(each.page.document.id, each.start, each.quantity.end, _words(each), new)
                for each, new in written.items()
            )
            forms = dict.fromkeys((place.old, place.new) for place in places)
            real, fictive = _words(fact.named), written[fact.named]
            forms.pop((real, fictive))
            return Edit(id="", kind="unit", real=real, fictive=fictive, replacements=places, forms=tuple(forms))
    return None


def _words(figure: Figure) -> str:
    return figure.page.text[figure.start : figure.quantity.end]


def _written(figure: Figure, turn: int) -> str | None:
    unit = _unit(figure)
    if unit is None or turn >= len(_SWAPS[unit[0]]):
        return None
    form, start, end = unit
    new = _SWAPS[form][turn]
    old = figure.page.text[start:end]
    if old.isupper() and old != form and len(new) > 1:
        new = new.upper()
    return figure.page.text[figure.start : start] + new + figure.page.text[end : figure.quantity.end]


def _believed(figure: Figure, words: str, present: Present) -> bool:
    """Whether the new words say one number, as large as the old one, which stands nowhere yet and is possible."""
    read, quantity = quantities(words), figure.quantity
    if len(read) != 1 or abs(read[0].raw - quantity.raw) > 1e-9 * abs(quantity.raw):
        return False
    new = read[0]
    if new.kind == "count" or "/" in new.kind or present.has(new.kind, new.value, "", figure.page):
        return False
    if new.kind == "time" and (new.raw >= _MANY or (new.value > quantity.value and new.raw > _MOST)):
        return False
    return new.kind != quantity.kind or not implausible(quantity, new.value, "")
