"""The names of a corpus, told by their capitals, with every mention of every word of them.

A name is changed word by word: `Anna Berg`, `Mrs Berg`, `Berg's` and `BERG` are one name because they share a word, and
so are all names that share it. Words that a language uses otherwise too (`Harbour Society`) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from trail_callbacks.canary.facts.joined import joined
from trail_callbacks.canary.facts.pages import Page
from trail_callbacks.language.terms import terms, vocabulary
from trail_callbacks.language.values import DAYS, MONTHS

WORD = re.compile(r"[^\W\d_]+")
"""A word of letters."""
_LINKS = "of de del della di da do la le les van von der den du al el ter zu af av"
_PART = r"[^\W\d_a-z][^\W\d_]*+(?:['\u2019-][^\W\d_]++)*+(?!\w)"
_NAME = re.compile(
    rf"{_PART}(?:[ \u00a0](?:(?:of the|St\.?|{_LINKS.replace(' ', '|')})[ \u00a0]){{0,2}}{_PART}){{0,6}}"
)
_MANY = 200  # mentions; a word that is everywhere is what the corpus is about
_SHORTEST = 3  # letters of a word that is changed
_ENDINGS = ("", "s", "es")  # German and Scandinavian genitives, English plurals of families
_BEGIN = re.compile(r"(?:^|[^\w\s,'\u2019&-])\W*$")
_COMMON = re.compile(
    r"\w{2}(?:tions?|sions?|ments?|ness|it(?:y|ies)|ings?|[ae]nces?|olog(?:y|ies|ists?)|graph(?:y|ic|ies)|ics|isms?|ists?"
    r"|ships?|hood|[ai]bles?|ous|ful|less|ives?|ical|ally|ated|i[zs]ed|ish|ese|iest|gest|imum)$"
)  # endings of words that describe


@cache
def _listed(name: str) -> frozenset[str]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@cache
def _stays() -> frozenset[str]:
    """Words in names that stay as they are: titles, what kind of thing it is, peoples, dates."""
    dates = (part for word in map(str.casefold, (*MONTHS, *DAYS)) for part in (word, f"{word}s", word[:3]))
    return frozenset(dates) | _listed("describing.txt") | vocabulary(f"the and {_LINKS}")


class Mention(NamedTuple):
    """A word of a name at a place; `ending` is what is behind the name's own letters: `s` in `Haldens`."""

    document: str
    start: int
    written: str
    ending: str


class Name(NamedTuple):
    """A name and all names that share a word with it."""

    full: str  # the commonest form of two words or more, else the only word
    forms: Sequence[str]  # all, the commonest first
    words: Sequence[str]  # those that are changed, in the order of `full`
    mentions: Mapping[str, Sequence[Mention]]  # by word

    @property
    def document(self) -> str:
        """Id of the first document that has it."""
        return self.mentions[self.words[0]][0].document


class Names:
    """Finds the names of a corpus."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.vocabulary: set[str] = set()
        self.refused: list[tuple[str, str, str]] = []
        self._proper = self._read(pages)
        self._forms: dict[str, Counter[str]] = defaultdict(Counter)
        for page in pages:
            for match in _NAME.finditer(page.text):
                if not page.fixed.overlap(*match.span()):
                    begins = _BEGIN.search(page.text[max(0, match.start() - 4) : match.start()]) is not None
                    self._note(re.sub(r"['\u2019]s?$", "", match[0]), begins=begins)
        mentions = self._mentions(pages)
        self.found = list(self._names(mentions))

    def _read(self, pages: Sequence[Page]) -> dict[str, str]:
        """Words that have a capital inside of sentences and never none, and are none that describe; as they stand."""
        shown: dict[str, str] = {}
        lower: set[str] = set()
        for page in pages:
            for term in terms(page.text):
                word = page.text[term.start : term.end]
                if term.kind == "name" and not word.isupper() and not page.fixed.overlap(term.start, term.end):
                    for part in WORD.findall(word):
                        if part[0].isupper() and part[1:].islower():
                            shown.setdefault(part.casefold(), part)
            for match in WORD.finditer(page.text):
                self.vocabulary.add(match[0].casefold())
                if match[0].islower() and not page.fixed.overlap(*match.span()):
                    lower.add(match[0])
        plain = _stays() | _listed("common.txt") | lower
        return {
            key: word
            for key, word in shown.items()
            if len(key) >= _SHORTEST and not (key in plain or key.removesuffix("s") in plain or _COMMON.search(key))
        }

    def _mentions(self, pages: Sequence[Page]) -> dict[str, list[Mention]]:
        """Every place of each word that can be changed everywhere."""
        found: dict[str, list[Mention]] = defaultdict(list)
        wrong: dict[str, tuple[str, str]] = {}
        for page in pages:
            for match in WORD.finditer(page.text):
                key = match[0].casefold()
                stems = {key.removesuffix(each): each for each in _ENDINGS if key.endswith(each)}
                word = next((each for each in reversed(stems) if each in self._proper), "")
                if word:
                    found[word].append(Mention(page.id, match.start(), match[0], stems[word]))
                    if page.fixed.overlap(*match.span()):
                        wrong.setdefault(word, (page.id, "it also stands in a link, an address, code or a tag"))
                    elif len(found[word]) > _MANY:
                        why = f"a name with more than {_MANY} mentions is no single fact"
                        wrong.setdefault(word, (found[word][0].document, why))
        for word, (place, why) in wrong.items():
            self.refused.append((place, self._proper[word], why))
        return {word: places for word, places in found.items() if word not in wrong}

    def _note(self, form: str, *, begins: bool) -> None:
        """Counts a name, without what is before it: an article, a date, or the first word of the sentence it begins."""
        while form:
            first, _, rest = form.partition(" ")
            key = first.casefold().strip(".")
            known = any(part in self._proper or part in _stays() for part in WORD.findall(key))
            if key not in vocabulary("the and") and key[:3] not in {each[:3].casefold() for each in (*MONTHS, *DAYS)}:
                if known or not begins:
                    break
                begins = False
            form = rest
        words = dict.fromkeys(WORD.findall(form.casefold()))
        if not (form.isupper() and len(words) > 1):
            for word in words:
                if word in self._proper:
                    self._forms[word][form] += 1

    def _names(self, mentions: Mapping[str, Sequence[Mention]]) -> Iterator[Name]:
        """Words that stand in one form are one name."""
        said = ((word, WORD.findall(" ".join(self._forms[word]).casefold())) for word in mentions)
        pairs = ((word, other) for word, others in said for other in others if other in mentions)
        for group in joined(list(mentions), pairs):
            counted = sum((self._forms[each] for each in group), Counter[str]())
            if counted:
                ordered = sorted(counted, key=lambda form: (" " not in form, -counted[form], form))
                order = WORD.findall(ordered[0].casefold())
                group.sort(key=lambda each: (order.index(each) if each in order else len(order), each))
                yield Name(ordered[0], tuple(ordered), tuple(group), {each: tuple(mentions[each]) for each in group})
