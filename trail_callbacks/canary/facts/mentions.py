"""The names of a corpus, with every mention of every word of them.

A name is changed word by word: `Anna Berg`, `Mrs Berg`, `Berg's` and `BERG` are one name because they share a word, and
so are all names that share it. Words that a language uses otherwise too (`Harbour Society`) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import combining

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.describing import describing
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.canary.facts.spans import Spans
from trail_callbacks.language.quantities import DAYS, MONTHS
from trail_callbacks.language.terms import terms, vocabulary

__all__ = ["Mention", "Name", "Names", "names_of"]

_WORD = re.compile(r"[^\W\d_]+")
_LINKS = r"(?:of|the|de|del|della|di|da|do|la|le|les|van|von|der|den|du|al|el|St\.?|ter|zu|af|av)"
_PART = r"[^\W\d_a-z][^\W\d_]*+(?:['\u2019-][^\W\d_]++)*+(?!\w)"
_NAME = re.compile(rf"{_PART}(?:[ \u00a0](?:{_LINKS}[ \u00a0]){{0,2}}{_PART}){{0,6}}")
_SHORTEST: Final = 3  # letters of a word that is changed
_MANY: Final = 200  # mentions; a word that is everywhere is what the corpus is about
_STAYS = frozenset(
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
    herr frau monsieur madame se\u00f1or se\u00f1ora signor signora don do\u00f1a yes no ok"""
)
_BEGIN = re.compile(r"(?:^|[^\w\s,'\u2019&-])\W*$")
# Endings of words that say what somebody is or does: `Potter Ann Lee`.
_DOES = re.compile(r"(?:er|ers|or|ors|ist|ists|ian|ians|ant|ants|ing|ings|ed|ly|s)$")
_COMMON = re.compile(
    r"\w{2}(?:tions?|sions?|ments?|ness|ity|ities|ings?|ences?|ances?|olog(?:y|ies|ists?)|graph(?:y|ic|ies)|ics|isms?|ists?"
    r"|ships?|hood|ables?|ibles?|ous|ful|less|ives?|ical|ally|ated|ized|ised|ish|ese|iest|gest|imum|ieties|unties)$|^(?:un|non)\w+(?:ed|ing)$"
)  # endings of words that describe
_TITLE = re.compile(r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb\n]{3,90})[\"\u201d\u00bb]")
_TITLE_WORDS = 3  # words in quotation marks, most of them with a capital, that are a title
_AROUND = vocabulary("the of and de del della di da do la le les van von der den du al el ter zu af av")
_ENDINGS = ("s", "es")  # German and Scandinavian genitives, English plurals of families


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


