"""What is said of an answer: its claims judged against the leaves, the verdicts made of that, state and warnings.

An earlier hallucination must support nothing, so claims and abstentions are held against leaves only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, candidates
from trail_callbacks.graph import UNSEEN, Node, ProvenanceGraph
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    Question,
    absent,
    matched,
    reads_whole,
)
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Report, State, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.verify.localize import Introduction
from trail_callbacks.verify.options import VerifyOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Judgements, and introductions if the strategy finds both at once.

    Attributes:
        judged: A judgement for each claim that was assessed, by claim id.
        introductions: Where unsupported claims were introduced, by claim id.
        warnings: See `Assessment`.
        lacking: What was not read for claims that are not supported, a sentence each.
    """

    judged: dict[str, Judgement]
    introductions: dict[str, Introduction] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


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

        judged, warnings, unread = yield from read(claims, leaves, judge, options, told(graph))
        return Findings(judged=judged, warnings=warnings, lacking=unread)
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


_SILENT = {SupportClass.ABSENT, SupportClass.UNEVALUATABLE, "undecided"}
"""Outcomes that a claim may have without anything to check it against."""


def verdict_on(
    claim: Claim, judgement: Judgement | None, graph: ProvenanceGraph, judge: Judge, citable: Collection[str]
) -> Verdict:
    """Makes the verdict of a judgement; only evidence that is verbatim text of a node is kept.

    Where nothing was decided, no passage speaks for or against the claim, whatever the judge calls it.
    """
    if claim.uncovered:
        why = "not covered: these words are in no claim of the judge"
        return Verdict(claim_id=claim.id, undecided=why, judge=judge.name)
    if judgement is None:
        why = "Not a statement that evidence could confirm."
        judgement = Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=why)
    verbatim = [item for item in judgement.evidence if item.node_id in citable and is_verbatim(item, graph)]
    # A question or a prompt may contain facts, but "Was it built in 1887?" contradicts nothing.
    evidence = tuple(i for i in verbatim if i.relation == "supports" or not graph.node(i.node_id).is_request)
    support, error_type, rationale = judgement.support, judgement.error_type, judgement.rationale
    error, undecided = judgement.error, None
    if error is None and judgement.undecided is not None:
        support, undecided = None, judgement.undecided.strip() or "the judge abstained and gave no reason"
    elif error is None and support is None:
        error = "the judge gave no verdict"
    if support is None:
        evidence = tuple(replace(i, relation="nearest") for i in evidence if not graph.node(i.node_id).is_request)
    against = any(item.relation == "contradicts" for item in evidence)
    if support is SupportClass.CONTRADICTED and len(evidence) < len(verbatim) and not against:
        support, error_type, evidence = SupportClass.ABSENT, ErrorType.OTHER, ()
        rationale = f"Only the request itself contradicts it, no source does. {rationale}"
    return Verdict(
        claim_id=claim.id,
        support=support,
        error_type=error_type if support in UNSUPPORTED else None,
        second_type=judgement.second_type if support in UNSUPPORTED else None,
        detail=judgement.detail,
        rationale=rationale,
        evidence=evidence,
        confidence=judgement.confidence if support is not None else None,
        judge=judgement.judge or judge.name,
        undecided=undecided,
        error=error,
    )


def not_checked(claim: Claim, judge: Judge, why: str) -> Verdict:
    """Makes the verdict on a claim that no judge was asked about."""
    return Verdict(
        claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=f"Not checked: {why}.", judge=judge.name
    )


def placed(verdict: Verdict, introduction: Introduction | None) -> Verdict:
    """Adds to a verdict where its claim was introduced, if that is known."""
    if introduction is None:
        return verdict
    return replace(
        verdict,
        introduced_at=introduction.introduced_at,
        carried_through=introduction.carried_through,
        history=introduction.history,
    )


def final_state(
    extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node], *, code: bool = False
) -> State:
    """Returns the state of a report on an answer that was read."""
    judged = [verdict for verdict in verdicts if verdict.error is None]
    asked = {claim.id for claim in extraction.claims if not claim.uncovered}
    if asked and all(verdict.error is not None for verdict in verdicts if verdict.claim_id in asked):
        return "error"
    outcomes = {verdict.outcome for verdict in judged}
    complete = not extraction.error and len(judged) == len(verdicts)
    if outcomes <= {SupportClass.UNEVALUATABLE} and len(judged) == len(verdicts):
        inconclusive = any(verdict.history for verdict in judged)  # a walk that ended so did check its claim
        if extraction.error or inconclusive:
            return "partial"
        return "unverified" if code and not verdicts else "no_checkable_claims"
    if all(leaf.is_request for leaf in leaves) and outcomes <= _SILENT:
        return "no_evidence"
    if outcomes <= {"undecided", SupportClass.UNEVALUATABLE}:
        return "unverified" if complete else "partial"
    return "assessed" if complete and "undecided" not in outcomes else "partial"


