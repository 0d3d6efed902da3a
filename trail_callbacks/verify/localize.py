"""Localisation: where unsupported claims were introduced, by a walk back from the answer over model outputs.

A claim that no leaf supports is searched for in the model outputs upstream of the answer. From an output that states
it, the walk continues with the inputs of that output; if none of them states it, the output introduced it. This is the
backward search of VeriTrail (Metropolitansky and Larson, 2025) in reverse order: sources are audited first, so only
unsupported claims cost a walk, and all of them share the reading of a text.

A call costs more than a few more sentences in it, so a walk reads ahead, see `Backtrace`. In a very wide layer only the
outputs that share most words with the claim are read.

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
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["Introductions", "Suspect", "localize"]

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
    """The result of a localisation.

    Attributes:
        by_claim: Where each claim was introduced, by claim id.
        warnings: See `Assessment`.
    """

    by_claim: dict[str, Introduction]
    warnings: tuple[str, ...] = ()


def localize(
    graph: ProvenanceGraph, suspects: Sequence[Suspect], judge: Judge, options: VerifyOptions
) -> Pipeline[Introductions]:
    """Finds where claims that the sources do not support were introduced.

    The faults of a claim are traced separately; the claim was introduced where the earliest of them was, and its
    history covers them all.

    Args:
        graph: The graph; it has an answer.
        suspects: Unsupported claims of the answer.
        judge: Decides, for all claims together, which outputs state which of them.
        options: Settings.
    """
    if graph.answer is None:
        return Introductions(by_claim={})
    walks = [Backtrace(graph, suspect.claim, statement) for suspect in suspects for statement in _statements(suspect)]
    silent = [node for node in graph.upstream(graph.answer.id) if node.kind == "completion" and not speaks(node.text)]
    for walk in walks:
        walk.dismiss([node for node in silent if not walk.may_hold(node)], "Not read: it only labels, asks or calls.")
    evidence = {suspect.claim.id: suspect.evidence for suspect in suspects}
    warnings: list[str] = []
    while reading := [(walk, nodes) for walk in walks if (nodes := walk.wanted())]:
        asked = [(walk, group) for walk, nodes in reading for group in _groups(walk, nodes)]
        questions = _questions(asked, evidence, options)
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


def _groups(walk: Backtrace, nodes: Sequence[Node]) -> list[list[Node]]:
    """Nodes in groups that fit one question; of a very wide layer only those that share most with the claim."""
    if len(nodes) > _WIDE:
        near = {passage.node_id for passage in candidates([_searched(walk)], nodes, _WIDE)[walk.claim.id]}
        far = [node for node in nodes if node.id not in near]
        walk.dismiss(far, "Not read: other outputs share more words with the claim.")
        nodes = [node for node in nodes if node.id in near]
    return [list(nodes[i : i + READ]) for i in range(0, len(nodes), READ)]


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


def _questions(
    asked: Sequence[tuple[Backtrace, Sequence[Node]]],
    evidence: Mapping[str, Sequence[Evidence]],
    options: VerifyOptions,
) -> list[Question]:
    """One question for each group of nodes; a passage has the same id in all of them."""
    ids: dict[tuple[str, int, int], str] = {}
    questions = []
    for (walk, _), chosen in zip(asked, _chosen(asked, options), strict=True):
        places = [(passage.node_id, passage.start, passage.end) for passage in chosen]
        passages = tuple(
            replace(passage, id=ids.setdefault(place, f"s{len(ids) + 1}"))
            for passage, place in zip(chosen, places, strict=True)
        )
        claim = replace(walk.claim, text=walk.statement)
        questions.append(
            Question(claim=claim, passages=passages, departs_from=_quotes(evidence[claim.id], walk.statement))
        )
    return questions


def _chosen(asked: Sequence[tuple[Backtrace, Sequence[Node]]], options: VerifyOptions) -> list[tuple[Passage, ...]]:
    """The passages for each question; texts are split once for all the questions about them."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, (_, nodes) in enumerate(asked):
        groups[tuple(node.id for node in nodes)].append(i)
    found: dict[str, tuple[Passage, ...]] = {}
    for indices in groups.values():
        claims = [replace(_searched(asked[i][0]), id=str(i)) for i in indices]
        found |= candidates(claims, asked[indices[0]][1], options.passages, per_node=_PER_NODE)
    return [found[str(i)] for i in range(len(asked))]


def _searched(walk: Backtrace) -> Claim:
    """The statement, with the wording in which it was last found, as a query for passages."""
    return replace(walk.claim, text=" ".join([walk.statement, *walk.wording[-2:]]))


def _first(graph: ProvenanceGraph, introductions: Sequence[Introduction]) -> Introduction:
    """The earliest known introduction, with the history of all."""
    known = [each for each in introductions if each.introduced_at is not None]
    history = tuple(layer for each in introductions for layer in each.history)
    if not known:
        return Introduction(introduced_at=None, carried_through=(), history=history)
    stages = {node.id: node.stage or 0 for node in graph.nodes}
    first = min(known, key=lambda each: stages[each.introduced_at or ""])
    return replace(first, history=history)
