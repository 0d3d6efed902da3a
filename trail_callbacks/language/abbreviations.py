"""Short forms of names: acronyms, countries, `Corp.` and `Saint`, numbers of kings.

An acronym stands for words whose first letters spell it, small words between them aside. Schwartz and Hearst (A Simple
Algorithm for Identifying Abbreviation Definitions in Biomedical Text, PSB 2003) allow inner letters too: that finds
more, and more that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["abbreviated", "expanded"]

_WORD = re.compile(r"[^\W_]+(?:['\u2019.][^\W_]+)*|&")
_SMALL = "of|the|for|and|&|de|des|du|der|die|f\u00fcr|und|in|on|to|von|et|del|la|di|e|y"
_FEWEST, _MOST = 2, 8  # letters of an acronym
_FULL = {
    "&": "and", "und": "and", "corp": "corporation", "co": "company", "inc": "incorporated", "ltd": "limited",
    "bros": "brothers", "assn": "association", "assoc": "association",
    "dept": "department", "univ": "university",
    "intl": "international", "int'l": "international", "natl": "national", "nat'l": "national", "govt": "government",
    "gov't": "government", "mt": "mount", "ft": "fort", "st": "saint", "ste": "sainte", "jr": "junior", "sr": "senior",
    "ave": "avenue", "blvd": "boulevard", "rd": "road", "dr": "doctor", "prof": "professor", "sen": "senator",
    "rep": "representative", "gov": "governor", "gen": "general", "col": "colonel", "capt": "captain",
    "lt": "lieutenant",
    "sgt": "sergeant", "pres": "president", "rev": "reverend", "hon": "honourable",
    "ii": "second", "iii": "third",
    "iv": "fourth", "vi": "sixth", "vii": "seventh", "viii": "eighth", "ix": "ninth", "xi": "eleventh",
    "xii": "twelfth",
    "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth", "6th": "sixth", "7th": "seventh", "8th": "eighth",
}  # fmt: skip
_PLACES = [
    (frozenset(names.split(", ")), re.compile(pattern))
    for names, pattern in (
        ("us, usa, united states, united states of america", r"\bUSA?\b|\bU\.S\.|\bUnited\s+States\b"),
        ("uk, united kingdom, great britain", r"\bUK\b|\bU\.K\.|\bUnited\s+Kingdom\b|\bGreat\s+Britain\b"),
        ("un, united nations", r"\bUN\b|\bU\.N\.|\bUnited\s+Nations\b"),
        ("eu, european union", r"\bEU\b|\bE\.U\.|\bEuropean\s+Union\b"),
        ("uae, united arab emirates", r"\bUAE\b|\bU\.A\.E\.|\b(?:United\s+Arab\s+)?Emirates\b"),
        ("ussr, soviet union", r"\bUSSR\b|\bU\.S\.S\.R\.|\bSoviet\s+Union\b"),
        ("prc, people's republic of china", r"\bPRC\b|\bPeople['\u2019]s\s+Republic\s+of\s+China\b"),
        (
            "drc, dr congo",
            r"\bDRC\b|\bDR\s+Congo\b|\bDemocratic\s+Republic\s+of\s+(?:the\s+)?Congo\b",
        ),
        ("nyc, new york city", r"\bNYC\b|\bNew\s+York\s+City\b"),
        ("la, los angeles", r"\bLA\b|\bL\.A\.|\bLos\s+Angeles\b"),
        ("dc, washington dc", r"\bD\.?C\.?(?!\w)"),
    )
]


def abbreviated(name: Sequence[str], text: str) -> bool:
    """Tells whether a text has a name in a shorter or longer form.

    Args:
        name: The case-folded words of the name, one that is written in capitals without points: `who`, `us`.
        text: Any text.

    Returns:
        True if it names a country by another of its names, spells the acronym or is an acronym of the name, or has all
        words of the name where short forms such as `Corp.`, `St.`, `&` and `VIII` count as what they stand for.
    """
    return _abbreviated(tuple(name), text)


def expanded(word: str) -> str:
    """The full form of a case-folded word that is commonly shortened in names; others stay."""
    return _FULL.get(word.removesuffix("."), word)


@lru_cache(maxsize=8192)
def _abbreviated(name: tuple[str, ...], text: str) -> bool:
    written = " ".join(name)
    if any(written in names and pattern.search(text) for names, pattern in _PLACES):
        return True
    if len(name) == 1:
        if expanded(written) != written:
            return _in_full(name, text)
        return _FEWEST < len(written) <= _MOST and written.isalpha() and _spelt(written, text)
    return _acronym(name, text) or _in_full(name, text)


def _spelt(letters: str, text: str) -> bool:
    """Whether words in a row begin with these letters, each with a capital: `Bank of England` for `boe`."""
    if sum(sign.isupper() for sign in text) < _FEWEST:
        return False
    gap = rf"(?:[\s-]{{1,3}}(?:{_SMALL})){{0,2}}[\s-]{{1,3}}"
    content = gap.join(rf"{re.escape(letter.upper())}\w*" for letter in letters)
    # A small word may have a letter of its own: `BoE`, `DoD`.
    every = r"[\s-]{1,3}".join(rf"(?i:{re.escape(letter)})\w*" for letter in letters)
    return re.search(rf"\b(?:{content})\b", text) is not None or any(
        match[0][0].isupper() and match[0].split()[-1][0].isupper() for match in re.finditer(rf"\b{every}\b", text)
    )


def _acronym(name: Sequence[str], text: str) -> bool:
    """Whether the first letters of the name stand in the text as a word in capitals."""
    letters = "".join(word[0] for word in name).upper()
    return len(letters) >= _FEWEST and letters.isalpha() and re.search(rf"\b{letters}s?\b", text) is not None


def _in_full(name: Sequence[str], text: str) -> bool:
    wanted = [expanded(word) for word in name]
    if not any(expanded(word) != word for word in (*name, *_words(text))):
        return False
    have = [expanded(word) for word in _words(text) if word != "the"]
    return any(have[i : i + len(wanted)] == wanted for i in range(len(have) - len(wanted) + 1))


@lru_cache(maxsize=1024)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))
