"""The breaks of each stage of an evidence path.

A stage that lost something is no break if the prompt was sufficient all the same. Whether anything is wrong with the
answer is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trail_callbacks.diagnosis.case import Case
from trail_callbacks.diagnosis.facets import RULED
from trail_callbacks.diagnosis.figures import names
from trail_callbacks.evidence import Passage
from trail_callbacks.report.diagnosis import Break, Certainty, StageName
from trail_callbacks.taxonomy import SupportClass

__all__ = ["breaks_of"]

_ORDER: tuple[StageName, ...] = ("query", "retrieval", "reranking", "packing", "sources", "generation")
_RANKS: dict[Certainty, int] = {"high": 0, "medium": 1, "low": 2}


def breaks_of(case: Case) -> list[Break]:
    """Returns the breaks of a run, the earliest stage first."""
    found = [*_query(case), *_retrieval(case), *_selection(case), *conflicts(case), *_generation(case)]
    return sorted(found, key=lambda each: _ORDER.index(each.stage))


def _query(case: Case) -> Iterator[Break]:
    if case.enough or case.retrieved_enough:
        return
    sent = [each for each in case.reach.trace.retrievals if each.rewritten and not each.after_answer]
    lost = [each for each in case.lost if each.in_query is False and "retrieved" not in each.depths]
    if sent and lost:
        yield Break(
            stage="query",
            signature="rewrite_loss",
            step=sent[0].step,
            run_id=sent[0].run_id,
            reasons=tuple(
                f"no query that was sent names {each.facet.text!r}, and nothing about it was retrieved" for each in lost
            ),
            certainty="high" if any(each.facet.kind in RULED for each in lost) else case.reading,
        )


def _retrieval(case: Case) -> Iterator[Break]:
    before = [each for each in case.reach.trace.retrievals if not each.after_answer]
    if not before or case.enough or case.retrieved_enough or case.unanswerable:
        return
    failed = [each for each in before if each.error is not None]
    at = failed[0] if failed and not case.reach.candidates else before[0]
    reasons, certainty = _not_retrieved(case, at.error)
    if reasons:
        yield Break(
            stage="retrieval",
            signature="recall_failure",
            step=at.step,
            run_id=at.run_id,
            reasons=reasons,
            certainty=certainty,
        )


def _not_retrieved(case: Case, error: str | None) -> tuple[tuple[str, ...], Certainty]:
    if not case.reach.candidates:
        return (f"the retrieval failed: {error}" if error else "nothing was retrieved",), "high"
    if case.gold is not None:
        there = {name for each in case.reach.candidates.values() for name in names(each)}
        missing = sorted(name for name in case.gold if name not in there)
        return ((f"of the gold passages these were not retrieved: {', '.join(missing)}",) if missing else ()), "high"
    lost = [each for each in case.lost if "retrieved" not in each.depths]
    reasons = tuple(f"nothing that was retrieved is about {each.facet.text!r}" for each in lost)
    if lost and case.retrieved_enough is False:
        return () if _exhausted(case) else (*reasons, *case.missing), "medium"
    return reasons, case.reading


def _exhausted(case: Case) -> bool:
    """Whether the retriever brought all that it has on the subject: after that come passages on something else.

    Then nothing in the corpus seems to answer. Where all passages are on the subject, there may be more of them.
    """
    subjects = [set(each.nodes) for each in case.facets if each.facet.kind != "topic"]
    if not subjects or not all(subjects):
        return False
    return not set(case.reach.candidates) <= set.intersection(*subjects)


@dataclass
class _Loss:
    """What was left out of the prompt in one way.

    Attributes:
        nodes: The passages' nodes.
        reasons: What shows that they matter.
        certainty: The best that any of these is.
    """

    nodes: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    certainty: Certainty = "low"

    def add(self, nodes: Sequence[str], reason: str, certainty: Certainty) -> None:
        self.nodes += nodes
        self.reasons.append(reason)
        self.certainty = min(self.certainty, certainty, key=_RANKS.__getitem__)


def _selection(case: Case) -> Iterator[Break]:
    if not case.reach.packs:
        return
    losses = {"dropped": _Loss(), "cut": _Loss()}
    for where, nodes, reason, certainty in _left_out(case):
        if where in losses:
            losses[where].add(nodes, reason, certainty)
    dropped, cut = losses["dropped"], losses["cut"]
    if dropped.reasons:
        stage, step, run_id, how = _who_dropped(case, dropped.nodes)
        yield _selected(dropped, "selection_failure", stage, step, run_id, f"retrieved, and {how}")
    if cut.reasons:
        step, run_id, arrived = _who_cut(case, cut.nodes)
        yield _selected(cut, "truncation", "packing", step, run_id, f"in the prompt, but cut to {arrived:.0%}")


def _selected(  # noqa: PLR0917 - the fields of a break
    loss: _Loss,
    signature: Literal["selection_failure", "truncation"],
    stage: StageName,
    step: str | None,
    run_id: str | None,
    how: str,
) -> Break:
    nodes = _listed(loss.nodes)
    return Break(
        stage=stage,
        signature=signature,
        step=step,
        run_id=run_id,
        reasons=(f"{how}: {nodes}", *dict.fromkeys(loss.reasons)),
        certainty=loss.certainty,
    )


def _left_out(case: Case) -> Iterator[tuple[str, Sequence[str], str, Certainty]]:
    """What was retrieved, matters and is not in the prompt: where it is, its nodes, why it matters, how certain."""
    for claim in case.claims:
        if claim.relation == "contradicts" or claim.by_memory:
            nodes = [item.node_id for item in claim.evidence]
            yield claim.where, nodes, f"{_listed(nodes)} {claim.relation} {case.text(claim.claim_id)!r}", "medium"
    if case.enough:
        return
    if case.retrieved_enough:
        for line in _answering(case):
            yield (
                case.reach.where([line]),
                [line.node_id],
                f"{line.node_id} answers the question: {line.text!r}",
                "medium",
            )
    elif case.retrieved_enough is None:
        for each in case.lost:
            yield each.where, each.nodes, f"{_listed(each.nodes)} is about {each.facet.text!r}", case.reading
    selected = set(case.reach.ids("selected"))
    for id_, candidate in case.reach.candidates.items() if case.gold else ():
        if id_ not in selected and not set(names(candidate)).isdisjoint(case.gold or ()):
            piece = case.reach.packed.get(id_)
            where = "cut" if piece is not None and piece.dropped == "cut" else "dropped"
            yield where, [id_], f"{id_} is gold passage {candidate.id or id_}", "high"


def _listed(nodes: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(nodes))


def _answering(case: Case) -> Iterator[Passage]:
    """The lines that would have answered the question but for their place."""
    for lines in case.survey.answers or ():
        yield from (line for line in lines if not case.reach.at("selected", line))


def _who_dropped(case: Case, nodes: Sequence[str]) -> tuple[StageName, str | None, str | None, str]:
    for reranking in case.reach.trace.rerankings:
        for each in reranking.ranked:
            if each.node_id in nodes and each.rank_out is None:
                why = f" ({each.reason})" if each.reason else ""
                how = f"dropped by {reranking.step} at rank {each.rank_in}{why}"
                return "reranking", reranking.step, reranking.run_id, how
    for packing in case.reach.trace.packings:
        for piece in packing.pieces:
            if piece.node_id in nodes and piece.order is None:
                how = f"left out of the prompt ({piece.dropped or 'unknown'})"
                return "packing", packing.step, packing.run_id, how
    return "packing", None, None, "left out of the prompt"


def _who_cut(case: Case, nodes: Sequence[str]) -> tuple[str | None, str | None, float]:
    for packing in case.reach.trace.packings:
        for piece in packing.pieces:
            if piece.node_id in nodes:
                return packing.step, packing.run_id, piece.arrived
    return None, None, 0.0


def conflicts(case: Case) -> Iterator[Break]:
    """Yields a break if passages in the prompt disagree about what the question asks or the answer says."""
    reasons = []
    for verdict in case.report.verdicts:
        decided = [item for item in verdict.evidence if item.decides]
        sides = {item.relation for item in decided if case.reach.where([item]) in {"prompt", "nowhere"}}
        if {"supports", "contradicts"} <= sides and verdict.support in {
            SupportClass.SUPPORTED,
            SupportClass.CONTRADICTED,
        }:
            reasons.append(f"passages in the prompt disagree about {case.text(verdict.claim_id)!r}")
    for one, other in case.survey.conflicts:
        if case.reach.at("selected", one) and case.reach.at("selected", other):
            reasons.append(f"{one.text!r} and {other.text!r} disagree")
    if reasons:
        yield Break(stage="sources", signature="source_conflict", reasons=tuple(reasons))


def _generation(case: Case) -> Iterator[Break]:
    answer = case.report.graph.answer
    step, run_id = (answer.step, answer.run_id) if answer else (None, None)
    against = [each for each in case.wrong if each.where == "prompt" or case.enough]
    if against:
        reasons = tuple(
            f"the prompt held what was needed, and {case.text(each.claim_id)!r} is "
            f"{case.report.verdict(each.claim_id).support}"
            for each in against
        )
        yield Break(stage="generation", signature="grounding_failure", step=step, run_id=run_id, reasons=reasons)
    elif case.abstained and case.enough:
        reason = "the answer declines, and the prompt answers the question"
        yield Break(stage="generation", signature="grounding_failure", step=step, run_id=run_id, reasons=(reason,))
    elif case.wrong and (case.enough is False or case.unanswerable):
        reasons = ("the answer asserts what no passage in the prompt says", *case.missing)
        yield Break(stage="generation", signature="should_have_abstained", step=step, run_id=run_id, reasons=reasons)
