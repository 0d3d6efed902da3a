"""Which text reached which prompt: links between the pieces of a run tree.

The tree of runs is control flow, not data flow: a retriever and the model that read its passages are siblings. So
pieces are linked, hop by hop, by the first rule that applies.

An *input* piece comes from the tool call with its id; the output of the previous step in a sequence; the same piece
among its parent's inputs; the producer of a message or document with its id; the last writer of its state channel; the
same object; the same text; texts it contains or is part of; else whatever was in reach (`scope`).

An *output* piece comes from, for a composite run, the child that produces its branch, else descendants or inputs with
its text; for a prompt template, the variables it uses; for other code, the inputs it contains, else all inputs
(`opaque`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from trail_callbacks.capture.identity import is_original, is_same_message
from trail_callbacks.capture.match import Match, longest_first, overlap
from trail_callbacks.capture.piece_index import PieceIndex, precedes
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.graph import Basis

__all__ = ["Link", "Linker"]

_IN_REACH = 64  # pieces compared one by one; in a map over a thousand documents each run has all of them in reach
_IN_REACH_CHARACTERS = 20_000
_SHORT = 100  # characters; the index may not find a shorter text


@dataclass(slots=True)  # never modified; frozen ones take three times as long to create
class Link:
    """One hop.

    Attributes:
        source: The earlier piece.
        basis: `declared` by ids or structure, `matched` by text, or `scope`: only known to have been in reach.
        whole: All of the source's text arrived.
        opaque: Code rewrote the text, and the two pieces share nothing recognisable.
        spans: Character ranges of the later piece that come from the source.
        alternatives: Other pieces from which the same ranges could have come just as well.
    """

    source: Slot
    basis: Basis
    whole: bool = False
    opaque: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    alternatives: tuple[Slot, ...] = ()


class Linker:
    """Finds where the text of a piece came from, within one run tree. Links are computed on demand."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._index = PieceIndex(runs)
        self._known: dict[Slot, tuple[Link, ...]] = {}
        self._equal: dict[tuple[Run, str], dict[str, list[Slot]]] = {}  # pieces of one side of a run by their text
        self._keys: dict[Run, dict[tuple[str, object], list[int]]] = {}  # places of inputs
        self.text = self._index.text
        """Returns the text of a piece, as the one object that caches what is computed from it."""

    def of(self, slot: Slot) -> tuple[Link, ...]:
        """Returns the links of a piece; none if nothing earlier explains it."""
        known = self._known.get(slot)
        if known is not None:
            return known
        if slot.side == "out":
            links = self._known[slot] = tuple(self._output(slot))
            return links
        found = {each: tuple(self._input(each)) for each in slot.run.inputs}
        if not any(found.values()):  # no callback saw how the run got its text
            reach = next((run.inputs for run in slot.run.ancestors if run.inputs), [])
            found = dict.fromkeys(found, tuple(_opaque(reach, "scope")))
        self._known.update(found)
        self._index.free(slot.run.inputs)
        return self._known.get(slot, ())

    # Input pieces

    def _input(self, slot: Slot) -> list[Link]:
        run = slot.run
        if run.parent is None:
            return []
        for rule in (self._by_tool_call, self._by_sequence, self._by_ancestor, self._by_name, self._by_channel):
            links = rule(slot)
            if links:
                return links
        same = self._index.same_object(slot)
        if same is not None:
            return [self._declared(same, slot)]
        equal = self._index.same_text(slot)
        if equal is not None:
            others = tuple(self._index.same_documents(equal, run))
            return [Link(equal, "matched", whole=True, spans=_all(slot), alternatives=others)]
        return self._by_containment(slot)

    def _by_tool_call(self, slot: Slot) -> list[Link]:
        run, call_id = slot.run, slot.piece.call_id
        if run.kind == "tool" and run.hints.call_id is not None:
            call = self._index.call(run.hints.call_id, run)
            return _opaque([call]) if call else []
        if call_id is None:
            return []
        if slot.piece.form == "tool_call":
            call = self._index.call(call_id, run)
            return [self._declared(call, slot)] if call else []
        pool = self._index.results(call_id, run)
        return self._from(pool, slot) or [self._declared(source, slot) for source in pool]

    def _by_sequence(self, slot: Slot) -> list[Link]:
        run = slot.run
        if run.hints.sequence is None or run.parent is None:
            return []
        before = [
            sibling
            for sibling in run.parent.children
            if sibling.hints.sequence == run.hints.sequence - 1 and sibling.start < run.start and sibling.outputs
        ]
        if not before:
            return []
        pool = before[-1].outputs
        return self._from(pool, slot) or _opaque(pool)

    def _by_ancestor(self, slot: Slot) -> list[Link]:
        for run in slot.run.ancestors:
            source = self._same(self._texts(run).get(slot.piece.text.strip(), ()), slot)
            if source is not None:
                return [self._declared(source, slot)]
        return []

    def _by_name(self, slot: Slot) -> list[Link]:
        source = self._index.named(slot)
        return [self._declared(source, slot)] if source else []

    def _by_channel(self, slot: Slot) -> list[Link]:
        pool = self._index.written(slot)
        links = self._from(pool, slot)
        if links or _is_another_message(slot, pool):
            return links
        return _opaque([source for source in pool if source.run is pool[-1].run])

    def _by_containment(self, slot: Slot) -> list[Link]:
        """Sources in reach may be short; sources elsewhere in the tree must share a sentence or a run of words."""
        target, run = self.text(slot), slot.run
        found: dict[str, list[tuple[Slot, Match]]] = {}
        for source in _in_reach(run):
            known = found.get(source.piece.text)
            if known is None and (match := overlap(self.text(source), target)) is not None:
                found[source.piece.text] = [(source, match)]
            elif known and known[0][0].run is source.run:  # equal results of a map
                known.append((source, known[0][1]))
        elsewhere = self._index.quoted(target, lambda source: precedes(source, run), run, found)
        return self._resolved([*(each for several in found.values() for each in several), *elsewhere], "matched")

    # Output pieces

    def _output(self, slot: Slot) -> list[Link]:
        run = slot.run
        if run.kind == "prompt":
            return self._of_prompt(slot)
        if run.composite:
            return self._of_composite(slot)
        if run.kind in {"model", "tool", "retriever"}:
            return _opaque(run.inputs)
        own = self._same(self._alike(run, slot), slot)
        if own is not None:
            return [self._declared(own, slot)]
        return self._contained(run.inputs, slot) or _opaque(run.inputs)

    def _of_prompt(self, slot: Slot) -> list[Link]:
        """A prompt contains the variables it names and nothing else, whatever the other inputs are."""
        run = slot.run
        names = run.hints.variables
        used = [s for s in run.inputs if names is None or not s.piece.path or s.piece.path[0] in names]
        equal = self._same(used, slot)
        if equal is not None:  # a message passed through a placeholder
            return [self._declared(equal, slot)]
        target = self.text(slot)
        shown = [(source, overlap(self.text(source), target)) for source in used]
        links = [Link(source, "declared", match.whole, spans=match.spans) for source, match in shown if match]
        if names is None and links:
            return links
        missing = [source for source, match in shown if match is None and not self._shown_by_sibling(source, slot)]
        return links + _opaque(missing)

    def _shown_by_sibling(self, source: Slot, slot: Slot) -> bool:
        """True if another message of the same prompt contains the variable; then this one need not."""
        others = (other for other in slot.run.outputs if other is not slot)
        return any(overlap(self.text(source), self.text(other)) for other in others)

    def _of_composite(self, slot: Slot) -> list[Link]:
        run, path = slot.run, slot.piece.path
        branches = [child for child in run.children if path and child.hints.branch == str(path[0]) and child.outputs]
        if branches:
            pool = branches[-1].outputs
            exact = [source for source in pool if source.piece.path == path[1:]]
            return self._from(exact or pool, slot) or _opaque(pool)
        inside = self._index.inside(slot, *self._rank(slot))
        if inside is not None:
            return [self._declared(inside, slot)]
        below = [source for child in run.children for source in child.outputs]
        if cut := self._cut(below, slot):
            return cut
        own = self._same(self._alike(run, slot), slot)
        if own is not None:
            return [self._declared(own, slot)]
        target = self.text(slot)
        found = self._index.quoted(target, lambda source: source.run.within(run), run)
        found += [(s, match) for s in run.inputs if (match := overlap(self.text(s), target)) is not None]
        return self._resolved(found, "matched") or _opaque(below, "scope")

    # Choosing among sources

    def _from(self, pool: Sequence[Slot], slot: Slot) -> list[Link]:
        """Links to the member of a pool that is this piece, or else to those whose text it contains."""
        if not pool:
            return []
        same = self._same(pool, slot)
        if same is not None:
            return [self._declared(same, slot)]
        return self._contained(pool, slot)

    def _contained(self, pool: Sequence[Slot], slot: Slot) -> list[Link]:
        """Links to those members of a pool whose text a piece contains."""
        if cut := self._cut(pool, slot):
            return cut
        target = self.text(slot)
        found = [(s, match) for s in pool if (match := overlap(self.text(s), target)) is not None]
        return self._resolved(found, "declared")

    def _resolved(self, found: Sequence[tuple[Slot, Match]], basis: Basis) -> list[Link]:
        found = _shared(found)
        own = longest_first(found)
        beaten: dict[tuple[int, int], list[Slot]] = defaultdict(list)
        for i, (source, match) in enumerate(found):
            for span in match.spans if i not in own else ():
                beaten[span].append(source)
        return [
            Link(
                found[i][0], basis, found[i][1].whole, spans=spans,
                alternatives=tuple(other for span in spans for other in beaten.get(span, ())) if beaten else (),
            )
            for i, spans in sorted(own.items())
        ]  # fmt: skip

    def _same(self, pool: Iterable[Slot], slot: Slot) -> Slot | None:
        """The member of a pool that is this very piece: by object, id or equal text; by path if there are several."""
        piece, text = slot.piece, slot.piece.text.strip()
        equal = [
            s
            for s in pool
            if (s.piece.text.strip() == text and text)
            or (piece.ref is not None and s.piece.ref == piece.ref)
            or (piece.id is not None and s.piece.id == piece.id)
        ]
        equal = [s for s in equal if s.piece.text == piece.text] or equal  # two stores may use the same ids
        if piece.form == "document" and len(equal) > 1:
            equal = [s for s in equal if is_original(s.piece, piece)] or equal
        if piece.form == "message" and len(equal) > 1:  # a state may keep the text of a message once more
            equal = [s for s in equal if is_same_message(s.piece, piece)] or equal
        placed = [s for s in equal if s.piece.path == piece.path]
        if len(equal) == 1 or len(placed) == 1:
            return (placed or equal)[0]
        if not equal:
            return None
        place, of = self._rank(slot)  # equal results of a map: each piece is another one's
        several = (placed if of == 1 and placed else equal)[-of:]
        return several[min(place, len(several) - 1)]

    def _alike(self, run: Run, slot: Slot) -> list[Slot]:
        """Those inputs of a run, in order, that may be a piece: `_same` need not look at the others."""
        known = self._keys.get(run)
        if known is None:
            known = self._keys[run] = defaultdict(list)
            for i, each in enumerate(run.inputs):
                for key in _keys(each):
                    known[key].append(i)
        return [run.inputs[i] for i in sorted({i for key in _keys(slot) for i in known.get(key, ())})]

    def _cut(self, pool: Iterable[Slot], slot: Slot) -> list[Link]:
        """The link to the one document that a document was shortened from, by id or metadata.

        Documents often share sentences, so that what a compressor left of one may stand in several.
        """
        if slot.piece.form != "document":
            return []
        originals = {s.piece.ref or id(s): s for s in pool if is_original(s.piece, slot.piece)}
        if len(originals) != 1:
            return []
        (source,) = originals.values()
        link = self._declared(source, slot)
        return [link] if 2 * sum(end - start for start, end in link.spans) >= len(slot.piece.text) else []

    def _rank(self, slot: Slot) -> tuple[int, int]:
        """The place of a piece among the equal ones on its side of its run, and their number."""
        equal = self._texts(slot.run, slot.side).get(slot.piece.text.strip(), [slot])
        return (equal.index(slot), len(equal)) if slot in equal else (0, 1)

    def _declared(self, source: Slot, slot: Slot) -> Link:
        if source.piece.text.strip() == slot.piece.text.strip():
            return Link(source, "declared", whole=True, spans=_all(slot))
        match = overlap(self.text(source), self.text(slot))
        if match is None:
            cut = slot.piece.form == "document" and slot.piece.text.strip() in source.piece.text  # inside a word
            return Link(source, "declared", opaque=True, spans=_all(slot) if cut else ())
        return Link(source, "declared", match.whole, spans=match.spans)

    def _texts(self, run: Run, side: Literal["in", "out"] = "in") -> dict[str, list[Slot]]:
        known = self._equal.get((run, side))
        if known is None:
            known = self._equal[run, side] = defaultdict(list)
            for slot in run.inputs if side == "in" else run.outputs:
                if slot.piece.text.strip():
                    known[slot.piece.text.strip()].append(slot)
        return known


