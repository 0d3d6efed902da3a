"""Where unsupported content entered: a walk back from the answer over the intermediate outputs that fed it.

A claim that no leaf supports is looked for in the model outputs upstream of the answer. Where one of them states it,
the walk goes on with that one's inputs; where none does, the last that stated it introduced it. This is the backward
search of VeriTrail (Metropolitansky and Larson, 2025) turned round: the sources are audited first, so only claims known
to be unsupported pay for a walk, and all of them share the reading of a text.

A call costs more than a few sentences in it, so a walk reads ahead, see `Trace`. Of a very wide layer only the outputs
that share most with the claim are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Question, matched
from trail_callbacks.models.call import Pipeline
from trail_callbacks.verify.findings import Origin, Origins
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.trace import READ, Trace

__all__ = ["Suspect", "localize"]

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
    walks = [Trace(graph, suspect.claim, statement) for suspect in suspects for statement in _statements(suspect)]
    warnings: list[str] = []
    while reading := [(walk, nodes) for walk in walks if (nodes := walk.wanted())]:
        asked = [(walk, group) for walk, nodes in reading for group in _groups(walk, nodes)]
        questions = _questions(asked, options)
        assessment = yield from judge.assess(questions, "localize")
        warnings += assessment.warnings
        for (walk, group), judgement in zip(asked, matched(questions, assessment.judgements), strict=True):
            walk.learn(group, judgement)
    origins: dict[str, list[Origin]] = defaultdict(list)
    for walk in walks:
        origins[walk.claim.id].append(walk.origin())
    return Origins(
        by_claim={id_: _first(graph, several) for id_, several in origins.items()},
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _statements(suspect: Suspect) -> Sequence[str]:
    return list(dict.fromkeys(fault for fault in suspect.faults if fault.strip())) or [suspect.claim.text]


def _groups(walk: Trace, nodes: Sequence[Node]) -> list[list[Node]]:
    """What one question can hold; of a very wide layer only the nodes that share most with the claim."""
    if len(nodes) > _WIDE:
        near = {passage.node_id for passage in candidates([_searched(walk)], nodes, _WIDE)[walk.claim.id]}
        walk.dismiss([node for node in nodes if node.id not in near], "Not read: others share more with the claim.")
        nodes = [node for node in nodes if node.id in near]
    return [list(nodes[i : i + READ]) for i in range(0, len(nodes), READ)]


def _questions(asked: Sequence[tuple[Trace, Sequence[Node]]], options: VerifyOptions) -> list[Question]:
    """One question a group of nodes; a passage has one id, whichever statements it is shown for."""
    ids: dict[tuple[str, int, int], str] = {}
    questions = []
    for walk, nodes in asked:
        chosen = candidates([_searched(walk)], nodes, options.passages, per_node=_PER_NODE)[walk.claim.id]
        keys = [(passage.node_id, passage.start, passage.end) for passage in chosen]
        passages = tuple(
            replace(passage, id=ids.setdefault(key, f"s{len(ids) + 1}"))
            for passage, key in zip(chosen, keys, strict=True)
        )
        questions.append(Question(claim=replace(walk.claim, text=walk.statement), passages=passages))
    return questions


def _searched(walk: Trace) -> Claim:
    """The statement, with the words in which it was last found."""
    return replace(walk.claim, text=" ".join([walk.statement, *walk.wording[-2:]]))


def _first(graph: ProvenanceGraph, origins: Sequence[Origin]) -> Origin:
    """The earliest of the origins that are known, with the history of all."""
    known = [origin for origin in origins if origin.introduced_at is not None]
    history = tuple(layer for origin in origins for layer in origin.history)
    if not known:
        return Origin(introduced_at=None, carried_through=(), history=history)
    stages = {node.id: node.stage or 0 for node in graph.nodes}
    first = min(known, key=lambda origin: stages[origin.introduced_at or ""])
    return replace(first, history=history)
