"""Pieces among which another one may be: it is looked up by text, object or id, not compared with each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from trail_callbacks.capture.identity import is_original
from trail_callbacks.capture.match import Match, Text
from trail_callbacks.capture.runs import Slot
from trail_callbacks.capture.text_index import TextIndex

__all__ = ["MANY", "Pool"]

K = TypeVar("K")
MANY = 64
"""Pieces that are compared one by one; of more with one text, those at the same path and of the same rank are."""

_DOCUMENTS = 1_000  # without ids, whose metadata are compared


class Pool:
    """Pieces in order, such as the outputs of a run.

    Args:
        slots: The pieces.
        text: Returns the `Text` of a piece, the same object for equal texts.
    """

    def __init__(self, slots: Sequence[Slot], text: Callable[[Slot], Text]) -> None:
        self.slots = slots
        self._text = text
        self._texts: dict[str, int | list[int]] = {}
        self._refs: dict[int, int | list[int]] = {}
        self._ids: dict[str, int | list[int]] = {}
        self._equal: dict[str, _Equal] = {}
        for i, slot in enumerate(slots):
            if stripped := text(slot).stripped:
                _put(self._texts, stripped, i)
            if slot.piece.ref is not None:
                _put(self._refs, slot.piece.ref, i)
            if slot.piece.id is not None:
                _put(self._ids, slot.piece.id, i)

    def alike(self, slot: Slot, rank: Callable[[Slot], tuple[int, int]]) -> list[Slot]:
        """Returns those that may be a piece, in order: they have its text, object or id.

        Args:
            slot: A piece of any run.
            rank: Returns the place of a piece among the equal ones of its own run, and their number.
        """
        found = set(self._same_text(slot, rank))
        for at in (_places(self._refs, slot.piece.ref), _places(self._ids, slot.piece.id)):
            found.update(at if len(at) <= MANY else ())  # the same one again and again has the same text too
        return [self.slots[i] for i in sorted(found)]

    def equal(self, slot: Slot, rank: Callable[[Slot], tuple[int, int]]) -> list[Slot]:
        """Returns those with the text of a piece; see `alike`."""
        return [self.slots[i] for i in self._same_text(slot, rank)]

    def _same_text(self, slot: Slot, rank: Callable[[Slot], tuple[int, int]]) -> Sequence[int]:
        at = _places(self._texts, self._text(slot).stripped)
        if len(at) <= MANY:
            return at
        place, of = rank(slot)
        last = at[-of:]
        same_path = self._among(slot).by_path.get(slot.piece.path, ())[:MANY]
        return sorted({*same_path, last[min(place, len(last) - 1)]})

    def rank(self, slot: Slot) -> tuple[int, int]:
        """Returns the place of a member among those of the same text, and their number; (0, 1) for any other piece."""
        at = _places(self._texts, self._text(slot).stripped)
        if len(at) <= MANY:
            place = next((i for i, each in enumerate(at) if self.slots[each] is slot), None)
        else:
            place = self._among(slot).order.get(slot)
        return (0, 1) if place is None else (place, len(at))

    def _among(self, slot: Slot) -> _Equal:
        text = self._text(slot).stripped
        known = self._equal.get(text)
        if known is None:
            known = self._equal[text] = _Equal(self.slots, _places(self._texts, text))
        return known

    @cached_property
    def number(self) -> dict[Slot, int]:
        """The place of each member."""
        return {slot: i for i, slot in enumerate(self.slots)}

    @cached_property
    def ids(self) -> frozenset[str | None]:
        """The ids of all; None is one of them if a piece has none."""
        return frozenset(slot.piece.id for slot in self.slots)

    @cached_property
    def _paths(self) -> dict[tuple[str | int, ...], list[Slot]]:
        found: dict[tuple[str | int, ...], list[Slot]] = defaultdict(list)
        for slot in self.slots:
            found[slot.piece.path].append(slot)
        return found

    def at(self, path: tuple[str | int, ...]) -> list[Slot]:
        """Returns those at a path."""
        return self._paths.get(path, [])

    @cached_property
    def _nameless(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.piece.form == "document" and slot.piece.id is None]

    @cached_property
    def _documents(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.piece.form == "document"]

    def originals(self, slot: Slot) -> list[Slot]:
        """Returns the documents of which a document is a version; none where too many would have to be compared."""
        if slot.piece.id is None:
            among = self._documents
        else:
            among = [self.slots[i] for i in _places(self._ids, slot.piece.id)] + self._nameless
        return [each for each in among if is_original(each.piece, slot.piece)] if len(among) <= _DOCUMENTS else []

    @cached_property
    def only(self) -> list[Slot]:
        """Those that are no part of a long list: the values of their own among the fields of a state."""
        channels: dict[object, list[Slot]] = defaultdict(list)
        for slot in self.slots:
            channels[slot.piece.path[:1]].append(slot)
        return [slot for several in channels.values() if len(several) <= MANY for slot in several]

    @cached_property
    def _index(self) -> tuple[TextIndex, dict[str, list[Slot]]]:
        index, slots = TextIndex(), defaultdict[str, list[Slot]](list)
        for slot in self.slots:
            known = slots[slot.piece.text]
            if not known:
                index.add(index.text(slot.piece.text))
            if len(known) < MANY:
                known.append(slot)
        return index, slots

    def quoted(self, target: Text) -> list[tuple[Slot, Match]]:
        """Returns those of which a text holds a sentence or a run of words, with what it holds; labels are left out."""
        index, slots = self._index
        found = {text.text: match for text, match in index.find(target).items()}
        if slots.get(target.text):
            found[target.text] = Match(1.0, ((0, len(target.text)),), whole=True)
        pairs = [(slot, match) for text, match in found.items() for slot in slots[text]]
        return sorted(pairs, key=lambda pair: self.number[pair[0]])


class _Equal:
    """Many pieces of one text, by their places."""

    def __init__(self, slots: Sequence[Slot], places: Sequence[int]) -> None:
        self.order = {slots[each]: i for i, each in enumerate(places)}
        self.by_path: dict[tuple[str | int, ...], list[int]] = defaultdict(list)
        for each in places:
            self.by_path[slots[each].piece.path].append(each)


def _put(index: dict[K, int | list[int]], key: K, place: int) -> None:
    """Adds to an index; most keys have a single place, for which a list would double the memory."""
    known = index.get(key)
    if known is None:
        index[key] = place
    elif isinstance(known, int):
        index[key] = [known, place]
    else:
        known.append(place)


def _places(index: dict[K, int | list[int]], key: K | None) -> Sequence[int]:
    known = None if key is None else index.get(key)
    if known is None:
        return ()
    return (known,) if isinstance(known, int) else known
