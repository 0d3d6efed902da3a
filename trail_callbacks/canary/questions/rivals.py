"""Whether a corpus answers a question in a second place, with another value: then nobody could say what is right."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final

from trail_callbacks.canary.edit import TURNS
from trail_callbacks.canary.questions.facts import Fact, called
from trail_callbacks.canary.twin import Twin
from trail_callbacks.evidence.tables import pairs, tables
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.language.values import quantities
from trail_callbacks.text import Sentence, sentences

__all__ = ["Rivals"]

_ENOUGH: Final = 4  # words that tell a fact without a name
_FEWEST: Final = 2  # words that tell one with a name
_MOST: Final = 2_000  # sentences that are compared with a question
_SHARE: Final = 5  # one word in so many of a question may be missing in what answers it
_NAME: Final = 3  # letters; short words in `-s` are names as often as not
_INNER: Final = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]+")
_LOWER: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}")


class Rivals:
    """An index of all sentences of a corpus.

    Args:
        twin: The twin whose real corpus is indexed.
    """

    def __init__(self, twin: Twin) -> None:
        self._corpus = twin.real
        self._places: list[tuple[str, Sentence, frozenset[str]]] = []
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._lower: Counter[str] = Counter()
        self._upper: Counter[str] = Counter()
        self._titles: dict[str, int] = {}
        self._rows: Counter[tuple[str, str]] = Counter()
        for document in twin.real:
            for sentence in sentences(document.text):
                found = frozenset(keys(sentence.text))
                for key in found:
                    self._by_key[key].append(len(self._places))
                self._places.append((document.id, sentence, found))
            for row in (row for table in tables(document.text) for row in table.rows if row.head):
                if cells := pairs(row.head.rpartition("\n")[2], document.text[row.start : row.end]):
                    self._rows[row.head, called([cell for _, cell in cells])] += 1
            self._upper.update(_INNER.findall(document.text))
            self._lower.update(word for word in _LOWER.findall(document.text) if word.islower())

    def lower(self, word: str) -> bool:
        """Tells whether a word is no name: the corpus has it without a capital, or it looks like a plural."""
        plain = len(word) > _NAME and word.endswith(("ing", "s")) and not word.endswith("ss")
        lower, upper = self._lower[word.lower()], self._upper[word]
        return lower > upper or (plain and not upper)

    def against(self, question: str, fact: Fact, *, within: bool = False) -> str | None:
        """Says why a question does not tell which fact it asks for; None if it does.

        Args:
            question: The question.
            fact: What answers it.
            within: Whether the question names the heading that the fact stands under: then only its document counts.
        """
        if fact.cell is not None:
            several = self._rows[fact.cell.head, fact.cell.row] > 1
            return f"the corpus has several rows {fact.cell.row!r} in such tables" if several else None
        if within and self._titled(fact.heading) > 1:
            return f"several documents of the corpus have the title {fact.heading[:80]!r}"
        about = _about(question, fact)
        named = any(term.kind in {"name", "number"} for term in terms(question[1:]))
        if len(about) < (_FEWEST if named or within else _ENOUGH):
            return "its question would name too little to tell which fact is meant"
        wanted = _Wanted(fact, question)
        spared = len(about) // _SHARE  # what has the others has one of the rarest
        looked: set[int] = set()
        for key in sorted(about, key=lambda key: len(self._by_key.get(key, ())))[: spared + 1]:
            for at in self._by_key.get(key, ()):
                if at in looked:
                    continue
                looked.add(at)
                if len(looked) > _MOST:
                    return "too many sentences of the corpus are like the one that answers it"
                document, sentence, said = self._places[at]
                elsewhere = within and document != fact.document
                if len(about & said) < len(about) - spared or elsewhere or _edited(fact, document, sentence):
                    continue
                if wanted.like(sentence.text):
                    return f"another sentence of the corpus may answer it: {sentence.text[:80]!r}"
        return None

    def _titled(self, heading: str) -> int:
        """In how many documents a heading stands."""
        if heading not in self._titles:
            self._titles[heading] = sum(heading in document.text for document in self._corpus)
        return self._titles[heading]


def _about(question: str, fact: Fact) -> frozenset[str]:
    """The words of a question that tell which fact is meant."""
    shared = frozenset(keys(question)) & (frozenset(keys(fact.text)) | frozenset(keys(fact.before)))
    found = quantities(fact.said[0])
    measured = fact.edit.kind not in TURNS and found and all(each.kind != "count" for each in found)
    return shared - frozenset(keys(fact.said[0])) if measured else shared  # a unit tells nothing


def _edited(fact: Fact, document: str, sentence: Sentence) -> bool:
    """Whether the edit of a fact changes a sentence too."""
    return any(
        each.document == document and sentence.start <= each.start < sentence.end for each in fact.edit.replacements
    )


class _Wanted:
    """What kind of value a question asks for, besides those that it has itself."""

    def __init__(self, fact: Fact, question: str) -> None:
        found = quantities(fact.edit.real)
        self._kinds = {(each.kind, each.noun if each.kind == "count" else "") for each in found}
        self._known = {(each.kind, each.value) for each in quantities(question)}
        self._names = {term.form for term in terms(question)}
        of_names = {"unanswerable", "inconsistent"} if not found else set()
        self._named = fact.edit.kind in {"name", "nonce", *of_names}

    def like(self, text: str) -> bool:
        """Tells whether a text has such a value."""
        if self._named:
            return any(term.kind == "name" and term.form not in self._names for term in terms(text))
        return not self._kinds or any(
            not self._kinds.isdisjoint({(each.kind, each.noun), (each.kind, "")})
            and (each.kind, each.value) not in self._known
            for each in quantities(text)
        )
