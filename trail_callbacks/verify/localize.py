"""Localisation: where unsupported claims were introduced, by a walk back from the answer over model outputs.

A claim that no leaf supports is searched for in the model outputs upstream of the answer. From an output that states
it, the walk continues with the inputs of that output; if none of them states it, the output introduced it. This is the
backward search of VeriTrail (Metropolitansky and Larson, 2025) in reverse order: sources are audited first, so only
unsupported claims cost a walk, and all of them share the reading of a text.

A walk reads ahead, see `Backtrace`. In a very wide layer only outputs that share most words with the claim are read.

An error often begins smaller than it ends: "two nurses in Oslo" becomes "nurses in Norway", then "nurses". So the judge
is shown beside a claim what the sources say instead, and an output that departs from them in the same way states it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, Passage, candidates
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Question, matched
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.text import sentences
from trail_callbacks.verify.backtrace import READ, Backtrace, Introduction, speaks

_WIDE = 48  # outputs of one layer that are read for one claim
_PER_NODE = 2  # sentences of each output that are read at least
_QUOTES = 2  # of the sources, shown beside a claim
_LONG_QUOTE = 160  # characters; of a longer one its nearest sentence is shown, whole
_LONGEST_QUOTE = 600  # characters; as a passage, what has no sentences is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An unsupported claim with its unsupported parts.

    Attributes:
        claim: The claim.
        faults: The parts that depart from the evidence, each as a statement; empty means the whole claim.
        evidence: What the sources say about it.
    """

    claim: Claim
    faults: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Introductions:
    """Where claims were introduced, by claim id, and the judge's warnings."""

    by_claim: dict[str, Introduction]
    warnings: tuple[str, ...] = ()


def localize(graph: ProvenanceGraph, suspects: Sequence[Suspect], judge: Judge) -> Pipeline[Introductions]:
    """Finds where claims that the sources do not support were introduced.

    The faults of a claim are traced separately; the claim was introduced where the earliest of them was, and its
    history covers them all.
    """
    if graph.answer is None:
        return Introductions(by_claim={})
    walks = [Backtrace(graph, suspect.claim, statement) for suspect in suspects for statement in _statements(suspect)]
    silent = [node for node in graph.upstream(graph.answer.id) if node.kind == "completion" and not speaks(node.text)]
    for walk in walks:
        walk.dismiss([node for node in silent if not walk.may_hold(node)], "Not read: it only labels, asks or calls.")
    evidence = {suspect.claim.id: suspect.evidence for suspect in suspects}
    warnings: list[str] = []
    while asked := [(walk, group) for walk in walks for group in _groups(walk, walk.wanted())]:
        questions = _questions(asked, evidence)
        assessment = yield from judge.assess(questions, "localize")
        warnings += assessment.warnings
        for (walk, group), judgement in zip(asked, matched(questions, assessment.judgements), strict=True):
            walk.learn(group, judgement)
    introductions: dict[str, list[Introduction]] = defaultdict(list)
    for walk in walks:
        introductions[walk.claim.id].append(walk.introduction())
    return Introductions(
        by_claim={id_: _first(graph, several) for id_, several in introductions.items()},
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _statements(suspect: Suspect) -> Sequence[str]:
    return list(dict.fromkeys(fault for fault in suspect.faults if fault.strip())) or [suspect.claim.text]


def _groups(walk: Backtrace, nodes: Sequence[Node]) -> list[Sequence[Node]]:
    """Nodes in groups that fit one question; of a very wide layer only those that share most with the claim."""
    if len(nodes) > _WIDE:
        near = {passage.node_id for passage in candidates([_searched(walk)], nodes, _WIDE)[walk.claim.id]}
        far = [node for node in nodes if node.id not in near]
        walk.dismiss(far, "Not read: other outputs share more words with the claim.")
        nodes = [node for node in nodes if node.id in near]
    return [nodes[i : i + READ] for i in range(0, len(nodes), READ)]


def _questions(
    asked: Sequence[tuple[Backtrace, Sequence[Node]]], evidence: Mapping[str, Sequence[Evidence]]
) -> list[Question]:
    """One question for each group of nodes; a passage has the same id in all of them."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, (_, nodes) in enumerate(asked):
        groups[tuple(node.id for node in nodes)].append(i)
    found: dict[str, tuple[Passage, ...]] = {}
    for indices in groups.values():  # texts are split once for all the questions about them
        claims = [replace(_searched(asked[i][0]), id=str(i)) for i in indices]
        found |= candidates(claims, asked[indices[0]][1], per_node=_PER_NODE)
    ids: dict[tuple[str, int, int], str] = {}
    questions = []
    for i, (walk, _) in enumerate(asked):
        passages = tuple(
            replace(each, id=ids.setdefault((each.node_id, each.start, each.end), f"s{len(ids) + 1}"))
            for each in found[str(i)]
        )
        claim = replace(walk.claim, text=walk.statement)
        quotes = _quotes(evidence[claim.id], walk.statement)
        questions.append(Question(claim=claim, passages=passages, departs_from=quotes))
    return questions


def _quotes(evidence: Sequence[Evidence], statement: str) -> tuple[str, ...]:
    """What the sources say, first where they contradict it; of a long passage the sentence nearest to the statement."""
    from trail_callbacks.evidence.spans import clip  # noqa: PLC0415 - capturing a run does not need it

    asked = set(keys(statement))
    nearest = sorted(evidence, key=lambda item: item.relation != "contradicts")[:_QUOTES]
    return tuple(clip(_part(item.quote, asked), size=_LONGEST_QUOTE) for item in nearest)


def _part(quote: str, asked: set[str]) -> str:
    if len(quote) <= _LONG_QUOTE:
        return quote
    # A field of JSON is one quotation, in which no sentence ends.
    parts = [quote[sentence.start : sentence.end] for sentence in sentences(quote.replace('"', " "))] or [quote]
    return max(parts, key=lambda part: len(asked.intersection(keys(part))))


def _searched(walk: Backtrace) -> Claim:
    """The statement, with the wording in which it was last found, as a query for passages."""
    return replace(walk.claim, text=" ".join([walk.statement, *walk.wording[-2:]]))


def _first(graph: ProvenanceGraph, introductions: Sequence[Introduction]) -> Introduction:
    """The earliest known introduction, with the history of all."""
    history = tuple(layer for each in introductions for layer in each.history)
    known = [(graph.node(each.introduced_at).stage or 0, each) for each in introductions if each.introduced_at]
    if not known:
        return Introduction(introduced_at=None, carried_through=(), history=history)
    return replace(min(known, key=lambda pair: pair[0])[1], history=history)
