"""How far a passage got, from the retriever to the prompt, and where the text is that bears on a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from trail_callbacks.capture.conversation import TURN
from trail_callbacks.capture.events import Piece, RunEnded
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, Passage
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Judgement
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Report, Verdict
from trail_callbacks.report.diagnosis import ClaimFinding, Depth, Where
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.text import forms
from trail_callbacks.trace import Candidate, Packed, Packing, Trace
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.outcome import audit

_WHOLE = 0.999
"""Share of a text from which on all of it arrived; white space may have changed."""
_TELLING = 5  # words by which a line is known


@dataclass(frozen=True)
class Reach:
    """How far the passages of a recorded run got.

    Args:
        trace: The run.
    """

    trace: Trace

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """What was retrieved before the answer was written, by node."""
        found: dict[str, Candidate] = {}
        for retrieval in self.trace.retrievals:
            if not retrieval.after_answer:
                for each in retrieval.candidates:
                    found.setdefault(each.node_id, each)
        return found

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries that were sent before the answer was written."""
        sent = (each.query for each in self.trace.retrievals if each.query and not each.after_answer)
        return tuple(dict.fromkeys(sent))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the candidates, in order of retrieval."""
        graph = self.trace.graph
        known = {node.id: node for node in graph.nodes}
        return tuple(known[id_] for id_ in self.candidates if id_ in known and known[id_].text.strip())

    @cached_property
    def earlier(self) -> tuple[Node, ...]:
        """Sources of earlier turns that this run did not read again."""
        return tuple(node for node in self.trace.graph.nodes if TURN in node.attributes and node.is_evidence)

    @cached_property
    def reranked(self) -> frozenset[str] | None:
        """Nodes that every reranker and filter left; None if nothing reranked or filtered."""
        dropped = {each.node_id for step in self.trace.rerankings for each in step.ranked if each.rank_out is None}
        return frozenset(set(self.candidates) - dropped) if self.trace.rerankings else None

    @cached_property
    def packed(self) -> dict[str, Packed]:
        """What the models behind the answer were shown of each candidate: the most that any of them was."""
        found: dict[str, Packed] = {}
        for packing in self.packings:
            for piece in packing.pieces:
                if piece.node_id in self.candidates:
                    known = found.get(piece.node_id)
                    found[piece.node_id] = piece if known is None or piece.arrived > known.arrived else known
        return found

    @property
    def unread(self) -> tuple[Node, ...]:
        """The candidates that no prompt behind the answer held whole, or that its verification did not reach."""
        graph = self.trace.graph
        reached = {node.id for node in graph.upstream(graph.answer.id)} if graph.answer else set()
        return tuple(node for node in self.nodes if node.id not in reached or not self._whole(node.id))

    @property
    def untouched(self) -> bool:
        """Whether every query was the request itself, and all that came back was shown whole."""
        before = [each for each in self.trace.retrievals if not each.after_answer]
        return not any(each.rewritten or each.error for each in before) and all(map(self._whole, self.candidates))

    def _whole(self, node_id: str) -> bool:
        piece = self.packed.get(node_id)
        return piece is not None and piece.arrived >= _WHOLE

    @cached_property
    def packs(self) -> bool:
        """Whether it is known what was selected: a prompt behind the answer was recorded, or nothing was left."""
        return bool(self.packings) or (bool(self.candidates) and self.reranked == frozenset())

    @cached_property
    def packings(self) -> tuple[Packing, ...]:
        """The evidence in the prompts of the calls that the answer was made by.

        A call whose words are in the prompt of a later one of the same step is one of them: an answer that is refined
        passage by passage may be too short to be followed in the graph.
        """
        graph, packings = self.trace.graph, self.trace.packings
        if graph.answer is None:
            return packings
        behind = {node.run_id for node in (graph.answer, *graph.upstream(graph.answer.id))}
        if all(packing.run_id in behind for packing in packings):
            return packings  # long prompts are not read for nothing
        written = {node.run_id: _words(node.text) for node in graph.nodes if node.kind == "completion"}
        prompts: dict[str, str] = {}
        for packing in reversed(packings):
            text = written.get(packing.run_id, "").strip()
            if packing.run_id not in behind and not (text and f" {text} " in prompts.get(packing.step, "")):
                continue
            behind.add(packing.run_id)
            prompts[packing.step] = prompts.get(packing.step, "") + self._prompt(packing.run_id)
        return tuple(packing for packing in packings if packing.run_id in behind)

    def _prompt(self, run_id: str) -> str:
        """The words of a prompt, case and white space aside."""
        return _words("\n".join(piece.text for piece in inputs_of(self.trace, run_id)))

    @cached_property
    def _prompts(self) -> str:
        """The words of all prompts behind the answer."""
        return "".join(self._prompt(packing.run_id) for packing in self.packings)

    def holds(self, node_id: str, text: str) -> bool:
        """Whether a prompt behind the answer held a stretch of a node's text."""
        if self._whole(node_id):
            return True
        piece = self.packed.get(node_id)
        words = _words(text)
        shown = piece is not None and piece.order is not None
        # A short line of a passage that was left out may stand in a prompt for another reason.
        return words.count(" ") > (1 if shown else _TELLING) and words in self._prompts

    def where(self, spans: Iterable[Passage | Evidence]) -> Where:
        """Where the nearest of some stretches of text is."""
        found: Where = "nowhere"
        for span in spans:
            text = span.text if isinstance(span, Passage) else span.quote
            if self.packs and self.holds(span.node_id, text):
                return "prompt"
            if span.node_id in self.candidates:
                piece = self.packed.get(span.node_id)
                cut = piece is not None and (piece.order is not None or piece.dropped == "cut")
                found = "cut" if cut or found == "cut" else "dropped" if self.packs else "unknown"
            elif found == "nowhere" and self.is_earlier(span.node_id):
                found = "earlier_turn"
        return found

    def is_earlier(self, node_id: str) -> bool:
        """Whether a node is a source of an earlier turn."""
        return any(node.id == node_id for node in self.earlier)

    def at(self, depth: Depth, span: Passage) -> bool:
        """Whether a line was there at a depth."""
        if depth == "retrieved":
            return span.node_id in self.candidates
        if depth == "reranked":
            return span.node_id in self.candidates and (self.reranked is None or span.node_id in self.reranked)
        return self.holds(span.node_id, span.text)

    @property
    def depths(self) -> tuple[Depth, ...]:
        """The depths that this run has."""
        if not any(not retrieval.after_answer for retrieval in self.trace.retrievals):
            return ()
        found: list[Depth] = ["retrieved"]
        if self.reranked is not None:
            found.append("reranked")
        if self.packs:
            found.append("selected")
        return tuple(found)

    def ids(self, depth: Depth) -> Sequence[str]:
        """The candidates of which something was there at a depth."""
        if depth == "retrieved":
            return list(self.candidates)
        if depth == "reranked":
            return [id_ for id_ in self.candidates if self.reranked is None or id_ in self.reranked]
        return [id_ for id_ in self.candidates if (piece := self.packed.get(id_)) and piece.order is not None]


