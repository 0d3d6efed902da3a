"""Words that are names or parts of names, told by their capitals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.describing import common, describing
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.canary.facts.spans import Spans
from trail_callbacks.language.terms import terms, vocabulary
from trail_callbacks.language.values import DAYS, MONTHS

__all__ = ["BEGIN", "DATES", "STAYS", "Proper", "proper_words"]

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST: Final = 3  # letters of a word that is changed
DATES: Final = frozenset(word.casefold() for word in (*MONTHS, *DAYS))
"""Months and days."""
STAYS: Final = frozenset(
    part for word in (*MONTHS, *DAYS) for part in (word.casefold(), f"{word.casefold()}s", word[:3].casefold())
) | vocabulary(
    """january mr mrs ms miss dr prof sir lady lord saint st mount mt lake river street road avenue lane square bay cape
    island islands bridge park hall house north south east west northern southern eastern western new old upper lower
    great grand royal national international united first second third republic kingdom state states county city town
    village university college school institute museum library church cathedral hospital society association club
    company committee council department ministry office agency bank group union party court center centre foundation
    ltd inc llc gmbh plc corp corporation co ag sa the and of president king queen prince princess minister professor
    doctor captain general english french german spanish italian portuguese dutch russian chinese japanese korean arabic
    american british european african asian indian christian muslim jewish catholic internet windows english
    greek roman latin swiss swedish danish norwegian polish czech hungarian turkish irish scottish welsh canadian
    australian mexican brazilian egyptian israeli iranian iraqi persian hebrew austrian belgian arabian sankt san santa
    herr frau monsieur madame se\u00f1or se\u00f1ora signor signora don do\u00f1a yes no ok fahrenheit celsius kelvin"""
)
"""Words in names that stay as they are: titles, what kind of thing it is, peoples, dates."""
BEGIN: Final = re.compile(r"(?:^|[^\w\s,'\u2019&-])\W*$")
# Endings of words that say what somebody is or does: `Potter Ann Lee`.
_DOES = re.compile(r"(?:er|ers|or|ors|ist|ists|ian|ians|ant|ants|ing|ings|ed|ly|s)$")
_COMMON = re.compile(
    r"\w{2}(?:tions?|sions?|ments?|ness|ity|ities|ings?|ences?|ances?|olog(?:y|ies|ists?)|graph(?:y|ic|ies)|ics|isms?|ists?"
    r"|ships?|hood|ables?|ibles?|ous|ful|less|ives?|ical|ally|ated|ized|ised|ish|ese|iest|gest|imum|ieties|unties)$|^(?:un|non)\w+(?:ed|ing)$"
)  # endings of words that describe
_TITLE = re.compile(r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb\n]{3,90})[\"\u201d\u00bb]")
_TITLE_WORDS = 3  # words in quotation marks, most of them with a capital, that are a title
_ITEM = re.compile(r"(?:^|[.!?:;)\]]\s+|\n\s*)\(?\d{1,2}[.)]?\s{1,3}$")  # before the first word of an item: `1 Pastas`
_LOOK_BACK = 10
_OF_WORK = re.compile(
    r"\b(?:journal|journals|office|department|dept|institute|ministry|minister|association|society|committee|bureau|faculty|academy"
    r"|board|centers?|centres?|council|college|school|professor|secretary|director|head|division|agency|museum|federation|union"
    r"|annals|archives|encyclopedia|history|master|bachelor|doctor)\s(?:of|for|on)\s(?:the\s)?(?:[\w,]+\s){0,2}?(?:and\s)?$",
    re.IGNORECASE,
)  # before what an institution works on: `Journal of Respiratory and Critical Care Medicine`
_OF_LOOK_BACK = 60


@dataclass(frozen=True, slots=True)
class Proper:
    """The words of a corpus.

    Attributes:
        shown: Words of names as they stand, by their case-folded form.
        lower: Words that are written without a capital somewhere.
        vocabulary: All words, case-folded.
    """

    shown: Mapping[str, str]
    lower: frozenset[str]
    vocabulary: frozenset[str]


def proper_words(corpus: Corpus) -> Proper:
    """Finds words that are written with a capital only, inside of sentences too, and are none that describe."""
    stays = STAYS | describing()
    fixed = fixed_in(corpus)
    lower: set[str] = set()
    vocabulary: set[str] = set()
    shown: dict[str, str] = {}
    for document in corpus:
        text, kept, titled = document.text, fixed[document.id], _titles(document.text)
        for term in terms(text):
            word = text[term.start : term.end]
            vocabulary.add(word.casefold())
            if term.kind == "name" and not kept.overlap(term.start, term.end) and not word.isupper():
                if titled.overlap(term.start, term.end) or _describes(text, term.start):
                    continue
                begins = BEGIN.search(text[max(0, term.start - 4) : term.start]) is not None
                for part in _WORD.finditer(word):
                    cased = part[0][0].isupper() and part[0][1:].islower()
                    if cased and not (begins and _DOES.search(part[0])):
                        shown.setdefault(part[0].casefold(), part[0])
        for match in _WORD.finditer(text):
            if match[0].islower() and not kept.overlap(*match.span()):
                lower.add(match[0])
    plain = stays | common() | lower
    proper = {
        key: word
        for key, word in shown.items()
        if len(key) >= _SHORTEST and not (key in plain or key.removesuffix("s") in plain or _COMMON.search(key))
    }
    return Proper(proper, frozenset(lower), frozenset(vocabulary))


def _describes(text: str, start: int) -> bool:
    """Whether a capital at a place shows no name: it begins an item, or says what an institution works on."""
    if _ITEM.search(text[max(0, start - _LOOK_BACK) : start]):
        return True
    return _OF_WORK.search(text[max(0, start - _OF_LOOK_BACK) : start]) is not None


def _titles(text: str) -> Spans:
    """Titles in quotation marks: what has a capital in them may be any word."""
    found = []
    for match in _TITLE.finditer(text):
        words = _WORD.findall(match[1])
        if len(words) >= _TITLE_WORDS and 2 * sum(word[0].isupper() for word in words) > len(words):
            found.append(match.span())
    return Spans(found)
