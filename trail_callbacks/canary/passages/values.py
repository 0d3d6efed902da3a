"""Edited values in text that is not of the corpus: a title, a summary, a passage of somebody else."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache

from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.passages.places import Places
from trail_callbacks.canary.passages.swapping import Change
from trail_callbacks.language.terms import keys
from trail_callbacks.text import words

__all__ = ["Values"]

_NAMES = frozenset({"name", "nonce"})
_BY_CONTEXT = frozenset({"negation", "modality", "order"})  # their words are everywhere
_WORDS = 8  # of the longest value that is looked for
_BARE = 2  # characters of a value that says nothing by itself, such as a digit
_REACH = 200  # characters on each side of a value in which its sentence is looked for


class Values:
    """The real values of edits, found by their words.

    Args:
        edits: The edits.
        places: Where they are.
    """

    def __init__(self, edits: Sequence[Edit], places: Places) -> None:
        self._places = places
        self._kinds = {edit.id: edit.kind for edit in edits}
        self._holders: dict[tuple[str, ...], dict[tuple[str, str, int, int], None]] = {}
        self._renamed: dict[tuple[str, ...], tuple[str, str]] = {}
        for edit in edits:
            written = {edit.real, *(each.old for each in edit.replacements), *(old for old, _ in edit.forms)}
            for value in written:
                if 0 < len(form := words(value).forms) <= _WORDS:
                    held = self._holders.setdefault(form, {})
                    held.update({(edit.id, each.document, each.start, each.end): None for each in edit.replacements})
            if edit.kind in _NAMES and edit.fictive is not None:
                pairs = ((each.old, each.new) for each in edit.replacements)
                for old, new in ((edit.real, edit.fictive), *edit.forms, *pairs):
                    self._renamed.setdefault(words(old).forms, (edit.id, new))
        self._longest = max(map(len, self._holders), default=0)
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
        stated: dict[str, None] = {}
        changes: list[Change] = []
        at = 0
        about: set[str] | None = None
        while at < len(found):
            size = 1
            for length in range(min(self._longest, len(found) - at), 0, -1):
                form = found.forms[at : at + length]
                if (held := self._holders.get(form)) is None:
                    continue
                if form in self._renamed:
                    edit, new = self._renamed[form]
                    first, last = start + found.starts[at], start + found.ends[at + length - 1]
                    changes.append(Change(edit, first, last, new))
                    size = length
                    break
                if len("".join(form)) <= _BARE:
                    place = start + found.starts[at], start + found.ends[at + length - 1]
                    near = set(keys(" | ".join(_sentence(passage, *place))))
                else:
                    near = about = set(keys(passage)) if about is None else about
                stated.update(dict.fromkeys(self._of(held, " ".join(form), documents, near)))
            at += size
        return tuple(stated), changes

    def _of(
        self, held: Collection[tuple[str, str, int, int]], value: str, documents: Collection[str], about: set[str]
    ) -> list[str]:
        found = []
        bare = len("".join(value.split())) <= _BARE
        alone = 2 * len(set(keys(value))) >= len(about)
        for edit, document, start, end in held:
            told = (alone or document in documents) and not bare and self._kinds[edit] not in _BY_CONTEXT
            if not told:
                context = self._context(document, start, end)
                needed = max(1 + bare, math.ceil(len(context) / 2))
                told = len(context & about) >= needed if context else not bare and document in documents
            if told:
                found.append(edit)
        return found

    def _surroundings(self, document: str, start: int, end: int) -> frozenset[str]:
        """Words of the sentence around a place, without those of the place."""
        text = self._places.text(document) or ""
        if text[start:end].rstrip()[-1:] in set(".!?\u3002"):  # a whole sentence: its own words are its context
            return frozenset(keys(text[start:end]))
        return frozenset(keys(" | ".join(_sentence(text, start, end))))


def _sentence(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and behind a place in its sentence, roughly."""
    before, behind = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    for mark in ("\n", ". ", "! ", "? ", "\u3002"):
        before, behind = before.rsplit(mark, 1)[-1], behind.split(mark, 1)[0]
    return before, behind
