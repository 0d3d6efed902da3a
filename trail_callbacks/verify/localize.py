"""Where unsupported content entered: a walk back from the answer, one layer of intermediate outputs at a time.

A claim that no leaf supports is looked for in the model outputs that fed the answer. Where one of them states it, the
walk goes on with that one's inputs; where none does, the last that stated it introduced it. This is the backward
search of VeriTrail (Metropolitansky and Larson, 2025) turned round: the sources are audited first, so only claims
known to be unsupported pay for a walk, and all of them share the reading of a layer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Judgement, Question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["Origin", "localize"]


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


@dataclass(slots=True)
class _Walk:
    """The state of one claim's walk."""

    claim: Claim
    stated: list[Node]  # in the layer last looked at
    later: list[Node] = field(default_factory=list)  # in the layers before it
    seen: set[str] = field(default_factory=set)
    history: list[Layer] = field(default_factory=list)
    failed: bool = False

    def origin(self) -> Origin:
        if self.failed:
            return Origin(introduced_at=None, carried_through=(), history=tuple(self.history))
        # A layer may hold a node and its own input, so the order is that of the graph, not of the walk.
        first, *others = sorted([*self.stated, *self.later], key=lambda node: node.stage or 0)
        repeats = tuple(node.id for node in others if (node.stage or 0) > (first.stage or 0))
        return Origin(introduced_at=first.id, carried_through=repeats, history=tuple(self.history))


def localize(
    graph: ProvenanceGraph, claims: Sequence[Claim], judge: Judge, options: VerifyOptions
) -> Pipeline[dict[str, Origin]]:
    """Finds the origin of claims that the sources do not support.

    Args:
        graph: The graph; it has an answer.
        claims: Unsupported claims of the answer.
        judge: Asked, once a layer for all claims that need it, which outputs state which claim.
        options: Settings.

    Returns:
        An origin for each claim, by claim id.
    """
    if graph.answer is None:
        return {}
    walks = [_Walk(claim, [graph.answer]) for claim in claims]
    active = {walk.claim.id: walk for walk in walks}
    while active:
        layers = {id_: _before(graph, walk) for id_, walk in active.items()}
        for id_ in [id_ for id_, layer in layers.items() if not layer]:
            del active[id_], layers[id_]
        if not active:
            break
        questions = _questions({id_: active[id_].claim for id_ in layers}, layers, options)
        assessment = yield from judge.assess(questions, "localize")
        by_claim = {judgement.claim_id: judgement for judgement in assessment.judgements}
        for id_, layer in layers.items():
            walk, judgement = active[id_], by_claim.get(id_)
            walk.seen.update(node.id for node in layer)
            looked = tuple(node.id for node in layer)
            if judgement is None or judgement.error is not None:
                walk.failed = True
                note = judgement.error if judgement and judgement.error else "the judge gave no answer"
                walk.history.append(Layer(nodes=looked, note=f"undetermined: {note}"))
                del active[id_]
                continue
            stating = _stating(layer, judgement)
            walk.history.append(
                Layer(nodes=looked, stated_by=tuple(node.id for node in stating), note=judgement.rationale)
            )
            if not stating:
                del active[id_]
                continue
            walk.later += walk.stated
            walk.stated = stating
    return {walk.claim.id: walk.origin() for walk in walks}


def _before(graph: ProvenanceGraph, walk: _Walk) -> list[Node]:
    """What models wrote among the inputs of the nodes that state the claim."""
    inputs = {node.id: node for stated in walk.stated for node in graph.inputs(stated.id)}
    return [node for node in inputs.values() if node.kind == "completion" and node.id not in walk.seen]


def _stating(layer: Sequence[Node], judgement: Judgement) -> list[Node]:
    """The nodes that the judge named, and those that repeat another's words: it was shown only one of the copies."""
    if judgement.support is not SupportClass.SUPPORTED:
        return []
    quotes: dict[str, list[str]] = defaultdict(list)
    for item in judgement.evidence:
        if item.relation == "supports":
            quotes[item.node_id].append(item.quote)
    return [
        node
        for node in layer
        if node.id in quotes or any(all(_holds(node.text, quote) for quote in said) for said in quotes.values())
    ]


def _holds(text: str, quote: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", text) is not None


def _questions(
    claims: Mapping[str, Claim], layers: Mapping[str, Sequence[Node]], options: VerifyOptions
) -> list[Question]:
    """One question a claim, about its own layer; a passage has one id, whichever claims it is shown for."""
    ids: dict[tuple[str, int, int], str] = {}
    questions = []
    for id_, layer in layers.items():
        found = candidates([claims[id_]], layer, options.passages)[id_]
        keys = [(passage.node_id, passage.start, passage.end) for passage in found]
        passages = tuple(
            replace(passage, id=ids.setdefault(key, f"s{len(ids) + 1}"))
            for passage, key in zip(found, keys, strict=True)
        )
        questions.append(Question(claim=claims[id_], passages=passages))
    return questions
