"""VeriTrail as published: a walk back from the answer for each claim, layer by layer, until a verdict is final.

Follows Metropolitansky and Larson, "VeriTrail: Closed-Domain Hallucination Detection with Traceability"
(arXiv:2505.21786): evidence is selected from the inputs of the answer, the claim gets an interim verdict on it, and the
walk continues with the inputs of the nodes that gave evidence; after a verdict of "not fully supported", with the
inputs of all nodes of the layer, so that a missed sentence does not become a false alarm. It ends after `q` consecutive
verdicts of that kind, when nothing is left, or when only sources are left that have been read. The last verdict is
final.

What differs: all claims walk in parallel, and the text of a layer is read once for all of them
(`LLMJudge(claims_per_call=1)` restores the published one claim per call). A verdict has one of five classes:
`supported` is "fully supported", evidence both for and against is "inconclusive", the others are "not fully supported".

Choices where, to our knowledge, the paper is silent:

- A judge may abstain. Such a verdict is none of the three; the walk goes on as after an inconclusive one, and a claim
  from whose last verdict the judge abstained is undecided.
- An inconclusive verdict resets the count of consecutive "not fully supported" verdicts. The paper leaves a final
  inconclusive verdict out of scoring. Here one on sources that disagree is `supported`, with the evidence for and
  against, as everywhere in this package; only what the judge cannot evaluate is `unevaluatable`.
- Sources with evidence stay in the context of later verdicts. Evidence is selected from a node only once for a claim,
  also if the node is reached again by a longer path.
- Only a verdict on sources alone is final; one that also used outputs is followed by one without them.
- Of the outputs with evidence for the last full support, those that its verdict cites introduced the claim.
- If the evidence is too long for one verdict, evidence is selected from it again, at most twice. If it is still too
  long, only what was selected is judged, as far as it goes, and the rationale says so.
- A text too long for one prompt is read in several; sentences are never cut. From a source longer than a quarter of the
  evidence for one verdict, only the selected sentences and their neighbours are used.
- If no verdict was "fully supported", the answer itself introduced the claim; if one was inconclusive, or only sources
  gave the last full support, the origin is undetermined.
- An answer without recorded inputs supports nothing: its claims are absent, and the answer introduced them.
- The evidence trail is the history of the verdict: the sentences selected at each step, after repeated selections. If
  a walk fails, it holds the steps before that.
- Every leaf is a root, including prompts and the question, which may contain facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import CANDIDATES, candidates
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import (
    Assessment,
    Judge,
    Judgement,
    Question,
    Search,
    SearchResult,
    Tracer,
    absent,
    matched,
)
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.outcome import Findings
from trail_callbacks.verify.pipeline import Walker, averified, verified
from trail_callbacks.verify.sources import request
from trail_callbacks.verify.walk import LONGEST, PassageCache, Walk, length

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

_MOST_PARTS = 20  # decompositions of one claim, a bound on endless rewriting
_RERUNS = 2  # repeated selections from selected evidence
_PER_NODE = 2  # sentences of each text that words select at least


def veritrail(
    graph: ProvenanceGraph | Trace,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
    *,
    q: int = 1,
    summaries: bool = False,
) -> Report:
    """Verifies an answer by walking back from it, claim by claim, as published. See `trail_callbacks.verify.verify`.

    Args:
        graph: As of `verify`.
        judge: As of `verify`.
        options: As of `verify`; `localize` changes nothing, as a walk finds both at once.
        q: Consecutive verdicts of "not fully supported" that end a walk, 1 or more. Higher values cost more calls and
            flag fewer claims, with more certainty.
        summaries: Keep in the report, beside the sentences selected at each step, what the judge says that they say.

    Raises:
        InputError: If `q` is out of range, or as of `verify`.
        JudgeError: If the judge is unknown.
    """
    return verified(graph, judge, options, walked_back(q, summaries))


async def averitrail(
    graph: ProvenanceGraph | Trace,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
    *,
    q: int = 1,
    summaries: bool = False,
) -> Report:
    """As `veritrail`, without blocking the event loop during model calls."""
    return await averified(graph, judge, options, walked_back(q, summaries))


def walked_back(q: int = 1, summaries: bool = False) -> Walker:
    """Returns what finds the judgements of a verification by walking back. See `veritrail`."""
    if q < 1:
        raise InputError(f"q is {q}, expected 1 or more")
    return partial(_walks, q=q, summaries=summaries)


def _walks(
    graph: ProvenanceGraph, claims: Sequence[Claim], judge: Judge, q: int, summaries: bool
) -> Pipeline[Findings]:
    reader = judge if isinstance(judge, Tracer) else WordSelector(graph)
    parts = yield from _parts(claims, reader)
    cache = PassageCache()
    walks = [Walk(graph, claim, parts[claim.id], q, summaries) for claim in claims]
    warnings: list[str] = []
    while live := [walk for walk in walks if walk.judgement is None]:
        new = [walk for walk in live if walk.unread()]
        searches = [Search(claim=w.claim, parts=w.parts, passages=cache.of(*w.unread())) for w in new]
        for walk, selection in zip(new, (yield from reader.select(searches)) if new else (), strict=True):
            walk.take(walk.unread(), selection)
        for _ in range(_RERUNS):  # evidence that is too long for one verdict is selected from again
            long = [w for w in live if w.failure is None and length(w.context(cache)) > LONGEST]
            if not long:
                break
            searches = [Search(claim=w.claim, parts=w.parts, passages=w.evidence()) for w in long]
            for walk, selection in zip(long, (yield from reader.select(searches)), strict=True):
                walk.take([node for node in walk.layer if walk.selected.get(node.id)], selection)
        judged, further = yield from _interim_verdicts(live, judge, cache)
        warnings += further
        for walk in live:
            walk.advance(judged[walk.claim.id])
    return Findings(
        judged={walk.claim.id: walk.final() for walk in walks},
        introductions={walk.claim.id: walk.introduction() for walk in walks},
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _parts(claims: Sequence[Claim], reader: Tracer) -> Pipeline[dict[str, tuple[str, ...]]]:
    """Decomposes claims, and their parts again, until nothing can be split further."""
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
            if len(parts) < 2 or _plain(claim.text) in map(_plain, parts):  # noqa: PLR2004 - one part is the claim
                done[claim.id].append(claim.text)
            else:
                waiting[claim.id] += [part for part in dict.fromkeys(parts) if _plain(part) not in known]
    left = {claim.id: (*done[claim.id], *waiting[claim.id]) for claim in claims}
    return {claim.id: () if left[claim.id] == (claim.text,) else left[claim.id] for claim in claims}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _interim_verdicts(
    walks: Sequence[Walk], judge: Judge, cache: PassageCache
) -> Pipeline[tuple[dict[str, Judgement], tuple[str, ...]]]:
    """Judges the claim of each walk by the evidence of its layer; without evidence it is absent, unasked."""
    asked = [walk for walk in walks if walk.failure is None and walk.evidence()]
    shown = [walk.shown(cache) for walk in asked]
    questions = [
        Question(claim=walk.claim, passages=passages, asked=request(walk.graph))
        for walk, (passages, _) in zip(asked, shown, strict=True)
    ]
    assessment = (yield from judge.assess(questions)) if questions else Assessment(judgements=())
    judged = {walk.claim.id: _unasked(walk) for walk in walks}
    for answer, (_, is_whole) in zip(matched(questions, assessment.judgements), shown, strict=True):
        cut = "" if is_whole else " (The evidence was too long: the last of it was not read.)"
        judged[answer.claim_id] = replace(answer, rationale=f"{answer.rationale}{cut}")
    return judged, assessment.warnings


def _unasked(walk: Walk) -> Judgement:
    if walk.failure is not None:
        return Judgement(claim_id=walk.claim.id, error=walk.failure)
    why = "Nothing that was read addresses it." if walk.layer else "The answer has no recorded inputs."
    return absent(walk.claim.id, why)


class WordSelector:
    """Selects evidence by shared words, for judges that only give verdicts; does not decompose claims."""

    def __init__(self, graph: ProvenanceGraph, limit: int = CANDIDATES) -> None:
        self._graph, self._limit = graph, limit

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Returns claims unchanged."""
        yield from ()
        return tuple((claim.text,) for claim in claims)

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[SearchResult, ...]]:
        """Selects the sentences that share most words with the claim; searches of the same texts share one index."""
        yield from ()
        together: dict[tuple[str, ...], list[Search]] = defaultdict(list)
        for search in searches:
            together[_texts(search)].append(search)
        found = {ids: self._best([search.claim for search in those], ids) for ids, those in together.items()}
        return tuple(_shared(search, found[_texts(search)][search.claim.id]) for search in searches)

    def _best(self, claims: Sequence[Claim], ids: Sequence[str]) -> dict[str, list[_Place]]:
        """The best of all texts, then the best of each: a source that says the same as an output is evidence too."""
        nodes = [self._graph.node(id_) for id_ in ids]
        chosen = [candidates(claims, nodes, self._limit)]
        if len(nodes) > 1:
            chosen += [candidates(claims, [node], min(_PER_NODE, self._limit)) for node in nodes]
        return {claim.id: [(p.node_id, p.start, p.end) for some in chosen for p in some[claim.id]] for claim in claims}


_Place = tuple[str, int, int]


def _texts(search: Search) -> tuple[str, ...]:
    return tuple(dict.fromkeys(passage.node_id for passage in search.passages))


def _shared(search: Search, best: Sequence[_Place]) -> SearchResult:
    """Those that share a word with the claim, each once, as the search's own passages, whose ids are unique."""
    asked = set(keys(search.claim.text))
    own = {(p.node_id, p.start, p.end): p for p in search.passages}
    chosen = [own[place] for place in dict.fromkeys(best) if place in own]
    return SearchResult(passages=tuple(p for p in chosen if asked.intersection(keys(p.text))))
