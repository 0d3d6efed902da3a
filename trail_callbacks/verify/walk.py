"""The walk of one claim back from the answer: evidence of a layer, an interim verdict on it, the next layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count
from typing import Literal, TypeAlias

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage, whole
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judgement, SearchResult, absent
from trail_callbacks.report import Layer, Selected, Summary
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.localize import Introduction, carriers

_Interim: TypeAlias = Literal["fully supported", "not fully supported", "inconclusive", "undecided"]

LONGEST = 24_000
"""Characters of evidence for one verdict."""


def length(passages: Sequence[Passage]) -> int:
    """Counts the characters of passages."""
    return sum(len(passage.text) for passage in passages)


class PassageCache:
    """The passages of nodes, each with one id that all claims and layers share."""

    def __init__(self) -> None:
        self._by_node: dict[str, tuple[Passage, ...]] = {}
        self._ids = (f"s{n}" for n in count(1))

    def of(self, *nodes: Node) -> tuple[Passage, ...]:
        """All passages of some nodes."""
        for node in nodes:
            if node.id not in self._by_node:
                found = whole([node], context=True)
                self._by_node[node.id] = tuple(replace(each, id=next(self._ids)) for each in found)
        return tuple(passage for node in nodes for passage in self._by_node[node.id])

    def summary(self, node: Node, text: str) -> Passage:
        """A summary as a passage: shown to a judge, and no evidence."""
        return Passage(id=next(self._ids), node_id=node.id, start=0, end=0, text=text)


@dataclass(slots=True, eq=False)
class Walk:
    """The state of a walk. Names in comments are those of the published pseudo-code."""

    graph: ProvenanceGraph
    claim: Claim
    parts: tuple[str, ...]
    q: int
    tells_summaries: bool = False
    layer: list[Node] = field(init=False)  # cand
    selected: dict[str, tuple[Passage, ...]] = field(default_factory=dict)
    summaries: dict[str, str] = field(default_factory=dict)
    steps: list[tuple[_Interim, Layer]] = field(default_factory=list)
    row: int = 0  # nfs_run
    judgement: Judgement | None = None
    failure: str | None = None

    def __post_init__(self) -> None:
        """Starts at the inputs of the answer."""
        self.layer = self._before([self.graph.answer] if self.graph.answer else [])

    def _before(self, nodes: Sequence[Node]) -> list[Node]:
        """The inputs of outputs, src(v) in the paper: a source is a root, even if a query led to it."""
        found = {node.id: node for above in nodes if not above.is_evidence for node in self.graph.inputs(above.id)}
        return [node for node in found.values() if node.text.strip()]

    def unread(self) -> list[Node]:
        """The nodes of the layer from which no evidence was selected yet."""
        return [node for node in self.layer if node.id not in self.selected]

    def take(self, nodes: Sequence[Node], selection: SearchResult) -> None:
        """Stores the evidence selected from nodes."""
        if selection.error is not None:
            self.failure = selection.error
            return
        for node in nodes:
            mine = dict.fromkeys(p for p in selection.passages if p.node_id == node.id)
            self.selected[node.id] = tuple(p for p in mine if p.start < p.end and node.text[p.start : p.end] == p.text)
        self.summaries |= {id_: text for id_, text in selection.summaries.items() if text.strip()}

    def evidence(self) -> tuple[Passage, ...]:
        """The evidence selected from the nodes of the layer."""
        return tuple(passage for node in self.layer for passage in self.selected.get(node.id, ()))

    def context(self, cache: PassageCache, *, brief: bool = False) -> list[Passage]:
        """The text for a verdict: summaries of outputs, sources in full, or in brief only what was selected of them."""
        context: list[Passage] = []
        for node in self.layer:
            chosen = self.selected.get(node.id, ())
            if chosen and not brief and node.is_evidence and len(node.text) <= LONGEST // 4:
                context += cache.of(node)  # single sentences lose what they refer to
            elif chosen and not node.is_evidence and node.id in self.summaries:
                context.append(cache.summary(node, self.summaries[node.id]))
            else:
                context += chosen
        return context

    def shown(self, cache: PassageCache) -> tuple[tuple[Passage, ...], bool]:
        """What a verdict is made from, and whether that is all: too long, it is shown in brief, as far as it goes."""
        context = self.context(cache)
        if length(context) > LONGEST:
            context = self.context(cache, brief=True)
        ends = accumulate(len(passage.text) for passage in context)
        fit = tuple(
            passage for n, (passage, end) in enumerate(zip(context, ends, strict=True)) if end <= LONGEST or not n
        )
        return fit, len(fit) == len(context)

    def advance(self, judgement: Judgement) -> None:
        """Records an interim verdict, and ends the walk or moves on to the next layer."""
        if judgement.error is not None:
            self.judgement = judgement
            return
        verdict = _interim(judgement)
        gave = [node for node in self.layer if self.selected.get(node.id)]
        self.steps.append((verdict, self._told(verdict, judgement, gave)))
        self.row = self.row + 1 if verdict == "not fully supported" else 0
        base = self.layer if verdict == "not fully supported" else gave
        sources = [node for node in gave if node.is_evidence]
        following = {node.id: node for node in (*self._before(base), *sources)}
        if not following and verdict in {"fully supported", "inconclusive"}:  # stop 2
            judgement = absent(self.claim.id, "The outputs that state it have no recorded inputs.")
        settled = {node.id for node in sources}.issuperset(following) and len(gave) == len(sources)
        if self.row == self.q or not following or settled:  # stop 3; stop 1: only sources left, judged without outputs
            self.judgement = judgement
        self.layer = list(following.values())

    def _told(self, verdict: _Interim, judgement: Judgement, gave: Sequence[Node]) -> Layer:
        """A step as the report tells it; of the nodes with evidence those that the verdict cites state the claim."""
        named = {item.node_id for item in judgement.evidence if item.relation == "supports"}
        stating = [node.id for node in gave if node.id in named] or [node.id for node in gave]
        told = [node.id for node in gave if node.id in self.summaries] if self.tells_summaries else []
        return Layer(
            nodes=tuple(node.id for node in self.layer),
            stated_by=tuple(stating) if verdict == "fully supported" else (),
            note=f"{verdict}: {judgement.undecided or judgement.rationale}",
            selected=tuple(
                Selected(node_id=p.node_id, start=p.start, end=p.end, quote=p.text) for p in self.evidence()
            ),
            summaries=tuple(Summary(node_id=id_, text=self.summaries[id_]) for id_ in told),
        )

    def final(self) -> Judgement:
        """The final verdict: the last one; where sources disagree it is `supported`, with evidence on both sides."""
        judgement = self.judgement or Judgement(claim_id=self.claim.id, error="the walk did not end")
        if judgement.error is None and judgement.support is SupportClass.UNEVALUATABLE:
            return replace(judgement, rationale=f"Inconclusive. {judgement.rationale}")
        return judgement

    def introduction(self) -> Introduction:
        """The error stage, as a node: the one with evidence for the last full support, although its inputs had none."""
        history = tuple(layer for _, layer in self.steps)
        unknown = Introduction(introduced_at=None, carried_through=(), history=history)
        last, answer = self.judgement, self.graph.answer
        if last is None or last.error is not None or answer is None or _interim(last) != "not fully supported":
            return unknown
        full = [layer for verdict, layer in self.steps if verdict == "fully supported"]
        if not full:
            clear = all(verdict == "not fully supported" for verdict, _ in self.steps)
            return replace(unknown, introduced_at=answer.id) if clear else unknown
        outputs = [[id_ for id_ in layer.stated_by if not self.graph.node(id_).is_evidence] for layer in full]
        if not outputs[-1]:
            return unknown
        first = min(outputs[-1], key=lambda id_: self.graph.node(id_).stage or 0)
        stating = [id_ for ids in (*outputs, [answer.id]) for id_ in ids]
        return replace(unknown, introduced_at=first, carried_through=carriers(self.graph, first, stating))


def _interim(judgement: Judgement) -> _Interim:
    """Maps a judgement to one of the three published verdicts, or to none of them: the judge abstained."""
    if judgement.undecided is not None:
        return "undecided"
    if judgement.support is SupportClass.UNEVALUATABLE or judgement.conflicting:
        return "inconclusive"
    return "fully supported" if judgement.support is SupportClass.SUPPORTED else "not fully supported"
