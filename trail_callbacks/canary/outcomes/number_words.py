"""Numbers and units as other languages than English write them, in digits and English: `vierzig Minuten`, `63分`.

`language.quantities` reads English number words only. Answers to a probe come in any language, while the probe's values
are in one: what is left unread here is undecided, never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

from trail_callbacks.canary.outcomes.wording import table

__all__ = ["in_digits"]

_MOST_WORDS = 3  # of a number below a hundred: `sesenta y tres`
_FROM = 13  # smaller ones are words of other languages as well (`once`, `due`, `six`): only beside a unit
_FRENCH_SIXTY, _FRENCH_EIGHTY = 60, 80

_EAST_UNIT = "|".join(f"(?P<{unit}>{words})" for unit, words in table("units without blanks").items())
_AFTER_DIGIT = re.compile(rf"(?<=\d)\s?(?:{_EAST_UNIT})")
_EAST_DIGITS = {c: i for i, c in enumerate(table("digits without blanks")["digits"].split())}
_EAST_DIGITS |= {"零": 0, "两": 2, "兩": 2}
_EAST_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_EAST_NUMBER = re.compile(rf"[{''.join(_EAST_DIGITS)}{''.join(_EAST_TENS)}]{{1,12}}(?=\s?(?:{_EAST_UNIT}))")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNIT_AFTER = re.compile(r"(?<=\d)(?P<gap>[\s-]?)(?P<word>[^\W\d_][^\W\d_\u0600-\u0605]*[\u0900-\u097f]*)")


def in_digits(text: str) -> str:
    """Writes the number words and units of other languages than English as digits and English units.

    Args:
        text: Any text; English passes unchanged. Numbers below a hundred, and the hundred; any in Chinese characters.

    Returns:
        The text with these replaced; offsets change.
    """
    text = _EAST_NUMBER.sub(lambda match: str(_east(match[0])), text) if not text.isascii() else text
    text = _AFTER_DIGIT.sub(lambda match: f" {match.lastgroup} ", text) if not text.isascii() else text
    text = "".join(_replaced(text))
    return _UNIT_AFTER.sub(_unit, text)


def _unit(match: re.Match[str]) -> str:
    english = _units().get(match["word"].casefold())
    return f"{match['gap']}{english}" if english else match[0]


def _replaced(text: str) -> Iterator[str]:
    words = list(_WORD.finditer(text))
    table, at, i = _numbers(), 0, 0
    while i < len(words):
        for n in range(min(_MOST_WORDS, len(words) - i), 0, -1):
            start, end = words[i].start(), words[i + n - 1].end()
            if end - start > 40:  # noqa: PLR2004 - characters of the longest
                continue
            value = table.get(" ".join(text[start:end].casefold().split()))
            if value is not None and (value >= _FROM or _counts(text, end)):
                yield text[at:start]
                yield str(value)
                at, i = end, i + n - 1
                break
        i += 1
    yield text[at:]


def _counts(text: str, end: int) -> bool:
    """Whether a word of another language for a unit follows."""
    after = _WORD.match(text, end + 1)
    if after is None or (word := after[0].casefold()) in {"minute", "hour"}:
        return False
    return word in _units() or word in table("units that quantities knows")["all"].split()


@cache
def _units() -> dict[str, str]:
    return {word: unit for unit, words in table("units").items() for word in words.split()}


def _east(numeral: str) -> int:
    if not any(c in _EAST_TENS for c in numeral):
        return int("".join(str(_EAST_DIGITS[c]) for c in numeral))
    total = part = digit = 0
    for c in numeral:
        if c in _EAST_DIGITS:
            digit = _EAST_DIGITS[c]
        elif (scale := _EAST_TENS[c]) == _EAST_TENS["万"]:
            total, part, digit = total + (part + digit or 1) * scale, 0, 0
        else:
            part, digit = part + (digit or 1) * scale, 0
    return total + part + digit


@cache
def _numbers() -> dict[str, int]:
    """Numbers by their words in small letters."""
    found = {word: value for language in table("ones") for word, value in _of(language)}
    return {word: value for word, value in found.items() if word not in {"six", "nine", "een", "un", "um", "uno"}}


def _of(language: str) -> Iterator[tuple[str, int]]:
    ones, teens, tens = (table(section)[language].split() for section in ("ones", "teens", "tens"))
    yield from zip(ones, range(1, 10), strict=True)
    yield from zip(teens, range(10, 20), strict=True)
    yield from zip(tens, range(20, 100, 10), strict=True)
    if (hundred := table("hundred").get(language)) is not None:
        yield hundred, 100
    for (i, ten), (j, one) in product(enumerate(tens, 2), enumerate(ones, 1)):
        for word in _joined(language, ten, one):
            yield word, 10 * i + j
    if language == "fr":
        for base, at in (("soixante", _FRENCH_SIXTY), ("quatre-vingt", _FRENCH_EIGHTY)):
            yield from ((f"{base}-{teen}", at + 10 + i) for i, teen in enumerate(teens))
        yield from (("soixante et onze", 71), ("quatre-vingts", 80))


def _joined(language: str, ten: str, one: str) -> Iterator[str]:
    match language:
        case "de":
            yield f"{'ein' if one == 'eins' else one}und{ten}"
        case "nl":
            yield f"{one}{'ën' if one.endswith('e') else 'en'}{ten}"
        case "fr":
            yield f"{ten} et un" if one == "un" else f"{ten}-{one}"
        case "es":
            yield f"{ten} y {one}"
            if ten == "veinte":
                yield f"veinti{one}"
        case "it":
            yield (ten[:-1] if one[0] in "uo" else ten) + ("tré" if one == "tre" else one)
        case "pt":
            yield f"{ten} e {one}"
        case _:
            yield f"{ten} {one}"
