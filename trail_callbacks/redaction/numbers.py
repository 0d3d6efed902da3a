"""Numbers that a check digit, a list of countries or a plan of numbers tells from others: cards, IBANs, telephones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trail_callbacks.redaction.placeholders import Found

__all__ = ["find_cards", "find_ibans", "find_phones"]

_GAP = r"[ \u00a0\u2009\u202f.\u2010-\u2013-]"  # between groups of digits
_CARD = re.compile(
    rf"(?<![\w+])(?<![\w][.,_/:=-])(?:\d{{13,19}}|\d{{4}}(?P<gap>{_GAP})\d{{4}}(?P=gap)\d{{4}}(?P=gap)\d{{4}}(?:(?P=gap)\d{{1,3}})?"
    rf"|\d{{4}}(?P<other>{_GAP})\d{{6}}(?P=other)\d{{4,5}})(?!\w)(?![.,_/:=-]\w)"
)
_BRANDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[689]\d)\d{11}"  # Diners Club
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"  # Discover, UnionPay
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}"  # Maestro
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ \u00a0]?[A-Za-z0-9]{4})")
_GOES_ON = re.compile(r"-?\w")
_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
    "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 "
    "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
_PHONE = re.compile(
    r"(?<![\w+.,-])(?:\+|00(?=[1-9]))(?P<code>[1-9]\d{0,2})"
    r"(?:[ \u00a0./\u2011-]{0,2}(?:\d{1,11}|\(\d{1,5}\))){1,7}(?!\w)"
    r"|(?<![\w+.,/-])(?:\+?1[ .-])?(?:\([2-9]\d\d\)[ .-]?|[2-9]\d\d[.-])[2-9]\d\d[.-]\d{4}(?!\w)(?![.-]\d)"
)
_SHORTEST, _LONGEST = 9, 15  # digits with the code of the country; E.164 allows no more
_NORTH_AMERICA = 11


def find_cards(text: str) -> Iterator[Found]:
    """Yields payment card numbers: the length and first digits of a brand, a right check digit, whole or in groups."""
    for match in _CARD.finditer(text):
        digits = _digits(match[0])
        if _BRANDS.fullmatch(digits) and _luhn(digits):
            yield Found(match.start(), match.end(), digits)


def find_ibans(text: str) -> Iterator[Found]:
    """Yields IBANs: the length that their country has, right check digits, whole or in groups."""
    done = 0
    for match in _IBAN.finditer(text):
        length = _lengths().get(match[0][:2].upper())
        if length is None or match.start() < done:
            continue
        found = _read(text, match.start(), length)
        if found is not None and int("".join(str(int(c, 36)) for c in found.value[4:] + found.value[:4])) % 97 == 1:
            yield found
            done = found.end


def find_phones(text: str) -> Iterator[Found]:
    """Yields telephone numbers: international ones (`+49 30 901820`), North American ones also without a code."""
    for match in _PHONE.finditer(text):
        digits = _digits(match[0])
        if match["code"] is None:
            digits = digits.rjust(_NORTH_AMERICA, "1")
        else:
            digits = digits.removeprefix("00")
            right = len(digits) == _NORTH_AMERICA if digits[0] == "1" else _SHORTEST <= len(digits) <= _LONGEST
            if not right:
                continue
        yield Found(match.start(), match.end(), digits)


def _digits(text: str) -> str:
    return "".join(str(int(c)) for c in text if c.isdecimal())


def _luhn(digits: str) -> bool:
    """Whether the last digit is right (ISO/IEC 7812-1)."""
    doubled = (int(c) * 2 for c in digits[-2::-2])
    return (sum(int(c) for c in digits[::-2]) + sum(d - 9 if d > 9 else d for d in doubled)) % 10 == 0  # noqa: PLR2004 - the sum of the digits of 10..18


@cache
def _lengths() -> dict[str, int]:
    return {each[:2]: int(each[2:]) for each in _LENGTHS.split()}


def _read(text: str, start: int, length: int) -> Found | None:
    """Reads so many letters and digits, with nothing in between but a space after each four."""
    value, at = "", start
    while len(value) < length and at < len(text):
        c = text[at]
        if c.isascii() and c.isalnum():
            value += c.upper()
        elif c not in " \u00a0" or len(value) % 4 or not text[at - 1].isalnum():
            return None
        at += 1
    ends = not _GOES_ON.match(text, at)
    return Found(start, at, value) if len(value) == length and ends else None
