"""What of the evidence each model call read: in which order, how much of each passage, and why the rest is missing."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trail_callbacks.capture.match import Text, overlap
from trail_callbacks.capture.runs import CapturedRun
from trail_callbacks.graph import Edge, Node
from trail_callbacks.models.tokens import count
from trail_callbacks.trace.rerankings import Selection, selections
from trail_callbacks.trace.retrievals import Reading, bringers
from trail_callbacks.trace.steps import Dropped, Packed, Packing

_LITTLE = 0.5  # a smaller share of words found in any order says nothing unless a part of the text is found as it is


class _Form(NamedTuple):
    """A passage as a step returned it."""

    end: float
    rank: int
    node: Node | None


@dataclass(slots=True)
class _Passage:
    """A passage that a run retrieved."""

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
    edges = _edges(reading.graph.edges)
    changes = sorted(
        {form.end for each in passages for form in each.forms} | {end for p in passages for end in p.dropped}
    )
    stages: dict[int, _Stage] = {}
    found = []
    for run in reading.runs:
        changed = bisect_left(changes, run.start)
        if run.kind == "model" and changed:
            if changed not in stages:
                stages[changed] = _Stage(passages, run.start)
            found.append(_packing(reading, run, stages[changed], edges))
    return tuple(found)


def _passages(reading: Reading) -> list[_Passage]:
    found: dict[str, _Passage] = {}
    for run, brought in reading.once(bringers):
        for rank, (_, node) in enumerate(brought, 1):
            passage = found.get(node.id)
            if passage is None:
                passage = found[node.id] = _Passage(node, run.end, tokens=count(node.text))
            passage.end = min(passage.end, run.end)
            passage.forms.append(_Form(run.end, rank, node))
    by_form = dict(found)
    for selection in sorted(reading.once(selections), key=lambda each: each.run.end):
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


class _Stage:
    """The passages at one time of a run, the same for all calls until the next step changes them."""

    def __init__(self, passages: Sequence[_Passage], start: int) -> None:
        self.passages = [each for each in passages if each.end < start]
        last = [each.last(start) for each in self.passages]
        ranked = sorted(range(len(last)), key=lambda i: (last[i].end, last[i].rank))
        self.place = [0] * len(ranked)
        for place, i in enumerate(ranked):
            self.place[i] = place
        self.forms = [_texts(each, start) for each in self.passages]
        self.by_node = {node.id: i for i, forms in enumerate(self.forms) for node in forms}
        self._twins: dict[str, list[Node]] = defaultdict(list)
        for each in self.passages:
            self._twins[each.node.text.strip()].append(each.node)
        self.gone = [_gone(each, form, start) for each, form in zip(self.passages, last, strict=True)]
        self.missing: dict[tuple[int, Dropped], Packed] = {}

    def with_twins(self, reach: dict[str, float]) -> dict[str, float]:
        """Adds the passages with the same text as one that a model read: only one of them has an edge in the graph."""
        for nodes in self._twins.values():
            if len(nodes) > 1 and (read := [reach[node.id] for node in nodes if node.id in reach]):
                reach.update((node.id, max(read)) for node in nodes)
        return reach

    def without(self, i: int, why: Dropped) -> Packed:
        """Returns the value for a passage that is not in a prompt."""
        known = self.missing.get((i, why))
        if known is None:
            node_id = self.passages[i].node.id
            known = self.missing[i, why] = Packed(node_id=node_id, order=None, tokens=0, arrived=0.0, dropped=why)
        return known


def _texts(passage: _Passage, start: int) -> list[Node]:
    """The nodes that a passage can be in a prompt as, the latest first; what was cut to nothing is not there before."""
    nodes: list[Node] = []
    for form in sorted((form for form in passage.forms if form.end < start), key=lambda form: -form.end):
        if form.node is None:
            break
        nodes.append(form.node)
    return nodes


def _gone(passage: _Passage, last: _Form, start: int) -> Dropped | None:
    if any(last.end <= end < start for end in passage.dropped):
        return "reranker"
    return "cut" if last.node is None else None


def _packing(reading: Reading, run: CapturedRun, stage: _Stage, edges: Mapping[str, Sequence[Edge]]) -> Packing:
    prompt = "\n".join(slot.piece.text for slot in run.inputs)
    written = reading.written(run)
    reach = stage.with_twins(_reach(reading, written, edges)) if written else None
    places = PromptPlaces(prompt)
    shares: dict[int, float] = {}
    starts: dict[int, int] = {}
    near = (
        range(len(stage.passages)) if reach is None else sorted({stage.by_node[i] for i in reach if i in stage.by_node})
    )
    for i in near:
        share, start = _arrived(stage.passages[i], stage.forms[i], reach, places)
        if share > 0:
            shares[i] = share
            starts[i] = len(prompt) if start is None else start
    order = {i: place for place, i in enumerate(sorted(shares, key=lambda i: (starts[i], i)), 1)}
    why = _Reasons(stage, shares, reach or {})
    pieces = tuple(
        Packed(node_id=each.node.id, order=order[i], tokens=round(each.tokens * shares[i]), arrived=shares[i])
        if i in order
        else stage.without(i, why.of(i))
        for i, each in enumerate(stage.passages)
    )
    packer = _packer(reading, run, stage)
    return Packing(
        run_id=run.id,
        step=run.step,
        pieces=pieces,
        tokens=count(prompt),
        packer=packer.step if packer else None,
        packer_id=packer.id if packer else None,
    )


def _packer(reading: Reading, run: CapturedRun, stage: _Stage) -> CapturedRun | None:
    """The last step of code before a model's call, or around it, that was given passages and passed on none."""
    for step, given in reversed(reading.once(_code)):
        around = run.within(step)
        if (step.end < run.start or around) and not given.isdisjoint(stage.by_node):
            return step
    return None


