"""VeriTrail as published: each claim walks back from the answer, layer by layer, until its fate is decided.

Follows Metropolitansky and Larson, "VeriTrail: Closed-Domain Hallucination Detection with Traceability"
(arXiv:2505.21786): evidence is selected among the inputs of the answer, the claim gets an interim verdict on it, and
the walk goes on with the inputs of the nodes that gave evidence; after a verdict of "not fully supported" with the
inputs of every node looked at, so that a missed sentence is no false alarm. It ends when `q` such verdicts come in a
row, when nothing is left, or when only sources are left that have been read. The last verdict stands.

What is ours: claims walk in step, and the text of a layer is read once for all of them instead of once for each
(`LLMJudge(claims_per_call=1)` gives the published one claim a call). A verdict has one of five classes: `supported` is
"fully supported", evidence for and against is "inconclusive", the others are "not fully supported".

Choices where the paper, as far as we know it, is silent:

- An inconclusive verdict ends a row of "not fully supported". An inconclusive end is `unevaluatable`: the paper leaves
  it out of scoring.
- Sources with evidence stay in the context of later verdicts. What was selected from a node for a claim is never asked
  for twice, neither for such sources nor for nodes reached again by a longer way.
- Only a verdict on sources alone is the last: one that outputs had a part in is followed by one without them.
- Of the outputs with evidence for the last full support, those introduced the claim that its verdict rests on.
- If the evidence is too long for one verdict, it is selected from again, twice at most. If it still is, its parts are
  judged apart and merged by rule: support in one part and contradiction in another is inconclusive, else support wins,
  else the gravest. The rationale says so.
- A text too long for one prompt is read in several; sentences are never cut. Of a source longer than a quarter of the
  evidence that one verdict takes, only what was selected goes into it, with its neighbours.
- Without a verdict of "fully supported" on the way the answer itself introduced the claim; with an inconclusive one
  before it, or where only sources gave the last full support, that is undetermined.
- An answer without recorded inputs supports nothing: its claims are absent, and were introduced by it.
- Every leaf is a root, prompts and the question included: they may carry facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from trail_callbacks.claims import Claim
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Judgement, Question, matched
from trail_callbacks.judges.tracer import Search, Tracer
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.findings import Findings
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.walk import LONGEST, Shelf, Walk, absent, length
from trail_callbacks.verify.words import Words

__all__ = ["veritrail"]

_MOST_PARTS = 20  # decompositions of one claim, so that endless rewriting ends
_RERUNS = 2  # selections from what was selected already


def veritrail(
    graph: ProvenanceGraph, claims: Sequence[Claim], judge: Judge, options: VerifyOptions
) -> Pipeline[Findings]:
    """Walks back from the answer for every claim.

    Args:
        graph: The graph; it has an answer.
        claims: Checkable claims of the answer.
        judge: Gives the verdicts. If it is a `Tracer`, it takes claims apart and selects evidence too; else evidence is
            selected by the words that a sentence shares with the claim.
        options: `q` is read here; `passages` only for judges that are no `Tracer`.
    """
    reader = judge if isinstance(judge, Tracer) else Words(graph, options.passages)
    parts = yield from _parts(claims, reader)
    shelf = Shelf()
    walks = [Walk(graph, claim, parts[claim.id], options.q) for claim in claims]
    warnings: list[str] = []
    while live := [walk for walk in walks if walk.judgement is None]:
        yield from _select(live, reader, shelf)
        yield from _condense(live, reader, shelf)
        contexts = [(walk, part) for walk in live for part in walk.contexts(shelf)]
        questions = [Question(claim=walk.claim, passages=part) for walk, part in contexts]
        judgements: dict[str, list[Judgement]] = {walk.claim.id: [] for walk in live}
        if questions:
            assessment = yield from judge.assess(questions)
            warnings += assessment.warnings
            for (walk, _), judgement in zip(contexts, matched(questions, assessment.judgements), strict=True):
                judgements[walk.claim.id].append(judgement)
        for walk in live:
            walk.advance(_merged(walk, judgements[walk.claim.id]))
    return Findings(
        judged={walk.claim.id: walk.final() for walk in walks},
        origins={walk.claim.id: walk.origin() for walk in walks},
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _parts(claims: Sequence[Claim], reader: Tracer) -> Pipeline[dict[str, tuple[str, ...]]]:
    """Takes claims apart, and their parts again, until nothing comes apart any more."""
    waiting = {claim.id: [claim.text] for claim in claims}
    done: dict[str, list[str]] = {claim.id: [] for claim in claims}
    tried: Counter[str] = Counter()
    while True:
        asked = []
        for claim in claims:
            now = waiting[claim.id][: _MOST_PARTS - tried[claim.id]]
            waiting[claim.id] = waiting[claim.id][len(now) :]
            tried[claim.id] += len(now)
            asked += [replace(claim, text=text) for text in now]
        if not asked:
            break
        decomposed = yield from reader.decompose(asked)
        for claim, parts in zip(asked, decomposed, strict=True):
            known = {_plain(text) for text in (*done[claim.id], *waiting[claim.id])}
            if len(parts) < 2 or _plain(claim.text) in map(_plain, parts):  # noqa: PLR2004 - one part is no part
                done[claim.id].append(claim.text)
            else:
                waiting[claim.id] += [part for part in dict.fromkeys(parts) if _plain(part) not in known]
    left = {claim.id: (*done[claim.id], *waiting[claim.id]) for claim in claims}
    return {claim.id: () if left[claim.id] == (claim.text,) else left[claim.id] for claim in claims}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _select(live: Sequence[Walk], reader: Tracer, shelf: Shelf) -> Pipeline[None]:
    """Selects evidence for all walks from the nodes of their layers that they have not read yet."""
    new = [(walk, unread) for walk in live if (unread := walk.unread())]
    searches = [Search(claim=walk.claim, parts=walk.parts, passages=shelf.passages(unread)) for walk, unread in new]
    if not searches:
        return
    for (walk, unread), selection in zip(new, (yield from reader.select(searches)), strict=True):
        walk.take(unread, selection)


def _condense(live: Sequence[Walk], reader: Tracer, shelf: Shelf) -> Pipeline[None]:
    """Selects again from evidence that is too long for one verdict."""
    for _ in range(_RERUNS):
        long = [walk for walk in live if walk.failure is None and length(walk.context(shelf)) > LONGEST]
        if not long:
            return
        searches = [Search(claim=walk.claim, parts=walk.parts, passages=walk.evidence()) for walk in long]
        for walk, selection in zip(long, (yield from reader.select(searches)), strict=True):
            walk.take([node for node in walk.layer if walk.selected.get(node.id)], selection)


def _merged(walk: Walk, judgements: Sequence[Judgement]) -> Judgement:
    """One verdict from those on the parts of the evidence; without evidence it is clear without asking anyone."""
    id_ = walk.claim.id
    if walk.failure is not None:
        return Judgement(claim_id=id_, error=walk.failure)
    if not walk.evidence():
        return absent(
            id_, "Nothing that was read addresses it." if walk.layer else "The answer has no recorded inputs."
        )
    failed = [judgement for judgement in judgements if judgement.error is not None]
    if failed or not judgements:
        return failed[0] if failed else Judgement(claim_id=id_, error="the judge gave no verdict")
    if len(judgements) == 1:
        return judgements[0]
    first = min(judgements, key=lambda judgement: _GRAVITY.index(judgement.support or SupportClass.ABSENT))
    supports = {judgement.support for judgement in judgements}
    evidence = first.evidence
    if {SupportClass.SUPPORTED, SupportClass.CONTRADICTED} <= supports:
        evidence = tuple(item for judgement in judgements for item in judgement.evidence)
    return replace(
        first,
        evidence=evidence,
        rationale=f"{first.rationale} (The evidence was too long and was judged in {len(judgements)} parts.)",
    )


_GRAVITY = [
    SupportClass.SUPPORTED,
    SupportClass.CONTRADICTED,
    SupportClass.PARTIALLY_SUPPORTED,
    SupportClass.ABSENT,
    SupportClass.UNEVALUATABLE,
]
