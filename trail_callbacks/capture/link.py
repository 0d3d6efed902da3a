"""Which text reached which prompt: links between the pieces of a run tree.

The tree of runs is control flow, not data flow: a retriever and the model that read its passages are siblings. So
pieces are linked, hop by hop, by the first rule that hits.

An *input* piece comes from: the tool call with its id; the output of the step before in a sequence; the same piece
among its parent's inputs; the last writer of its state channel; the producer of a message or document with its id;
the same object; the same text; texts it contains or is cut from; else whatever was in reach (`scope`).

An *output* piece comes from: of a composite run, its branch's child, else descendants or inputs with its text; of a
prompt template, the variables it uses; of other code, the inputs it shows, else all inputs (`opaque`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trail_callbacks.capture.match import Match, Matcher, Text, longest_first, overlap
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.graph import Basis

__all__ = ["Link", "Linker"]

_LOOK_BACK = 64  # producers of one text or channel that are compared, latest first


@dataclass(frozen=True, slots=True)
class Link:
    """One hop.

    Attributes:
        source: The earlier piece.
        basis: `declared` by ids or structure, `matched` by text, `scope`: only in reach.
        whole: All of the source's text arrived.
        opaque: Code stood between, and the texts share nothing recognisable.
        spans: Character ranges of the later piece that the source explains.
    """

    source: Slot
    basis: Basis
    whole: bool = False
    opaque: bool = False
    spans: tuple[tuple[int, int], ...] = ()


class Linker:
    """Answers where the text of a piece came from, within one run tree. Links are computed when asked for."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._matcher = Matcher()
        self._known: dict[Slot, tuple[Link, ...]] = {}
        self._by_id: dict[str, list[Slot]] = defaultdict(list)
        self._by_ref: dict[int, list[Slot]] = defaultdict(list)
        self._by_text: dict[str, list[Slot]] = defaultdict(list)
        self._by_call: dict[str, list[Slot]] = defaultdict(list)  # tool call -> the call as a model wrote it
        self._results: dict[str, list[Slot]] = defaultdict(list)  # tool call -> what the tool returned
        self._channels: dict[tuple[Run | None, str], list[Slot]] = defaultdict(list)
        self._inputs: dict[Run, dict[str, list[Slot]]] = {}
        if runs:
            for slot in runs[0].inputs:
                self._index(slot)
        for run in sorted(runs, key=lambda run: run.end):
            for slot in run.outputs:
                self._index(slot)

    def text(self, slot: Slot) -> Text:
        """Returns the text of a piece as the one object that carries its fingerprint."""
        return self._matcher.text(slot.piece.text)

    def _index(self, slot: Slot) -> None:
        piece, run = slot.piece, slot.run
        if piece.id is not None:
            self._by_id[piece.id].append(slot)
        if piece.ref is not None:
            self._by_ref[piece.ref].append(slot)
        if piece.text.strip():
            self._by_text[piece.text.strip()].append(slot)
            if run.kind != "prompt":  # a prompt quotes many sources: what stands in it is better found in them
                self._matcher.add(self.text(slot))
        if run.kind == "tool" and run.hints.call_id is not None:
            self._results[run.hints.call_id].append(slot)
        elif piece.form == "tool_call" and piece.call_id is not None:
            self._by_call[piece.call_id].append(slot)
        if run.hints.channels and piece.path:
            self._channels[run.parent, str(piece.path[0])].append(slot)

    def of(self, slot: Slot) -> tuple[Link, ...]:
        """Returns the links of a piece; none if nothing earlier explains it."""
        known = self._known.get(slot)
        if known is not None:
            return known
        if slot.side == "out":
            links = self._known[slot] = tuple(self._output(slot))
            return links
        found = {each: tuple(self._input(each)) for each in slot.run.inputs}
        if not any(found.values()):  # the run got its text in some way that no callback saw
            reach = next((run.inputs for run in slot.run.ancestors if run.inputs), [])
            found = dict.fromkeys(found, tuple(Link(source, "scope", opaque=True) for source in reach))
        self._known.update(found)
        return self._known.get(slot, ())

    # -- input pieces ------------------------------------------------------------------------------------------------

    def _input(self, slot: Slot) -> list[Link]:
        run = slot.run
        if run.parent is None:
            return []
        for rule in (self._by_tool_call, self._by_sequence, self._by_ancestor, self._by_name, self._by_channel):
            links = rule(slot)
            if links:
                return links
        same = self._latest(self._by_ref.get(slot.piece.ref or 0, ()), run) if slot.piece.ref is not None else None
        if same is not None:
            return [self._declared(same, slot)]
        if self.text(slot).distinctive:
            equal = self._latest(self._by_text.get(slot.piece.text.strip(), ()), run)
            if equal is not None:
                return [Link(equal, "matched", whole=True, spans=_all(slot))]
        return self._by_containment(slot)

    def _by_tool_call(self, slot: Slot) -> list[Link]:
        run, call_id = slot.run, slot.piece.call_id
        if run.kind == "tool" and run.hints.call_id is not None:
            call = self._latest(self._by_call.get(run.hints.call_id, ()), run)
            return [Link(call, "declared", opaque=True)] if call else []
        if call_id is None:
            return []
        if slot.piece.form == "tool_call":
            call = self._latest(self._by_call.get(call_id, ()), run)
            return [self._declared(call, slot)] if call else []
        pool = [source for source in self._results.get(call_id, ()) if _precedes(source, run)]
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
        return self._from(pool, slot) or [Link(source, "declared", opaque=True) for source in pool]

    def _by_ancestor(self, slot: Slot) -> list[Link]:
        for run in slot.run.ancestors:
            source = self._same(self._texts(run).get(slot.piece.text.strip(), ()), slot)
            if source is not None:
                return [self._declared(source, slot)]
        return []

    def _by_name(self, slot: Slot) -> list[Link]:
        if slot.piece.id is None:
            return []
        source = self._latest(self._by_id.get(slot.piece.id, ()), slot.run)
        return [self._declared(source, slot)] if source else []

    def _by_channel(self, slot: Slot) -> list[Link]:
        run = slot.run
        if not run.hints.channels or not slot.piece.path:
            return []
        writers = self._channels.get((run.parent, str(slot.piece.path[0])), ())
        pool = [source for source in writers if source.run.end < run.start][-_LOOK_BACK:]
        found = self._from(pool, slot)
        if found or not pool:
            return found
        last = pool[-1].run
        return [Link(source, "declared", opaque=True) for source in pool if source.run is last]

    def _by_containment(self, slot: Slot) -> list[Link]:
        """Sources in reach may be short; those elsewhere in the tree must share a sentence or a run of words."""
        target, run = self.text(slot), slot.run
        found: list[tuple[Slot, Match]] = []
        seen: set[str] = set()
        for ancestor in run.ancestors:
            for source in ancestor.inputs:
                if source.piece.text not in seen and (match := overlap(self.text(source), target)) is not None:
                    seen.add(source.piece.text)
                    found.append((source, match))
        found += self._quoted(target, lambda source: _precedes(source, run), run, seen)
        return self._resolved(found, "matched")

    def _quoted(
        self, target: Text, accept: Callable[[Slot], bool], run: Run, seen: Iterable[str] = ()
    ) -> list[tuple[Slot, Match]]:
        found = []
        for text, match in self._matcher.find(target).items():
            if text.text in seen:
                continue
            producers = [slot for slot in self._by_text[text.text.strip()][-_LOOK_BACK:] if accept(slot)]
            if producers:
                found.append((_nearest(producers, run), match))
        return found

    # -- output pieces -----------------------------------------------------------------------------------------------

    def _output(self, slot: Slot) -> list[Link]:
        run = slot.run
        if run.kind == "prompt":
            return self._of_prompt(slot)
        if any(child.outputs for child in run.children):
            return self._of_composite(slot)
        if run.kind in {"model", "tool", "retriever"}:
            return [Link(source, "declared", opaque=True) for source in run.inputs]
        return self._of_code(slot, run.inputs)

    def _of_code(self, slot: Slot, inputs: Sequence[Slot]) -> list[Link]:
        return self._from(inputs, slot) or [Link(source, "declared", opaque=True) for source in inputs]

    def _of_prompt(self, slot: Slot) -> list[Link]:
        """A prompt shows the variables it names and nothing else, whatever the other inputs say."""
        run = slot.run
        names = run.hints.variables
        used = [s for s in run.inputs if names is None or not s.piece.path or s.piece.path[0] in names]
        equal = self._same(used, slot)
        if equal is not None:  # a message handed through a placeholder
            return [self._declared(equal, slot)]
        target = self.text(slot)
        shown = [(source, overlap(self.text(source), target)) for source in used]
        links = [Link(source, "declared", match.whole, spans=match.spans) for source, match in shown if match]
        elsewhere = (
            {source for source, match in shown if match is None and not self._shown_by_sibling(source, slot)}
            if names is not None or not links
            else set()
        )
        return links + [Link(source, "declared", opaque=True) for source in used if source in elsewhere]

    def _shown_by_sibling(self, source: Slot, slot: Slot) -> bool:
        """True if another message of the same prompt shows the variable; then this one need not."""
        others = (other for other in slot.run.outputs if other is not slot)
        return any(overlap(self.text(source), self.text(other)) for other in others)

    def _of_composite(self, slot: Slot) -> list[Link]:
        run, path = slot.run, slot.piece.path
        branches = [child for child in run.children if path and child.hints.branch == str(path[0]) and child.outputs]
        if branches:
            pool = branches[-1].outputs
            exact = [source for source in pool if source.piece.path == path[1:]]
            return self._from(exact or pool, slot) or [Link(source, "declared", opaque=True) for source in pool]
        inside = [s for s in self._by_text.get(slot.piece.text.strip(), ()) if s.run.within(run) and not s.run.failed]
        if inside:
            return [self._declared(max(inside, key=lambda s: s.run.end), slot)]
        named = [s for s in self._by_id.get(slot.piece.id or "", ()) if s.run.within(run)]
        if slot.piece.id is not None and named:
            return [self._declared(named[-1], slot)]
        own = self._same(run.inputs, slot)
        if own is not None:
            return [self._declared(own, slot)]
        target = self.text(slot)
        found = self._quoted(target, lambda source: source.run.within(run), run)
        found += [(s, match) for s in run.inputs if (match := overlap(self.text(s), target)) is not None]
        links = self._resolved(found, "matched")
        if links:
            return links
        return [Link(source, "scope", opaque=True) for child in run.children for source in child.outputs]

    # -- choosing ----------------------------------------------------------------------------------------------------

    def _from(self, pool: Sequence[Slot], slot: Slot) -> list[Link]:
        """Links to the members of a pool that are this piece, or else whose text it shows."""
        same = self._same(pool, slot)
        if same is not None:
            return [self._declared(same, slot)]
        target = self.text(slot)
        found = [(s, match) for s in pool if (match := overlap(self.text(s), target)) is not None]
        return self._resolved(found, "declared")

    def _resolved(self, found: Sequence[tuple[Slot, Match]], basis: Basis) -> list[Link]:
        own = longest_first(found)
        return [Link(found[i][0], basis, found[i][1].whole, spans=spans) for i, spans in sorted(own.items())]

    def _same(self, pool: Iterable[Slot], slot: Slot) -> Slot | None:
        """The member of a pool that is this very piece: by object, id or equal text; by path if several are."""
        piece, text = slot.piece, slot.piece.text.strip()
        equal = [
            s
            for s in pool
            if (s.piece.text.strip() == text and text)
            or (piece.ref is not None and s.piece.ref == piece.ref)
            or (piece.id is not None and s.piece.id == piece.id)
        ]
        placed = [s for s in equal if s.piece.path == piece.path]
        return (placed or equal)[-1] if equal else None

    def _declared(self, source: Slot, slot: Slot) -> Link:
        if source.piece.text.strip() == slot.piece.text.strip():
            return Link(source, "declared", whole=True, spans=_all(slot))
        match = overlap(self.text(source), self.text(slot))
        if match is None:
            return Link(source, "declared", opaque=True)
        return Link(source, "declared", match.whole, spans=match.spans)

    def _texts(self, run: Run) -> dict[str, list[Slot]]:
        known = self._inputs.get(run)
        if known is None:
            known = self._inputs[run] = defaultdict(list)
            for slot in run.inputs:
                if slot.piece.text.strip():
                    known[slot.piece.text.strip()].append(slot)
        return known

    @staticmethod
    def _latest(producers: Sequence[Slot], run: Run) -> Slot | None:
        eligible = [slot for slot in producers[-_LOOK_BACK:] if _precedes(slot, run)]
        return _nearest(eligible, run) if eligible else None


def _precedes(source: Slot, run: Run) -> bool:
    """True if a piece can have been read by a run. In a stream a consumer starts before its producer ends."""
    producer = source.run
    if source.side == "in":
        return run.within(producer)
    return producer.start < run.start and producer.end < run.end and not run.within(producer) and run is not producer


def _nearest(producers: Sequence[Slot], run: Run) -> Slot:
    """Of several producers of one text the nearest in the tree, then the latest."""
    if len(producers) == 1:
        return producers[0]
    line = [run, *run.ancestors]

    def distance(slot: Slot) -> int:
        up = (i for i, above in enumerate(line) if slot.run is above or slot.run.within(above))
        return next(up, len(line))

    return min(producers, key=lambda slot: (distance(slot), -slot.run.end))


def _all(slot: Slot) -> tuple[tuple[int, int], ...]:
    return ((0, len(slot.piece.text)),)