def lacking(report: Report, lost: Sequence[str]) -> Report:
    """Returns the report on a run whose recording lacks texts, a sentence each: only a part of it was checked."""
    if not lost:
        return report
    state: State = "partial" if report.state == "assessed" else report.state
    return replace(report, state=state, warnings=tuple(dict.fromkeys([*lost, *report.warnings])))


def unseen(graph: ProvenanceGraph, verdicts: Sequence[Verdict]) -> list[str]:
    """Returns what the graph of an answer lacks because it rests on a state whose writers were not seen, a sentence.

    On an earlier message of a model rests only what no source supports.
    """
    behind = [graph.answer, *graph.upstream(graph.answer.id)] if graph.answer is not None else []
    rests = any(each.support not in {SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE} for each in verdicts)
    left = [each for each in behind if rests or (each.kind, each.origin) != ("completion", "model")]
    names = sorted({str(each.attributes[UNSEEN]) or "the input" for each in left if UNSEEN in each.attributes})
    why = (
        f"the answer rests on a state that was there before the run ({', '.join(names)}); who wrote it was not "
        "recorded, so it is no evidence. Give all workers one store=, or name the sources in sources="
    )
    return [why] if names else []


def warnings_on(
    graph: ProvenanceGraph, extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node], code: int = 0
) -> Iterator[str]:
    """Yields the warnings of a report; see `final_state` for the arguments, `code` is a number of lines."""
    yield from _not_judged(extraction, verdicts, code)
    supported = [verdict for verdict in verdicts if verdict.support is SupportClass.SUPPORTED]
    weak = {edge.target for edge in graph.edges if edge.basis == "scope"}
    if beside := graph.answer.attributes.get("beside") if graph.answer else None:
        yield f"the app also returned other model outputs, which were not verified: {', '.join(beside)}"
    if not leaves:
        yield "no source reached the answer: there is nothing to check it against"
    if ids := _ids(verdict for verdict in supported if _decisive(verdict, graph) == {True}):
        yield f"supported only by the question or instructions, not by a source: {ids}"
    if ids := _ids(verdict for verdict in supported if not _decisive(verdict, graph)):
        yield f"judged supported without a verbatim passage from a source: {ids}"
    if ids := _ids(verdict for verdict in verdicts if verdict.conflicting):
        yield f"the sources disagree on {ids}: see the evidence for and against"
    if ids := _ids(v for v in verdicts if v.support in UNSUPPORTED and v.history and v.introduced_at is None):
        yield f"could not determine where {ids} was introduced"
    if weak:
        yield (
            f"for {len(weak)} of {len(graph.nodes)} texts no callback showed what they were made from: "
            "their inputs are only known to have been in reach"
        )


def _not_judged(extraction: Extraction, verdicts: Sequence[Verdict], code: int) -> Iterator[str]:
    uncovered = {claim.id: None for claim in extraction.claims if claim.uncovered}
    read = [verdict for verdict in verdicts if verdict.claim_id not in uncovered]
    failed = [verdict.error for verdict in read if verdict.error]
    if extraction.error:
        yield f"some claims are missing: {extraction.error}"
    if uncovered:
        yield f"the judge left out parts of the answer, which were not checked: {', '.join(uncovered)}"
    if code:
        yield f"not checked: {code} line{'' if code == 1 else 's'} of code or formulas"
    if undecided := [verdict for verdict in read if verdict.outcome == "undecided"]:
        count = f"{len(undecided)} of {len(read)} claims"
        yield f"{count} could not be decided and are not in the score: {_ids(undecided)}"
    if failed:
        yield f"{len(failed)} of {len(read)} claims were not judged: {failed[0]}"


def _ids(verdicts: Iterable[Verdict]) -> str:
    return ", ".join(verdict.claim_id for verdict in verdicts)


def _decisive(verdict: Verdict, graph: ProvenanceGraph) -> set[bool]:
    """Whether the deciding evidence is of the request: of each kind that there is."""
    return {graph.node(item.node_id).is_request for item in verdict.evidence if item.decides}
