"""Numbers and units in words, in digits and English: `zweihundertzwanzig Grad`, `nine point eight`, `63分`.

`language.values` reads plain English number words only. Answers to a probe come in any language, while the probe's
values are in one: what is left unread here is undecided, never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from trail_callbacks.canary.outcomes.wording import table
from trail_callbacks.language.detect import language
from trail_callbacks.language.values.numerals import MAGNITUDES

__all__ = ["in_digits"]

_FROM = 13  # smaller ones are words of other languages as well (`once`, `due`, `six`): only in a text of their own
_MOST_WORDS = 8  # of one number
_LONGEST = 40  # letters of a compound
_TEN, _TEENS, _HUNDRED, _THOUSAND = 10, 20, 100, 1000

_EAST_UNIT = "|".join(f"(?P<{unit}>{words})" for unit, words in table("units without blanks").items())
_AFTER_DIGIT = re.compile(rf"(?<=\d)\s?(?:{_EAST_UNIT})")
_EAST_DIGITS = {c: i for i, c in enumerate(table("digits without blanks")["digits"].split())}
_EAST_DIGITS |= {"零": 0, "两": 2, "兩": 2}
_EAST_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_EAST_NUMERAL = f"[{''.join(_EAST_DIGITS)}{''.join(_EAST_TENS)}]"
_EAST_NUMBER = re.compile(rf"{_EAST_NUMERAL}{{1,12}}(?=\s?(?:{_EAST_UNIT}))")
_EAST_PERCENT = re.compile(rf"百分之(?P<part>{_EAST_NUMERAL}{{1,6}}|\d+(?:\.\d+)?)")
_WORD = re.compile(r"[^\W\d_]+")
_UNIT_AFTER = re.compile(r"(?<=\d)(?P<gap>[\s-]?)(?P<word>[^\W\d_][^\W\d_\u0600-\u0605]*[\u0900-\u097f]*)")
_ARTICLES = frozenset({"een", "un", "une", "una", "um", "uma", "uno", "en", "ett", "ein", "eine", "einen", "einem"})
_ARTICLES |= {"einer", "to", "один", "одна", "одно", "одного", "одной"}
_OTHERWISE = frozenset({"cent", "cents", "mil", "mille", "sto", "ta", "vent", "to"})  # large, and words of others
_COMPOUND_UNIT = re.compile(
    r"^\w{3,}(?:(?P<days>tagen?|dagen|dagar)|(?P<hours>stunden)|(?P<weeks>wochen)|(?P<months>monaten?|maanden))$"
)
_CYRILLIC_ENDINGS = 3  # letters at most


def in_digits(text: str) -> str:
    """Writes number words and units that `quantities` does not read as digits and English units.

    Args:
        text: Any text; English passes unchanged but for decimals and years in words.

    Returns:
        The text with these replaced; offsets change.
    """
    if not text.isascii():
        text = _EAST_PERCENT.sub(lambda match: f"{_percent(match['part'])}%", text)
        text = _EAST_NUMBER.sub(lambda match: str(_east(match[0])), text)
        text = _AFTER_DIGIT.sub(lambda match: f" {match.lastgroup} ", text)
    text = "".join(_replaced(text))
    return _UNIT_AFTER.sub(_unit, text)


def _unit(match: re.Match[str]) -> str:
    english = _english_unit(match["word"].casefold())
    return f"{match['gap']}{english}" if english else match[0]


def _english_unit(word: str) -> str | None:
    units = _units()
    if word not in units and (compound := _COMPOUND_UNIT.search(word)):  # `Urlaubstage`
        return next(unit for unit, found in compound.groupdict().items() if found)
    if word in units or not ("\u0430" <= word[0] <= "\u044f"):
        return units.get(word)
    return next((units[word[:-n]] for n in range(1, _CYRILLIC_ENDINGS + 1) if word[:-n] in units), None)


@cache
def _units() -> dict[str, str]:
    return {word: unit for unit, words in table("units").items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class _Words:
    """The number words of a language."""

    code: str
    values: dict[str, int]
    between: frozenset[str]
    points: frozenset[str]

    def read(self, words: Sequence[str]) -> tuple[str, int]:
        """Reads a number at the start of some words: its digits, and how many of the words it takes; 0 if none."""
        value, taken = self._whole(words)
        if not taken:
            return "", 0
        if self.code == "en" and words[taken : taken + 1] == ["oh"] and taken + 1 < len(words):
            return f"{_HUNDRED * value + self.values.get(words[taken + 1], 0)}", taken + 2
        if taken + 1 < len(words) and words[taken] in self.points:
            part, end = "", taken + 1
            while end < len(words) and (digit := self.values.get(words[end], _TEN)) < _TEN:
                part += str(digit)
                end += 1
            if not part:
                behind, n = self._whole(words[end:])
                part, end = (str(behind), end + n) if n else ("", taken)
            if part:
                return f"{value}.{part}", end
        return str(value), taken

    def _whole(self, words: Sequence[str]) -> tuple[int, int]:
        total, taken, i = _Sum(), 0, 0
        while i < len(words):
            joined = taken > 0 and words[i] in self.between
            i += joined
            pair = self.values.get(" ".join(words[i : i + 2])) if i + 1 < len(words) else None
            parts = [(pair, False)] if pair is not None else self._segments(words[i]) if i < len(words) else []
            longer = replace(total)
            if not parts or not all(longer.takes(part, self.code, joined=joined or inner) for part, inner in parts):
                break
            total = longer
            i += 1 if pair is None else 2
            taken = i
        return total.value, taken

    def _segments(self, word: str) -> list[tuple[int, bool]]:
        """The values that a word is put together of, each with whether a joining word stands before it."""
        if (value := self.values.get(word)) is not None:
            return [(value, False)]
        if self.code not in _COMPOUND or len(word) > _LONGEST:
            return []
        return self._cut(word, {})

    def _cut(self, word: str, seen: dict[str, list[tuple[int, bool]]]) -> list[tuple[int, bool]]:
        if word in seen:
            return seen[word]
        seen[word] = []
        for n in range(len(word), 1, -1):
            value = self.values.get(word[:n])
            if value is None:
                continue
            if n == len(word):
                seen[word] = [(value, False)]
                break
            for link in ("", *self.between):
                rest = word[n:].removeprefix(link) if word[n:].startswith(link) else ""
                if rest and (parts := self._cut(rest, seen)):
                    seen[word] = [(value, False), (parts[0][0], bool(link)), *parts[1:]]
                    return seen[word]
        return seen[word]


_COMPOUND = frozenset({"de", "nl", "it", "sv", "no", "es"})  # `veintiún`


@dataclass(slots=True)
class _Sum:
    """A number that is put together from its words."""

    total: int = 0
    part: int = 0
    room: int = _THOUSAND  # what may still be added to the part is smaller
    scale: int = 10**9

    @property
    def value(self) -> int:
        return self.total + self.part

    def takes(self, value: int, code: str, *, joined: bool) -> bool:
        """Adds the value of a word, if a number may go on with it."""
        if value >= _THOUSAND:
            if value >= self.scale:
                return False
            self.total, self.part = self.total + (self.part or 1) * value, 0
            self.scale, self.room = value, _THOUSAND
        elif value == _HUNDRED:
            if self.part >= _HUNDRED or (self.room == 0 and self.part >= _TEENS):
                return False
            self.part, self.room = (self.part or 1) * _HUNDRED, _HUNDRED
        elif value < self.room and (value or not self.part):
            self.part += value
            self.room = self._rest(value, code)
        elif code in {"de", "nl"} and joined and 0 < self.part % _HUNDRED < _TEN and value >= _TEENS:
            self.part += value
            self.room = 0
        else:
            return False
        return True

    @staticmethod
    def _rest(value: int, code: str) -> int:
        if value % _HUNDRED == 0:
            return _HUNDRED
        if code == "fr" and value in {60, 80}:
            return _TEENS
        return _TEN if value >= _TEENS and value % _TEN == 0 else 0


@cache
def _languages() -> dict[str, _Words]:
    """The number words of each language, by its ISO 639-1 code."""
    found = {}
    for code, line in table("words").items():
        values, value = {}, 0
        for word in line.split():
            if word.isdecimal():
                value = int(word)
            else:
                values[word.replace("-", " ")] = value
        links, points = (frozenset(table(name).get(code, "").split()) for name in ("between words", "points"))
        found[code] = _Words(code, values, links, points)
    return found


@cache
def _starts() -> dict[str, tuple[str, ...]]:
    """The languages in which a number may begin with a word, or with the letters at its start."""
    found: dict[str, dict[str, None]] = {}
    for code, words in _languages().items():
        for word in words.values:
            found.setdefault(word.partition(" ")[0], {})[code] = None
    return {start: tuple(codes) for start, codes in found.items()}


def _begun(word: str) -> Iterator[str]:
    """Languages in which a number may begin with a word."""
    starts = _starts()
    whole = starts.get(word, ())
    yield from whole
    if len(word) <= _LONGEST:
        parts = (code for n in range(len(word) - 1, 1, -1) for code in starts.get(word[:n], ()))
        yield from dict.fromkeys(code for code in parts if code in _COMPOUND and code not in whole)


def _replaced(text: str) -> Iterator[str]:
    words = list(_WORD.finditer(text))
    at, i = 0, 0
    while i < len(words):
        found = _number(words, i, text)
        if found is None:
            i += 1
            continue
        written, taken = found
        yield text[at : words[i].start()]
        yield written
        i += taken
        at = words[i - 1].end()
    yield text[at:]


def _number(words: Sequence[re.Match[str]], i: int, text: str) -> tuple[str, int] | None:
    """A number that begins with a word, in the language that reads most of it."""
    codes = list(_begun(words[i][0].casefold()))
    if not codes:
        return None
    codes.sort(key=list(_languages()).index)
    run = _run(words, i, text)
    best: tuple[str, int] | None = None
    for code in codes:
        written, taken = _languages()[code].read(run)
        if taken > (best[1] if best else 0) and _is_meant(written, run[:taken], run[taken : taken + 1], code, text):
            best = written, taken
    return best


def _run(words: Sequence[re.Match[str]], i: int, text: str) -> list[str]:
    """The next words in small letters, as far as only blanks and hyphens stand between them."""
    run = [words[i][0].casefold()]
    for one, other in zip(words[i : i + _MOST_WORDS - 1], words[i + 1 : i + _MOST_WORDS], strict=False):
        if text[one.end() : other.start()] not in {" ", "-", "\u00a0", "\n"}:
            break
        run.append(other[0].casefold())
    return run


def _is_meant(written: str, said: Sequence[str], behind: Sequence[str], code: str, text: str) -> bool:
    """Whether words are a number beyond doubt: no small one but with a unit, or in a text of its language."""
    if code == "en":
        return "." in written or ("oh" in said and len(said) > 1) or (_is_year(written) and "hundred" in said[1:2])
    if "." in written or (float(written) >= _FROM and not _OTHERWISE.issuperset(said)):
        return True
    if (
        behind
        and behind[0] not in {"minute", "hour"}
        and (behind[0] in _counted() or behind[0] in MAGNITUDES or _COMPOUND_UNIT.search(behind[0]))
    ):
        return True
    if _OTHERWISE.issuperset(said):
        return False
    return not _ARTICLES.issuperset(said) and (code == "ru" or code == language(text))


@cache
def _counted() -> frozenset[str]:
    """Units of other languages than English."""
    return frozenset((*_units(), *table("units that quantities knows")["all"].split()))


def _is_year(written: str) -> bool:
    return written.isdecimal() and 1000 <= int(written) < 2200  # noqa: PLR2004 - years


def _percent(part: str) -> str:
    return part if part[0].isdigit() else str(_east(part))


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
