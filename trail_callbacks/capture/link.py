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

import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from trail_callbacks.capture.match import SENTENCE_RUN, Match, longest_first, overlap
from trail_callbacks.capture.piece_index import MANY, PieceIndex, Pool, precedes
from trail_callbacks.capture.runs import CapturedRun, Slot, is_original, is_same_message
from trail_callbacks.graph import Basis

_IN_REACH = 64  # pieces compared one by one; in a map over a thousand documents each run has all of them in reach
_IN_REACH_CHARACTERS = 20_000
_CUT = frozenset({"document", "text"})  # what code makes of documents
_LINE = re.compile(r"\S[^\n]{10,}(?<!\s)")
_FEWEST_WORDS = 3  # in a row, that a text made of documents shares with one of them
_SHORT = 100  # characters; the index may not find a shorter text
_COMPARED = 100_000  # pairs of pieces of one run; more are looked up in an index, which finds shared sentences only
_LINKED = 200_000  # pairs of pieces of one run that are linked as code may have made each of each
_FEWEST = 16  # pieces to which one is linked from then on
_POOLS = 64  # kept at a time: all pieces of one side of a run are linked one after the other


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
        undecided: The alternatives are other documents, which share no more than that. What code made of one of them is
            nobody's then: a wrong link is worse than none.
    """

    source: Slot
    basis: Basis
    whole: bool = False
    opaque: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    alternatives: tuple[Slot, ...] = ()
    undecided: bool = False


class Linker:
    """Finds where the text of a piece came from, within one run tree. Links are computed on demand."""

    def __init__(self, runs: Sequence[CapturedRun]) -> None:
        self._index = PieceIndex(runs)
        self._known: dict[Slot, tuple[Link, ...]] = {}
        self._compared: dict[CapturedRun, int] = defaultdict(int)
        self._linked: dict[CapturedRun, int] = defaultdict(int)
        self._pools: OrderedDict[Hashable, Pool] = OrderedDict()
        self.thinned: dict[CapturedRun, None] = {}
        """Runs with too many pieces to link each with all that it may come from: some of those links are missing."""
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
            above = next((run for run in slot.run.ancestors if run.inputs), None)
            reach = self._pool(above, "in") if above else Pool((), self.text)
            found = dict.fromkeys(found, ()) | self._scope(slot.run, reach)
        self._known.update(found)
        self._index.free(slot.run.inputs)
        return self._known.get(slot, ())

    def made_of(self, slot: Slot) -> Sequence[Slot]:
        """Returns the inputs of which a run can have made an output: all, or some where there are too many."""
        return self._some(self._pool(slot.run, "in"), slot)

    # Input pieces

    def _scope(self, run: CapturedRun, reach: Pool) -> dict[Slot, tuple[Link, ...]]:
        """Links of all inputs of a run to what was in reach; they share them if each can have all."""
        if len(run.inputs) * len(reach.slots) <= _LINKED:
            return dict.fromkeys(run.inputs, tuple(_opaque(reach.slots, "scope")))
        return {slot: tuple(_opaque(self._some(reach, slot), "scope")) for slot in run.inputs}

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
        pool = Pool(self._index.results(call_id, run), self.text)
        return self._from(pool, slot) or [self._declared(source, slot) for source in pool.slots]

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
        pool = self._pool(before[-1], "out")
        return self._from(pool, slot) or _opaque(self._some(pool, slot))

    def _by_ancestor(self, slot: Slot) -> list[Link]:
        for run in slot.run.ancestors:
            source = self._same(self._pool(run, "in").equal(slot, self._rank), slot)
            if source is not None:
                return [self._declared(source, slot)]
        return []

    def _by_name(self, slot: Slot) -> list[Link]:
        source = self._index.named(slot)
        if source is None:
            return []
        if source.piece.text != slot.piece.text:
            source = self._index.same_text(slot) or source
        link = self._declared(source, slot)
        return [*self._by_containment(slot), link] if link.opaque else [link]  # rewritten in place, by a model perhaps

    def _by_channel(self, slot: Slot) -> list[Link]:
        pool = self._written(slot)
        links = self._from(pool, slot)
        if links or not pool.slots:
            return links
        last = pool.slots[-1].run
        return _opaque(source for source in self._some(pool, slot) if source.run is last)

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
        elsewhere += self._index.values(target, lambda source: precedes(source, run), run, found)
        return self._resolved([*(each for several in found.values() for each in several), *elsewhere], "matched", slot)

    # Output pieces

    def _output(self, slot: Slot) -> list[Link]:
        run = slot.run
        if run.kind == "prompt":
            return self._of_prompt(slot)
        if run.composite:
            return self._of_composite(slot)
        if run.kind in {"model", "tool", "retriever"}:
            return _opaque(self.made_of(slot))
        inputs = self._pool(run, "in")
        own = self._same(inputs.alike(slot, self._rank), slot)
        if own is not None:
            return self._rebuilt(slot, own, inputs) or [self._declared(own, slot)]
        return self._contained(inputs, slot) or _opaque(self._some(inputs, slot))

    def _of_prompt(self, slot: Slot) -> list[Link]:
        """A prompt contains the variables it names and nothing else, whatever the other inputs are."""
        run = slot.run
        names = run.hints.variables
        alike = self._pool(run, "in").alike(slot, self._rank)
        equal = self._same([s for s in alike if _is_used(s, names)], slot)
        if equal is not None:  # a message passed through a placeholder
            return [self._declared(equal, slot)]
        used = [s for s in run.inputs if _is_used(s, names)]
        target = self.text(slot)
        shown = [(source, overlap(self.text(source), target)) for source in used]
        links = [Link(source, "declared", match.whole, spans=match.spans) for source, match in shown if match]
        if names is None and links:
            return links
        missing = [source for source, match in shown if match is None and not self._shown_by_sibling(source, slot)]
        return links + _opaque(missing)

    def _shown_by_sibling(self, source: Slot, slot: Slot) -> bool:
        """True if another message of the same prompt contains the variable: then this one is the prompt's wording."""
        others = (other for other in slot.run.outputs if other is not slot)
        return any(overlap(self.text(source), self.text(other)) for other in others)

    def _of_composite(self, slot: Slot) -> list[Link]:
        run, path = slot.run, slot.piece.path
        branches = [child for child in run.children if path and child.hints.branch == str(path[0]) and child.outputs]
        if branches:
            pool = self._pool(branches[-1], "out")
            exact = pool.at(path[1:])
            return self._from(Pool(exact, self.text) if exact else pool, slot) or _opaque(self._some(pool, slot))
        inside, below = self._index.inside(slot, *self._rank(slot)), self._below(run)
        if inside is not None:
            return self._rebuilt(slot, inside, below) or [self._declared(inside, slot)]
        if slot.piece.form == "document" and (cut := self._contained(below, slot)):
            return cut
        inputs = self._pool(run, "in")
        own = self._same(inputs.alike(slot, self._rank), slot)
        same = [self._declared(own, slot)] if own is not None else []
        if same and not same[0].opaque:
            return same
        found = self._index.quoted(self.text(slot), lambda source: source.run.within(run), run)
        found += self._index.values(self.text(slot), lambda source: source.run.within(run), run)
        found += self._shared_with(inputs, slot)
        return [*self._resolved(found, "matched", slot), *same] or _opaque(self._some(below, slot), "scope")

    # Choosing among sources

    def _pool(self, run: CapturedRun, side: Literal["in", "out"]) -> Pool:
        key = run, side
        return self._pools.get(key) or self._kept(key, run.inputs if side == "in" else run.outputs)

    def _written(self, slot: Slot) -> Pool:
        """What was written to the state channel that a piece was read from."""
        run = slot.run
        if not run.hints.channels or not slot.piece.path:
            return Pool((), self.text)
        channel = str(slot.piece.path[0])
        key = run, "channel", channel
        return self._pools.get(key) or self._kept(key, self._index.written(run, channel))

    def _below(self, run: CapturedRun) -> Pool:
        """The outputs of the children of a run."""
        key = run, "below"
        known = self._pools.get(key)
        return known or self._kept(key, [source for child in run.children for source in child.outputs])

    def _kept(self, key: Hashable, slots: Sequence[Slot]) -> Pool:
        pool = self._pools[key] = Pool(slots, self.text)
        if len(self._pools) > _POOLS:
            self._pools.popitem(last=False)
        return pool

    def _some(self, pool: Pool, slot: Slot) -> Sequence[Slot]:
        """All of a pool, or where that were too many links: the fields of their own, and parts of lists near a place.

        What an output of a map over a list was made of stands, as a rule, at the same place.
        """
        self._linked[slot.run] += len(pool.slots)
        if self._linked[slot.run] <= _LINKED or len(pool.slots) <= _FEWEST:
            return pool.slots
        self.thinned[slot.run] = None
        own = self._pool(slot.run, slot.side)
        middle = own.number.get(slot, 0) * len(pool.slots) // len(own.slots)
        first = max(0, min(middle - _FEWEST // 2, len(pool.slots) - _FEWEST))
        return list(dict.fromkeys([*pool.only[:MANY], *pool.slots[first : first + _FEWEST]]))

    def _from(self, pool: Pool, slot: Slot) -> list[Link]:
        """Links to the member of a pool that is this piece, or else to those whose text it contains."""
        if not pool.slots:
            return []
        same = self._same(pool.alike(slot, self._rank), slot)
        if same is not None:
            return [self._declared(same, slot)]
        return self._contained(pool, slot)

    def _contained(self, pool: Pool, slot: Slot) -> list[Link]:
        """Links to those members of a pool whose text a piece contains, or of which code left it.

        Documents often share sentences, so that what a compressor left of one may stand in several: then id or metadata
        tell which one it was.
        """
        known = {s.piece.ref or id(s): s for s in pool.originals(slot)} if slot.piece.form == "document" else {}
        if len(known) == 1:
            (original,) = known.values()
            link = self._declared(original, slot)
            if 2 * sum(end - start for start, end in link.spans) >= len(slot.piece.text):
                return [link]
        among = self._kept((slot.run, "originals", slot), list(known.values())) if len(known) > 1 else pool
        links = self._resolved(self._shared_with(among, slot), "declared", slot)
        if slot.piece.form not in _CUT:
            return links
        shared = (overlap(self.text(link.source), self.text(slot)) for link in links)
        return [replace(link, opaque=match is None) for link, match in zip(links, shared, strict=True)]

    def _shared_with(self, pool: Pool, slot: Slot) -> list[tuple[Slot, Match]]:
        """Those members of a pool with which a piece shares words."""
        target = self.text(slot)
        self._compared[slot.run] += len(pool.slots)
        if len(pool.slots) > MANY and self._compared[slot.run] > _COMPARED:
            return pool.quoted(target)
        return [(s, match) for s in pool.slots if (match := self._overlap(s, slot)) is not None]

    def _overlap(self, source: Slot, slot: Slot) -> Match | None:
        """The words that two pieces share; code that shortens a document may cut off any number, even inside a word."""
        old, new = self.text(source), self.text(slot)
        if source.piece.form != "document" or slot.piece.form not in _CUT:
            return overlap(old, new)
        document = slot.piece.form == "document"
        if new.stripped and (document or new.distinctive) and new.stripped in old.text:
            return Match(len(new.stripped) / len(old.text), _all(slot), whole=new.stripped == old.stripped)
        few = _FEWEST_WORDS if document else max(_FEWEST_WORDS, min(SENTENCE_RUN, len(new.forms) - 2))
        match = overlap(old, new, few)
        if match is None and not document:
            lines = tuple(line.span() for line in _LINE.finditer(new.text) if line[0] in old.text)
            return Match(0.0, lines, whole=False) if lines else None
        if match is not None:  # a whole text has the marks at its end too
            match.spans = tuple(_words_in(new.text, *span) for span in match.spans)
        return match

    def _resolved(self, found: Sequence[tuple[Slot, Match]], basis: Basis, slot: Slot) -> list[Link]:
        found = _shared(found)
        own = longest_first(found, fewest=basis == "declared")
        beaten: dict[tuple[int, int], list[Slot]] = defaultdict(list)
        for i, (source, match) in enumerate(found):
            for span in match.spans if i not in own else ():
                beaten[span].append(source)
        links = []
        for i, spans in sorted(own.items()):
            source, match = found[i]
            others = tuple(other for span in spans for other in beaten.get(span, ())) if beaten else ()
            link = Link(source, basis, match.whole, spans=spans, alternatives=others)
            links += _told(link, slot, *self._rank(slot)) if others and basis == "declared" else [link]
        return links

    def _same(self, pool: Iterable[Slot], slot: Slot) -> Slot | None:
        """The member of a pool that is this very piece: by object, id or equal text; by path if there are several."""
        piece, text = slot.piece, self.text(slot).stripped
        equal = [
            s
            for s in pool
            if (self.text(s).stripped == text and text)
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

    def _rebuilt(self, slot: Slot, own: Slot, pool: Pool) -> list[Link]:
        """What is undecided of a text that code kept of a document, and nothing else: it may be left of another one."""
        piece = slot.piece
        if own.piece.form != "document" or piece.form == "message" or piece.id is not None or piece.attributes:
            return []
        passed = any(each.piece.ref == piece.ref for each in pool.alike(slot, self._rank))
        links = [] if passed or not self.text(slot).distinctive else self._contained(pool, slot)
        return links if any(link.undecided for link in links) else []

    def _rank(self, slot: Slot) -> tuple[int, int]:
        """The place of a piece among the equal ones on its side of its run, and their number."""
        return self._pool(slot.run, slot.side).rank(slot)

    def _declared(self, source: Slot, slot: Slot) -> Link:
        if self.text(source).stripped == self.text(slot).stripped:
            return Link(source, "declared", whole=True, spans=_all(slot))
        match = overlap(self.text(source), self.text(slot))
        if match is None:
            cut = slot.piece.form == "document" and slot.piece.text.strip() in source.piece.text  # inside a word
            return Link(source, "declared", opaque=True, spans=_all(slot) if cut else ())
        return Link(source, "declared", match.whole, spans=match.spans)


def _words_in(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without what is no word at its ends."""
    while start < end and not text[end - 1].isalnum():
        end -= 1
    while start < end and not text[start].isalnum():
        start += 1
    return start, end


def _told(link: Link, slot: Slot, place: int, of: int) -> list[Link]:
    """A link to a document, or none where others explain all of it: as many equal texts as documents have one each."""
    explain, spans = Counter(link.alternatives), sorted(link.spans)
    rivals = {s.piece.text.strip(): s for s in reversed(link.alternatives) if explain[s] == len(spans)}
    rivals.pop(link.source.piece.text.strip(), None)
    if not rivals or any(each.piece.form != "document" for each in (link.source, *rivals.values())):
        return [link]
    sources = (link.source, *rivals.values())
    if of >= len(sources):
        return [replace(link, source=sources[place % len(sources)])]
    if len(spans) >= len(sources) and slot.piece.form == "text":  # of documents that were joined
        return [replace(link, source=each, spans=tuple(spans[i :: len(sources)])) for i, each in enumerate(sources)]
    return [replace(link, undecided=True)]


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


def _is_used(slot: Slot, names: Sequence[str] | None) -> bool:
    """True for an input that a prompt template with these variables shows."""
    return names is None or not slot.piece.path or slot.piece.path[0] in names


def _opaque(pool: Iterable[Slot], basis: Basis = "declared") -> list[Link]:
    return [Link(source, basis, opaque=True) for source in pool]


def _in_reach(run: CapturedRun) -> Iterator[Slot]:
    """The inputs of the enclosing runs, nearest first, up to a limit; the index finds the others."""
    left = _IN_REACH_CHARACTERS
    for source in islice((source for ancestor in run.ancestors for source in ancestor.inputs), _IN_REACH):
        left -= len(source.piece.text)
        if left >= 0 or len(source.piece.text) < _SHORT:
            yield source


def _all(slot: Slot) -> tuple[tuple[int, int], ...]:
    return ((0, len(slot.piece.text)),)