def inputs_of(trace: Trace, run_id: str) -> tuple[Piece, ...]:
    """What a model was given in a run, as the last event that says so has it."""
    pieces: tuple[Piece, ...] = ()
    for event in trace.events:
        if event.run_id == run_id:
            pieces = pieces if event.inputs is None else event.inputs
            pieces += event.more_inputs if isinstance(event, RunEnded) else ()
    return pieces


def _words(text: str) -> str:
    return f" {' '.join(forms(text))} "


_UNREAD: frozenset[Where] = frozenset({"cut", "dropped", "reference"})


def place_claims(
    report: Report, reach: Reach, reference: Sequence[Node], judge: Judge, options: VerifyOptions
) -> Pipeline[tuple[tuple[ClaimFinding, ...], tuple[str, ...]]]:
    """Places the claims of an answer.

    Claims whose evidence is known are placed by it. The others are checked, in one batch, against the texts that the
    model did not read: what was retrieved and dropped, the sources of earlier turns, and the caller's reference.

    Args:
        report: The verification.
        reach: How far passages got.
        reference: What the caller knows to be true.
        judge: The judge.
        options: Settings of the verification.

    Returns:
        A finding for each claim that is not simply supported by the prompt, in the order of the answer, and warnings.
    """
    placed: dict[str, ClaimFinding] = {}
    open_: list[Claim] = []
    for claim in report.claims:
        verdict = report.verdict(claim.id)
        if not claim.checkable or verdict.support is SupportClass.UNEVALUATABLE:
            continue
        finding = _by_evidence(verdict, reach)
        if finding is not None:
            placed[claim.id] = finding
        if verdict.support is None or (
            verdict.support in UNSUPPORTED and (finding is None or finding.where != "prompt")
        ):
            open_.append(claim)
    unread = [*(reach.unread if reach.packs else ()), *reach.earlier, *reference]
    warnings: tuple[str, ...] = ()
    if open_ and unread:
        findings = yield from audit(report.graph, open_, unread, judge, replace(options, localize=False))
        warnings = findings.warnings
        for claim in open_:
            judgement = findings.judged.get(claim.id)
            if judgement is not None and (found := _elsewhere(judgement, reach, reference)) is not None:
                placed[claim.id] = found
    for claim in open_:
        support = report.verdict(claim.id).support
        placed.setdefault(claim.id, ClaimFinding(claim_id=claim.id, where="unknown" if support is None else "nowhere"))
    order = [claim.id for claim in report.claims]
    kept = (placed[id_] for id_ in order if id_ in placed)
    return tuple(each for each in kept if not _plain(each, report)), warnings