def _code(reading: Reading) -> list[tuple[CapturedRun, set[str]]]:
    """The steps of code that were given documents and made something else of them, with the documents' nodes."""
    found = []
    for run in reading.runs:
        given = reading.documents(run.inputs) if run.kind == "chain" else []
        if given and not reading.documents(run.outputs):
            found.append((run, {node.id for slot in given if (node := reading.node(slot)) is not None}))
    return found


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
    passage: _Passage, forms: Sequence[Node], reach: Mapping[str, float] | None, places: PromptPlaces
) -> tuple[float, int | None]:
    """How much of a passage is in a prompt, and where it begins there, if that can be told."""
    for node in forms:
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

    def __init__(self, stage: _Stage, shares: Mapping[int, float], reach: Mapping[str, float]) -> None:
        self._stage = stage
        self._reach = reach
        there = sorted(shares, key=lambda i: stage.place[i])
        self._places = [stage.place[i] for i in there]
        self._cut = bool(there) and shares[there[-1]] < 1.0  # the text ends inside the lowest of them
        self._whole = all(share >= 1.0 for share in shares.values())
        self._longest: list[int] = []  # of those in the prompt from each place on, in tokens
        for i in reversed(there):
            self._longest.append(max(stage.passages[i].tokens, *self._longest[-1:], 0))
        self._longest.reverse()

    def of(self, i: int) -> Dropped:
        """Returns the reason for one that is not in the prompt."""
        stage = self._stage
        gone, passage = stage.gone[i], stage.passages[i]
        if gone is not None:
            return gone
        if self._reach.get(passage.node.id) == 0.0:
            return "cut"  # it was an input of the prompt, and nothing of it is there
        if not self._places:
            return "unknown"
        below = bisect_left(self._places, stage.place[i])
        if below == len(self._places):  # all in the prompt rank above it
            if self._cut:
                return "cut"  # the text was cut inside the one before
            return "cutoff" if self._whole else "unknown"
        return "budget" if passage.tokens > self._longest[below] else "unknown"


_NEAR = 4_000  # characters after the passage before
_HEAD = 40  # characters by which a passage that was cut is found
_SEARCHES = 200  # word by word; more of them would take longer than anybody waits


class PromptPlaces:
    """Finds passages in one prompt."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._at = 0
        self._text = Text(prompt)
        self._searches = 0

    def whole(self, text: str) -> int | None:
        """Returns where a text begins that the prompt holds as it is."""
        return self._find(text.strip())

    def part(self, text: str) -> int | None:
        """Returns where the beginning of a text stands, or the first part of it that is there."""
        head = text.strip()[:_HEAD].strip()
        found = self._find(head) if head else None
        if found is None and self._searches < _SEARCHES:
            self._searches += 1
            match = overlap(Text(text), self._text)
            found = min(start for start, _ in match.spans) if match else None
        return found

    def _find(self, text: str) -> int | None:
        if not text:
            return None
        found = self._prompt.find(text, self._at, self._at + _NEAR + len(text))
        if found < 0:
            found = self._prompt.find(text)
        if found < 0:
            return None
        self._at = found + len(text)
        return found
