"""Numbers and units in words of other languages, in digits and English: `zweihundertzwanzig Grad`, `nine point eight`.

`quantities` reads plain English number words only. What is left unread here is unknown, never wrong. `numbers.txt` has
the words of each language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from trail_callbacks.language.detect import language
from trail_callbacks.language.terms import sections
from trail_callbacks.language.values.numerals import MAGNITUDES
from trail_callbacks.language.values.quantity import UNITS

_TABLE = Path(__file__).with_name("numbers.txt")
_FROM = 13  # smaller ones are words of other languages as well (`once`, `due`, `six`): only in a text of their own
_MOST_WORDS, _LONGEST = 8, 60  # words of one number, and letters
_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000
_ONES_FIRST = frozenset({"de", "nl"})
_OTHERWISE = frozenset({"cent", "cents", "mil", "mille", "sto", "ta", "vent", "to"})  # large, and words of others
_WORD = re.compile(r"[^\W\d_]+")
_UNIT_AFTER = re.compile(r"(?<=\d)(?P<gap>[\s-]?)(?P<word>[^\W\d_][^\W\d_\u0600-\u0605]*[\u0900-\u097f]*)")


def in_digits(text: str) -> str:
    """Writes number words and units that `quantities` does not read as digits and English units.

    Args:
        text: Any text; English passes unchanged but for decimals, fractions and a few idioms in words.

    Returns:
        The text with these replaced; offsets change.
    """
    for spelt, written in _idioms():
        text = spelt.sub(written, text)
    return _UNIT_AFTER.sub(_unit, "".join(_replaced(text)))


@cache
def _table(section: str) -> Mapping[str, str]:
    return dict(line.split(" = ", 1) for line in sections(_TABLE)[section].splitlines() if " = " in line)


@cache
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(spelt, re.IGNORECASE), written) for written, spelt in _table("other spellings").items())


@cache
def _units() -> Mapping[str, str]:
    return {word: unit for unit, words in _table("units").items() for word in words.split()}


def _unit(match: re.Match[str]) -> str:
    english = _units().get(match["word"].casefold())
    return f"{match['gap']}{english}" if english else match[0]


@cache
def _forms(code: str) -> Mapping[int, Sequence[str]]:
    """How a language spells numbers, without blanks: those below a hundred, and its words for larger ones."""
    spelt: dict[int, list[str]] = defaultdict(list)
    value = 0
    for word in _table("words")[code].split():
        if word.isdecimal():
            value = int(word)
        else:
            spelt[value].append(word.replace("-", ""))
    joints = _joints(code)
    for ten, one in product(range(20, _HUNDRED, _TEN), range(1, _TEN)):
        parts = (spelt[one], joints, spelt[ten]) if code in _ONES_FIRST else (spelt[ten], joints, spelt[one])
        spelt[ten + one] += map("".join, product(*parts))
    if code == "fr":
        for ten, more in product((60, 80), range(_TEN, 20)):
            spelt[ten + more] += map("".join, product(spelt[ten], joints, spelt[more]))
    return spelt


@cache
def _joints(code: str) -> Sequence[str]:
    return ("", *_table("between words").get(code, "").split())


@cache
def _small(code: str) -> Mapping[str, int]:
    return {form: value for value, forms in _forms(code).items() if value < _HUNDRED for form in forms}


@lru_cache(maxsize=4096)
def _value(letters: str, code: str) -> int | None:
    """The value of a number in words, written without blanks; None if it is none in that language."""
    if (value := _small(code).get(letters)) is not None:
        return value
    for size in sorted((value for value in _forms(code) if value >= _HUNDRED), reverse=True):
        for name in _forms(code)[size]:
            head, found, tail = letters.partition(name)
            many = 1 if not head else _value(head, code) if found and size in {_HUNDRED, _THOUSAND} else None
            rest = next((value for each in _joints(code) if (value := _rest(tail, each, code)) is not None), None)
            if found and many and rest is not None and rest < size and many < _THOUSAND:
                return many * size + rest
    return None


def _rest(tail: str, joint: str, code: str) -> int | None:
    return 0 if not tail else _value(tail[len(joint) :], code) if tail.startswith(joint) and tail != joint else None


@cache
def _starts() -> Mapping[str, Sequence[str]]:
    """The languages in which a number may begin with two letters."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for code in _table("words"):
        for forms in _forms(code).values():
            for form in forms:
                found[form[:2]][code] = None
    return {start: tuple(codes) for start, codes in found.items()}


def _replaced(text: str) -> Iterator[str]:
    words = list(_WORD.finditer(text))
    at = i = 0
    while i < len(words):
        written, taken = _number(words, i, text)
        if taken:
            yield text[at : words[i].start()]
            yield written
            at = words[i + taken - 1].end()
        i += taken or 1
    yield text[at:]


def _number(words: Sequence[re.Match[str]], i: int, text: str) -> tuple[str, int]:
    """A number that begins with a word, in the language that reads most of it, and its words; 0 if there is none."""
    codes = _starts().get(words[i][0].casefold()[:2], ())
    if not codes:
        return "", 0
    run = [words[i][0].casefold()]
    for one, other in zip(words[i : i + _MOST_WORDS - 1], words[i + 1 : i + _MOST_WORDS], strict=False):
        if text[one.end() : other.start()] not in {" ", "-", "\u00a0", "\n"}:
            break
        run.append(other[0].casefold())
    read = ((*_read(run, code), code) for code in codes)
    meant = (each for each in read if each[1] and _is_meant(*each[:2], run, each[2], text))
    written, taken, _ = max(meant, key=lambda each: each[1], default=("", 0, ""))
    return written, taken


def _read(run: Sequence[str], code: str) -> tuple[str, int]:
    """A number at the start of some words: its digits, and how many of the words it takes."""
    value, taken = _whole(run, code)
    if taken and run[taken : taken + 1] and run[taken] in _table("points").get(code, "").split():
        part = "".join(str(_small(code).get(word, "")) for word in run[taken + 1 : taken + 3])
        n = len([word for word in run[taken + 1 : taken + 3] if word in _small(code)])
        if part:
            return f"{value}.{part}", taken + 1 + n
    return str(value), taken


def _whole(run: Sequence[str], code: str) -> tuple[int, int]:
    for n in range(len(run), 0, -1):
        letters = "".join(run[:n])
        if len(letters) <= _LONGEST and (value := _value(letters, code)) is not None:
            return value, n
    return 0, 0


def _is_meant(written: str, taken: int, run: Sequence[str], code: str, text: str) -> bool:
    """Whether words are a number beyond doubt: no small one but with a unit, or in a text of its language."""
    said, behind = run[:taken], run[taken : taken + 1]
    if code == "en" or "." in written:
        return "." in written
    if _OTHERWISE.issuperset(said):
        return False
    if int(written) >= _FROM or (behind and behind[0] in _units().keys() | UNITS.keys() | MAGNITUDES.keys()):
        return True
    return int(written) > 1 and (code == "ru" or code == language(text))
