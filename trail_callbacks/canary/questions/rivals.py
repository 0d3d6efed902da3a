"""Whether a corpus answers a question in a second place, with another value: then nobody could say what is right."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from trail_callbacks.canary.questions.facts import EditedSentence, called
from trail_callbacks.canary.twin import TURNS, Twin
from trail_callbacks.evidence.spans import pairs, tables
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.language.values import quantities
from trail_callbacks.text import Sentence, sentences

_ENOUGH: Final = 4  # words that tell a fact without a name
_FEWEST: Final = 2  # words that tell one with a name
_MOST: Final = 2_000  # sentences that are compared with a question
_SHARE: Final = 5  # one word in so many of a question may be missing in what answers it


class Rivals:
    """An index of all sentences and rows of a twin's real corpus."""

    def __init__(self, twin: Twin) -> None:
        self._corpus = twin.real
        self._places: list[tuple[str, Sentence, frozenset[str]]] = []
        self._by_key: dict[str, list[int]] = defaultdict(list)
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

    def against(self, question: str, fact: EditedSentence) -> str | None:
        """Says why a question does not tell which fact it asks for; None if it does."""
        if fact.cell is not None:
            several = self._rows[fact.cell.head, fact.cell.row] > 1
            return f"the corpus has several rows {fact.cell.row!r} in such tables" if several else None
        within = bool(fact.heading) and fact.heading.casefold() in question.casefold()  # only its document counts then
        if within and sum(fact.heading in each.text for each in self._corpus) > 1:
            return f"several documents of the corpus have the title {fact.heading[:80]!r}"
        about = frozenset(keys(question)) & (frozenset(keys(fact.text)) | frozenset(keys(fact.before)))
        if fact.edit.kind not in TURNS and all(each.kind != "count" for each in quantities(fact.said[0]) or ()):
            about -= frozenset(keys(fact.said[0]))  # a unit tells nothing
        named = any(term.kind in {"name", "number"} for term in terms(question[1:]))
        if len(about) < (_FEWEST if named or within else _ENOUGH):
            return "its question would name too little to tell which fact is meant"
        spared = len(about) // _SHARE  # what has the others has one of the rarest
        rarest = sorted(about, key=lambda key: len(self._by_key.get(key, ())))[: spared + 1]
        looked = dict.fromkeys(at for key in rarest for at in self._by_key.get(key, ()))
        if len(looked) > _MOST:
            return "too many sentences of the corpus are like the one that answers it"
        edited = [(each.document, each.start) for each in fact.edit.replacements]
        for document, sentence, said in map(self._places.__getitem__, looked):
            if len(about & said) < len(about) - spared or (within and document != fact.document):
                continue
            own = any(of == document and sentence.start <= start < sentence.end for of, start in edited)
            if not own and _has_such_value(sentence.text, fact, question):
                return f"another sentence of the corpus may answer it: {sentence.text[:80]!r}"
        return None


def _has_such_value(text: str, fact: EditedSentence, question: str) -> bool:
    """Whether a text has a value of the kind that a question asks for, besides those that the question has itself."""
    wanted = {(each.kind, each.noun if each.kind == "count" else "") for each in quantities(fact.edit.real)}
    if not wanted and fact.edit.kind not in TURNS:
        known = {term.form for term in terms(question)}
        return any(term.kind == "name" and term.form not in known for term in terms(text))
    given = {(each.kind, each.value) for each in quantities(question)}
    found = [each for each in quantities(text) if (each.kind, each.value) not in given]
    return not wanted or any({(each.kind, each.noun), (each.kind, "")} & wanted for each in found)
