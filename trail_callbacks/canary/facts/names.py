"""The names of a corpus, told by their capitals, with every mention of every word of them.

A name is changed word by word: `Anna Berg`, `Mrs Berg`, `Berg's` and `BERG` are one name because they share a word, and
so are all names that share it. Words that a language uses otherwise too (`Harbour Society`) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final
from unicodedata import combining

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.facts import Joined
from trail_callbacks.canary.facts.pages import of_last_corpus, pages
from trail_callbacks.canary.facts.protected import Spans
from trail_callbacks.language.terms import terms, vocabulary
from trail_callbacks.language.values import DAYS, MONTHS

__all__ = ["Mention", "Name", "Names", "names_of"]

_WORD = re.compile(r"[^\W\d_]+")
_LINKS: Final = "of de del della di da do la le les van von der den du al el ter zu af av"
_PART = r"[^\W\d_a-z][^\W\d_]*+(?:['\u2019-][^\W\d_]++)*+(?!\w)"
_NAME = re.compile(
    rf"{_PART}(?:[ \u00a0](?:(?:of the|St\.?|{_LINKS.replace(' ', '|')})[ \u00a0]){{0,2}}{_PART}){{0,6}}"
)
_MANY: Final = 200  # mentions; a word that is everywhere is what the corpus is about
_AROUND = vocabulary(f"the and {_LINKS}")
_ENDINGS = ("", "s", "es")  # German and Scandinavian genitives, English plurals of families
_SHORTEST: Final = 3  # letters of a word that is changed
_DATES: Final = frozenset(word.casefold() for word in (*MONTHS, *DAYS))
_BEGIN: Final = re.compile(r"(?:^|[^\w\s,'\u2019&-])\W*$")
_DOES = re.compile(r"(?:er|ers|or|ors|ist|ists|ian|ians|ant|ants|ing|ings|ed|ly|s)$")  # `Potter Ann Lee`
_COMMON = re.compile(
    r"\w{2}(?:tions?|sions?|ments?|ness|ity|ities|ings?|ences?|ances?|olog(?:y|ies|ists?)|graph(?:y|ic|ies)|ics|isms?|ists?"
    r"|ships?|hood|ables?|ibles?|ous|ful|less|ives?|ical|ally|ated|ized|ised|ish|ese|iest|gest|imum|ieties|unties)$"
)  # endings of words that describe
_TITLE = re.compile(r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb\n]{3,90})[\"\u201d\u00bb]")
_TITLE_WORDS = 3  # words in quotation marks, most of them with a capital, that are a title
_NO_NAME = re.compile(
    r"(?:^|[.!?:;)\]]\s+|\n\s*)\(?\d{1,2}[.)]?\s{1,3}$"  # the first word of an item: `1 Pastas`
    r"|\b(?:journal|office|department|institute|ministry|minister|association|society|committee|faculty|academy|cent(?:er|re)"
    r"|council|college|school|professor|secretary|director|head|division|agency|museum|federation|union|annals|history)"
    r"s?\s(?:of|for|on)\s(?:the\s)?(?:[\w,]+\s){0,2}?(?:and\s)?$",  # what an institution works on
    re.IGNORECASE,
)
_STEM: Final = 4
_SUFFIX: Final = re.compile(r"e?s|e?ns?|ern?|i?ans?|n?ers?|ese|ish|ic|ists?|isms?|y|sche?[nrs]?|[aeiou]|em|um")


@cache
def _listed(name: str) -> frozenset[str]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@cache
def _stays() -> frozenset[str]:
    """Words in names that stay as they are: titles, what kind of thing it is, peoples, dates."""
    dates = (part for word in _DATES for part in (word, f"{word}s", word[:3]))
    return frozenset(dates) | _listed("describing.txt") | _AROUND


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a name at a place.

    Attributes:
        document: Id of the document.
        start: Offset.
        end: Offset after it, without a possessive ending.
        ending: What is behind the name's own letters: `s` in `Haldens`; empty otherwise.
        written: The letters as they stand, ending included.
    """

    document: str
    start: int
    end: int
    ending: str
    written: str


@dataclass(frozen=True, slots=True)
class Name:
    """A name and all names that share a word with it.

    Attributes:
        full: The commonest form of two words or more, else the only word.
        forms: All forms, the commonest first.
        words: The words that are changed, in the order of `full`.
        mentions: All mentions by word.
    """

    full: str
    forms: Sequence[str]
    words: Sequence[str]
    mentions: Mapping[str, Sequence[Mention]]

    @property
    def document(self) -> str:
        """Id of the first document that has it."""
        return self.mentions[self.words[0]][0].document