def _plain(finding: ClaimFinding, report: Report) -> bool:
    return finding.where == "prompt" and report.verdict(finding.claim_id).support is SupportClass.SUPPORTED


def _by_evidence(verdict: Verdict, reach: Reach) -> ClaimFinding | None:
    """Places a claim by the evidence of its verdict; None if it has none that decides."""
    decided = tuple(item for item in verdict.evidence if item.decides)
    if verdict.support is None or not decided:
        return None
    wanted = "contradicts" if verdict.support is SupportClass.CONTRADICTED else "supports"
    telling = tuple(item for item in decided if item.relation == wanted) or decided
    where = _where(telling, reach)
    return ClaimFinding(
        claim_id=verdict.claim_id,
        where=where,
        relation="contradicts" if telling[0].relation == "contradicts" else "supports",
        evidence=telling,
        by_memory=verdict.support is SupportClass.SUPPORTED and where in _UNREAD,
    )


def _where(evidence: Sequence[Evidence], reach: Reach) -> Where:
    """As `Reach.where`; a source that no retriever brought reached the answer by being upstream of it."""
    if any(item.node_id not in reach.candidates and not reach.is_earlier(item.node_id) for item in evidence):
        return "prompt"
    return reach.where(evidence)


def _elsewhere(judgement: Judgement, reach: Reach, reference: Sequence[Node]) -> ClaimFinding | None:
    """Places a claim by what the texts say that the model did not read; None if they say nothing about it."""
    if judgement.support not in {SupportClass.SUPPORTED, SupportClass.CONTRADICTED}:
        return None
    supports = judgement.support is SupportClass.SUPPORTED
    telling = tuple(item for item in judgement.evidence if item.decides and (item.relation == "supports") == supports)
    if not telling:
        return None
    known = {node.id for node in reference}
    inside = [item for item in telling if item.node_id not in known]
    where: Where = reach.where(inside) if inside else "reference"
    return ClaimFinding(
        claim_id=judgement.claim_id,
        where=where,
        relation="supports" if supports else "contradicts",
        evidence=tuple(inside),
        by_memory=supports and where in _UNREAD,
    )
