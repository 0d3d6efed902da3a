"""What a text says of a corpus beside its passages: which document it is of, and which edited values it states."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.edit import TURNS, Edit, Replacement
from trail_callbacks.canary.passages.places import Change, Places
from trail_callbacks.language.terms import keys
from trail_callbacks.text import words

__all__ = ["Naming", "StatedValues"]

KEYS: Final = (
    "id", "_id", "document_id", "doc_id", "ref_doc_id", "parent_id", "source", "source_id", "file_path", "file_name",
    "filename", "path", "url",
)  # fmt: skip
"""Keys under which frameworks and loaders keep what a passage is of."""
_WORDS = 8  # of the longest value that is looked for
_BARE = 2  # characters of a value that says nothing by itself, such as a digit
_REACH = 200  # characters on each side of a value in which its sentence is looked for


class Naming:
    """The documents of a corpus by what names them.

    Args:
        corpus: The documents.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._named: dict[str, dict[str, None]] = {}
        for document in corpus:
            for name in (document.id, *(document.metadata.get(key) for key in KEYS)):
                if isinstance(name, str) and name:
                    self._named.setdefault(name, {})[document.id] = None
                    self._named.setdefault(_last(name), {})[document.id] = None

    def of(self, id_: str | None, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the ids of the documents that a passage may be of, the likeliest first; none if it says nothing.

        Names are compared as they are, and then by their last part, so that `/data/guide/ferry.md` is `ferry.md`,
        unless what comes before it is another file's.
        """
        found: dict[str, None] = {}
        for name in (id_, *(metadata.get(key) for key in KEYS)):
            if isinstance(name, str) and name:
                alike = (each for each in self._named.get(_last(name), ()) if _ends(name, each) or _ends(each, name))
                found |= self._named.get(name) or dict.fromkeys(alike)
        return tuple(found)


def _last(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _ends(name: str, end: str) -> bool:
    return f"/{name.replace(chr(92), '/')}".endswith(f"/{end.replace(chr(92), '/').lstrip('./')}")


class StatedValues:
    """The real values of edits, found by their words.

    Args:
        edits: The edits.
        places: Where they are.
    """

    def __init__(self, edits: Sequence[Edit], places: Places) -> None:
        self._places = places
        self._stating: dict[tuple[str, ...], dict[tuple[str, Replacement], None]] = {}
        self._renamed: dict[tuple[str, ...], tuple[str, str]] = {}
        self._turns = {edit.id for edit in edits if edit.kind in TURNS}  # whose words are everywhere
        for edit in edits:
            pairs = [
                (edit.real, edit.fictive or ""),
                *((each.old, each.new) for each in edit.replacements),
                *edit.forms,
            ]
            for old, new in pairs:
                if 0 < len(form := words(old).forms) <= _WORDS:
                    self._stating.setdefault(form, {}).update({(edit.id, each): None for each in edit.replacements})
                    if edit.kind in {"name", "nonce"} and new:
                        self._renamed.setdefault(form, (edit.id, new))
        self._longest = max(map(len, self._stating), default=0)
        self._context = lru_cache(maxsize=10_000)(self._surroundings)

    def stated(
        self, passage: str, documents: Collection[str], start: int = 0, end: int | None = None
    ) -> tuple[tuple[str, ...], list[Change]]:
        """Returns which edits' facts a text states, by id, and the changes that give edited names their new form.

        Args:
            passage: A passage, in which the words of the fact may be.
            documents: Ids of documents that it is about: their values need no more than to be named, unless they are
                single digits, which need words of the fact in the same sentence.
            start: Where in it the text begins that is in no document as it is written.
            end: Where it ends; None is the end of the passage.
        """
        found = words(passage[start:end])
        whole: list[set[str]] = []  # read once: a passage may state values everywhere
        stated: dict[str, None] = {}
        changes: list[Change] = []
        at = 0
        while at < len(found):
            size = 1
            for length in range(min(self._longest, len(found) - at), 0, -1):
                form = found.forms[at : at + length]
                first, last = start + found.starts[at], start + found.ends[at + length - 1]
                if form in self._renamed:
                    changes.append(Change(self._renamed[form][0], first, last, self._renamed[form][1]))
                    size = length
                    break
                if form in self._stating:
                    bare = len("".join(form)) <= _BARE
                    if not bare and not whole:
                        whole.append(set(keys(passage)))
                    about = set(keys(" | ".join(_sentence(passage, first, last)))) if bare else whole[0]
                    value = set(keys(" ".join(form)))
                    stated |= dict.fromkeys(self._of(self._stating[form], value, documents, about, bare=bare))
            at += size
        return tuple(stated), changes

    def _of(
        self,
        places: Collection[tuple[str, Replacement]],
        value: set[str],
        documents: Collection[str],
        about: set[str],
        *,
        bare: bool,
    ) -> list[str]:
        alone = 2 * len(value) >= len(about)
        found = []
        for edit, place in places:
            told = (alone or place.document in documents) and not bare and edit not in self._turns
            if not told:
                context = self._context(place)
                needed = max(1 + bare, math.ceil(len(context) / 2))
                told = len(context & about) >= needed if context else not bare and place.document in documents
            if told:
                found.append(edit)
        return found

    def _surroundings(self, place: Replacement) -> frozenset[str]:
        """Words of the sentence around a place, without those of the place; of a whole sentence, its own."""
        if place.old.rstrip()[-1:] in set(".!?\u3002"):
            return frozenset(keys(place.old))
        return frozenset(keys(" | ".join(_sentence(self._places.text(place.document) or "", place.start, place.end))))


def _sentence(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and behind a place in its sentence, roughly."""
    before, behind = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    for mark in ("\n", ". ", "! ", "? ", "\u3002"):
        before, behind = before.rsplit(mark, 1)[-1], behind.split(mark, 1)[0]
    return before, behind