def _shared(found: Sequence[tuple[Slot, Match]]) -> Sequence[tuple[Slot, Match]]:
    """Matches in which sources of equal text, if the target repeats it, have one of the places each."""
    equal: dict[str, list[int]] = defaultdict(list)
    for i, (source, match) in enumerate(found):
        if match.whole and len(match.spans) > 1:
            equal[source.piece.text.strip()].append(i)
    divided = list(found)
    for several in equal.values():
        for place, i in enumerate(several if len(several) > 1 else ()):
            source, match = found[i]
            if spans := tuple(sorted(match.spans))[place :: len(several)]:
                divided[i] = source, replace(match, spans=spans)
    return divided


def _keys(slot: Slot) -> Iterator[tuple[str, object]]:
    """By what a piece is the same as another one: text, object or id."""
    piece = slot.piece
    if text := piece.text.strip():
        yield "text", text
    if piece.ref is not None:
        yield "ref", piece.ref
    if piece.id is not None:
        yield "id", piece.id


def _is_another_message(slot: Slot, pool: Sequence[Slot]) -> bool:
    """True for a message of a list of messages that none of the pool is: one from before, as a checkpoint kept it."""
    others = {source.piece.id for source in pool}
    return slot.piece.form == "message" and slot.piece.id is not None and others.isdisjoint({None, slot.piece.id})


def _opaque(pool: Iterable[Slot], basis: Basis = "declared") -> list[Link]:
    return [Link(source, basis, opaque=True) for source in pool]


def _in_reach(run: Run) -> Iterator[Slot]:
    """The inputs of the enclosing runs, nearest first, up to a limit; the index finds the others."""
    left = _IN_REACH_CHARACTERS
    for source in islice((source for ancestor in run.ancestors for source in ancestor.inputs), _IN_REACH):
        left -= len(source.piece.text)
        if left >= 0 or len(source.piece.text) < _SHORT:
            yield source


def _all(slot: Slot) -> tuple[tuple[int, int], ...]:
    return ((0, len(slot.piece.text)),)
