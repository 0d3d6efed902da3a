"""Passages of the real corpus as the twin has them, whatever chunker made them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Literal
from weakref import WeakValueDictionary

from trail_callbacks.canary.passages.html_text import looks_like_html
from trail_callbacks.canary.passages.letters import Letters, letters, letters_of_html
from trail_callbacks.canary.passages.naming import Naming, StatedValues
from trail_callbacks.canary.passages.places import SHORTEST, Change, Places, changes_in, of_run, swapped
from trail_callbacks.canary.twin import TAG, Twin

__all__ = ["Translated", "Translator", "translator_of"]

_NAMED = 32  # documents that a passage may say it is of and that are searched for parts of it
_TIMES = 16  # places of a passage in one document that are compared
_CONTEXT = 12  # letters beside a changed place that a part of a passage must share with a document it does not name
_LONGEST = 4_000  # characters of a text in metadata that is read
_BESIDE = 16  # letters on each side of real words that are compared with the twin


@dataclass(frozen=True, slots=True)
class Translated:
    """A passage as the twin has it.

    Attributes:
        text: The text to serve; empty if all of the passage was removed, None if it must not be served.
        how: `changed`; `same`, if no edit concerns it; `unplaced`, if it states what an edit changes but could not be
            found in the corpus, so that nobody can say what the twin has in its place.
        documents: Ids of the documents it was found in.
        edits: Ids of the edits that changed it, or, of one that is unplaced, that it states.
        ambiguous: It stands in several places which the twin changes differently; the first one was taken.
    """

    text: str | None
    how: Literal["changed", "same", "unplaced"]
    documents: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    ambiguous: bool = False


class Translator:
    """Turns passages of the real corpus into those of its twin.

    A passage may be any part of a document: its words are compared by letters and digits only, so that whitespace,
    case, punctuation and the tags of HTML do not matter. What was put before or behind it, such as a title, stays, with
    edited names replaced. Which document it is of is read from its id and metadata, and otherwise found. An edit
    through which the border of the passage runs is shown as `places.shown_part` says.

    Nothing real is served for lack of a place. A passage is `unplaced` if it says that it is of an edited document and
    shares nothing with it, or if a part of it that is not in the corpus states what an edit changes: an edited value
    with half of the words of its sentence, and beside text of the same document the value alone. A passage of another
    corpus stays as it is. Works from several threads at once.

    Args:
        twin: The corpus and its twin.

    Attributes:
        twin: As given.

    Raises:
        KeyError: If an edit is in no document.
    """

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self._places = Places(twin.real, ((edit.id, each) for edit in twin.edits for each in edit.replacements))
        self._values = StatedValues(twin.edits, self._places)
        self._naming = Naming(twin.real)
        self._cached = lru_cache(maxsize=4096)(self._translate)
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def counts(self) -> Mapping[str, int]:
        """Passages by what became of them: `changed`, `same`, `unplaced`, and how many of them were `ambiguous`."""
        with self._lock:
            return dict(self._counts)

    def fictive(self, text: str, document_id: str | Sequence[str] | None = None) -> str | None:
        """Returns a passage as the twin has it; None if it must not be served, see `Translated`.

        Args:
            text: A passage of the real corpus.
            document_id: Id of the document it is of, or ids of which one is right; None if unknown.
        """
        named = (document_id,) if isinstance(document_id, str) else tuple(document_id or ())
        return self._counted(text, named, None).text

    def passage(self, text: str, id_: str | None = None, metadata: Mapping[str, Any] | None = None) -> Translated:
        """Translates a passage as a retriever returned it.

        Args:
            text: Its text.
            id_: Its own id, which may be that of a document.
            metadata: What the framework keeps beside it: ids and sources are read, and offsets (`start_index`).
        """
        details = metadata or {}
        start = details.get("start_index")
        return self._counted(text, self.named(id_, details), start if isinstance(start, int) else None)

    def documents(self, text: str, id_: str | None, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the ids of the documents that a passage, real as it is, is of; none if it cannot be told."""
        named = self.named(id_, metadata)
        return self._cached(text, named, None).documents or named[:1]

    def named(self, id_: str | None, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the ids of the documents that a passage says it is of, the likeliest first."""
        return self._naming.of(id_, metadata)

    def metadata(self, metadata: Mapping[str, Any], documents: Sequence[str] = ()) -> dict[str, Any]:
        """Returns metadata as the twin has it, with `TAG`: texts in it are translated, at any depth.

        Frameworks put metadata into prompts, and keep texts there, such as a title or the sentences around. A text that
        cannot be placed becomes empty. Words without whitespace (ids, paths) and numbers stay as they are.

        Args:
            metadata: Of a passage; it is not changed.
            documents: Ids of the documents that the passage is of.
        """
        named = tuple(documents)
        return {**{key: self._value(value, named) for key, value in metadata.items()}, TAG: self.twin.id}

    def real(self, text: str) -> tuple[str, ...]:
        """Returns the ids of the edits whose real words a text has, all of them, among the words around them.

        Words that stand in the twin too, among the same ones (in a document in which they were not edited, or in
        another place after an edit of the order), are not real only.
        """
        passage = letters(text)
        found: dict[str, None] = {}
        for document in self._places.near(passage):
            for change in changes_in(self._places, document, text, passage, [(0, len(passage.folded))])[0]:
                if change.whole and not self._in_twin(change, text, passage):
                    found[change.edit] = None
        return tuple(found)

    def _in_twin(self, change: Change, text: str, passage: Letters) -> bool:
        """Whether the twin has real words of a text too, with what stands beside them there."""
        first, last = passage.between(change.start, change.end)
        if letters(change.old).folded == letters(change.new).folded:  # `$75` and `€75`: told by their signs
            here = "".join(text[max(0, change.start - 2) : change.end + 2].split())
            return "".join(change.old.split()).casefold() not in here.casefold()
        shown = passage.folded[max(0, first - _BESIDE) : last + _BESIDE]
        return any(shown in each for each in self._fictive)

    @cached_property
    def _fictive(self) -> list[str]:
        """The letters of the twin, its HTML also as the page shows it."""
        texts = [each.text for each in self.twin.fictive]
        shown = [letters_of_html(text).folded for text in texts if looks_like_html(text)]
        return [*(letters(text).folded for text in texts), *shown]

    def _value(self, value: Any, documents: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            if not any(map(str.isspace, value.strip()[:_LONGEST])):
                return value
            return self._aside(value, documents)
        if isinstance(value, Mapping):
            return {key: self._value(each, documents) for key, each in value.items()}
        return [self._value(each, documents) for each in value] if isinstance(value, list | tuple) else value

    def _aside(self, text: str, documents: tuple[str, ...]) -> str:
        """A text beside passages. It need not be in a document, as long as it states nothing that was edited."""
        translated = self._cached(text, documents, None)
        if translated.text is not None or translated.edits:
            return translated.text or ""
        return swapped(text, self._values.stated(text, documents)[1])

    def _counted(self, text: str, named: tuple[str, ...], start: int | None) -> Translated:
        translated = self._cached(text, named, start)
        with self._lock:
            self._counts[translated.how] += 1
            self._counts["ambiguous"] += translated.ambiguous
        return translated

    def _translate(self, text: str, named: tuple[str, ...], start: int | None) -> Translated:
        if not text.strip():
            return Translated(text, "same")
        passage = letters(text)
        known = [id_ for id_ in named if self._places.text(id_) is not None]
        if passage.folded:
            for document in known:
                if found := next(self._whole(text, passage, [document], start), None):
                    return found
        # One of many, such as all the chunks of a book, is hardly said to be of an edited one.
        edited = [id_ for id_ in known if self._places.edited(id_)][:_NAMED] if len(known) <= _NAMED else []
        if len(passage.folded) < SHORTEST:
            return self._in_parts(text, passage, known[:_NAMED], edited)
        near = self._places.near(passage)
        if found := _first(self._whole(text, passage, [each for each in near if each not in known], None)):
            return found
        ordered = dict.fromkeys((*(id_ for id_ in near if id_ in set(known)), *known[:_NAMED], *near))
        found = self._in_parts(text, passage, list(ordered), edited)
        if found.text is None and not edited:
            return next(self._whole(text, passage, self._places.holders(passage), None), found)
        return found

    def _whole(self, text: str, passage: Letters, documents: Iterable[str], start: int | None) -> Iterator[Translated]:
        """Yields the readings of a passage of which all letters stand in a document in a row."""
        for document in documents:
            spots = self._places.spots(document)
            readings = []
            for view, run in islice(self._places.whole(document, passage), _TIMES):
                at = int(view.offsets[run.at]) - int(passage.offsets[0])
                readings.append((at, _translated(text, of_run(spots, view, run, text, passage), (document,))))
            if exact := [each for at, each in readings if at == start]:
                yield exact[0]
            elif found := _first(each for _, each in readings):
                yield found

    def _in_parts(self, text: str, passage: Letters, candidates: Sequence[str], edited: Sequence[str]) -> Translated:
        """A passage that stands in documents in part, or in no document."""
        open_: list[tuple[int, int]] = [(0, len(passage.folded))]
        changes: list[Change] = []
        documents: list[str] = []
        for document in candidates if passage.folded else ():
            context = 0 if document in edited else _CONTEXT
            made, rest = changes_in(self._places, document, text, passage, open_, context=context)
            if rest != open_:
                documents.append(document)
                changes.extend(made)
                open_ = rest
            if not open_:
                break
        if not documents:
            stated, renamed = self._values.stated(text, edited)
            if stated or (edited and passage.folded):
                return Translated(None, "unplaced", tuple(edited), stated)
            return _translated(text, renamed, ())
        for start, end in open_:
            first, last = int(passage.offsets[start]), int(passage.offsets[end - 1]) + 1
            stated, renamed = self._values.stated(text, documents, first, last)
            if stated:
                return Translated(None, "unplaced", tuple(documents), stated)
            changes.extend(renamed)
        return _translated(text, changes, tuple(documents))


_known: WeakValueDictionary[int, Translator] = WeakValueDictionary()
_knowing = threading.Lock()


def translator_of(twin: Twin) -> Translator:
    """Returns the translator of a twin: one for all that use it, because it holds an index of the corpus."""
    with _knowing:
        if (found := _known.get(id(twin))) is None:  # which keeps its twin, so that the id is nobody else's
            found = _known[id(twin)] = Translator(twin)
        return found


def _translated(text: str, changes: Sequence[Change], documents: tuple[str, ...]) -> Translated:
    if not changes:
        return Translated(text, "same", documents)
    edits = tuple(dict.fromkeys(change.edit for change in changes))
    return Translated(swapped(text, changes), "changed", documents, edits)


def _first(readings: Iterable[Translated]) -> Translated | None:
    """The first of several readings, which says whether they differ."""
    all_ = list(readings)
    if not all_:
        return None
    return replace(all_[0], ambiguous=any(each.ambiguous or each.text != all_[0].text for each in all_))
