"""Passages of the real corpus as the twin has them, whatever chunker made them."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

from trail_callbacks.canary.passages.places import EditedPlaces, Letters, Range, Spot, Swap, letters, shown, swapped
from trail_callbacks.canary.twin import TAG, TURNS, Replacement, Twin
from trail_callbacks.language.terms import keys
from trail_callbacks.text import words

NAMES: Final = (
    "id", "_id", "document_id", "doc_id", "ref_doc_id", "parent_id", "source", "source_id", "file_path", "file_name",
    "filename", "path", "url",
)  # fmt: skip
"""Keys of metadata under which frameworks and loaders keep what a passage is of."""

_SHORTEST = 12  # letters of a passage that is found without knowing its document
_NAMED = 32  # documents that a passage may say it is of: all the chunks of a book say nothing
_CONTEXT = 12  # letters beside a changed place that a part of a passage must share with a document it does not name
_BESIDE = 16  # letters on each side of real words that are compared with the twin
_WORDS = 8  # of the longest value that is looked for
_BARE = 2  # characters of a value that says nothing by itself, such as a digit
_REACH = 200  # characters on each side of a value in which its sentence is looked for


@dataclass(frozen=True, slots=True)
class Translated:
    """A passage as the twin has it.

    Attributes:
        text: The text to serve; empty if all of the passage was removed, None if it must not be served.
        how: `changed`; `same`, if no edit concerns it; `unplaced`, if it states what an edit changes but could not be
            found in the corpus, so that nobody can say what the twin has in its place.
        documents: Ids of the documents it was found in.
        edits: Ids of the edits that changed it, or, of one that is unplaced, that it states.
    """

    text: str | None
    how: Literal["changed", "same", "unplaced"]
    documents: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()


class Translator:
    """Turns passages of the real corpus into those of its twin.

    A passage may be any part of a document: its words are compared by letters and digits only, so that whitespace,
    case, punctuation and the tags of HTML do not matter. What was put before or behind it, such as a title, stays, with
    edited names replaced. Which document it is of is read from its id and metadata, and otherwise found.

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
        self._places = EditedPlaces(twin.real, ((edit.id, each) for edit in twin.edits for each in edit.replacements))
        self._translate = lru_cache(maxsize=4096)(self._translated)
        self._sentence = lru_cache(maxsize=10_000)(self._words_around)
        self._named: dict[str, dict[str, str]] = {}
        for document in twin.real:
            for name in _names(document.id, document.metadata):
                self._named.setdefault(_last(name), {})[name] = document.id
        self._values: dict[tuple[str, ...], list[Spot]] = {}
        self._renamed: dict[tuple[str, ...], tuple[str, str]] = {}
        self._turns = {edit.id for edit in twin.edits if edit.kind in TURNS}  # whose words are everywhere
        for edit in twin.edits:
            written = [
                (edit.real, edit.fictive or ""),
                *((each.old, each.new) for each in edit.replacements),
                *edit.forms,
            ]
            for form, new in {words(old).forms: new for old, new in reversed(written)}.items():
                if new and edit.kind in ("name", "nonce"):
                    self._renamed.setdefault(form, (edit.id, new))
                elif 0 < len(form) <= _WORDS:
                    self._values.setdefault(form, []).extend((edit.id, each) for each in edit.replacements)

    def fictive(self, text: str, document_id: str | Sequence[str] | None = None) -> str | None:
        """Returns a passage as the twin has it; None if it must not be served, see `Translated`.

        Args:
            text: A passage of the real corpus.
            document_id: Id of the document it is of, or ids of which one is right; None if unknown.
        """
        named = (document_id,) if isinstance(document_id, str) else tuple(document_id or ())
        return self._translate(text, named).text

    def passage(self, text: str, id_: str | None = None, metadata: Mapping[str, Any] | None = None) -> Translated:
        """Translates a passage as a retriever returned it.

        Args:
            text: Its text.
            id_: Its own id, which may be that of a document.
            metadata: What the framework keeps beside it, of which ids and sources are read.
        """
        return self._translate(text, self.named(id_, metadata or {}))

    def named(self, id_: str | None, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the ids of the documents that a passage says it is of, the likeliest first.

        Names are compared as they are, and then by their last part, so that `/data/guide/ferry.md` is `ferry.md`,
        unless what comes before it is another file's.
        """
        found: dict[str, None] = {}
        for name in _names(id_, metadata):
            known = self._named.get(_last(name), {})
            exact = [id_ for each, id_ in known.items() if each == name]
            found |= dict.fromkeys(
                exact or (id_ for each, id_ in known.items() if _ends(name, each) or _ends(each, name))
            )
        return tuple(found)

    def metadata(self, metadata: Mapping[str, Any], documents: Sequence[str] = ()) -> dict[str, Any]:
        """Returns metadata as the twin has it, with `TAG`: texts in it are translated, at any depth.

        Frameworks put metadata into prompts, and keep texts there, such as a title or the sentences around. A text that
        cannot be placed becomes empty. Words without whitespace (ids, paths) and numbers stay as they are.

        Args:
            metadata: Of a passage; it is not changed.
            documents: Ids of the documents that the passage is of.
        """
        return {**self._beside(metadata, tuple(documents)), TAG: self.twin.id}

    def real(self, text: str) -> tuple[str, ...]:
        """Returns the ids of the edits whose real words a text has, all of them, among the words around them.

        Words that stand in the twin too, among the same ones (in a document in which they were not edited, or in
        another place after an edit of the order), are not real only.
        """
        passage = shown(text)
        made = _made(self._places, text, passage)
        return tuple(dict.fromkeys(each.edit for each in made if not self._in_twin(each, text, passage)))

    def made_up(self, text: str) -> str | None:
        """Returns the id of an edit that a text shows: a nonce word, or fictive words in their place in the twin."""
        forms = words(text).forms
        for nonce, edit in self._nonces.items():
            if any(forms[at : at + len(nonce)] == nonce for at, form in enumerate(forms) if form == nonce[0]):
                return edit
        return next((each.edit for each in _made(self._mirrored, text, shown(text), _CONTEXT)), None)

    def _in_twin(self, swap: Swap, text: str, passage: Letters) -> bool:
        """Whether the twin has real words of a text too, with what stands beside them there."""
        if letters(swap.old).folded == letters(swap.new).folded:  # `$75` and `€75`: told by their signs
            here = "".join(text[max(0, swap.start - 2) : swap.end + 2].split())
            return "".join(swap.old.split()).casefold() not in here.casefold()
        first, last = passage.between(swap.start, swap.end)
        beside = passage.folded[max(0, first - _BESIDE) : last + _BESIDE]
        return any(beside in folded for folded in self._fictive_letters)

    @cached_property
    def _mirrored(self) -> EditedPlaces:
        """The places that would make the twin real again."""
        return EditedPlaces(self.twin.fictive, _back(self._places.spots))

    @cached_property
    def _fictive_letters(self) -> list[str]:
        return [shown(each.text).folded for each in self.twin.fictive]

    @cached_property
    def _nonces(self) -> dict[tuple[str, ...], str]:
        coined = [
            (each, edit.id) for edit in self.twin.edits if edit.kind == "nonce" for each in (edit.fictive, edit.also)
        ]
        return {words(each).forms: id_ for each, id_ in coined if each and words(each).forms}

    def _beside(self, value: Any, documents: tuple[str, ...]) -> Any:
        if isinstance(value, Mapping):
            return {key: self._beside(each, documents) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._beside(each, documents) for each in value]
        if not isinstance(value, str) or len(value.split(maxsplit=1)) < 2:  # noqa: PLR2004 - one word is an id or a path
            return value
        found = self._translate(value, documents)
        if found.text is not None or found.edits:
            return found.text or ""
        return swapped(value, self._stated(value, documents)[1])  # it need not be in a document if it states nothing

    def _translated(self, text: str, named: tuple[str, ...]) -> Translated:
        passage = shown(text)
        known = [id_ for id_ in named if id_ in self._places.texts] if passage.folded else []
        known = known if len(known) <= _NAMED else []
        near = self._places.near(passage) if len(passage.folded) >= _SHORTEST else []
        candidates = list(dict.fromkeys((*known, *near)))
        candidates.sort(key=lambda id_: passage.folded not in self._places.view(id_).folded)  # those with all of it
        edited = [id_ for id_ in known if id_ in self._places.spots]
        rest: list[Range] = [(0, len(passage.folded))]
        swaps: list[Swap] = []
        documents: list[str] = []
        for document in candidates:
            whole = passage.folded in self._places.view(document).folded
            context = 0 if whole or document in edited else _CONTEXT
            made, left = self._places.swaps(document, text, passage, rest, context)
            if left != rest:
                documents.append(document)
                swaps += made
                rest = left
        for start, end in rest:
            span = (passage.offsets[start], passage.offsets[end - 1] + 1) if documents else (0, len(text))
            stated, renamed = self._stated(text, documents or edited, *span)
            if stated or (edited and passage.folded and not documents):
                return Translated(None, "unplaced", tuple(documents or edited), stated)
            swaps += renamed
        return _served(text, swaps, tuple(documents))

    def _stated(
        self, text: str, documents: Collection[str], start: int = 0, end: int | None = None
    ) -> tuple[tuple[str, ...], list[Swap]]:
        """Which edits' facts a part of a text states that is in no document, and the swaps of edited names in it.

        Values of the documents that it is about need no more than to be named, unless they are single digits.
        """
        found, about = words(text[start:end]), set[str]()
        stated: dict[str, None] = {}
        renamed: list[Swap] = []
        for at in range(len(found)):
            for length in range(min(_WORDS, len(found) - at), 0, -1):
                form = found.forms[at : at + length]
                if form in self._renamed:
                    edit, new = self._renamed[form]
                    renamed.append(Swap(edit, start + found.starts[at], start + found.ends[at + length - 1], new))
                    break
                if form in self._values:
                    about = about or set(keys(text))
                    stated |= {
                        edit: None
                        for edit, each in self._values[form]
                        if self._tells(form, edit, each, about, documents)
                    }
        return tuple(stated), renamed

    def _tells(
        self, form: tuple[str, ...], edit: str, place: Replacement, about: set[str], documents: Collection[str]
    ) -> bool:
        """Whether a text with a value states the fact of one of its places."""
        bare = len("".join(form)) <= _BARE
        alone = place.document in documents or 2 * len(set(keys(" ".join(form)))) >= len(about)
        if alone and not bare and edit not in self._turns:
            return True
        around = self._sentence(place)
        return bool(around) and len(around & about) >= max(1 + bare, math.ceil(len(around) / 2))

    def _words_around(self, place: Replacement) -> frozenset[str]:
        """Words of the sentence around a place, without those of the place; of a whole sentence, its own."""
        if place.old.rstrip()[-1:] in set(".!?\u3002"):
            return frozenset(keys(place.old))
        text = self._places.texts[place.document]
        before, behind = text[max(0, place.start - _REACH) : place.start], text[place.end : place.end + _REACH]
        for mark in ("\n", ". ", "! ", "? ", "\u3002"):
            before, behind = before.rsplit(mark, 1)[-1], behind.split(mark, 1)[0]
        return frozenset(keys(f"{before} | {behind}"))


_known: WeakValueDictionary[int, Translator] = WeakValueDictionary()
_knowing = threading.Lock()


def translator_of(twin: Twin) -> Translator:
    """Returns the translator of a twin: one for all that use it, because it holds an index of the corpus."""
    with _knowing:
        if (found := _known.get(id(twin))) is None:  # which keeps its twin, so that the id is nobody else's
            found = _known[id(twin)] = Translator(twin)
        return found


def _made(places: EditedPlaces, text: str, passage: Letters, context: int = 0) -> Iterator[Swap]:
    """The swaps of whole changed places that a text has, by any document."""
    for document in places.near(passage):
        swaps, _ = places.swaps(document, text, passage, [(0, len(passage.folded))], context)
        yield from (each for each in swaps if each.whole)


def _served(text: str, swaps: Sequence[Swap], documents: tuple[str, ...]) -> Translated:
    edits = tuple(dict.fromkeys(each.edit for each in swaps))
    return Translated(swapped(text, swaps), "changed" if swaps else "same", documents, edits)


def _back(spots: Mapping[str, Sequence[Spot]]) -> Iterator[Spot]:
    """The replacements that undo those of documents, with offsets in the twin."""
    for document, listed in spots.items():
        shift = 0
        for edit, each in listed:
            start = each.start + shift
            yield edit, Replacement(document, start, start + len(each.new), each.new, each.old)
            shift += len(each.new) - (each.end - each.start)


def _names(id_: str | None, metadata: Mapping[str, Any]) -> list[str]:
    return [name for name in (id_, *(metadata.get(key) for key in NAMES)) if isinstance(name, str) and name]


def _last(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _ends(name: str, end: str) -> bool:
    return f"/{name.replace(chr(92), '/')}".endswith(f"/{end.replace(chr(92), '/').lstrip('./')}")
