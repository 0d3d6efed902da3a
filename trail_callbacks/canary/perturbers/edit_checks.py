"""Whether an edit that somebody wrote can be made: its words stand there, and it changes one fact at all its places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Document
from trail_callbacks.canary.edit import Edit, EditKind, Replacement
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.canary.facts.sayings import Saying, sayings_of
from trail_callbacks.canary.perturbers.statements import statements_of
from trail_callbacks.canary.questions.checking import names
from trail_callbacks.language.detect import language
from trail_callbacks.language.negation import negation
from trail_callbacks.language.terms import keys
from trail_callbacks.text import forms

__all__ = ["WRITTEN", "EditChecks", "Written"]

WRITTEN: Final[tuple[EditKind, ...]] = ("name", "negation", "modality", "order", "unanswerable")
"""Kinds that may be written. Numbers, dates and units are not: other values follow from them, which rules work out."""

_LONGEST: Final = 400  # characters of the words
_GROWS: Final = 60  # characters by which new words may be longer
_VALUE: Final = 160  # characters of a value
_KEPT: Final = 0.6  # share of its words that a changed sentence keeps
_NAME_WORDS: Final = 6
_MANY: Final = 200  # mentions
_MARKUP: Final = re.compile(r"[<>{}\[\]`|\n\r\t]|https?:|www\.")
_WORD: Final = re.compile(r"[^\W\d_]+")
_UNSPACED: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_IN_OTHER_WORDS: Final = "other sentences speak of the same in other words"


@dataclass(frozen=True, slots=True)
class Written:
    """An edit as it was written.

    Attributes:
        kind: What it claims to change.
        old: The words that are replaced.
        new: The words in their place.
        real: The real value.
        fictive: The fictive one.
    """

    kind: str
    old: str
    new: str
    real: str
    fictive: str


class EditChecks:
    """Checks written edits of a corpus, and finds all places that they have to change.

    Args:
        corpus: The documents.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._sayings = sayings_of(corpus)
        self._statements = statements_of(corpus)
        self._fixed = fixed_in(corpus)
        self._words = {word.casefold() for document in corpus for word in _WORD.findall(document.text)}
        self._whole = "\n".join(document.text for document in corpus).casefold()

    def edit(self, written: Written, document: str, start: int, end: int) -> Edit | str:
        """Makes an edit of what was written of a passage.

        Args:
            written: The edit.
            document: Id of the document.
            start: Where the passage begins.
            end: Where it ends.

        Returns:
            The edit with an empty id and all its places, or why there is none.
        """
        if why := _unfit(written):
            return why
        at = self._corpus[document].text.find(written.old, start, end)
        if at < 0:
            return "its words do not stand in the passage"
        if written.kind == "name":
            return self._name(written)
        saying = self._sayings.at(document, at)
        if saying is None or at + len(written.old) > saying.end:
            return "its words are not of one sentence"
        return self._removal(written, saying) if written.kind == "unanswerable" else self._wording(written, saying)

    def _name(self, written: Written) -> Edit | str:
        old, new = written.old, written.new
        changed = set(_WORD.findall(old)) - set(_WORD.findall(new))
        if not changed or len(old.split()) > _NAME_WORDS or len(new.split()) > _NAME_WORDS:
            return "it gives no other name"
        fresh = {word.casefold() for word in _WORD.findall(new)} - {word.casefold() for word in _WORD.findall(old)}
        if new.casefold() in self._whole or fresh & self._words:
            return "the fictive name stands elsewhere in the corpus"
        if old[0].isupper() != new[0].isupper():
            return "the fictive name is not written like a name"
        found = [self._renamed(old, new, changed, document) for document in self._corpus]
        if why := next((each for each in found if isinstance(each, str)), ""):
            return why
        places = [place for each in found if not isinstance(each, str) for place in each]
        if len(places) > _MANY:
            return f"a name with more than {_MANY} mentions is no single fact"
        return Edit(id="", kind="name", size="medium", real=old, fictive=new, replacements=tuple(places))

    def _renamed(self, old: str, new: str, changed: set[str], document: Document) -> list[Replacement] | str:
        """The mentions of a name in a document, or why they cannot be changed."""
        places: list[Replacement] = []
        for start, end in _mentions(old, document.text):
            here = document.text[start:end]
            if self._fixed[document.id].overlap(start, end):
                return "it also stands in a link, an address, code or a tag"
            if here not in {old, old.upper()}:
                return f"it also stands as {here!r}"
            places.append(Replacement(document.id, start, end, here, new if here == old else new.upper()))
        if part := _part(changed, document.text, [(each.start, each.end) for each in places]):
            return f"a part of it also stands alone, as {part!r}"
        return places

    def _wording(self, written: Written, saying: Saying) -> Edit | str:
        same, kindred = self._sayings.same(saying)
        if kindred or any(each.text.count(written.old) != 1 for each in same):
            return _IN_OTHER_WORDS
        if any(self._fixed[each.document].overlap(each.start, each.end) for each in same):
            return "it also stands in a link, an address, code or a tag"
        changed = saying.text.replace(written.old, written.new)
        if why := _other(written.kind, saying.text, changed):
            return why
        if not names(saying.text, written.real) or not names(changed, written.fictive):
            return "its values do not stand in the sentence"
        places = []
        for each in same:
            at = each.start + each.text.index(written.old)
            places.append(Replacement(each.document, at, at + len(written.old), written.old, written.new))
        return Edit(id="", kind=_kind(written), real=written.real, fictive=written.fictive, replacements=tuple(places))

    def _removal(self, written: Written, saying: Saying) -> Edit | str:
        if written.old.strip() != saying.text or not names(saying.text, written.real):
            return "it removes something else than the sentence with its value"
        same, kindred = self._sayings.same(saying)
        if kindred or any(
            each not in same and len(each.keys & saying.keys) > 1 and names(each.text, written.real)
            for each in self._sayings.found
        ):
            return _IN_OTHER_WORDS
        removed = self._statements.stating((each.document, each.start) for each in same)
        if isinstance(removed, str):
            return removed
        places = tuple(self._statements.replaced(each) for each in removed)
        return Edit(id="", kind="unanswerable", real=written.real, fictive=None, replacements=places)


