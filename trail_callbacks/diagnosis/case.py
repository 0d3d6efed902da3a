"""All that is known of one run when its signature is decided, and the figures that a diagnosis shows of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.diagnosis.reach import Reach
from trail_callbacks.evidence import Evidence, Passage, whole
from trail_callbacks.judges.judge import Survey
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import (
    Break,
    ClaimFinding,
    Coverage,
    DecidedBy,
    Depth,
    FacetFinding,
    Figure,
    IndexSearch,
    Overlap,
    RetrievalFinding,
    Stage,
    StageName,
)
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.trace import Candidate

_DIGITS = re.compile(r"\d+")
_SHOWN = frozenset({"prompt", "nowhere"})  # what no retriever brought reached the answer all the same
_DECIDED = frozenset({SupportClass.SUPPORTED, SupportClass.CONTRADICTED})


@dataclass(frozen=True)
class Case:
    """All that is known of one run.

    Attributes:
        report: The verification of its answer.
        reach: How far passages got.
        survey: What the question asks for.
        facets: Where each facet is met.
        claims: Where the text is that bears on each claim.
        coverage: The figures.
        gold: Names of the passages that ought to be retrieved; None if unknown.
        by_model: Whether a model judged the claims; words take another subject's number for a contradiction.
        index: What the app's retriever has of what was missing; None if it was not asked.
    """

    report: Report
    reach: Reach
    survey: Survey
    facets: tuple[FacetFinding, ...]
    claims: tuple[ClaimFinding, ...]
    coverage: Coverage
    gold: Collection[str] | None
    by_model: bool = False
    index: IndexSearch | None = None

    @cached_property
    def wrong(self) -> tuple[ClaimFinding, ...]:
        """Unsupported claims that no text which the model did not read bears out."""
        return tuple(
            each
            for each in self.claims
            if self.report.verdict(each.claim_id).support in UNSUPPORTED
            and not each.by_memory
            and (each.where, each.relation) != ("prompt", "supports")  # an earlier call of a refined answer read it
        )

    @cached_property
    def memories(self) -> tuple[ClaimFinding, ...]:
        """Claims that hold by a text that the model was not shown."""
        return tuple(each for each in self.claims if each.by_memory)

    @property
    def abstained(self) -> bool:
        """Whether the answer declines."""
        return self.report.state == "abstained"

    @property
    def undecided(self) -> bool:
        """Whether something of the answer was not judged."""
        return self.report.state in {"unverified", "partial", "error", "interrupted"} or bool(self.report.undecided)

    @property
    def surveyed(self) -> bool:
        """Whether it is known what answers the question."""
        return self.survey.answers is not None

    @cached_property
    def lost(self) -> tuple[FacetFinding, ...]:
        """Facets that nothing which was retrieved meets, as far as that can be told."""
        return tuple(each for each in self.facets if self.surveyed and "retrieved" not in each.depths)

    @cached_property
    def superseded(self) -> tuple[str, ...]:
        """Claims that hold by a passage in the prompt, while another denies them and is the one that answers."""
        return tuple(id_ for id_, (holds, denied) in self._sides.items() if denied and not holds)

    @cached_property
    def disputed(self) -> tuple[str, ...]:
        """Claims about which passages in the prompt disagree, and no side is the right one: undated revisions."""
        return tuple(id_ for id_, (holds, denied) in self._sides.items() if holds == denied)

    @cached_property
    def _sides(self) -> dict[str, tuple[bool, bool]]:
        """For claims with evidence for and against in the prompt: whether each side answers the question as asked."""
        found = {}
        for verdict in self.report.verdicts:
            shown = [each for each in verdict.evidence if each.decides and self.reach.where([each]) in _SHOWN]
            sides = [[each for each in shown if each.relation == side] for side in ("supports", "contradicts")]
            if verdict.support in _DECIDED and all(sides):
                found[verdict.claim_id] = (self._answers(sides[0]), self._answers(sides[1]))
        return found

    def _answers(self, evidence: Sequence[Evidence]) -> bool:
        lines = [line for lines in self.survey.answers or () for line in lines]
        return any(
            line.node_id == each.node_id and line.start < each.end and each.start < line.end
            for line in lines
            for each in evidence
        )

    @property
    def conflicting(self) -> tuple[tuple[Passage, Passage], ...]:
        """Pairs of passages in the prompt that give different answers."""
        at = self.reach.at
        return tuple(pair for pair in self.survey.conflicts if all(at("selected", line) for line in pair))

    @property
    def plain(self) -> bool:
        """Whether support alone shows that all is well, with nobody to say what answers the question.

        Nothing was reworded, lost or cut, and no line that was read differs in its numbers only from one that supports
        the answer: that would be another revision, and which one holds cannot be told.
        """
        if not self.reach.untouched:
            return False
        read = {(_DIGITS.sub("#", text), text) for line in whole(self.reach.nodes) if (text := line.text.strip())}
        quotes = {item.quote.strip() for verdict in self.report.verdicts for item in verdict.evidence}
        return not any(_DIGITS.sub("#", quote) == form and quote != text for quote in quotes for form, text in read)

    @property
    def beside(self) -> bool:
        """Whether the answer states something, and the prompt does not answer what was asked: another version, say."""
        return self.enough is False and not self.abstained and bool(self.coverage.answer.n)

    @property
    def symptoms(self) -> bool:
        """Whether anything is wrong with the answer, as far as it was judged."""
        found = self.wrong or self.memories or self.superseded or self.disputed or self.conflicting
        return bool(found or self.abstained or self.beside)

    @property
    def lacking(self) -> bool:
        """Whether something is wrong, and what was retrieved is not known to answer: the index may."""
        known = self.enough or self.retrieved_enough or self.unanswerable
        return not known and (self.symptoms or self.undecided)

    @property
    def gap(self) -> bool:
        """Whether nothing in the corpus answers: the caller says so, or the retriever was asked and brings nothing."""
        return self.unanswerable or (self.index is not None and self.index.found is False)

    @property
    def enough(self) -> bool | None:
        """Whether the prompt was sufficient."""
        return self.coverage.sufficient.get("selected") if self.reach.packs else None

    @property
    def retrieved_enough(self) -> bool | None:
        """Whether what was retrieved was sufficient."""
        return self.coverage.sufficient.get("retrieved")

    @property
    def unanswerable(self) -> bool:
        """Whether the caller says that nothing in the corpus answers the question."""
        return self.gold is not None and not self.gold

    @property
    def missing(self) -> tuple[str, ...]:
        """What the judge misses, as a reason."""
        return (f"missing: {self.survey.missing}",) if self.survey.missing else ()

    def text(self, claim_id: str) -> str:
        """The text of a claim."""
        return next(claim.text for claim in self.report.claims if claim.id == claim_id)


def share(part: int, whole: int, why: str, decided_by: DecidedBy = "judge") -> Figure:
    """A plain share with its interval.

    Args:
        part: Items that count.
        whole: Items in all.
        why: Why there is no share, if there are none.
        decided_by: What says which items count.
    """
    if not whole:
        return Figure(why=why)
    return Figure(value=part / whole, n=whole, interval=wilson(part / whole, whole), decided_by=decided_by)


def facet_findings(survey: Survey, reach: Reach) -> tuple[FacetFinding, ...]:
    """Says of each facet at which depths a passage meets it."""
    met = ((facet, survey.met.get(facet.id, ())) for facet in survey.facets)
    return tuple(
        FacetFinding(
            facet=facet,
            in_query=survey.in_query.get(facet.id),
            depths=tuple(depth for depth in reach.depths if any(reach.at(depth, line) for line in lines)),
            where="unknown" if survey.answers is None else reach.where(lines),
            nodes=tuple(dict.fromkeys(line.node_id for line in lines)),
        )
        for facet, lines in met
    )


def sufficient(survey: Survey, reach: Reach) -> dict[Depth, bool | None]:
    """Says at which depths a careful reader could answer the question; None where that is unknown."""
    if survey.answers is None:
        return dict.fromkeys(reach.depths)
    return {
        depth: any(all(reach.at(depth, line) for line in lines) for lines in survey.answers) for depth in reach.depths
    }


def coverage_of(
    report: Report, survey: Survey, found: Sequence[FacetFinding], reach: Reach, gold: Collection[str] | None
) -> Coverage:
    """Computes all figures of a run.

    Args:
        report: The verification of its answer.
        survey: What the question asks for.
        found: Where each facet is met.
        reach: How far passages got.
        gold: Ids, document ids or hashes of the passages that ought to be retrieved; None if unknown.
    """
    judged = [verdict.support for verdict in report.verdicts]
    decided = [support for support in judged if support not in {None, SupportClass.UNEVALUATABLE}]
    cites = report.citations
    why = "the answer cites nothing"
    return Coverage(
        query={depth: _met(found, depth, survey, reach) for depth in reach.depths},
        rewritten={
            depth: _met([each for each in found if each.in_query], depth, survey, reach) for depth in reach.depths
        },
        kept=_met([each for each in found if each.in_query is not None], None, survey, reach),
        sufficient=sufficient(survey, reach),
        missing=survey.missing,
        overlap={} if gold is None else {depth: _overlap(reach, depth, gold) for depth in reach.depths},
        answer=share(decided.count(SupportClass.SUPPORTED), len(decided), "no claim was decided"),
        contradicted=share(decided.count(SupportClass.CONTRADICTED), len(decided), "no claim was decided"),
        citation_presence=share(cites.cited, cites.claims, why) if cites else Figure(why=why),
        citation_precision=_of(cites.precision, cites.decided) if cites else Figure(why=why),
        citation_recall=_of(cites.recall, cites.claims) if cites else Figure(why=why),
    )


def _of(value: float | None, n: int) -> Figure:
    if value is None or not n:
        return Figure(why="no citation was decided")
    return Figure(value=value, n=n, interval=wilson(value, n), decided_by="judge")


def _met(found: Sequence[FacetFinding], depth: Depth | None, survey: Survey, reach: Reach) -> Figure:
    """The weighted share of facets that are met at a depth, or in a query that was sent."""
    if depth is not None and not reach.candidates:  # nothing there meets nothing
        return Figure(value=0.0, n=max(1, len(found)), decided_by="judge")
    whole = sum(each.facet.weight for each in found)
    if not whole or survey.answers is None:
        return Figure(
            why=f"no facets: {survey.error}" if survey.error else "the question has no facets that could be told"
        )
    met = [each for each in found if (each.in_query if depth is None else depth in each.depths)]
    return Figure(value=sum(each.facet.weight for each in met) / whole, n=len(found), decided_by="judge")


def _overlap(reach: Reach, depth: Depth, gold: Collection[str]) -> Overlap:
    there = [reach.candidates[id_] for id_ in reach.ids(depth)]
    hit = {name for each in there for name in names(each) if name in gold}
    right = sum(any(name in gold for name in names(each)) for each in there)
    wanted = set(gold)
    union = len(wanted) + len(there) - right
    none = "the caller says that nothing ought to be retrieved"
    return Overlap(
        jaccard=Figure(value=len(hit) / union, n=union, decided_by="gold") if union else Figure(why=none),
        recall=share(len(hit), len(wanted), none, "gold"),
        precision=share(right, len(there), "nothing was there", "gold"),
    )


def names(candidate: Candidate) -> tuple[str, ...]:
    """What a candidate may be called by in a list of gold passages."""
    return tuple(filter(None, (candidate.id, candidate.document_id, candidate.hash, candidate.node_id)))


def stages_of(case: Case, first: Break | None) -> tuple[Stage, ...]:
    """Lists the stages of a run in order, with what was lost at each; the one of the first break is marked."""
    broken = first.stage if first else None
    return tuple(
        Stage(name=name, there=there, lost=lost, note=note, broken=broken == name)
        for name, there, lost, note in _stages(case)
    )


def _stages(case: Case) -> Iterator[tuple[StageName, int | None, tuple[str, ...], str]]:
    before = [each for each in case.reach.trace.retrievals if not each.after_answer]
    unnamed = tuple(each.facet.text for each in case.facets if each.in_query is False)
    rewritten = sum(bool(each.rewritten) for each in before)
    yield "query", len(before), unnamed, f"{rewritten} rewritten" if rewritten else ""
    never = tuple(each.facet.text for each in case.lost)
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
    unnamed = tuple(facet.facet.id for facet in case.facets if facet.in_query is False)
    found = []
    for each in case.reach.trace.retrievals:
        nodes = {candidate.node_id for candidate in each.candidates}
        note = "" if nodes else "brought nothing"
        note = note if each.error is None else f"failed: {each.error}"
        found.append(
            RetrievalFinding(
                run_id=each.run_id,
                step=each.step,
                query=each.query,
                candidates=len(each.candidates),
                selected=len(nodes & selected),
                met=tuple(facet.facet.id for facet in case.facets if nodes.intersection(facet.nodes)),
                lost=unnamed if each.rewritten else (),
                note="after the answer was written" if each.after_answer else note,
            )
        )
    return tuple(found)
