"""Verification from start to end: claims, candidate evidence, verdicts, localisation, report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trail_callbacks.claims import Claim, of_fields, structured
from trail_callbacks.errors import InputError
from trail_callbacks.graph import CUT_OFF, LOST, Node, ProvenanceGraph, Sources
from trail_callbacks.judges.judge import Extraction, Judge, reads_whole
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.drive import drive
from trail_callbacks.report import Report, State, Verdict
from trail_callbacks.slices import sliced
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import forms
from trail_callbacks.verify.audit import answerable, audit
from trail_callbacks.verify.coverage import Coverage, covered
from trail_callbacks.verify.localize import Introductions, Suspect, localize
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.outcome import (
    final_state,
    lacking,
    left_out,
    not_checked,
    placed,
    unasked,
    verdict_on,
    warnings_on,
)

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

__all__ = ["acheck", "averify", "check", "judging", "of_run", "pipeline", "verify"]

_MAY_CITE = re.compile(
    r"\[|\u3010|https?://|<sup|\([^()\n]{0,80}\d|\((?i:source|quelle|fuente)|[.,;:!?\"')][\u00b9\u00b2\u00b3\u2070-\u2079]"
)
"""What every citation mark has."""
_CUT = "the answer was cut off: it is what was read before the app stopped it, or stopped reading"


def check(
    answer: str,
    sources: Sources,
    question: str | None = None,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
) -> Report:
    """Checks an answer against its sources; no framework needed.

    Args:
        answer: The text to check.
        sources: What to check it against: texts, nodes, and documents of LangChain or LlamaIndex as a retriever
            returns them (`Document`, `TextNode`, `NodeWithScore`); one alone is one source.
        question: The user's request, if known.
        judge: The judge; None is the offline judge, `"openai/gpt-5-mini"` a model through instructor.
        options: Settings.

    Returns:
        The report. A failing judge is a state of the report, not an exception.

    Raises:
        InputError: If a text is not a string or two sources share an id.
        JudgeError: If the judge is unknown.
        Exception: Whatever a custom judge raises against its contract. A `Model` may raise: then its call failed.
    """
    return verify(ProvenanceGraph.from_texts(answer, sources, question), judge, options)


async def acheck(
    answer: str,
    sources: Sources,
    question: str | None = None,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
) -> Report:
    """As `check`, without blocking the event loop during model calls."""
    return await averify(ProvenanceGraph.from_texts(answer, sources, question), judge, options)


def verify(graph: ProvenanceGraph | Trace, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Report:
    """Verifies the answer of a provenance graph, or of a recorded run, against the leaves upstream of it. See `check`.

    Args:
        graph: The graph; or a trace, whose graph it is then: the report has its id.
        judge: See `check`.
        options: See `check`.
    """
    graph, trace, settings = _checked(graph, options)
    asked = judging(judge, settings)
    report, usage = drive(_work(graph, asked, settings), asked.model, settings.limits)
    return _of_run(replace(report, usage=usage + report.usage), trace, settings)


async def averify(
    graph: ProvenanceGraph | Trace, judge: JudgeLike = None, options: VerifyOptions | None = None
) -> Report:
    """As `verify`, without blocking the event loop during model calls."""
    from trail_callbacks.models.drive import adrive  # noqa: PLC0415 - see there

    graph, trace, settings = _checked(graph, options)
    asked = judging(judge, settings)
    with sliced():  # the work is on a thread, but Python runs one at a time
        report, usage = await adrive(_work(graph, asked, settings), asked.model, settings.limits)
    return _of_run(replace(report, usage=usage + report.usage), trace, settings)


def pipeline(graph: ProvenanceGraph, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """The verification, as a generator that yields model calls; `drive` and `adrive` execute them."""

    def report(state: State, verdicts: Sequence[Verdict] = (), warnings: Iterable[str] = ()) -> Report:
        cut = [_CUT] if answer is not None and answer.attributes.get(CUT_OFF) else []
        found = Report(
            state=state,
            graph=graph,
            claims=extraction.claims,
            verdicts=tuple(verdicts),
            warnings=tuple(dict.fromkeys([*cut, *extraction.warnings, *warnings])),
            scoring=options.scoring,
            judge=judge.name,
            claims_error=extraction.error,
            coverage=coverage.share,
        )
        lost = answer.attributes.get(LOST) if answer is not None else None
        return lacking(found, [str(each) for each in lost] if isinstance(lost, list | tuple) else ())

    extraction, coverage = Extraction(claims=()), Coverage(None)
    answer = graph.answer
    if answer is None:
        return report("error", warnings=["the run gave no answer: there is nothing to verify"])
    if not answer.text.strip():
        return report("no_checkable_claims", warnings=["the answer is empty"])
    leaves = [leaf for leaf in graph.leaves(answer.id) if leaf.text.strip()]
    judge = yield from _informed(graph, leaves, judge, options)
    extraction = yield from _extracted(judge, answer.text, graph.question.text if graph.question else None)
    if extraction.error and not extraction.claims:
        return report("error", warnings=[f"no claims: {extraction.error}"])
    extraction, coverage = covered(graph, extraction)
    if extraction.abstained and not _asserts(extraction.claims, answer.text):
        wrongly = yield from answerable(graph, leaves, judge, options)
        unchecked = [not_checked(claim, judge, "the answer declines") for claim in extraction.claims]
        return report("abstained", unchecked, wrongly.warnings)
    checkable = [claim for claim in extraction.claims if claim.checkable and not claim.uncovered]
    walked = options.strategy == "veritrail"
    if walked:
        from trail_callbacks.verify.veritrail import veritrail  # noqa: PLC0415 - few need it

        findings = yield from veritrail(graph, checkable, judge, options)
    else:
        findings = yield from audit(graph, checkable, leaves, judge, options)
    citable = {node.id for node in (graph.upstream(answer.id) if walked else leaves)}
    verdicts = [
        left_out(claim, judge)
        if claim.uncovered
        else verdict_on(claim, findings.judged.get(claim.id) or unasked(claim), graph, judge, citable)
        for claim in extraction.claims
    ]
    introductions = Introductions(by_claim=findings.introductions)
    if options.localize and not walked:
        suspects = [
            Suspect(claim=claim, faults=findings.judged[claim.id].faults, evidence=verdict.evidence)
            for claim, verdict in zip(extraction.claims, verdicts, strict=True)
            if verdict.support in UNSUPPORTED
        ]
        introductions = yield from localize(graph, suspects, judge, options)
    if options.localize:
        verdicts = [placed(verdict, introductions.by_claim.get(verdict.claim_id)) for verdict in verdicts]
    own_words: list[str] = []
    if any(node.has_model_text for node in graph.nodes):
        from trail_callbacks.verify.self_support import self_supported  # noqa: PLC0415 - most graphs have none

        verdicts, own_words = self_supported(graph, extraction.claims, verdicts)
    extraction, miscited = yield from _with_citations(graph, extraction, verdicts, judge, options)
    found = [*findings.warnings, *introductions.warnings, *own_words, *miscited]
    warnings = [*found, *warnings_on(graph, extraction, verdicts, leaves, coverage.code)]
    return report(final_state(extraction, verdicts, leaves, code=bool(coverage.code)), verdicts, warnings)


def _with_citations(
    graph: ProvenanceGraph, extraction: Extraction, verdicts: Sequence[Verdict], judge: Judge, options: VerifyOptions
) -> Pipeline[tuple[Extraction, tuple[str, ...]]]:
    answer = graph.answer
    if answer is None or not _MAY_CITE.search(answer.text):
        return extraction, ()
    from trail_callbacks.verify.citations import cited  # noqa: PLC0415 - most answers cite nothing

    citing = yield from cited(graph, extraction.claims, verdicts, judge, options)
    return replace(extraction, claims=citing.claims), citing.warnings


def _informed(graph: ProvenanceGraph, leaves: Sequence[Node], judge: Judge, options: VerifyOptions) -> Pipeline[Judge]:
    if options.strategy != "audit" or not reads_whole(judge):
        return judge
    from trail_callbacks.verify.one_pass import informed  # noqa: PLC0415 - only judges with a model need it

    return (yield from informed(graph, leaves, judge, options))


def _extracted(judge: Judge, answer: str, question: str | None) -> Pipeline[Extraction]:
    """The claims of an answer; the fields of a structured one are the same for all judges, who read only its prose."""
    read = structured(answer)
    if read is None:
        return (yield from judge.extract(answer, question))
    prose = Extraction(claims=())
    if read.prose:
        prose = yield from judge.extract(read.text, question)
    return replace(
        prose,
        claims=of_fields(answer, read, prose.claims, question),
        abstained=read.declines(prose.abstained if read.prose else None),
    )


def judging(judge: JudgeLike, options: VerifyOptions | None) -> Judge:
    """Returns the judge that is meant, once it is known that the cache folder of some options can be used.

    Raises:
        JudgeError: If the judge is unknown.
        InputError: If the cache folder cannot be used.
    """
    if options is not None and options.cache is not None:
        from trail_callbacks.models.cache import shared  # noqa: PLC0415 - most keep nothing on disk

        shared(options.cache)
    return resolve(judge)


def _work(graph: ProvenanceGraph, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    work = pipeline(graph, judge, options)
    if options.cache is None:
        return work
    from trail_callbacks.verify.caching import cached  # noqa: PLC0415 - most keep nothing on disk

    return cached(work, judge, options)


def _checked(
    graph: ProvenanceGraph | Trace, options: VerifyOptions | None
) -> tuple[ProvenanceGraph, Trace | None, VerifyOptions]:
    trace = None
    if not isinstance(graph, ProvenanceGraph):
        from trail_callbacks.trace import Trace  # noqa: PLC0415 - most give a graph

        if not isinstance(graph, Trace):
            raise InputError(
                f"graph is {type(graph).__name__}, expected a ProvenanceGraph (from_texts() makes one of texts) or a "
                "Trace"
            )
        trace, graph = graph, graph.graph
    if options is not None and not isinstance(options, VerifyOptions):
        raise InputError(f"options is {type(options).__name__}, expected VerifyOptions(...)")
    return graph, trace, options or VerifyOptions()


def of_run(trace: Trace, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """As `pipeline`, of a recorded run: what its recording lacks makes the report partial."""
    report = yield from pipeline(trace.graph, judge, options)
    return replace(lacking(report, trace.lost), run_id=trace.id)


def _of_run(report: Report, trace: Trace | None, options: VerifyOptions) -> Report:
    """The report with what is known of the run itself."""
    whole = report if trace is None else replace(lacking(report, trace.lost), run_id=trace.id)
    return replace(whole, warnings=(*whole.warnings, *_unheeded(options)))


def _asserts(claims: Sequence[Claim], answer: str) -> bool:
    """True if an answer that declines also makes a claim: "I am not sure. It is 200 m high."."""
    return any(claim.checkable and (claim.uncovered or forms(claim.quote) != forms(answer)) for claim in claims)


def _unheeded(options: VerifyOptions) -> tuple[str, ...]:
    """Says that a diagnosis needs a recorded run, where one is asked for."""
    if not options.diagnose:
        return ()
    return ("not diagnosed: give a recorded run to trail_callbacks.diagnosis.verified(trace)",)
