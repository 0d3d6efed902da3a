"""Checking claims, and abstentions, against the leaves of the graph: an earlier hallucination must support nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, candidates
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Assessment, Judge, Judgement, Question, absent, matched, reads_whole
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.backtrace import Introduction
from trail_callbacks.verify.options import VerifyOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Judgements, and introductions if the strategy finds both at once.

    Attributes:
        judged: A judgement for each claim that was assessed, by claim id.
        introductions: Where unsupported claims were introduced, by claim id.
        warnings: See `Assessment`.
    """

    judged: dict[str, Judgement]
    introductions: dict[str, Introduction] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def audit(
    graph: ProvenanceGraph, claims: Sequence[Claim], leaves: Sequence[Node], judge: Judge, options: VerifyOptions
) -> Pipeline[Findings]:
    """Judges every checkable claim of the graph's answer against leaves only.

    A judge with a model reads the leaves whole, see `trail_callbacks.verify.sources`; another gets the candidates for
    each claim.
    """
    if not leaves:
        return Findings(judged={claim.id: absent(claim.id, "No source reached the answer.") for claim in claims})
    if reads_whole(judge):
        from trail_callbacks.verify.sources import read, told  # noqa: PLC0415 - only judges with a model need it

        judged, warnings = yield from read(claims, leaves, judge, options, told(graph))
        return Findings(judged=judged, warnings=warnings)
    passages = candidates(claims, leaves)
    asked = graph.question.text if graph.question else ""
    questions = [Question(claim=claim, passages=passages[claim.id], asked=asked) for claim in claims]
    assessment = yield from judge.assess(questions)
    judged = {judgement.claim_id: judgement for judgement in matched(questions, assessment.judgements)}
    return Findings(judged=judged, warnings=assessment.warnings)


def answerable(
    graph: ProvenanceGraph, leaves: Sequence[Node], judge: Judge, options: VerifyOptions
) -> Pipeline[tuple[str, ...]]:
    """Checks whether an abstention is wrong, because the sources contain the answer; returns the warnings."""
    asked = graph.question
    sources = [leaf for leaf in leaves if not leaf.is_request]
    if asked is None or not asked.text.strip() or not sources:
        return ()
    question = Claim(id="question", text=asked.text, quote="", start=0, end=0)
    if reads_whole(judge):
        from trail_callbacks.verify.sources import Sources  # noqa: PLC0415 - as above

        passages = Sources([question], sources, options.read_tokens).next([question], ())
    else:
        passages = candidates([question], sources)[question.id]
    assessment = yield from judge.assess([Question(claim=question, passages=passages)], "answerable")
    return (*assessment.warnings, *_answers(assessment, graph))


def _answers(assessment: Assessment, graph: ProvenanceGraph) -> Sequence[str]:
    judged = assessment.judgements
    found = [item for one in judged if one.support is SupportClass.SUPPORTED for item in one.evidence]
    if quotes := [f"{item.quote!r} ({item.node_id})" for item in found if is_verbatim(item, graph)]:
        return [f"the answer declines, but the sources seem to contain it: {', '.join(quotes)}"]
    if errors := [one.error for one in judged if one.error]:
        return [f"not checked whether the sources contain what the answer declines to say: {errors[0]}"]
    if reasons := [one.undecided for one in judged if one.undecided is not None]:
        return [f"undecided whether the sources contain what the answer declines to say: {reasons[0]}"]
    return []


def is_verbatim(item: Evidence, graph: ProvenanceGraph) -> bool:
    """True if the evidence is verbatim text of its node that no model wrote; nothing else that is cited counts."""
    try:
        node = graph.node(item.node_id)
    except KeyError:
        return False
    if any(start < item.end and item.start < end for start, end in node.model_spans):
        return False
    return 0 <= item.start < item.end and node.text[item.start : item.end] == item.quote
