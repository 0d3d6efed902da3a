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
from trail_callbacks.canary.facts.other_forms import other_forms
from trail_callbacks.canary.facts.proper import BEGIN, DATES, STAYS, Proper, proper_words
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.language.terms import vocabulary

__all__ = ["Mention", "Name", "Names", "names_of"]

_WORD = re.compile(r"[^\W\d_]+")
_LINKS = r"(?:of the|of|de|del|della|di|da|do|la|le|les|van|von|der|den|du|al|el|St\.?|ter|zu|af|av)"
_PART = r"[^\W\d_a-z][^\W\d_]*+(?:['\u2019-][^\W\d_]++)*+(?!\w)"
_NAME = re.compile(rf"{_PART}(?:[ \u00a0](?:{_LINKS}[ \u00a0]){{0,2}}{_PART}){{0,6}}")
_MANY: Final = 200  # mentions; a word that is everywhere is what the corpus is about
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
        proper = proper_words(corpus)
        self.vocabulary = proper.vocabulary
        forms = _forms(corpus, proper.shown)
        mentions, wrong = _mentions(corpus, proper)
        self.refused = [(place, proper.shown[word], why) for word, (place, why) in wrong.items()]
        for word in _shared(forms, mentions):
            self.refused.append((mentions.pop(word)[0].document, proper.shown[word], "two names share it"))
        named = list(_names(forms, mentions))
        self.found = tuple(name for name in named if not _kept_part(name, proper.shown, mentions))
        for name in named:
            if part := _kept_part(name, proper.shown, mentions):
                place = name.mentions[name.words[0]][0].document
                self.refused.append((place, name.full, f"a part of it would stay, {part!r}"))


@of_last_corpus
def names_of(corpus: Corpus) -> Names:
    """Finds the names of a corpus."""
    return Names(corpus)


def _forms(corpus: Corpus, proper: Mapping[str, str]) -> dict[str, Counter[str]]:
    """The names in which each word stands."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    fixed = fixed_in(corpus)
    for document in corpus:
        kept = fixed[document.id]
        for match in _NAME.finditer(document.text):
            if kept.overlap(*match.span()):
                continue
            begins = BEGIN.search(document.text[max(0, match.start() - 4) : match.start()]) is not None
            form = _bare(re.sub(r"['\u2019]s?$", "", match[0]), proper, begins=begins)
            words = [word.casefold() for word in _WORD.findall(form)]
            for word in dict.fromkeys(words):
                if word in proper and not (form.isupper() and len(words) > 1):
                    forms[word][form] += 1
    return forms


def _mentions(corpus: Corpus, proper: Proper) -> tuple[dict[str, list[Mention]], dict[str, tuple[str, str]]]:
    """Every place of each word; and the words of which one cannot be changed, with a document and the reason."""
    found: dict[str, list[Mention]] = defaultdict(list)
    wrong: dict[str, tuple[str, str]] = {}
    capital: set[str] = set()
    fixed = fixed_in(corpus)
    for document in corpus:
        kept = fixed[document.id]
        for match in _WORD.finditer(document.text):
            key = match[0].casefold()
            word, ending = _split(key, proper.shown)
            if match[0][0].isupper() and not ending:
                capital.add(key)
            if word is None:
                continue
            if kept.overlap(*match.span()):
                wrong.setdefault(word, (document.id, "it also stands in a link, an address, code or a tag"))
            if combining(document.text[match.end() : match.end() + 1] or " "):
                wrong.setdefault(word, (document.id, "it is written with marks that stand alone"))
            found[word].append(Mention(document.id, match.start(), match.end(), ending, match[0]))
    others = other_forms(found, capital, proper.lower)
    for word, places in found.items():
        if word in others and word not in wrong:
            wrong[word] = (places[0].document, f"it also stands as {others[word]!r}, another form of it")
        if len(places) > _MANY:
            wrong.setdefault(word, (places[0].document, f"a name with more than {_MANY} mentions is no single fact"))
    return {word: places for word, places in found.items() if word not in wrong}, wrong


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


def _names(forms: Mapping[str, Counter[str]], mentions: Mapping[str, Sequence[Mention]]) -> Iterator[Name]:
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


def _kept_part(name: Name, proper: Mapping[str, str], mentions: Mapping[str, object]) -> str:
    """A word of a name that would stay, though it does not say what kind of thing it is: two people share it."""
    stays = STAYS | describing() | _AROUND
    written: list[str] = _WORD.findall(name.full)
    words = [each.casefold() for each in written]
    kind = bool(words) and words[-1] in stays  # `Skarn Tidal Trust`: common words stand in the name of a kind of thing
    for i, word in enumerate(words):
        if word in mentions or not written[i][0].isupper() or written[i].isupper():
            continue
        beside = any(each in mentions for each in words[max(0, i - 1) : i + 2])
        if word in proper or (beside and not kind and word not in stays and word.removesuffix("s") not in stays):
            return written[i]
    return ""


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


def _bare(form: str, proper: Mapping[str, str], *, begins: bool) -> str:
    """A name without what is before it: an article, a date, or the first word of the sentence that it begins."""
    while form:
        first, _, rest = form.partition(" ")
        key = first.casefold().strip(".")
        if key not in _AROUND | DATES:
            if not begins or any(part in proper or part in STAYS for part in _WORD.findall(key)):
                return form
            begins = False
        form = rest
    return form
