"""Where unsupported content entered: a walk back from the answer over the intermediate outputs that fed it.

A claim that no leaf supports is looked for in the model outputs upstream of the answer. Where one of them states it,
the walk goes on with that one's inputs; where none does, the last that stated it introduced it. This is the backward
search of VeriTrail (Metropolitansky and Larson, 2025) turned round: the sources are audited first, so only claims known
to be unsupported pay for a walk, and all of them share the reading of a text.

A call costs more than a few sentences in it, so a walk reads ahead: up to `_READ` outputs at once, the nearest first.
In a longer chain it reads as many, evenly spread, and goes on between the last that states the claim and the first that
does not: a search that divides by 13 instead of 2. Of a very wide layer only the outputs that share most with the claim
are read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Judgement, Question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["Origin", "Origins", "Suspect", "localize"]

_READ = 12  # outputs read at once for one claim
_WIDE = 48  # outputs of one layer that are read for one claim
_PER_NODE = 2  # sentences of each that are read at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An unsupported claim, and what in it is unsupported.

    Attributes:
        claim: The claim.
        faults: The parts that depart from the evidence, each a statement of its own; empty means the whole claim.
    """

    claim: Claim
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a claim came from.

    Attributes:
        introduced_at: The first node that states it; None if the judge failed on the way.
        carried_through: Later nodes that repeat it, ending with the answer.
        history: One entry a layer walked.
    """

    introduced_at: str | None
    carried_through: tuple[str, ...]
    history: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """The result of a localisation.

    Attributes:
        by_claim: An origin for each claim, by claim id.
        warnings: See `Assessment`.
        cache_hits: See `Assessment`.
    """

    by_claim: dict[str, Origin]
    warnings: tuple[str, ...] = ()
    cache_hits: int = 0


def localize(
    graph: ProvenanceGraph, suspects: Sequence[Suspect], judge: Judge, options: VerifyOptions
) -> Pipeline[Origins]:
    """Finds the origin of claims that the sources do not support.

    Of a claim with several faults each is followed by itself; the claim was introduced where the earliest was, and its
    history says where the others were.

    Args:
        graph: The graph; it has an answer.
        suspects: Unsupported claims of the answer.
        judge: Asked, for all claims together, which outputs state which of them.
        options: Settings.
    """
    if graph.answer is None:
        return Origins(by_claim={})
    walks = [
        _Walk(graph, suspect.claim, fault) for suspect in suspects for fault in suspect.faults or (suspect.claim.text,)
    ]
    warnings: list[str] = []
    cache_hits = 0
    while reading := [(walk, nodes) for walk in walks if (nodes := walk.wanted())]:
        asked = [(walk, group) for walk, nodes in reading for group in _groups(walk, nodes)]
        assessment = yield from judge.assess(_questions(asked, options), "localize")
        warnings += assessment.warnings
        cache_hits += assessment.cache_hits
        said = iter(assessment.judgements)
        for walk, group in asked:
            walk.learn(group, next(said, Judgement(claim_id=walk.claim.id, error="the judge gave no answer")))
    found: dict[str, list[Origin]] = defaultdict(list)
    for walk in walks:
        found[walk.claim.id].append(walk.origin())
    return Origins(
        by_claim={id_: _first(graph, origins) for id_, origins in found.items()},
        warnings=tuple(dict.fromkeys(warnings)),
        cache_hits=cache_hits,
    )


@dataclass(slots=True)
class _Walk:
    """The search for one statement."""

    graph: ProvenanceGraph
    claim: Claim
    statement: str
    stated: dict[str, bool] = field(default_factory=dict)  # what was read, by node
    wording: list[str] = field(default_factory=list)  # of those that state it: their inputs may resemble it more
    notes: dict[str, str] = field(default_factory=dict)  # what the judge said, by node
    failure: str = ""

    def wanted(self) -> list[Node]:
        """The outputs to read next; none when the walk is over."""
        if self.failure:
            return []
        gap = next((gap for layer in self._layers() for node in layer if (gap := self._gap(node))), None)
        if gap is None:
            return []
        if len(gap) > _READ and self._is_chain(gap):
            return [gap[(i + 1) * len(gap) // _READ - 1] for i in range(_READ)]
        return self._ahead(gap)

    def dismiss(self, nodes: Sequence[Node], note: str) -> None:
        """Takes it that nodes do not state it."""
        self.stated |= dict.fromkeys((node.id for node in nodes), False)
        self.notes |= dict.fromkeys((node.id for node in nodes), note)

    def learn(self, nodes: Sequence[Node], judgement: Judgement) -> None:
        """Takes over what the judge says about nodes it read."""
        if judgement.error is not None:
            self.failure = judgement.error
            return
        stating = _stating(nodes, judgement)
        for node in nodes:
            self.stated[node.id] = node.id in stating
            self.notes[node.id] = judgement.rationale
        self.wording += [quote for quotes in stating.values() for quote in quotes]

    def origin(self) -> Origin:
        layers = list(self._layers())
        history = [self._layer(layer) for layer in layers]
        if self.failure:
            unread = tuple(node.id for node in layers[-1]) if layers else ()
            history.append(Layer(nodes=unread, note=f"undetermined: {self.failure}", statement=self._part()))
            return Origin(introduced_at=None, carried_through=(), history=tuple(history))
        # A layer may hold a node and its own input, so the order is that of the graph, not of the walk.
        answer = self.graph.answer
        stating = [node for layer in layers for node in layer if self._states(node)]
        first, *others = sorted([*stating, *([answer] if answer else [])], key=lambda node: node.stage or 0)
        later = [node for node in others if any(before.id == first.id for before in self.graph.upstream(node.id))]
        return Origin(introduced_at=first.id, carried_through=tuple(node.id for node in later), history=tuple(history))

    def _layer(self, nodes: Sequence[Node]) -> Layer:
        notes = dict.fromkeys(self.notes[node.id] for node in nodes if node.id in self.notes)
        return Layer(
            nodes=tuple(node.id for node in nodes),
            stated_by=tuple(node.id for node in nodes if self._states(node)),
            note=" ".join(notes) or "Not read: it stands between outputs that state it.",
            statement=self._part(),
        )

    def _part(self) -> str:
        return "" if self.statement == self.claim.text else self.statement

    def _layers(self) -> list[list[Node]]:
        """The walk as far as it is known: the inputs of the answer, then those of the ones that state it, and so on."""
        answer = self.graph.answer
        layers: list[list[Node]] = []
        seen: set[str] = set()
        below = [answer] if answer is not None else []
        while below:
            layer = [node for node in self._before(below) if node.id not in seen]
            seen.update(node.id for node in layer)
            if layer:
                layers.append(layer)
            below = [node for node in layer if self._states(node)]
        return layers

    def _before(self, nodes: Sequence[Node]) -> list[Node]:
        """What models wrote among the inputs of some nodes."""
        inputs = {node.id: node for below in nodes for node in self.graph.inputs(below.id)}
        return [node for node in inputs.values() if node.kind == "completion"]

    def _states(self, node: Node) -> bool:
        """Whether a node states it: as read, or because it is the only way from one that does."""
        return self.stated[node.id] if node.id in self.stated else not self._gap(node)

    def _gap(self, node: Node) -> list[Node]:
        """The unread nodes from this one up its chain to the next that was read; none if they must be carriers."""
        gap = []
        while node.id not in self.stated:
            gap.append(node)
            before = self._before([node])
            if len(before) != 1:
                return gap
            node = before[0]
        return [] if self.stated[node.id] else gap

    def _is_chain(self, gap: Sequence[Node]) -> bool:
        """Whether nothing but this chain is left to read above its first node."""
        return all(len(self._before([node])) == 1 for node in gap[:-1])

    def _ahead(self, gap: Sequence[Node]) -> list[Node]:
        """All unread nodes of the layer that the walk has come to, and some of the layers above it, nearest first."""
        layer = [node for nodes in self._layers() for node in nodes if node.id not in self.stated and self._gap(node)]
        chosen = {node.id: node for node in (*gap[:1], *layer)}
        while layer and len(chosen) < _READ:
            layer = [n for n in self._before(layer) if n.id not in chosen and n.id not in self.stated]
            room = _READ - len(chosen)
            chosen |= {node.id: node for node in layer[:room]}
        return list(chosen.values())


def _groups(walk: _Walk, nodes: Sequence[Node]) -> list[list[Node]]:
    """What one question can hold; of a very wide layer only the nodes that share most with the claim."""
    if len(nodes) > _WIDE:
        near = {passage.node_id for passage in candidates([walk.claim], nodes, _WIDE)[walk.claim.id]}
        walk.dismiss([node for node in nodes if node.id not in near], "Not read: others share more with the claim.")
        nodes = [node for node in nodes if node.id in near]
    return [list(nodes[i : i + _READ]) for i in range(0, len(nodes), _READ)]


def _stating(nodes: Sequence[Node], judgement: Judgement) -> dict[str, list[str]]:
    """The nodes that the judge named, and those that repeat another's words, with the words."""
    if judgement.support is not SupportClass.SUPPORTED:
        return {}
    quotes: dict[str, list[str]] = defaultdict(list)
    for item in judgement.evidence:
        if item.relation == "supports":
            quotes[item.node_id].append(item.quote)
    copies = {
        node.id: said
        for node in nodes
        for said in quotes.values()
        if node.id not in quotes and all(_holds(node.text, quote) for quote in said)
    }
    return {**quotes, **copies}