class Names:
    """Finds the names of a corpus.

    Args:
        corpus: The documents. Only scripts that have capitals show what a name is; others yield none.

    Attributes:
        vocabulary: All words of the corpus, case-folded.
        found: The names, in the order of their first mention.
        refused: Words of names that cannot be changed everywhere, with a document and the reason.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.vocabulary: set[str] = set()
        self._lower: set[str] = set()
        self._proper = self._read(corpus)
        self._forms: dict[str, Counter[str]] = defaultdict(Counter)
        self._wrong: dict[str, tuple[str, str]] = {}
        for page in pages(corpus):
            for match in _NAME.finditer(page.text):
                if not page.fixed.overlap(*match.span()):
                    begins = _BEGIN.search(page.text[max(0, match.start() - 4) : match.start()]) is not None
                    self._note(re.sub(r"['\u2019]s?$", "", match[0]), begins=begins)
        mentions = self._mentions(corpus)
        for word in [each for each in mentions if self._is_shared(each, mentions)]:
            self._wrong[word] = (mentions.pop(word)[0].document, "two names share it")
        self.refused = [(place, self._proper[word], why) for word, (place, why) in self._wrong.items()]
        self.found: list[Name] = []
        for name in self._names(mentions):
            if part := self._kept_part(name, mentions):
                self.refused.append((name.document, name.full, f"a part of it would stay, {part!r}"))
            else:
                self.found.append(name)

    def _read(self, corpus: Corpus) -> dict[str, str]:
        """Words that have a capital inside of sentences and never none, and are none that describe; as they stand."""
        shown: dict[str, str] = {}
        for page in pages(corpus):
            text, titles = page.text, _titles(page.text)
            for term in terms(text):
                word = text[term.start : term.end]
                self.vocabulary.add(word.casefold())
                free = not (page.fixed.overlap(term.start, term.end) or titles.overlap(term.start, term.end))
                named = term.kind == "name" and free and not word.isupper()
                if named and not _NO_NAME.search(text[max(0, term.start - 60) : term.start]):
                    begins = _BEGIN.search(text[max(0, term.start - 4) : term.start]) is not None
                    for part in _WORD.findall(word):
                        if part[0].isupper() and part[1:].islower() and not (begins and _DOES.search(part)):
                            shown.setdefault(part.casefold(), part)
            words = (match for match in _WORD.finditer(text) if match[0].islower())
            self._lower.update(match[0] for match in words if not page.fixed.overlap(*match.span()))
        plain = _stays() | _listed("common.txt") | self._lower
        return {
            key: word
            for key, word in shown.items()
            if len(key) >= _SHORTEST and not (key in plain or key.removesuffix("s") in plain or _COMMON.search(key))
        }

    def _mentions(self, corpus: Corpus) -> dict[str, list[Mention]]:
        """Every place of each word that can be changed everywhere."""
        found: dict[str, list[Mention]] = defaultdict(list)
        capital: set[str] = set()
        for page in pages(corpus):
            id_, text = page.document.id, page.text
            for match in _WORD.finditer(text):
                key = match[0].casefold()
                stems = {key.removesuffix(each): each for each in _ENDINGS if key.endswith(each)}
                known = [each for each in stems if each in self._proper]
                word = known[-1] if known else ""
                if match[0][0].isupper() and not stems.get(word):
                    capital.add(key)
                if not word:
                    continue
                if page.fixed.overlap(*match.span()):
                    self._wrong.setdefault(word, (id_, "it also stands in a link, an address, code or a tag"))
                if combining(text[match.end() : match.end() + 1] or " "):
                    self._wrong.setdefault(word, (id_, "it is written with marks that stand alone"))
                found[word].append(Mention(id_, match.start(), match.end(), stems[word], match[0]))
        self._refuse_forms(found, capital)
        return {word: places for word, places in found.items() if word not in self._wrong}

    def _refuse_forms(self, found: Mapping[str, Sequence[Mention]], capital: set[str]) -> None:
        """Refuses words of which another form stands somewhere, and those that are everywhere."""
        stems_of = defaultdict(set)
        for word in capital | {each for each in self._lower if len(each) > _STEM}:
            stems_of[word[:_STEM]].add(word)
        for word, places in found.items():
            others = sorted(each for each in stems_of[word[:_STEM]] if _is_form(each, word, named=each in capital))
            why = f"it also stands as {others[0]!r}, another form of it" if others else ""
            if why or len(places) > _MANY:
                why = why or f"a name with more than {_MANY} mentions is no single fact"
                self._wrong.setdefault(word, (places[0].document, why))

    def _note(self, form: str, *, begins: bool) -> None:
        """Counts a name, without what is before it: an article, a date, or the first word of the sentence it begins."""
        while form:
            first, _, rest = form.partition(" ")
            key = first.casefold().strip(".")
            if key not in _AROUND | _DATES:
                if not begins or any(part in self._proper or part in _stays() for part in _WORD.findall(key)):
                    break
                begins = False
            form = rest
        words = dict.fromkeys(_WORD.findall(form.casefold()))
        if not (form.isupper() and len(words) > 1):
            for word in words:
                if word in self._proper:
                    self._forms[word][form] += 1

    def _names(self, mentions: Mapping[str, Sequence[Mention]]) -> Iterator[Name]:
        """Words that stand in one form are one name."""
        joined = Joined()
        number = {word: i for i, word in enumerate(mentions)}
        for word in mentions:
            for other in _WORD.findall(" ".join(self._forms[word]).casefold()):
                if other in number:
                    joined.join(number[word], number[other])
        groups: dict[int, list[str]] = defaultdict(list)
        for word, i in number.items():
            groups[joined.root(i)].append(word)
        for group in groups.values():
            counted = sum((self._forms[each] for each in group), Counter[str]())
            if counted:
                ordered = sorted(counted, key=lambda form: (len(form.split()) < 2, -counted[form], form))  # noqa: PLR2004
                order = _WORD.findall(ordered[0].casefold())
                group.sort(key=lambda each: (order.index(each) if each in order else len(order), each))
                yield Name(ordered[0], tuple(ordered), tuple(group), {each: tuple(mentions[each]) for each in group})

    def _kept_part(self, name: Name, mentions: Mapping[str, object]) -> str:
        """A word of a name that would stay, though it does not say what kind of thing it is: two people share it."""
        written: list[str] = _WORD.findall(name.full)
        words = [each.casefold() for each in written]
        is_kind = bool(words) and words[-1] in _stays()  # `Skarn Tidal Trust`: common words in the name of a kind
        for i, word in enumerate(words):
            if word not in mentions and written[i][0].isupper() and not written[i].isupper():
                beside = any(each in mentions for each in words[max(0, i - 1) : i + 2])
                describes = is_kind or word in _stays() or word.removesuffix("s") in _stays()
                if word in self._proper or (beside and not describes):
                    return written[i]
        return ""

    def _is_shared(self, word: str, mentions: Mapping[str, object]) -> bool:
        """Whether several names have a word beside other words of their own, as two people a surname."""
        parts = ({each for each in _WORD.findall(form.casefold()) if each in mentions} for form in self._forms[word])
        beside = [each - {word} for each in parts]
        widest = max(beside, key=len, default=set())
        return any(not each <= widest for each in beside)


@of_last_corpus
def names_of(corpus: Corpus) -> Names:
    """Finds the names of a corpus."""
    return Names(corpus)


def _titles(text: str) -> Spans:
    """Titles in quotation marks: what has a capital in them may be any word."""
    found = []
    for match in _TITLE.finditer(text):
        words = _WORD.findall(match[1])
        if len(words) >= _TITLE_WORDS and 2 * sum(word[0].isupper() for word in words) > len(words):
            found.append(match.span())
    return Spans(found)


def _is_form(other: str, word: str, *, named: bool) -> bool:
    """Whether a word looks like another form of a name: `haldener` of `halden`, `portuguese` of `portugal`."""
    short, long = sorted((other, word), key=len)
    if other == word or len(long) - len(short) > _STEM or len(short) < _STEM or not (named or other.startswith(word)):
        return False
    if long.startswith(short):
        return not word.isascii() or _SUFFIX.fullmatch(long, len(short)) is not None
    shared = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= max(_STEM, len(word) - 2) and (
        not word.isascii() or re.fullmatch(r"\w{0,2}(?:ese|ish|ans?|ers?|ic)", other[shared:]) is not None
    )
