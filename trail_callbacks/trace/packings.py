"""What of the evidence each model call read: in which order, how much of each passage, and why the rest is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trail_callbacks.capture.runs import Run
from trail_callbacks.graph import Edge, Node
from trail_callbacks.models.tokens import count
from trail_callbacks.trace.places import Places
from trail_callbacks.trace.reading import Reading
from trail_callbacks.trace.rerankings import Selection, selections
from trail_callbacks.trace.retrievals import bringers
from trail_callbacks.trace.steps import Dropped, Packed, Packing

__all__ = ["packings"]

_LITTLE = 0.5  # a smaller share of words found in any order says nothing unless a part of the text is found as it is


class _Form(NamedTuple):
    """A passage as a step returned it.

    Attributes:
        end: When the step ended, as the `seq` of an event.
        rank: Its place among what the step returned, from 1.
        node: The node that holds its text; None if that was cut to nothing.
    """

    end: float
    rank: int
    node: Node | None


@dataclass(slots=True)
class _Passage:
    """A passage that a run retrieved.

    Attributes:
        node: The node that holds its text.
        end: When it was there first, as the `seq` of an event.
        forms: It and what steps made of it later, the latest last.
        dropped: When steps dropped it.
        tokens: Estimated tokens of its text.
    """

    node: Node
    end: float
    forms: list[_Form] = field(default_factory=list)
    dropped: list[float] = field(default_factory=list)
    tokens: int = 0

    def last(self, before: int) -> _Form:
        """Returns its last form before a run."""
        return max((form for form in self.forms if form.end < before), key=lambda form: form.end)


def packings(reading: Reading) -> tuple[Packing, ...]:
    """Returns the evidence in the prompt of each model call after a retrieval, in the order of the starts."""
    passages = _passages(reading)
    sources: Mapping[str, Sequence[Edge]] = _edges(reading.graph.edges)
    nothing: dict[tuple[str, Dropped], Packed] = {}  # one value for all calls: a map has as many as it has passages
    return tuple(
        _packing(reading, run, [each for each in passages if each.end < run.start], sources, nothing)
        for run in reading.runs
        if run.kind == "model" and any(each.end < run.start for each in passages)
    )


def _passages(reading: Reading) -> list[_Passage]:
    found: dict[str, _Passage] = {}
    for run, brought in bringers(reading):
        for rank, (_, node) in enumerate(brought, 1):
            passage = found.get(node.id)
            if passage is None:
                passage = found[node.id] = _Passage(node, run.end, tokens=count(node.text))
            passage.end = min(passage.end, run.end)
            passage.forms.append(_Form(run.end, rank, node))
    by_form = dict(found)
    for selection in sorted(selections(reading), key=lambda each: each.run.end):
        _follow(reading, selection, by_form)
    return list(found.values())


def _follow(reading: Reading, selection: Selection, by_form: dict[str, _Passage]) -> None:
    """Notes what a step made of passages, or that it dropped them."""
    end = selection.run.end
    for each in selection.passages:
        passage = by_form.get(each.node.id)
        if passage is None:
            continue
        if each.after is None:
            passage.dropped.append(end)
            continue
        after = reading.node(each.after)
        if after is None and each.after.piece.text.strip():
            continue
        if after is not None:
            by_form.setdefault(after.id, passage)
        passage.forms.append(_Form(end, each.rank_after or 0, after))


def _edges(edges: Iterable[Edge]) -> Mapping[str, Sequence[Edge]]:
    into: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        into[edge.target].append(edge)
    return into


def _packing(
    reading: Reading,
    run: Run,
    passages: Sequence[_Passage],
    edges: Mapping[str, Sequence[Edge]],
    nothing: dict[tuple[str, Dropped], Packed],
) -> Packing:
    prompt = "\n".join(slot.piece.text for slot in run.inputs)
    written = reading.written(run)
    reach = _reach(reading, written, edges) if written else None
    places = Places(prompt)
    shares: list[float] = []
    starts: list[int | None] = []
    for passage in passages:
        share, start = _arrived(passage, run, reach, places)
        shares.append(share)
        starts.append(start)
    read = sorted(
        (i for i, share in enumerate(shares) if share > 0),
        key=lambda i: (len(prompt) if (start := starts[i]) is None else start, i),
    )
    order = {i: place for place, i in enumerate(read, 1)}
    reasons = _Reasons(run, passages, shares, reach or {})
    pieces: list[Packed] = []
    for i, passage in enumerate(passages):
        if i in order:
            tokens = round(passage.tokens * shares[i])
            pieces.append(Packed(node_id=passage.node.id, order=order[i], tokens=tokens, arrived=shares[i]))
            continue
        why = reasons.of(i)
        known = nothing.get((passage.node.id, why))
        if known is None:
            known = Packed(node_id=passage.node.id, order=None, tokens=0, arrived=0.0, dropped=why)
            nothing[passage.node.id, why] = known
        pieces.append(known)
    return Packing(run_id=run.id, step=run.step, pieces=tuple(pieces), tokens=count(prompt))


def _reach(reading: Reading, written: Node, edges: Mapping[str, Sequence[Edge]]) -> dict[str, float]:
    """The share of each text that a model read, by node: read as it was, or inside the result of a tool."""
    found: dict[str, float] = {}
    todo = [(written.id, 1.0)]
    while todo:
        here, share = todo.pop()
        for edge in edges.get(here, ()):
            source = reading.graph.node(edge.source)
            passed = min(share, edge.coverage)
            if (
                edge.basis == "scope"
                or source.kind not in {"document", "tool_result"}
                or found.get(source.id, -1.0) >= passed
            ):
                continue
            if here != written.id and source.run_id == reading.graph.node(here).run_id:
                continue
            found[source.id] = passed
            todo.append((source.id, passed))
    return found


def _arrived(
    passage: _Passage, run: Run, reach: Mapping[str, float] | None, places: Places
) -> tuple[float, int | None]:
    """How much of a passage is in a prompt, and where it begins there, if that can be told."""
    forms = sorted((form for form in passage.forms if form.end < run.start), key=lambda form: -form.end)
    for node in (form.node for form in forms):
        if node is None:
            break
        part = min(1.0, len(node.text.strip()) / max(1, len(passage.node.text.strip())))
        if reach is None:  # the call failed, so that the graph has no node for it
            start = places.whole(node.text)
            if start is not None:
                return part, start
            continue
        if node.id not in reach:
            continue
        start = places.whole(node.text)
        if start is not None:
            return part, start
        share, start = reach[node.id], places.part(node.text)
        if share > 0 and (start is not None or share >= _LITTLE):
            return share * part, start
    return 0.0, None


class _Reasons:
    """Why passages are missing from a prompt."""

    def __init__(
        self, run: Run, passages: Sequence[_Passage], shares: Sequence[float], reach: Mapping[str, float]
    ) -> None:
        self._start = run.start
        self._passages = passages
        self._shares = shares
        self._reach = reach
        last = [passage.last(run.start) for passage in passages]
        ranked = sorted(range(len(passages)), key=lambda i: (last[i].end, last[i].rank))
        self._place = {i: place for place, i in enumerate(ranked)}
        there = [i for i in ranked if shares[i] > 0]
        self._lowest = there[-1] if there else None
        self._whole = all(shares[i] >= 1.0 for i in there)
        self._longest: dict[int, int] = {}  # of the passages of lower rank that are in the prompt, in tokens
        most = 0
        for i in reversed(ranked):
            self._longest[i] = most
            most = max(most, passages[i].tokens) if shares[i] > 0 else most

    def of(self, i: int) -> Dropped:
        """Returns the reason for one that is not in the prompt."""
        passage = self._passages[i]
        last = passage.last(self._start)
        if any(last.end <= end < self._start for end in passage.dropped):
            return "reranker"
        if last.node is None or self._reach.get(passage.node.id) == 0.0:
            return "cut"  # it was an input of the prompt, and nothing of it is there
        if self._lowest is None:
            return "unknown"
        if self._place[i] > self._place[self._lowest]:
            if self._shares[self._lowest] < 1.0:
                return "cut"  # the text was cut inside the one before
            return "cutoff" if self._whole else "unknown"
        return "budget" if passage.tokens > self._longest[i] else "unknown"
