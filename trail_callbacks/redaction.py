"""Ready-made functions for `redact`: a text without its e-mail addresses, keys, card numbers, IBANs or phone numbers.

    TrailCallbackHandler(redact=presets("email", "key", "card"))
    TrailCallbackHandler(redact=(presets("email"), hide_names))  # with a function of one's own

What is found becomes a placeholder such as `<email:kfbwqz>`. Within a process equal values have equal placeholders and
different ones different placeholders, so a text that names another address than its source is still a mismatch; the
value cannot be computed from it. Patterns find what has a form of its own. Names, streets and dates of birth have none:
for those pass a function of your own.

How redaction is applied to what is recorded is in `capture.redaction`.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

from trail_callbacks.errors import InputError
from trail_callbacks.text import IGNORABLE


class Found(NamedTuple):
    """A value in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        value: The value in its normal form: two spellings of one value have one placeholder.
    """

    start: int
    end: int
    value: str


_AT = r"(?:@|\uff20|%40|[ \t]?[\[({][ \t]?(?:at|AT)[ \t]?[\])}][ \t]?)"
_DOT = r"(?:\.|[ \t]?[\[({][ \t]?(?:dot|DOT)[ \t]?[\])}][ \t]?)"
_HAN = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"  # scripts that leave no space between an address and other words
_IS_HAN = re.compile(f"[{_HAN}]")
_DOMAIN = re.compile(
    rf"{_AT}(?:\[[0-9a-fA-F.:]{{3,45}}\]|(?P<name>(?:[^\W_][\w-]{{0,62}}{_DOT}){{1,8}}"
    rf"(?:xn--[\w-]{{2,59}}|[^\W\d_{_HAN}]{{2,24}}|[{_HAN}]{{2,4}})))"
)
_SPELT_DOT = re.compile(r"[ \t]?[\[({][ \t]?(?:dot|DOT)[ \t]?[\])}][ \t]?")
_LOCAL = re.compile(r"[\w.+%~'\u2019-]")  # a character of the part before the @; others are legal, and nobody has them
_QUOTED = re.compile(r'"[^"\n\\]{1,64}"')
_LONGEST = 64  # characters before the @
_FILES = frozenset({"png", "jpg", "jpeg", "gif", "svg", "webp"})  # icon@2x.png
_EDGE = ".%~'\u2019-"  # may stand before an address without being part of it


def find_emails(text: str) -> Iterator[Found]:
    """Yields the e-mail addresses of a text, also `ada (at) example (dot) org` and `ada%40example.org`."""
    done = 0
    for match in _DOMAIN.finditer(text):
        start = _start(text, match.start(), done)
        name = match["name"]
        if start == match.start() or (name is not None and name.rpartition(".")[2].lower() in _FILES):
            continue
        domain = _SPELT_DOT.sub(".", name) if name is not None else text[match.start() : match.end()].partition("[")[2]
        yield Found(start, match.end(), f"{text[start : match.start()]}@{domain}".casefold())
        done = match.end()


def _start(text: str, at: int, done: int) -> int:
    """Where the part before the @ begins; `at` if there is none."""
    first = max(done, at - _LONGEST - 2)
    if at > first and text[at - 1] == '"':
        quote = text.rfind('"', first, at - 1)
        return quote if quote >= 0 and _QUOTED.fullmatch(text, quote, at) else at
    start, han = at, at > 0 and _IS_HAN.match(text, at - 1) is not None
    while start > first and _LOCAL.match(text, start - 1) and (_IS_HAN.match(text, start - 1) is not None) == han:
        start -= 1
    while start < at and text[start] in _EDGE:
        start += 1
    return start


_FORMS = (
    r"sk-[A-Za-z0-9_-]{20,400}",  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{20,100}",
    r"gh[pousr]_[A-Za-z0-9]{20,255}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{20,255}",
    r"gl(?:pat|dt|rt|cbt|ptt|soat|agent)-[A-Za-z0-9_-]{20,100}",  # GitLab
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,1000}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,250}",  # Slack
    r"xapp-[A-Za-z0-9-]{20,250}",
    r"(?:hf|api_org)_[A-Za-z0-9]{30,100}",  # Hugging Face
    r"gsk_[A-Za-z0-9]{30,100}",  # Groq
    r"(?:xai|pplx)-[A-Za-z0-9]{30,200}",
    r"r8_[A-Za-z0-9]{30,100}",  # Replicate
    r"npm_[A-Za-z0-9]{30,100}",
    r"pypi-[A-Za-z0-9_-]{40,1000}",
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}",  # SendGrid
    r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",  # Shopify
    r"do[opr]_v1_[a-f0-9]{64}",  # DigitalOcean
    r"dapi[a-f0-9]{32}",  # Databricks
    r"lin_api_[A-Za-z0-9]{30,100}",
    r"(?:secret|ntn)_[A-Za-z0-9]{40,64}",  # Notion
    r"(?:lsv2_(?:pt|sk)|ls__)_?[A-Za-z0-9_]{30,100}",  # LangSmith
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}",  # Telegram
)
_FORM = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(_FORMS)})(?![A-Za-z0-9])")
_WEB_TOKEN = re.compile(  # JSON; nothing that its parts may hold stands before it, so that no place is read twice
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{2,4000}\.[A-Za-z0-9_-]{0,2000}"
)
_HEADER = re.compile(r"(?i:\b(?:bearer|basic|token)[ \t]{1,8})(?P<value>[A-Za-z0-9._~+/=-]{16,4096})(?![\w<])")
_NAMED = re.compile(
    r"(?i:(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|private[ _-]?key|client[ _-]?secret|auth[ _-]?token|"
    r"access[ _-]?token|refresh[ _-]?token|bot[ _-]?token|x-api-key|password|passwd|pwd|passphrase))"
    r"[\"']?[ \t]{0,4}(?::|=|=>|:=)[ \t]{0,4}[\"']?(?P<value>[^\s\"'<>,;()\[\]{}]{8,512})"
)
_IN_URL = re.compile(r"(?<=://)(?P<value>[^\s/:@<>\"']{1,128}:[^\s/@<>\"']{1,256})(?=@)")
_BLOCK = re.compile(r"-----BEGIN (?P<name>[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?)-----")
_LONGEST_BLOCK = 20_000  # characters
_SIGNS = "!#$%^&*@~+="


def find_keys(text: str) -> Iterator[Found]:
    """Yields the keys of a text, the earliest and longest of those that overlap.

    They are known by the form that a service gives its keys, or by what stands before them: `Bearer`, `api_key=`,
    `password:`, `https://user:`. What only looks random is no key: it may be a hash or an id.
    """
    done = 0
    for start, end, value in sorted(_all(text), key=lambda found: (found.start, -found.end)):
        if start >= done:
            yield Found(start, end, value)
            done = end


def _all(text: str) -> Iterator[Found]:
    for form in (_FORM, _WEB_TOKEN):
        for match in form.finditer(text):
            yield Found(match.start(), match.end(), match[0])
    for match in _HEADER.finditer(text):
        if _mixed(match["value"]):
            yield _of(match)
    for match in _NAMED.finditer(text):
        if _mixed(match["value"]):
            yield _of(match)
    for match in _IN_URL.finditer(text):
        yield _of(match)
    for match in _BLOCK.finditer(text):
        tail = f"-----END {match['name']}-----"
        end = text.find(tail, match.end(), match.end() + _LONGEST_BLOCK)
        stop = end + len(tail) if end >= 0 else min(len(text), match.end() + _LONGEST_BLOCK)  # cut off: still a secret
        yield Found(match.start(), stop, text[match.start() : stop])


def _of(match: re.Match[str]) -> Found:
    return Found(match.start("value"), match.end("value"), match["value"])


def _mixed(value: str) -> bool:
    """True for letters with digits or signs, as chance and rules for passwords make them; a word has none."""
    return any(c.isalpha() for c in value) and any(c.isdigit() or c in _SIGNS for c in value.rstrip(".!?"))


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
_SHORTEST, _MOST_DIGITS = 9, 15  # digits with the code of the country; E.164 allows no more
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
            right = len(digits) == _NORTH_AMERICA if digits[0] == "1" else _SHORTEST <= len(digits) <= _MOST_DIGITS
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


_LETTERS = "bcdfghjklmnpqrstvwxz"  # neither digits, which would be read as quantities, nor vowels, which make words
_LENGTH = 6  # letters; of a thousand values in one run, two share a placeholder with a chance of under 1 %
_OWN = secrets.token_bytes(32)  # of this process, and of those forked from it


def replaced(text: str, kind: str, found: Iterable[Found], secret: bytes | None = None) -> str:
    """Returns a text with placeholders for the values of a kind, which are found in order and without overlap."""
    parts: list[str] = []
    done = 0
    for start, end, value in found:
        parts += text[done:start], _placeholder(kind, value, secret or _OWN)
        done = end
    return "".join((*parts, text[done:])) if parts else text


def _placeholder(kind: str, value: str, secret: bytes) -> str:
    digest = hashlib.blake2b(f"{kind}\0{value}".encode("utf-8", "replace"), key=secret[:64], digest_size=8).digest()
    number, letters = int.from_bytes(digest, "big"), ""
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_LETTERS))
        letters += _LETTERS[place]
    return f"<{kind}:{letters}>"


Kind: TypeAlias = Literal["key", "email", "iban", "card", "phone"]
"""What is replaced; in this order, if several are."""

_UNSEEN = re.compile(f"[{IGNORABLE}]+")


def _seen_apart(find: Callable[[str], Iterator[Found]], text: str) -> Iterator[Found]:
    """Yields the values that a text shows, also where characters that are not seen split them."""
    gaps, hidden = list[int](), [0]
    for gap in _UNSEEN.finditer(text):
        gaps.append(gap.start() - hidden[-1])
        hidden.append(hidden[-1] + len(gap[0]))
    for start, end, value in find(_UNSEEN.sub("", text)):
        first, last = (place + hidden[bisect_right(gaps, place)] for place in (start, end - 1))
        yield Found(first, last + 1, value)


_FIND: Mapping[Kind, Callable[[str], Iterator[Found]]] = {
    "key": find_keys,
    "email": find_emails,
    "iban": find_ibans,
    "card": find_cards,
    "phone": find_phones,
}


@dataclass(frozen=True, slots=True)
class Presets:
    """Replaces several kinds of values: a function for `redact`, which can be compared and pickled.

    Attributes:
        kinds: What is replaced.
        secret: See `presets`.
        distinct: Different values have different placeholders: redacted ids need nothing else to be told apart.
    """

    distinct: ClassVar[bool] = True
    kinds: tuple[Kind, ...]
    secret: bytes | None = field(default=None, repr=False)

    def __call__(self, text: str) -> str:
        """Returns the text with placeholders."""
        for kind in self.kinds:
            if _UNSEEN.search(text):
                text = replaced(text, kind, _seen_apart(_FIND[kind], text), self.secret)
            text = replaced(text, kind, _FIND[kind](text), self.secret)
        return text


def presets(*kinds: Kind, secret: bytes | None = None) -> Presets:
    """Returns a function for `redact` that replaces several kinds of values.

    Args:
        *kinds: `email`, `key` (API keys, tokens, passwords), `card` (payment cards), `iban` and `phone`; none for all.
        secret: Key of the hash that placeholders are made of, 16 to 64 bytes. With the same one two processes write
            the same placeholder for the same value, so that their reports can be compared; whoever has it can test
            guesses. By default each process has one of its own, which nobody can read.

    Raises:
        InputError: If a kind is unknown, or the secret has another length.
    """
    known = get_args(Kind)
    for kind in kinds:
        if kind not in known:
            raise InputError(f"there is no preset {kind!r}, expected some of {', '.join(known)}")
    if secret is not None:
        _check_secret(secret)
    return Presets(tuple(kind for kind in known if not kinds or kind in kinds), secret)


def _check_secret(secret: object) -> None:
    if not isinstance(secret, bytes) or not 16 <= len(secret) <= 64:  # noqa: PLR2004 - see above
        raise InputError("secret is no bytes of length 16 to 64: use secrets.token_bytes(32), and keep it")