class Names:
    """Finds the names of a corpus.

    Args:
        corpus: The documents. Only scripts that have capitals show what a name is; others yield none.

    Attributes:
        found: The names, in the order of their first mention.
        refused: Words of names that cannot be changed everywhere, with the reason.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._fixed = fixed_in(corpus)
        self.refused: list[tuple[str, str, str]] = []
        self.vocabulary: set[str] = set()
        proper, lower = self._proper()
        forms = self._forms(proper)
        mentions = self._mentions(proper, lower)
        for word in _shared(forms, mentions):
            self.refused.append((mentions.pop(word)[0].document, proper[word], "two names share it"))
        self.found: Sequence[Name] = tuple(self._names(forms, mentions))

    def _proper(self) -> tuple[dict[str, str], set[str]]:
        """Words written with a capital only, inside of sentences too; and words written without one."""
        stays = _STAYS | describing()
        lower: set[str] = set()
        inside: Counter[str] = Counter()
        shown: dict[str, str] = {}
        for document in self._corpus:
            kept, titled = self._fixed[document.id], _titles(document.text)
            for term in terms(document.text):
                word = document.text[term.start : term.end]
                self.vocabulary.add(word.casefold())
                if term.kind == "name" and not kept.overlap(term.start, term.end) and not word.isupper():
                    if titled.overlap(term.start, term.end):
                        continue
                    begins = _BEGIN.search(document.text[max(0, term.start - 4) : term.start]) is not None
                    for part in _WORD.finditer(word):
                        cased = part[0][0].isupper() and part[0][1:].islower()
                        if cased and not (begins and _DOES.search(part[0])):
                            inside[part[0].casefold()] += 1
                            shown.setdefault(part[0].casefold(), part[0])
            for match in _WORD.finditer(document.text):
                if match[0].islower() and not kept.overlap(*match.span()):
                    lower.add(match[0])
        plain = stays | lower
        proper = {
            key: shown[key]
            for key in inside
            if len(key) >= _SHORTEST and not (key in plain or key.removesuffix("s") in plain or _COMMON.search(key))
        }
        return proper, lower

    def _forms(self, proper: Mapping[str, str]) -> dict[str, Counter[str]]:
        """The names in which each word stands."""
        forms: dict[str, Counter[str]] = defaultdict(Counter)
        for document in self._corpus:
            kept = self._fixed[document.id]
            for match in _NAME.finditer(document.text):
                if kept.overlap(*match.span()):
                    continue
                form = _bare(re.sub(r"['\u2019]s?$", "", match[0]), proper)
                words = [word.casefold() for word in _WORD.findall(form)]
                for word in dict.fromkeys(words):
                    if word in proper and not (form.isupper() and len(words) > 1):
                        forms[word][form] += 1
        return forms

    def _mentions(self, proper: Mapping[str, str], lower: set[str]) -> dict[str, list[Mention]]:
        """Every place of each word; words of which one cannot be changed are left out."""
        found: dict[str, list[Mention]] = defaultdict(list)
        wrong: dict[str, tuple[str, str]] = {}
        stems: dict[str, set[str]] = defaultdict(set)
        for document in self._corpus:
            kept = self._fixed[document.id]
            for match in _WORD.finditer(document.text):
                key = match[0].casefold()
                word, ending = self._split(key, proper)
                if match[0][0].isupper() and not ending:
                    stems[key[:_STEM]].add(key)
                if word is None:
                    continue
                if kept.overlap(*match.span()):
                    wrong.setdefault(word, (document.id, "it also stands in a link, an address, code or a tag"))
                if combining(document.text[match.end() : match.end() + 1] or " "):
                    wrong.setdefault(word, (document.id, "it is written with marks that stand alone"))
                found[word].append(Mention(document.id, match.start(), match.end(), ending, match[0]))
        other_forms = self._other_forms(found, stems, lower)
        for word, places in found.items():
            if word in other_forms and word not in wrong:
                wrong[word] = (places[0].document, f"it also stands as {other_forms[word]!r}, another form of it")
            if len(places) > _MANY:
                wrong.setdefault(
                    word, (places[0].document, f"a name with more than {_MANY} mentions is no single fact")
                )
        self.refused = [(place, proper[word], why) for word, (place, why) in wrong.items()]
        return {word: places for word, places in found.items() if word not in wrong}

    @staticmethod
    def _other_forms(found: Mapping[str, object], stems: Mapping[str, set[str]], lower: set[str]) -> dict[str, str]:
        """A word that looks like another form of a name, for each that has one."""
        plain: dict[str, list[str]] = defaultdict(list)
        for each in sorted(lower):
            plain[each[:_STEM]].append(each)
        others: dict[str, str] = {}
        for word in found:
            near = {each for each in stems.get(word[:_STEM], ()) if _derived(each, word, named=True)}
            if len(word) > _STEM:
                near |= {each for each in plain.get(word[:_STEM], ()) if _derived(each, word, named=False)}
            if near:
                others[word] = min(near)
        return others

    @staticmethod
    def _split(key: str, proper: Mapping[str, str]) -> tuple[str | None, str]:
        """A word and its ending; None if it is of no name."""
        if key in proper:
            for ending in _ENDINGS:  # `Haldens` beside `Halden`
                if key.endswith(ending) and key.removesuffix(ending) in proper:
                    return key.removesuffix(ending), ending
            return key, ""
        for ending in _ENDINGS:
            if key.endswith(ending) and key.removesuffix(ending) in proper:
                return key.removesuffix(ending), ending
        return None, ""

    def _names(self, forms: Mapping[str, Counter[str]], mentions: Mapping[str, Sequence[Mention]]) -> Iterator[Name]:
        left = dict.fromkeys(mentions)
        for word in mentions:
            if word not in left:
                continue
            group, waiting = [], [word]
            while waiting:
                one = waiting.pop()
                if one in left:
                    del left[one]
                    group.append(one)
                    near = (each for form in forms.get(one, ()) for each in _WORD.findall(form.casefold()))
                    waiting += [each for each in near if each in left]
            counted = Counter[str]()
            for one in group:
                counted.update(forms.get(one, {}))
            if not counted:
                continue
            ordered = sorted(counted, key=lambda form: (-len(form.split()) > -2, -counted[form], form))  # noqa: PLR2004
            full = ordered[0]
            order = [each.casefold() for each in _WORD.findall(full)]
            group.sort(key=lambda each: (order.index(each) if each in order else len(order), each))
            yield Name(full, tuple(ordered), tuple(group), {each: tuple(mentions[each]) for each in group})


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


def _shared(forms: Mapping[str, Counter[str]], mentions: Mapping[str, object]) -> list[str]:
    """Words that several names have beside other words of their own, as two people a surname."""
    found = []
    for word in mentions:
        beside = {
            frozenset(each for each in _WORD.findall(form.casefold()) if each in mentions and each != word)
            for form in forms.get(word, ())
        }
        widest: frozenset[str] = max(beside, key=len, default=frozenset())
        if any(not each <= widest for each in beside):
            found.append(word)
    return found


def _bare(form: str, proper: Mapping[str, str]) -> str:
    """A name without what is before it: an article, or the first word of the sentence."""
    while form:
        first, _, rest = form.partition(" ")
        key = first.casefold().strip(".")
        if key not in _AROUND and any(part in proper or part in _STAYS for part in _WORD.findall(key)):
            return form
        form = rest
    return form


_STEM: Final = 4
_DERIVED: Final = 4  # letters by which another form of a word may be longer
_SUFFIX: Final = re.compile(r"e?s|e?ns?|ern?|i?ans?|n?ers?|ese|ish|ic|ists?|isms?|y|sche?[nrs]?|[aeiou]|em|um")
_OF_PEOPLE: Final = re.compile(r"\w{0,2}(?:ese|ish|ans?|ers?|ic)")  # `Portuguese` of `Portugal`


def _derived(other: str, word: str, *, named: bool) -> bool:
    """Whether a word looks like another form of a name: `haldener` of `halden`, or with another case ending.

    Args:
        other: The word, case-folded.
        word: The word of the name, likewise.
        named: Whether the other word has a capital too.
    """
    if other == word or abs(len(other) - len(word)) > _DERIVED or min(len(other), len(word)) < _STEM:
        return False
    if other.startswith(word):
        return not word.isascii() or _SUFFIX.fullmatch(other, len(word)) is not None
    if not named:
        return False
    if word.startswith(other):
        return not word.isascii() or _SUFFIX.fullmatch(word, len(other)) is not None
    shared = 0
    while shared < min(len(word), len(other)) and word[shared] == other[shared]:
        shared += 1
    return shared >= max(_STEM, len(word) - 2) and (
        not word.isascii() or _OF_PEOPLE.fullmatch(other, shared) is not None
    )
