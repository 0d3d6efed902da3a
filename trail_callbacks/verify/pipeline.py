"""Verification, top to bottom: claims, candidate evidence, verdicts, localisation, report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Extraction, Judge, Judgement
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.drive import Limits, drive
from trail_callbacks.report import Report, State, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.text import forms
from trail_callbacks.verify.audit import REQUEST_KINDS, answerable, audit, is_verbatim
from trail_callbacks.verify.findings import Origin, Origins
from trail_callbacks.verify.localize import Suspect, localize
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["acheck", "averify", "check", "judging", "pipeline", "verify"]


def check(
    answer: str,
    sources: str | Iterable[str | Node],
    question: str | None = None,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
) -> Report:
    """Checks an answer against its sources; no framework needed.

    Args:
        answer: The text to check.
        sources: What it should rest on: texts, or nodes; one string is one source.
        question: The user's request, if known.
        judge: Who decides; None is the offline judge, `"openai/gpt-5-mini"` a model through instructor.
        options: Settings.

    Returns:
        The report. A failing judge is a state of the report, not an exception.

    Raises:
        InputError: If a text is no string or two sources share an id.
        JudgeError: If the judge is unknown.
        Exception: What a judge of your own raises, which breaks its contract. A `Model` may raise: its call failed.
    """
    return verify(ProvenanceGraph.from_texts(answer, sources, question), judge, options)


async def acheck(
    answer: str,
    sources: str | Iterable[str | Node],
    question: str | None = None,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
) -> Report:
    """As `check`, without blocking the event loop while a model is asked."""
    return await averify(ProvenanceGraph.from_texts(answer, sources, question), judge, options)


def verify(graph: ProvenanceGraph, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Report:
    """Verifies the answer of a provenance graph against the leaves upstream of it. See `check`."""
    settings = _checked(graph, options)
    asked = judging(judge, settings)
    report, usage = drive(_work(graph, asked, settings), asked.model, _limits(settings))
    return replace(report, usage=usage + report.usage)


async def averify(graph: ProvenanceGraph, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Report:
    """As `verify`, without blocking the event loop while a model is asked."""
    from trail_callbacks.models.adrive import adrive  # noqa: PLC0415 - see there

    settings = _checked(graph, options)
    asked = judging(judge, settings)
    report, usage = await adrive(_work(graph, asked, settings), asked.model, _limits(settings))
    return replace(report, usage=usage + report.usage)


def pipeline(graph: ProvenanceGraph, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """The verification itself, as a computation that yields model calls; `drive` and `adrive` carry it out."""

    def report(state: State, verdicts: Sequence[Verdict] = (), warnings: Iterable[str] = ()) -> Report:
        return Report(
            state=state,
            graph=graph,
            claims=extraction.claims,
            verdicts=tuple(verdicts),
            warnings=tuple(dict.fromkeys([*extraction.warnings, *warnings])),
            scoring=options.scoring,
            judge=judge.name,
        )

    extraction = Extraction(claims=())
    answer = graph.answer
    if answer is None:
        return report("error", warnings=["the run gave no answer: there is nothing to verify"])
    if not answer.text.strip():
        return report("no_checkable_claims", warnings=["the answer is empty"])
    extraction = yield from judge.extract(answer.text, graph.question.text if graph.question else None)
    if extraction.error and not extraction.claims:
        return report("error", warnings=[f"no claims: {extraction.error}"])
    leaves = [leaf for leaf in graph.leaves(answer.id) if leaf.text.strip()]
    if extraction.abstained and not _asserts(extraction.claims, answer.text):
        wrongly = yield from answerable(graph, leaves, judge, options)
        unchecked = [_not_checked(claim, judge, "the answer declines") for claim in extraction.claims]
        return report("abstained", unchecked, wrongly.warnings)
    checkable = [claim for claim in extraction.claims if claim.checkable]
    walked = options.strategy == "veritrail"
    if walked:
        from trail_callbacks.verify.veritrail import veritrail  # noqa: PLC0415 - few need it

        findings = yield from veritrail(graph, checkable, judge, options)
    else:
        findings = yield from audit(checkable, leaves, judge, options)
    citable = {node.id for node in (graph.upstream(answer.id) if walked else leaves)}
    verdicts = [
        _verdict(claim, findings.judged.get(claim.id) or _unasked(claim), graph, judge, citable)
        for claim in extraction.claims
    ]
    origins = Origins(by_claim=findings.origins)
    if options.localize and not walked:
        suspects = [
            Suspect(claim=claim, faults=findings.judged[claim.id].faults)
            for claim, verdict in zip(extraction.claims, verdicts, strict=True)
            if verdict.support in UNSUPPORTED
        ]
        origins = yield from localize(graph, suspects, judge, options)
    if options.localize:
        verdicts = [_placed(verdict, origins.by_claim.get(verdict.claim_id)) for verdict in verdicts]
    warnings = [*findings.warnings, *origins.warnings, *_warnings(graph, extraction, verdicts, leaves)]
    return report(_state(extraction, verdicts, leaves), verdicts, warnings)


def judging(judge: JudgeLike, options: VerifyOptions | None) -> Judge:
    """Returns the judge that is meant, once it is known that the cache folder of some options can be used.

    Raises:
        JudgeError: If the judge is unknown.
        InputError: If the cache folder cannot be used.
    """
    if options is not None and options.cache is not None:
        from trail_callbacks.models.store import shared  # noqa: PLC0415 - most keep nothing on disk

        shared(options.cache)
    return resolve(judge)


def _work(graph: ProvenanceGraph, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    work = pipeline(graph, judge, options)
    if options.cache is None:
        return work
    from trail_callbacks.verify.caching import cached  # noqa: PLC0415 - most keep nothing on disk

    return cached(work, judge, options)


def _checked(graph: ProvenanceGraph, options: VerifyOptions | None) -> VerifyOptions:
    if not isinstance(graph, ProvenanceGraph):
        raise InputError(
            f"graph is {type(graph).__name__}, expected a ProvenanceGraph: from_texts() makes one of texts"
        )
    if options is not None and not isinstance(options, VerifyOptions):
        raise InputError(f"options is {type(options).__name__}, expected VerifyOptions(...)")
    return options or VerifyOptions()


def _asserts(claims: Sequence[Claim], answer: str) -> bool:
    """True if an answer says more than that it declines: "I am not sure. It is 200 m high." hides no claim."""
    return any(claim.checkable and forms(claim.quote) != forms(answer) for claim in claims)


def _limits(options: VerifyOptions) -> Limits:
    return Limits(
        max_calls=options.max_calls,
        max_tokens=options.max_tokens,
        max_seconds=options.max_seconds,
        concurrency=options.concurrency,
    )


def _unasked(claim: Claim) -> Judgement:
    rationale = "Not a statement that evidence could confirm."
    if claim.unresolved:
        rationale = f"What it means is not clear from the answer: {claim.unresolved}"
    return Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=rationale)


def _verdict(
    claim: Claim, judgement: Judgement, graph: ProvenanceGraph, judge: Judge, citable: Collection[str]
) -> Verdict:
    verbatim = [item for item in judgement.evidence if item.node_id in citable and is_verbatim(item, graph)]
    # A question or a prompt may hold facts, but "Was it built in 1887?" denies nothing.
    evidence = tuple(i for i in verbatim if i.relation == "supports" or graph.node(i.node_id).kind not in REQUEST_KINDS)
    support, error_type, rationale = judgement.support, judgement.error_type, judgement.rationale
    if support is SupportClass.CONTRADICTED and len(evidence) < len(verbatim) and not _against(evidence):
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
        confidence=judgement.confidence,
        judge=judgement.judge or judge.name,
        error=judgement.error,
    )


def _inconclusive(verdict: Verdict) -> bool:
    """Whether a walk ended with evidence for and against."""
    relations = {item.relation for item in verdict.evidence}
    return verdict.support is SupportClass.UNEVALUATABLE and relations == {"supports", "contradicts"}


def _against(evidence: Iterable[Evidence]) -> bool:
    return any(item.relation == "contradicts" for item in evidence)


def _not_checked(claim: Claim, judge: Judge, why: str) -> Verdict:
    return Verdict(
        claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=f"Not checked: {why}.", judge=judge.name
    )


def _placed(verdict: Verdict, origin: Origin | None) -> Verdict:
    if origin is None:
        return verdict
    return replace(
        verdict,
        introduced_at=origin.introduced_at,
        carried_through=origin.carried_through,
        history=origin.history,
    )


def _state(extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node]) -> State:
    judged = [verdict for verdict in verdicts if verdict.error is None]
    if verdicts and not judged:
        return "error"
    if all(verdict.support is SupportClass.UNEVALUATABLE for verdict in judged) and len(judged) == len(verdicts):
        undecided = any(verdict.history for verdict in judged)  # a walk that ended inconclusive did check its claim
        return "partial" if extraction.error or undecided else "no_checkable_claims"
    silent = {SupportClass.ABSENT, SupportClass.UNEVALUATABLE}
    if all(leaf.kind in REQUEST_KINDS for leaf in leaves) and all(verdict.support in silent for verdict in judged):
        return "no_evidence"
    return "partial" if extraction.error or len(judged) < len(verdicts) else "assessed"


def _warnings(
    graph: ProvenanceGraph, extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node]
) -> list[str]:
    warnings = []
    if extraction.error:
        warnings.append(f"some claims are missing: {extraction.error}")
    failed = [verdict for verdict in verdicts if verdict.error]
    if failed:
        warnings.append(f"{len(failed)} of {len(verdicts)} claims were not judged: {failed[0].error}")
    beside = graph.answer.attributes.get("beside") if graph.answer else None
    if beside:
        warnings.append(f"the app gave further texts of models beside its answer, not verified: {', '.join(beside)}")
    if not leaves:
        warnings.append("no source reached the answer: nothing to check it against")
    unsourced = [
        verdict.claim_id
        for verdict in verdicts
        if verdict.evidence
        and verdict.support is SupportClass.SUPPORTED
        and all(graph.node(item.node_id).kind in REQUEST_KINDS for item in verdict.evidence)
    ]
    if unsourced:
        warnings.append(f"rest only on the question or on instructions, not on a source: {', '.join(unsourced)}")
    bare = [
        verdict.claim_id for verdict in verdicts if verdict.support is SupportClass.SUPPORTED and not verdict.evidence
    ]
    if bare:
        warnings.append(f"called supported without a passage that a source holds, word for word: {', '.join(bare)}")
    disputed = [verdict.claim_id for verdict in verdicts if verdict.conflicting or _inconclusive(verdict)]
    if disputed:
        warnings.append(f"the sources disagree on {', '.join(disputed)}: see the evidence for and against")
    lost = [v.claim_id for v in verdicts if v.support in UNSUPPORTED and v.history and v.introduced_at is None]
    if lost:
        warnings.append(f"the step that introduced {', '.join(lost)} could not be determined")
    weak = {edge.target for edge in graph.edges if edge.basis == "scope"}
    if weak:
        warnings.append(
            f"{len(weak)} of {len(graph.nodes)} steps read text that was rewritten out of sight: "
            "their inputs are taken from what was in reach"
        )
    return warnings
