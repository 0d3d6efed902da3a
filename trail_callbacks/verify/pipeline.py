"""Verification from start to end: claims, candidate evidence, verdicts, localisation, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from trail_callbacks.claims import Claim, of_fields, structured
from trail_callbacks.errors import InputError
from trail_callbacks.graph import CUT_OFF, LOST, UNSEEN, ProvenanceGraph, Sources
from trail_callbacks.judges.judge import Extraction, Judge, reads_whole
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.models.call import Pipeline, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.report import Report, State, Verdict
from trail_callbacks.slices import sliced
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import forms
from trail_callbacks.verify.citations import cited, naming, without_marks
from trail_callbacks.verify.coverage import AnswerCoverage, covered
from trail_callbacks.verify.localize import Suspect, localize
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.outcome import (
    Findings,
    answerable,
    audit,
    final_state,
    lacking,
    not_checked,
    placed,
    unseen,
    verdict_on,
    warnings_on,
)

if TYPE_CHECKING:
    from trail_callbacks.models.cache import CallCache
    from trail_callbacks.trace import Trace

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
    return verified(graph, judge, options)


async def averify(
    graph: ProvenanceGraph | Trace, judge: JudgeLike = None, options: VerifyOptions | None = None
) -> Report:
    """As `verify`, without blocking the event loop during model calls."""
    return await averified(graph, judge, options)


Walker: TypeAlias = Callable[[ProvenanceGraph, Sequence[Claim], Judge], Pipeline[Findings]]
"""Judges claims and finds where they were introduced, in place of the audit and the localisation."""


def verified(
    graph: ProvenanceGraph | Trace, judge: JudgeLike, options: VerifyOptions | None, walker: Walker | None = None
) -> Report:
    """As `verify`, perhaps by a walk."""
    graph, trace, settings = _checked(graph, options)
    asked = judging(judge, settings)
    work = cached(pipeline(graph, asked, settings, walker), asked, settings)
    report, usage = drive(work, asked.model, *settings.limits)
    return _of_run(replace(report, usage=usage + report.usage), trace)


async def averified(
    graph: ProvenanceGraph | Trace, judge: JudgeLike, options: VerifyOptions | None, walker: Walker | None = None
) -> Report:
    """As `verified`, without blocking the event loop during model calls."""
    from trail_callbacks.models.drive import adrive  # noqa: PLC0415 - see there

    graph, trace, settings = _checked(graph, options)
    asked = judging(judge, settings)
    work = cached(pipeline(graph, asked, settings, walker), asked, settings)
    with sliced():  # the work is on a thread, but Python runs one at a time
        report, usage = await adrive(work, asked.model, *settings.limits)
    return _of_run(replace(report, usage=usage + report.usage), trace)


def pipeline(  # noqa: C901 - all its steps, in order
    graph: ProvenanceGraph, judge: Judge, options: VerifyOptions, walker: Walker | None = None
) -> Pipeline[Report]:
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
        return lacking(found, [*unseen(graph, verdicts), *(map(str, lost) if isinstance(lost, list | tuple) else ())])

    extraction, coverage = Extraction(claims=()), AnswerCoverage(None)
    answer = graph.answer
    if answer is None:
        return report("error", warnings=["the run gave no answer: there is nothing to verify"])
    if not answer.text.strip():
        return report("no_checkable_claims", warnings=["the answer is empty"])
    leaves = [leaf for leaf in graph.leaves(answer.id) if leaf.text.strip()]
    if walker is None and reads_whole(judge):
        from trail_callbacks.verify.sources import informed  # noqa: PLC0415 - only judges with a model need it

        judge = yield from informed(graph, leaves, judge, options)
    extraction = yield from _extracted(judge, answer.text, graph.question.text if graph.question else None)
    if extraction.error and not extraction.claims:
        return report("error", warnings=[f"no claims: {extraction.error}"])
    marks = naming(graph)
    if judge.model is None:  # one with a model leaves out itself what names a source
        extraction = replace(extraction, claims=tuple(without_marks(claim, marks) for claim in extraction.claims))
    extraction, coverage = covered(graph, extraction, marks)
    if extraction.abstained and not _asserts(extraction.claims, answer.text):
        wrongly = yield from answerable(graph, leaves, judge, options)
        return report("abstained", [not_checked(c, judge, "the answer declines") for c in extraction.claims], wrongly)
    checkable = [claim for claim in extraction.claims if claim.checkable and not claim.uncovered]
    if walker is not None:
        findings = yield from walker(graph, checkable, judge)
    else:
        findings = yield from audit(graph, checkable, leaves, judge, options)
    citable = {node.id for node in (graph.upstream(answer.id) if walker else leaves)}
    verdicts = [verdict_on(claim, findings.judged.get(claim.id), graph, judge, citable) for claim in extraction.claims]
    introductions, further = findings.introductions, findings.warnings
    if options.localize and walker is None:
        suspects = [
            Suspect(claim=claim, faults=findings.judged[claim.id].faults, evidence=verdict.evidence)
            for claim, verdict in zip(extraction.claims, verdicts, strict=True)
            if verdict.support in UNSUPPORTED
        ]
        introductions, further = yield from localize(graph, suspects, judge)
    if options.localize or walker:
        verdicts = [placed(verdict, introductions.get(verdict.claim_id)) for verdict in verdicts]
    warnings = [*findings.warnings, *further]  # each is told once
    if any(node.has_model_text or UNSEEN in node.attributes for node in graph.nodes):
        from trail_callbacks.verify.self_support import self_supported  # noqa: PLC0415 - most graphs have none

        verdicts, own_words = self_supported(graph, extraction.claims, verdicts)
        warnings += own_words
    claims, miscited = yield from cited(graph, extraction.claims, verdicts, judge, options)
    extraction = replace(extraction, claims=claims)
    warnings += miscited
    warnings += warnings_on(graph, extraction, verdicts, leaves, coverage.code)
    state = final_state(extraction, verdicts, leaves, code=bool(coverage.code))
    return lacking(report(state, verdicts, warnings), findings.lacking)


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


def _asserts(claims: Sequence[Claim], answer: str) -> bool:
    """True if an answer that declines also makes a claim: "I am not sure. It is 200 m high."."""
    return any(claim.checkable and (claim.uncovered or forms(claim.quote) != forms(answer)) for claim in claims)


def judging(judge: JudgeLike, options: VerifyOptions | None) -> Judge:
    """Returns the judge that is meant, once it is known that the cache folder of some options can be used."""
    if options is not None and options.cache is not None:
        from trail_callbacks.models.cache import shared  # noqa: PLC0415 - most keep nothing on disk

        shared(options.cache)
    return resolve(judge)


def call_cache(judge: Judge, options: VerifyOptions) -> CallCache | None:
    """Returns what answers a judge's calls from the cache folder of some options; None if there is nothing to ask."""
    if options.cache is None or judge.model is None:
        return None
    from trail_callbacks.models.cache import CallCache, shared  # noqa: PLC0415 - most keep nothing on disk

    return CallCache(judge.model, shared(options.cache))


def cached(work: Pipeline[Report], judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """The same verification, which makes only calls that the cache folder has no answer to."""
    cache = call_cache(judge, options)
    return work if cache is None else answered(work, cache)


def answered(work: Pipeline[Report], cache: CallCache) -> Pipeline[Report]:
    """As `cached`, with a cache that is there already."""
    report = yield from cache.answering(work)
    return replace(report, usage=Usage(cache_hits=cache.hits), warnings=report.warnings + cache.warnings)


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
    if options is not None and options.diagnose:
        raise InputError(
            "VerifyOptions.diagnose needs a recorded run: set it on a handler, trail() or instrument(), or give the "
            "trace to trail_callbacks.diagnosis.verified"
        )
    return graph, trace, options or VerifyOptions()


def of_run(trace: Trace, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """As `pipeline`, of a recorded run: what its recording lacks makes the report partial."""
    report = yield from pipeline(trace.graph, judge, options)
    return replace(lacking(report, trace.lost), run_id=trace.id)


def _of_run(report: Report, trace: Trace | None) -> Report:
    """The report with what is known of the run itself."""
    return report if trace is None else replace(lacking(report, trace.lost), run_id=trace.id)
