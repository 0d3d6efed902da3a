"""Removal: every sentence that states a fact goes, so that the documents no longer tell and abstaining is right."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.facts import Fact, facts
from trail_callbacks.canary.facts.figures import Figure, tells
from trail_callbacks.canary.facts.sayings import Saying, Sayings, sayings_of
from trail_callbacks.language.terms import keys

__all__ = ["Places", "propose", "without"]

_BACK = re.compile(
    r"\s*(?:both|such|there|then|also|however|so|therefore|thus|hence"
    r"|consequently|accordingly|afterwards|meanwhile"
    r"|in addition|as a result|instead|otherwise|unlike|another|others?"
    r"|the (?:others?|same|rest|former|latter|second|third)"
    r"|in (?:contrast|comparison|that case|turn|both)|by (?:contrast|comparison)"
    r"|the (?:money|sum|amount|figures?|numbers?|sign|change|result|increase|decrease|rise|fall|reason)"
    r"|anything|everything"
    r"|similarly|likewise|conversely|for example"
    r"|(?:[\w-]+ ){0,3}(?:later|after|earlier|before that)\b|after(?:wards| that)|only then"
    r"|and|but|or|yet|nor|er|sie|es|dies\w*|il|elle|ils|elles|cela|\u00e9l|ella|esto|questo)\b"
    # a word that points back, near the beginning
    r"|[^.;:]{0,60}?\b(?:then|its?|this|that|these|those|they|them|their|he|she|his|her|him|latter)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"[A-Z]\w{0,12}\s?:\s")
_SUBJECT = 40  # characters of a sentence in which its subject stands
_MANY = 4  # sentences that state it; what is said more often is what a text is about


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to remove a number, with all sentences of all documents that state it.

    A sentence that the next one leans on (`It also ...`) is not removed, nor the last one of a document, nor one that
    is a part of a table, a list or markup.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used: nothing is left to be near or far.

    Yields:
        Edits in random order, and the facts that were left alone.
    """
    del sizes
    sayings = Places(sayings_of(corpus))
    found = list(facts(corpus))
    rng.shuffle(found)
    for fact in found:
        named = fact.named
        removed = sayings.of(fact)
        why = removed if isinstance(removed, str) else "" if tells(named) else "the number is no value by itself"
        if why:
            yield Skipped(f"{named.page.document.id}: unanswerable {named.words!r}", why)
        elif not isinstance(removed, str):
            places = [without(each, corpus[each.document].text) for each in removed]
            yield Edit(id="", kind="unanswerable", real=named.words, fictive=None, replacements=tuple(places))


class Places:
    """Sentences by their place."""

    def __init__(self, sayings: Sayings) -> None:
        self._sayings = sayings
        self._by_document: dict[str, list[Saying]] = defaultdict(list)
        for saying in sayings.found:
            self._by_document[saying.document].append(saying)
        self._starts = {id_: [each.start for each in found] for id_, found in self._by_document.items()}

    def of(self, fact: Fact) -> list[Saying] | str:
        """The sentences that state a fact, in order, or why they cannot be removed."""
        removed: dict[tuple[str, int], Saying] = {}
        for figure in fact.figures:
            number = self._at(figure)
            document = figure.page.document.id
            if number is None or figure.row is not None or not self._by_document[document][number].whole:
                return "it stands in a table, a list or a heading, not in a sentence of its own"
            saying = self._by_document[document][number]
            same, kindred = self._sayings.same(saying)
            if kindred:
                return "other sentences speak of the same in other words"
            removed.update(((each.document, each.start), each) for each in same)
        if len(removed) > _MANY:
            return f"more than {_MANY} sentences state it"
        for saying in removed.values():
            if why := self.needed(saying, removed):
                return why
        return list(removed.values())

    def _at(self, figure: Figure) -> int | None:
        document = figure.page.document.id
        number = bisect_right(self._starts.get(document, []), figure.start) - 1
        if number < 0 or figure.start >= self._by_document[document][number].end:
            return None
        return number

    def needed(self, saying: Saying, removed: dict[tuple[str, int], Saying]) -> str:
        """Why a sentence has to stay; empty if it has not."""
        if not saying.whole:
            return "it stands in a table, a list or a heading, not in a sentence of its own"
        beside = self._by_document[saying.document]
        if all((each.document, each.start) in removed for each in beside):
            return "nothing would be left of the document"
        number = bisect_right(self._starts[saying.document], saying.start)
        if number == 1:
            return "it introduces what its document is about"
        if number < len(beside) and (
            _BACK.match(beside[number].text) or self._introduces(beside[: number - 1], saying, beside[number])
        ):
            return "the sentence after it leans on it"
        return "it answers a question in the text" if _ANSWERS.match(saying.text) else ""

    @staticmethod
    def _introduces(before: Sequence[Saying], saying: Saying, after: Saying) -> bool:
        """Whether a sentence is the first to speak of what the next one begins with."""
        known = frozenset(keys(after.text[:_SUBJECT])) & saying.keys
        return any(all(key not in each.keys for each in before) for key in sorted(known))


def without(saying: Saying, text: str) -> Replacement:
    """The sentence with the blanks behind it."""
    end = saying.end
    while end < len(text) and text[end] in " \u00a0\t":
        end += 1
    return Replacement(saying.document, saying.start, end, text[saying.start : end], "")