def _kind(written: Written) -> EditKind:
    return next(kind for kind in WRITTEN if kind == written.kind)


def _unfit(written: Written) -> str:
    """Why an edit cannot be made of any text."""
    removes = written.kind == "unanswerable"
    if written.kind not in WRITTEN:
        return f"its kind {written.kind[:40]!r} is none of {', '.join(WRITTEN)}"
    if not written.old.strip() or not written.real.strip() or removes != (not written.new.strip()):
        return "a part of it is empty, or there are new words for a removal"
    if len(written.old) > _LONGEST or len(written.new) > len(written.old) + _GROWS:
        return "its words are too long"
    if not removes and (not written.fictive.strip() or written.real.casefold() == written.fictive.casefold()):
        return "its values are empty or the same"
    if max(len(written.real), len(written.fictive)) > _VALUE or _MARKUP.search(written.new):
        return "its new words or values hold markup, a link or a line break, or are too long"
    return "its new words are the old ones" if written.old == written.new else ""


def _other(kind: str, old: str, new: str) -> str:
    """Why a changed sentence is no change of that kind alone; empty if it is."""
    if kind == "order":
        before, after = forms(old), forms(new)
        return "" if before != after and sorted(before) == sorted(after) else "it changes more than the order of words"
    pattern = negation(language(old) or "en", (old + new).isascii())
    flips = bool(pattern.search(old)) != bool(pattern.search(new))
    if flips != (kind == "negation"):
        return "it neither adds nor takes away a denial" if kind == "negation" else "it adds or takes away a denial"
    one, two = frozenset(keys(old)), frozenset(keys(new))
    if {key for key in one if key[0].isdigit()} != {key for key in two if key[0].isdigit()}:
        return "it changes a number"
    return (
        "" if len(one & two) >= _KEPT * len(one | two) else "it says something else, not the opposite or another mood"
    )


def _mentions(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Places of a name, in whatever case, as whole words."""
    before = "" if _UNSPACED.match(name[0]) else r"(?<!\w)"
    after = "" if _UNSPACED.match(name[-1]) else r"(?!\w)"
    for match in re.finditer(f"{before}{re.escape(name)}{after}", text, re.IGNORECASE):
        yield match.span()


def _part(changed: set[str], text: str, found: Sequence[tuple[int, int]]) -> str:
    """A word of a name, or one that begins with it, outside of the mentions of the name."""
    starts = {word.casefold() for word in changed if len(word) > 2}  # noqa: PLR2004 - shorter ones begin any word
    inside = {at for start, end in found for at in range(start, end)}
    for match in _WORD.finditer(text):
        folded = match[0].casefold()
        near = folded in starts or any(folded[:-cut] in starts for cut in (1, 2, 3))
        if near and match.start() not in inside and match[0][0].isupper():
            return match[0]
    return ""
