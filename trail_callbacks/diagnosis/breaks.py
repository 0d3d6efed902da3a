"""The breaks of each stage of an evidence path.

A stage that lost something is no break if the prompt was sufficient all the same. Whether anything is wrong with the
answer is not asked here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.diagnosis.case import Case, names
from trail_callbacks.report.diagnosis import Break, Certainty, Signature, StageName
from trail_callbacks.trace.steps import Dropped

_ORDER: tuple[StageName, ...] = ("query", "retrieval", "reranking", "packing", "sources", "generation")
_SELECTION: dict[str, Signature] = {"dropped": "selection_failure", "cut": "truncation"}
_DROPPED: dict[Dropped, str] = {
    "reranker": "by a reranker",
    "cutoff": "it ranks below all that are there: a number or a budget ended before it",
    "budget": "longer than those of lower rank that are there: no room",
    "cut": "cut to nothing",
    "unknown": "why is not recorded",
}
_RANKS: dict[Certainty, int] = {"high": 0, "medium": 1, "low": 2}


def breaks_of(case: Case) -> list[Break]:
    """Returns the breaks of a run, the earliest stage first."""
    found = [*_query(case), *_retrieval(case), *_selection(case), *_conflicts(case), *_generation(case)]
    if case.reach.trace.lost:  # what seems to be missing may have been there
        found = [replace(each, certainty="low" if each.certainty == "low" else "medium") for each in found]
    return sorted(found, key=lambda each: _ORDER.index(each.stage))


def _query(case: Case) -> Iterator[Break]:
    if case.enough or case.retrieved_enough or case.gap:
        return
    sent = [each for each in case.reach.trace.retrievals if each.rewritten and not each.after_answer]
    lost = [each for each in case.lost if each.in_query is False]
    if sent and lost:
        yield Break(
            stage="query",
            signature="rewrite_loss",
            step=sent[0].step,
            run_id=sent[0].run_id,
            reasons=tuple(
                f"no query that was sent names {each.facet.text!r}, and nothing about it was retrieved" for each in lost
            ),
        )


def _retrieval(case: Case) -> Iterator[Break]:
    before = [each for each in case.reach.trace.retrievals if not each.after_answer]
    there = case.index is not None and case.index.found
    if not (before or there) or case.enough or case.retrieved_enough or case.gap:
        return
    right = {(each.step, each.query) for each in before if each.error is None}
    failed = [each for each in before if each.error is not None and (each.step, each.query) not in right]  # no retry
    reasons, certainty = _not_retrieved(case, tuple(f"the retrieval failed: {each.error}" for each in failed))
    if reasons:
        at = [*failed, *before][:1]
        yield Break(
            stage="retrieval",
            signature="recall_failure",
            step=at[0].step if at else None,
            run_id=at[0].run_id if at else None,
            reasons=reasons,
            certainty=certainty,
        )


def _not_retrieved(case: Case, failed: tuple[str, ...]) -> tuple[tuple[str, ...], Certainty]:
    if case.index is not None and case.index.found:
        there = f"the index has it, at rank {case.index.rank} for {case.index.query!r}: {case.index.text!r}"
        return (*failed, there), case.index.certainty
    if not case.reach.candidates and not failed and case.reach.trace.lost:
        return ("the file has no text of what was retrieved",), "low"
    if not case.reach.candidates:
        return (failed, "high") if failed else (("nothing was retrieved", _open(case)), "medium")
    if case.gold is not None:
        there_are = {name for each in case.reach.candidates.values() for name in names(each)}
        missing = sorted(name for name in case.gold if name not in there_are)
        return ((f"of the gold passages these were not retrieved: {', '.join(missing)}",) if missing else ()), "high"
    if failed or not case.surveyed:
        return failed, "medium"
    lost = tuple(f"nothing that was retrieved is about {each.facet.text!r}" for each in case.lost)
    return (*(lost or ("nothing that was retrieved answers the question",)), *case.missing, _open(case)), "low"


def _open(case: Case) -> str:
    """Says that a run cannot tell what a retriever missed from what is not there."""
    if case.index is None:
        return "whether the index has it cannot be told from a run: diagnose with its retriever"
    return f"whether the index has it could not be told: {case.index.why}"


def _selection(case: Case) -> Iterator[Break]:
    if not case.reach.packs:
        return
    losses: dict[str, list[tuple[Sequence[str], str, Certainty]]] = defaultdict(list)
    for where, lost_nodes, why, certain in _left_out(case):
        losses[where].append((lost_nodes, why, certain))
    for where, signature in _SELECTION.items():
        if lost := losses[where]:
            nodes = [node for each, _, _ in lost for node in each]
            stage, step, run_id, how = _who_cut(case, nodes) if where == "cut" else _who_dropped(case, nodes)
            yield Break(
                stage=stage,
                signature=signature,
                step=step,
                run_id=run_id,
                reasons=(f"{how}: {_listed(nodes)}", *dict.fromkeys(reason for _, reason, _ in lost)),
                certainty=min((certainty for _, _, certainty in lost), key=_RANKS.__getitem__),
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
        lines = (line for lines in case.survey.answers or () for line in lines)
        for line in (line for line in lines if not case.reach.at("selected", line)):
            reason = f"{line.node_id} answers the question: {line.text!r}"
            yield case.reach.where([line]), [line.node_id], reason, "medium"
    elif not case.surveyed and not case.reach.ids("selected") and case.reach.candidates:
        yield "dropped", [*case.reach.candidates], "nothing that was retrieved is in the prompt", "medium"
    selected = set(case.reach.ids("selected"))
    for id_, candidate in case.reach.candidates.items() if case.gold else ():
        if id_ not in selected and not set(names(candidate)).isdisjoint(case.gold or ()):
            piece = case.reach.packed.get(id_)
            where = "cut" if piece is not None and piece.dropped == "cut" else "dropped"
            yield where, [id_], f"{id_} is gold passage {candidate.id or id_}", "high"


def _listed(nodes: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(nodes))


_Who = tuple[StageName, str | None, str | None, str]


def _who_dropped(case: Case, nodes: Sequence[str]) -> _Who:
    for reranking in case.reach.trace.rerankings:
        for each in reranking.ranked:
            if each.node_id in nodes and each.rank_out is None:
                why = f" ({each.reason})" if each.reason else ""
                how = f"retrieved, and dropped by {reranking.step} at rank {each.rank_in}{why}"
                return "reranking", reranking.step, reranking.run_id, how
    for packing in case.reach.packings:
        for piece in packing.pieces:
            if piece.node_id in nodes and piece.order is None:
                how = f"retrieved, and left out of the prompt ({_DROPPED[piece.dropped or 'unknown']})"
                return "packing", packing.packer or packing.step, packing.packer_id or packing.run_id, how
    return "packing", None, None, "retrieved, and left out of the prompt"


def _who_cut(case: Case, nodes: Sequence[str]) -> _Who:
    for reranking in case.reach.trace.rerankings:
        for each in reranking.ranked:
            if each.node_id in nodes and each.rank_out is not None and each.kept < 1.0:
                how = f"cut to {each.kept:.0%} by {reranking.step}"
                return "reranking", reranking.step, reranking.run_id, how
    found = ((packing, piece) for packing in case.reach.packings for piece in packing.pieces)
    packing, piece = next(((packing, piece) for packing, piece in found if piece.node_id in nodes), (None, None))
    how = f"in the prompt, but cut to {piece.arrived if piece else 0.0:.0%}"
    if packing is None:
        return "packing", None, None, how
    return "packing", packing.packer or packing.step, packing.packer_id or packing.run_id, how


def _conflicts(case: Case) -> Iterator[Break]:
    reasons = [f"passages in the prompt disagree about {case.text(id_)!r}" for id_ in case.disputed]
    reasons += [f"{one.text!r} and {other.text!r} disagree" for one, other in case.conflicting]
    if reasons:
        yield Break(stage="sources", signature="source_conflict", reasons=tuple(reasons))


def _generation(case: Case) -> Iterator[Break]:
    read = case.surveyed or case.by_model
    against = [each.claim_id for each in case.wrong if read and (each.where == "prompt" or case.enough)]
    signature: Signature = "grounding_failure"
    if against:
        reasons = tuple(
            f"the prompt held what was needed, and {case.text(id_)!r} is {case.report.verdict(id_).support}"
            for id_ in against
        )
    elif case.superseded:
        reasons = tuple(
            f"{case.text(id_)!r} holds by a passage that another supersedes for what was asked"
            for id_ in case.superseded
        )
    elif case.abstained and case.enough:
        reasons = ("the answer declines, and the prompt answers the question",)
    elif (case.wrong or case.beside) and (case.enough is False or case.gap):
        signature = "should_have_abstained"
        reasons = ("the answer asserts something, and no passage in the prompt answers", *case.missing)
    else:
        return
    answer = case.report.graph.answer
    step, run_id = (answer.step, answer.run_id) if answer else (None, None)
    yield Break(stage="generation", signature=signature, step=step, run_id=run_id, reasons=reasons)


LOOK_AT: dict[Signature, tuple[str, ...]] = {
    "rewrite_loss": ("Compare the queries with the request: a rewriter must keep names, dates and conditions.",),
    "recall_failure": (
        "Is the passage in the index at all? `retriever=` asks it, by the request and by other words.",
        "Then look at the number of candidates, the embedding, the filters and the chunks.",
    ),
    "selection_failure": (
        "Look at the ranks before and after the step named: the passage was there and was left out.",
        "Then look at the number that is kept, the score cutoff and the token budget.",
    ),
    "truncation": ("Look at the chunk size and the token budget of the prompt: the part that matters was cut off.",),
    "source_conflict": ("Decide which source is right, and remove, date or rank down the other.",),
    "grounding_failure": ("Retrieval and selection did their part: look at prompt and model, and guard the answer.",),
    "right_by_memory": (
        "The model knew it; do not rely on that. Look at the stage that lost the passage.",
        "Then tell the model to answer from its passages only.",
    ),
    "should_have_abstained": ("Tell the model to say so when its passages do not answer; a guard can enforce it.",),
    "none": (),
    "undetermined": ("Diagnose again with a model as judge, and with gold passages if you know them.",),
}  # fmt: skip
"""What to look at next, by signature, in the order retrieval, selection, grounding."""


@dataclass(frozen=True)
class BreakOutcome:
    """What is decided.

    Attributes:
        signature: The signature.
        breaks: The breaks, the earliest first.
        reasons: What the signature rests on.
    """

    signature: Signature
    breaks: tuple[Break, ...]
    reasons: tuple[str, ...]


def decide(case: Case) -> BreakOutcome:
    """Decides the signature of a run."""
    if not case.symptoms and not case.undecided:
        sure = case.surveyed or case.plain
        return BreakOutcome("none" if sure else "undetermined", (), _nothing(case) if sure else _unknown(case))
    breaks = tuple(breaks_of(case))
    if case.memories and not (case.wrong or case.disputed or case.conflicting or case.superseded or case.abstained):
        held = f"{len(case.memories)} claims hold by texts that the model was not shown"
        return BreakOutcome("right_by_memory", breaks, (held, *(breaks[0].reasons if breaks else ())))
    if breaks:
        return BreakOutcome(breaks[0].signature, breaks, breaks[0].reasons)
    if case.abstained and (case.enough is False or case.gap):
        return BreakOutcome("none", (), ("the answer declines, and the index does not have what answers",))
    return BreakOutcome("undetermined", (), _unknown(case))


def _nothing(case: Case) -> tuple[str, ...]:
    figure = case.coverage.answer
    return (
        (f"all {figure.n} decided claims are supported by the prompt",) if figure.n else ("the answer states nothing",)
    )


def _unknown(case: Case) -> tuple[str, ...]:
    reasons = []
    if case.survey.error:
        reasons.append(f"the question was not surveyed: {case.survey.error}")
    if case.undecided:
        n = len(case.report.undecided)
        reasons.append(f"{n} claim{'' if n == 1 else 's'} undecided (state: {case.report.state})")
    if not case.reach.candidates:
        reasons.append("no retrieval was recorded before the answer")
    elif not case.reach.packs:
        reasons.append("no prompt behind the answer was recorded: what was selected is unknown")
    if case.survey.answers is None:
        reasons.append("whether the passages answer the question was not judged")
    return tuple(reasons) or ("no figure shows where it began",)
