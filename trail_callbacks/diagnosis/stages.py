"""The evidence path stage by stage, and retrieval by retrieval: what was there, and what was lost."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.diagnosis.case import Case
from trail_callbacks.report.diagnosis import Break, RetrievalFinding, Stage, StageName
from trail_callbacks.taxonomy import UNSUPPORTED

__all__ = ["retrieval_findings", "stages_of"]


def stages_of(case: Case, first: Break | None) -> tuple[Stage, ...]:
    """Lists the stages of a run in order, with what was lost at each.

    Args:
        case: What is known of the run.
        first: The first break, which is marked.
    """
    return tuple(
        Stage(name=name, there=there, lost=lost, note=note, broken=first is not None and first.stage == name)
        for name, there, lost, note in _stages(case)
    )


def _stages(case: Case) -> Iterator[tuple[StageName, int | None, tuple[str, ...], str]]:
    before = [each for each in case.reach.trace.retrievals if not each.after_answer]
    unnamed = tuple(each.facet.text for each in case.facets if each.in_query is False)
    rewritten = sum(bool(each.rewritten) for each in before)
    yield "query", len(before), unnamed, f"{rewritten} rewritten" if rewritten else ""
    never = tuple(each.facet.text for each in case.facets if "retrieved" not in each.depths and case.trusted(each))
    yield "retrieval", len(case.reach.candidates) if before else None, never if before else (), ""
    late = [each for each in case.facets if "retrieved" in each.depths]
    if case.reach.reranked is not None:
        dropped = tuple(each.facet.text for each in late if "reranked" not in each.depths)
        yield "reranking", len(case.reach.reranked), dropped, ""
    if case.reach.packs:
        kept = {"reranked"} if case.reach.reranked is not None else {"retrieved"}
        left = tuple(each.facet.text for each in late if kept <= set(each.depths) and "selected" not in each.depths)
        cut = sum(piece.order is not None and piece.arrived < 1 for piece in case.reach.packed.values())
        yield "packing", len(case.reach.ids("selected")), left, f"{cut} cut" if cut else ""
    wrong = tuple(claim.text for claim in case.report.claims if case.report.verdict(claim.id).support in UNSUPPORTED)
    note = "declines" if case.abstained else f"{len(case.report.undecided)} undecided" if case.report.undecided else ""
    yield "generation", len(case.report.claims), wrong, note


def retrieval_findings(case: Case) -> tuple[RetrievalFinding, ...]:
    """Looks at each retrieval by itself."""
    selected = frozenset(case.reach.ids("selected")) if case.reach.packs else frozenset()
    found = []
    for each in case.reach.trace.retrievals:
        nodes = {candidate.node_id for candidate in each.candidates}
        found.append(
            RetrievalFinding(
                run_id=each.run_id,
                step=each.step,
                query=each.query,
                candidates=len(each.candidates),
                selected=len(nodes & selected),
                met=tuple(facet.facet.id for facet in case.facets if nodes.intersection(facet.nodes)),
                lost=tuple(facet.facet.id for facet in case.facets if facet.in_query is False)
                if each.rewritten
                else (),
                note=_note(each.error, after=each.after_answer, empty=not nodes),
            )
        )
    return tuple(found)


def _note(error: str | None, *, after: bool, empty: bool) -> str:
    if after:
        return "after the answer was written"
    if error is not None:
        return f"failed: {error}"
    return "brought nothing" if empty else ""