def _holds(text: str, quote: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", text) is not None


def _questions(asked: Sequence[tuple[_Walk, Sequence[Node]]], options: VerifyOptions) -> list[Question]:
    """One question a group of nodes; a passage has one id, whichever statements it is shown for."""
    ids: dict[tuple[str, int, int], str] = {}
    questions = []
    for walk, nodes in asked:
        searched = replace(walk.claim, text=" ".join([walk.statement, *walk.wording[-2:]]))
        found = candidates([searched], nodes, options.passages, per_node=_PER_NODE)[walk.claim.id]
        keys = [(passage.node_id, passage.start, passage.end) for passage in found]
        passages = tuple(
            replace(passage, id=ids.setdefault(key, f"s{len(ids) + 1}"))
            for passage, key in zip(found, keys, strict=True)
        )
        questions.append(Question(claim=replace(walk.claim, text=walk.statement), passages=passages))
    return questions


def _first(graph: ProvenanceGraph, origins: Sequence[Origin]) -> Origin:
    """The earliest of the origins that are known, with the history of all."""
    known = [origin for origin in origins if origin.introduced_at is not None]
    history = tuple(layer for origin in origins for layer in origin.history)
    if not known:
        return Origin(introduced_at=None, carried_through=(), history=history)
    stages = {node.id: node.stage or 0 for node in graph.nodes}
    first = min(known, key=lambda origin: stages[origin.introduced_at or ""])
    return replace(first, history=history)
