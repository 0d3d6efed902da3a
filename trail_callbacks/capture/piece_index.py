"""An index of earlier pieces: by id, object, text, tool call or state channel."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeVar

from trail_callbacks.capture.match import Match, Text, TextIndex, values
from trail_callbacks.capture.runs import CapturedRun, Slot, document_key, is_original

_LOOK_BACK = 64  # producers of the same text or channel that are considered, latest first
_EQUAL = 1_000  # producers of one text that are looked at to tell which child of a run wrote which


class PieceIndex:
    """Looks up the outputs of all runs of a tree, and the inputs of runs that contain other runs."""

    def __init__(self, runs: Sequence[CapturedRun]) -> None:
        self._texts = TextIndex()
        self._by_id: dict[str, list[Slot]] = defaultdict(list)
        self._by_ref: dict[int, list[Slot]] = defaultdict(list)
        self._by_text: dict[str, list[Slot]] = defaultdict(list)
        self._values: list[Slot] = []  # outputs of models that are too short to be indexed
        self._calls: dict[str, list[Slot]] = defaultdict(list)  # by tool call: the call as a model wrote it
        self._results: dict[str, list[Slot]] = defaultdict(list)  # by tool call: what the tool returned
        self._channels: dict[tuple[CapturedRun | None, str], list[list[Slot]]] = defaultdict(list)  # by writer
        if runs:
            for slot in runs[0].inputs:
                self._add(slot)
        for run in sorted(runs, key=lambda run: run.end):
            for slot in run.outputs:
                self._add(slot)
            if run.children and run is not runs[0]:  # the inputs of a run are in reach of the runs inside it
                for slot in run.inputs:
                    self._find_by_text(slot)

    def _add(self, slot: Slot) -> None:
        piece, run = slot.piece, slot.run
        if piece.id is not None:
            self._by_id[piece.id].append(slot)
        if piece.ref is not None:
            self._by_ref[piece.ref].append(slot)
        self._find_by_text(slot)
        if run.kind == "tool" and run.hints.call_id is not None:
            self._results[run.hints.call_id].append(slot)
        elif piece.form == "tool_call" and piece.call_id is not None:
            self._calls[piece.call_id].append(slot)
        if run.hints.channels and piece.path:
            writers = self._channels[run.parent, str(piece.path[0])]
            if writers and writers[-1][0].run is run:
                writers[-1].append(slot)
            else:
                writers.append([slot])

    def _find_by_text(self, slot: Slot) -> None:
        if stripped := self.text(slot).stripped:
            self._by_text[stripped].append(slot)
            if slot.run.kind == "model" and slot.side == "out" and not self.text(slot).distinctive:
                self._values.append(slot)
            if slot.run.kind != "prompt":  # a prompt quotes many sources, which are the better match
                self._texts.add(self.text(slot))

    def text(self, slot: Slot) -> Text:
        """Returns the text of a piece, as the one object that caches what is computed from it."""
        return self._texts.text(slot.piece.text)

    def free(self, slots: Sequence[Slot]) -> None:
        """Frees what the texts of linked pieces have cached, unless they are indexed."""
        for slot in slots:
            text = self.text(slot)
            if not self._texts.knows(text):
                text.forget()

    def named(self, slot: Slot) -> Slot | None:
        """The producer of the message or document with this id."""
        known = _near(self._by_id.get(slot.piece.id, ()), slot.run) if slot.piece.id is not None else ()
        equal = [source for source in known if source.piece.text == slot.piece.text]  # two stores may use the same ids
        return _latest(equal, slot.run) or _latest(known, slot.run)

    def same_object(self, slot: Slot) -> Slot | None:
        """The producer of this very object, which may have passed it on before it ended."""
        if slot.piece.ref is None:
            return None
        known, run = _near(self._by_ref.get(slot.piece.ref, ()), slot.run), slot.run
        return _latest(known, run) or next((s for s in known if s.run.start < run.start and _beside(s, run)), None)

    def same_text(self, slot: Slot) -> Slot | None:
        """The producer of this text, if the text is distinctive."""
        if not self.text(slot).distinctive:
            return None
        return _latest(self._by_text.get(self.text(slot).stripped, ()), slot.run)

    def call(self, call_id: str, run: CapturedRun) -> Slot | None:
        """The tool call with this id, as a model wrote it before a run started."""
        return _latest(self._calls.get(call_id, ()), run)

    def results(self, call_id: str, run: CapturedRun) -> list[Slot]:
        """What the tool call with this id returned before a run started."""
        return [slot for slot in self._results.get(call_id, ()) if precedes(slot, run)]

    def written(self, run: CapturedRun, channel: str) -> list[Slot]:
        """What earlier siblings of a run wrote to a state channel, oldest first: all of the last writer, at least."""
        writers = self._channels.get((run.parent, channel), [])
        found: list[list[Slot]] = []
        before = bisect_left(writers, float(run.start), key=lambda slots: slots[0].run.end)
        for each in reversed(writers[:before]):
            found.append(each)
            if sum(map(len, found)) >= _LOOK_BACK:
                break
        return [slot for each in reversed(found) for slot in each]

    def inside(self, slot: Slot, place: int = 0, of: int = 1) -> Slot | None:
        """The latest output of a descendant that equals this output of a composite run: by text, else by id."""
        run = slot.run
        for found in (self._by_text.get(self.text(slot).stripped, ()), self._by_id.get(slot.piece.id or "", ())):
            if len(found) > _EQUAL:
                latest = (s for s in reversed(found) if s.side == "out" and s.run.within(run) and not s.run.failed)
                if (last := next(latest, None)) is not None:
                    return last
                continue
            within = [s for s in found if s.side == "out" and s.run.within(run) and not s.run.failed]
            if 1 < of <= _LOOK_BACK:
                children = [child for child in run.children if any(_in(child, s) for s in within)]
                if len(children) == of:
                    within = [s for s in within if _in(children[place], s)]
            if within:
                return max(within, key=lambda source: source.run.end)
        return None

    def quoted(
        self, target: Text, accept: Callable[[Slot], bool], run: CapturedRun, seen: Collection[str] = ()
    ) -> list[tuple[Slot, Match]]:
        """Producers whose text shares a sentence or a run of words with a text, except `seen` texts."""
        found = []
        for text, match in self._texts.find(target).items():
            if text.text in seen:
                continue
            producers = [slot for slot in _near(self._by_text[text.stripped], run) if accept(slot)]
            if producers:
                nearest = _nearest(producers, run)
                alike = [nearest, *_other_documents(nearest, producers)]
                found += _shared(producers, match) or [(slot, match) for slot in alike]
        return found

    def values(
        self, target: Text, accept: Callable[[Slot], bool], run: CapturedRun, seen: Collection[str] = ()
    ) -> list[tuple[Slot, Match]]:
        """As `quoted`, for what models wrote that is too short to be found by its words.

        Of several with one text the latest, one for each place; before them goes what answered a question that the
        target repeats.
        """
        end = bisect_left(self._values, run.end, key=lambda slot: slot.run.end)
        by_text: dict[str, list[Slot]] = defaultdict(list)
        for slot in filter(accept, self._values[max(0, end - _LOOK_BACK) : end]):
            by_text[slot.piece.text].append(slot)
        found = []
        for text, slots in by_text.items():
            read = (each.piece.text for slot in slots for each in slot.run.inputs)
            match = values(self.text(slots[0]), target, read) if text not in seen else None
            if match is not None:
                asked = sorted(slots, key=lambda slot: _answers(slot, target.text)) if len(slots) > 1 else slots
                found += [(slot, match) for slot in asked[-len(match.spans) :]]
        return found

    def same_documents(self, slot: Slot, run: CapturedRun) -> list[Slot]:
        """Other documents with the text of a document that a run can have read just as well."""
        producers = _near(self._by_text.get(self.text(slot).stripped, ()), run)
        return _other_documents(slot, [each for each in producers if precedes(each, run)])


def _answers(slot: Slot, text: str) -> bool:
    """True if a text repeats what was asked where a piece was written."""
    return any(each.piece.text in text for run in slot.run.ancestors for each in run.inputs if run.parent is not None)


def _shared(producers: Sequence[Slot], match: Match) -> list[tuple[Slot, Match]]:
    """One place each for runs that wrote the same text, if the target repeats it; none if that is not so."""
    if len(match.spans) == 1 or not match.whole:
        return []
    wrote = [slot for slot in producers if slot.side == "out"]
    outer = [slot for slot in wrote if not any(slot.run.within(other.run) for other in wrote)]
    several = outer[-len(match.spans) :]
    spans = sorted(match.spans)
    return [
        (slot, Match(match.coverage, tuple(spans[i :: len(several)]), whole=True))
        for i, slot in enumerate(several if len(several) > 1 else ())
    ]


def _other_documents(slot: Slot, producers: Sequence[Slot]) -> list[Slot]:
    """The first producer of each other document of the same text; a document that was passed on keeps id and source."""
    if slot.piece.form != "document":
        return []
    found = {document_key(each.piece): each for each in reversed(producers) if each.piece.form == "document"}
    found.pop(document_key(slot.piece), None)
    return list(found.values())


def _latest(producers: Sequence[Slot], run: CapturedRun) -> Slot | None:
    eligible = [slot for slot in _near(producers, run) if precedes(slot, run)]
    return _nearest(eligible, run) if eligible else None


def _near(producers: Sequence[Slot], run: CapturedRun) -> Sequence[Slot]:
    """The latest producers before the end of a run, and the latest of all; they are in the order of their ends."""
    if len(producers) <= _LOOK_BACK:
        return producers
    end = bisect_left(producers, run.end, lo=1, key=lambda slot: slot.run.end)  # the first may be an input of the root
    return [*producers[max(0, end - _LOOK_BACK) : end], *producers[max(end, len(producers) - _LOOK_BACK) :]]


def precedes(source: Slot, run: CapturedRun) -> bool:
    """True if a run can have read a piece. In a stream a consumer starts before its producer ends."""
    producer = source.run
    if source.side == "in":
        return run.within(producer)
    return producer.start < run.start and producer.end < run.end and not run.within(producer) and run is not producer


def _in(run: CapturedRun, slot: Slot) -> bool:
    """True if a piece is of a run or of one inside it."""
    return slot.run is run or slot.run.within(run)


def _beside(source: Slot, run: CapturedRun) -> bool:
    """True if a piece is an output of another run that does not enclose this one."""
    return source.side == "out" and source.run is not run and not run.within(source.run)


def _nearest(producers: Sequence[Slot], run: CapturedRun) -> Slot:
    """Of several producers of one text, the nearest in the tree, then the latest."""
    if len(producers) == 1:
        return producers[0]
    line = [run, *run.ancestors]

    def distance(slot: Slot) -> int:
        up = (i for i, above in enumerate(line) if slot.run is above or slot.run.within(above))
        return next(up, len(line))

    return min(producers, key=lambda slot: (distance(slot), -slot.run.end))


K = TypeVar("K")
MANY = 64
"""Pieces that are compared one by one; of more with one text, those at the same path and of the same rank are."""

_DOCUMENTS = 1_000  # without ids, whose metadata are compared


class Pool:
    """Pieces in order, such as the outputs of a run."""

    def __init__(self, slots: Sequence[Slot], text: Callable[[Slot], Text]) -> None:
        self.slots = slots
        self._text = text
        self._texts: dict[str, int | list[int]] = {}
        self._refs: dict[int, int | list[int]] = {}
        self._ids: dict[str, int | list[int]] = {}
        for i, slot in enumerate(slots):
            if stripped := text(slot).stripped:
                _put(self._texts, stripped, i)
            if slot.piece.ref is not None:
                _put(self._refs, slot.piece.ref, i)
            if slot.piece.id is not None:
                _put(self._ids, slot.piece.id, i)

    def alike(self, slot: Slot, rank: Callable[[Slot], tuple[int, int]]) -> list[Slot]:
        """Returns those that may be a piece, in order: they have its text, object or id."""
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
        text = self._text(slot).stripped
        there = islice((each for each in self.at(slot.piece.path) if self._text(each).stripped == text), MANY)
        return sorted({*(self.number[each] for each in there), last[min(place, len(last) - 1)]})

    def rank(self, slot: Slot) -> tuple[int, int]:
        """Returns the place of a member among those of the same text, and their number; (0, 1) for any other piece."""
        at = _places(self._texts, self._text(slot).stripped)
        if len(at) <= MANY:
            place = next((i for i, each in enumerate(at) if self.slots[each] is slot), None)
        else:
            place = bisect_left(at, self.number[slot]) if slot in self.number else None
        return (0, 1) if place is None else (place, len(at))

    @cached_property
    def number(self) -> dict[Slot, int]:
        """The place of each member."""
        return {slot: i for i, slot in enumerate(self.slots)}

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
    def documents(self) -> list[Slot]:
        """The documents among them."""
        return [slot for slot in self.slots if slot.piece.form == "document"]

    def originals(self, slot: Slot) -> list[Slot]:
        """Returns the documents of which a document is a version; none where too many would have to be compared."""
        if slot.piece.id is None:
            among = self.documents
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
