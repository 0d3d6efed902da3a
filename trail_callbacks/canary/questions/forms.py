"""Other ways to write a value that count as the same answer."""

from __future__ import annotations

import re
from typing import Final

from trail_callbacks.canary.edit import EditKind
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import EXACT, MONTHS, quantities
from trail_callbacks.language.values.numerals import NUMBER_WORDS

__all__ = ["forms"]

_ONES: Final = tuple(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen""".split()  # noqa: SIM905 - a list of words is read as words
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SPELT: Final = 100  # numbers below it are written in words, too
_UNITS: Final = tuple(
    tuple(line.split("/"))
    for line in (
        "minutes/min", "minute/min", "hours/h/hrs", "hour/h/hr", "seconds/s/sec", "kilometres/kilometers/km",
        "kilometers/kilometres/km", "metres/meters/m", "meters/metres/m", "centimetres/centimeters/cm",
        "centimeters/centimetres/cm", "millimetres/millimeters/mm", "millimeters/millimetres/mm", "kilograms/kg",
        "grams/g", "litres/liters/l", "liters/litres/l", "percent/%/per cent", "per cent/%/percent",
        "miles/mi",
        "feet/ft", "inches/in", "pounds/lb/lbs", "km/kilometres/kilometers", "kg/kilograms",
        "cm/centimetres/centimeters",
        "mm/millimetres/millimeters", "%/percent/per cent", "min/minutes",
    )
)  # fmt: skip
_NUMBER: Final = re.compile(r"\d[\d.,\u00a0\u202f ]*\d|\d")
_PARTICLES: Final = vocabulary("de la del van von der den di da of the al bin ibn le du")
_BODIES: Final = vocabulary("inc ltd llc company university college bank museum river lake street island mount")


def forms(value: str, kind: EditKind | None) -> tuple[str, ...]:
    """Writes a value otherwise: numbers in words, units by their sign, dates in other orders, a person by the surname.

    Args:
        value: The value as a person writes it.
        kind: What the edit changes; None if unknown.

    Returns:
        The forms, without the value itself, each once.
    """
    if kind in {"name", "nonce"}:
        found = _name(value)
    elif kind in {"negation", "modality", "order"}:
        found = []
    else:
        kinds = {each.kind for each in quantities(value)}
        found = _date(value) if kinds and kinds <= EXACT else _amount(value)
    return tuple(dict.fromkeys(each for each in found if each and each != value))


def _name(value: str) -> list[str]:
    words = value.split()
    bare = [value.removeprefix("the ").removeprefix("The ")]
    several = 2 <= len(words) <= 3 and all(word[:1].isupper() for word in words)  # noqa: PLR2004 - first, middle, last
    plain = not {word.casefold().strip(".,") for word in words} & (_PARTICLES | _BODIES)
    return [*bare, words[-1]] if several and plain and len(words[-1]) > 2 else bare  # noqa: PLR2004 - no initial


def _date(value: str) -> list[str]:
    parts = {each.kind: int(each.value) for each in quantities(value) if not each.also}
    if not {"month", "day"} <= parts.keys() or not parts.keys() <= {"year", "month", "day"}:
        return []
    month, day = MONTHS[parts["month"] - 1], parts["day"]
    if "year" not in parts:
        return [f"{day} {month}", f"{month} {day}"]
    year = parts["year"]
    return [f"{day} {month} {year}", f"{month} {day}, {year}", f"{year:04}-{parts['month']:02}-{day:02}"]


def _amount(value: str) -> list[str]:
    match = _NUMBER.search(value)
    if match is None:
        words = value.split()
        spelt = [word for word in words if word.casefold() in NUMBER_WORDS]
        return [" ".join(spelt)] if spelt and words[: len(spelt)] == spelt else []
    before, number, after = value[: match.start()], match[0], value[match.end() :]
    found = []
    if number.isdigit() and int(number) < _SPELT and (not before or before[-1].isspace()):
        found.append(f"{before}{_spelt(int(number))}{after}")
    for unit, *others in _UNITS:
        if after.strip() == unit:
            gaps = ["" if other == "%" else " " for other in others]
            found += [f"{before}{number}{gap}{other}" for gap, other in zip(gaps, others, strict=True)]
    if number.isdigit() and len(number) > 4:  # noqa: PLR2004 - years and codes have four
        found.append(f"{before}{int(number):,}{after}")
    if after.strip() and not before.strip():  # `how many minutes` is answered with the number
        found += [number, *([_spelt(int(number))] if number.isdigit() and int(number) < _SPELT else [])]
    plain = number.replace(",", "")
    if "," in number and plain.isdigit() and re.fullmatch(r"\d{1,3}(?:,\d{3})+", number):
        found.append(f"{before}{plain}{after}")
    return found


def _spelt(number: int) -> str:
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
