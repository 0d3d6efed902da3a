"""The diagnosis from start to end: what the question asks for, how far its evidence got, what the answer made of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from trail_callbacks.diagnosis.breaks import LOOK_AT, decide
from trail_callbacks.diagnosis.case import Case, coverage_of, facet_findings, retrieval_findings, stages_of
from trail_callbacks.diagnosis.index import MOST_QUERIES, Index, IndexWork, Retriever
from trail_callbacks.diagnosis.reach import Reach, place_claims
from trail_callbacks.diagnosis.survey import Request, surveyed
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Diagnosis, Facet
from trail_callbacks.slices import sliced
from trail_callbacks.trace import Trace
from trail_callbacks.verify.estimate import Estimate, estimated
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import cached, call_cache, judging, of_run
from trail_callbacks.verify.sources import told


def diagnose(
    trace: Trace,
    judge: JudgeLike = None,
    *,
    report: Report | None = None,
    gold: Collection[str] | None = None,
    reference: str | Iterable[str] = (),
    facets: Sequence[Facet | str] = (),
    retriever: Retriever | None = None,
    retriever_calls: int = MOST_QUERIES,
    options: VerifyOptions | None = None,
) -> Diagnosis:
    """Finds where the evidence path of a recorded run broke first.

    Beyond the verification of the answer it costs two model calls at most: one surveys what was retrieved, one checks
    what the model did not read for the claims that the prompt does not support. Where something was missing, a
    retriever that is given is asked for it: at most two more model calls word the queries and read what they bring.

    Args:
        trace: The recorded run.
        judge: As in `check`. The offline judge does not know what answers a question: it says what the run shows.
        report: The verification of the run's answer; None verifies it first.
        gold: Ids, document ids or content hashes of the passages that ought to be retrieved; empty if nothing in the
            corpus answers the question; None if unknown.
        reference: Texts known to be true, such as the right answer: they tell a memory from an invention.
        facets: What the question asks for, if you know; texts count as topics.
        retriever: The app's own, to be asked for what the run lacked: of LangChain, of LlamaIndex, or a function of a
            query that returns texts or documents. A copy of it is set to bring 50, if it has a number to set. Without
            it nobody can tell whether the index has what was not retrieved.
        retriever_calls: Queries it is asked at most, 1 or more; they count as calls of `Budget`, too.
        options: Settings.

    Returns:
        The diagnosis. What cannot be told is None or `undetermined`, with the reason; a failing judge is a warning.

    Raises:
        InputError: If `trace` is not a `Trace`, the report is of another answer, or `retriever` is none.
        JudgeError: If the judge is unknown.
    """
    settings = options or VerifyOptions()
    asked = judging(judge, settings)
    index = None if retriever is None else Index(retriever, retriever_calls)
    work = _whole_work(_checked(trace, report), asked, settings, report, gold, reference, facets, index)
    return drive(work, asked.model or index, *settings.limits)[0]


async def adiagnose(
    trace: Trace,
    judge: JudgeLike = None,
    *,
    report: Report | None = None,
    gold: Collection[str] | None = None,
    reference: str | Iterable[str] = (),
    facets: Sequence[Facet | str] = (),
    retriever: Retriever | None = None,
    retriever_calls: int = MOST_QUERIES,
    options: VerifyOptions | None = None,
) -> Diagnosis:
    """As `diagnose`, without blocking the event loop during model calls."""
    settings = options or VerifyOptions()
    asked = judging(judge, settings)
    index = None if retriever is None else Index(retriever, retriever_calls)
    work = _whole_work(_checked(trace, report), asked, settings, report, gold, reference, facets, index)
    with sliced():
        return (await adrive(work, asked.model or index, *settings.limits))[0]


def verified(
    trace: Trace,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
    *,
    retriever: Retriever | None = None,
) -> Report:
    """Verifies the answer of a recorded run and diagnoses the run: the report carries its `diagnosis`.

    Args:
        trace: The recorded run.
        judge: As in `check`.
        options: Settings; the budget holds for both together.
        retriever: As in `diagnose`.

    Raises:
        InputError: If `trace` is not a `Trace`, or `retriever` is none.
        JudgeError: If the judge is unknown.
    """
    index = None if retriever is None else Index(retriever, MOST_QUERIES)
    work, asked, settings = _verification(trace, judge, options, index)
    report, usage = drive(work, asked.model or index, *settings.limits)
    return replace(report, usage=usage + report.usage)


async def averified(
    trace: Trace,
    judge: JudgeLike = None,
    options: VerifyOptions | None = None,
    *,
    retriever: Retriever | None = None,
) -> Report:
    """As `verified`, without blocking the event loop during model calls."""
    index = None if retriever is None else Index(retriever, MOST_QUERIES)
    work, asked, settings = _verification(trace, judge, options, index)
    with sliced():
        report, usage = await adrive(work, asked.model or index, *settings.limits)
    return replace(report, usage=usage + report.usage)


def _verification(
    trace: Trace, judge: JudgeLike, options: VerifyOptions | None, index: Index | None
) -> tuple[Pipeline[Report], Judge, VerifyOptions]:
    settings = options or VerifyOptions()
    asked = judging(judge, settings)
    work = verifying(_checked(trace, None), asked, settings, index)
    return work if settings.cache is None else cached(work, asked, settings), asked, settings


def diagnosis_cost(trace: Trace, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Estimate:
    """Estimates the calls and tokens of `verified`, without calling a model; see `trail_callbacks.verify.estimate`."""
    answer = _checked(trace, None).answer or ""
    return estimated(partial(verifying, trace), answer, trace.question, judge, options)


def verifying(trace: Trace, judge: Judge, options: VerifyOptions, index: Index | None = None) -> Pipeline[Report]:
    """The work of `verified`, for callers that drive the calls of models themselves."""
    report = yield from of_run(trace, judge, options)
    if trace.graph.answer is None:
        return report
    diagnosis = yield from diagnosed(trace, report, judge, options, index=index)
    return replace(report, diagnosis=diagnosis)


def diagnosed(
    trace: Trace,
    report: Report,
    judge: Judge,
    options: VerifyOptions,
    *,
    gold: Collection[str] | None = None,
    reference: Sequence[str] = (),
    facets: Sequence[Facet] = (),
    index: Index | None = None,
) -> Pipeline[Diagnosis]:
    """The diagnosis of a verified run, as a generator that yields model calls. See `diagnose`."""
    reach = Reach(trace)
    before = told(trace.graph)["conversation"]
    request = Request(question=trace.question or "", conversation=before, queries=reach.queries, facets=facets)
    survey = yield from surveyed(judge, request, reach.nodes, options)
    warnings = survey.warnings
    known = [
        Node(id=f"reference:{n}", kind="document", text=text) for n, text in enumerate(reference, 1) if text.strip()
    ]
    claims, more = yield from place_claims(report, reach, known, judge, options)
    found = facet_findings(survey, reach)
    case = Case(
        report=report,
        reach=reach,
        survey=survey,
        facets=found,
        claims=claims,
        coverage=coverage_of(report, survey, found, reach, gold),
        gold=gold,
        by_model=judge.model is not None,
    )
    if index is not None and case.lacking:
        search, failed = yield from IndexWork(index, request, reach, survey, judge, options, gold).run()
        case, warnings = replace(case, index=search), (*warnings, *failed)
    outcome = decide(case)
    first = outcome.breaks[0] if outcome.breaks else None
    return Diagnosis(
        signature=outcome.signature,
        first_break=first,
        breaks=outcome.breaks,
        reasons=outcome.reasons,
        look_at=LOOK_AT[outcome.signature],
        coverage=case.coverage,
        facets=found,
        claims=claims,
        retrievals=retrieval_findings(case),
        stages=stages_of(case, first),
        warnings=tuple(dict.fromkeys([*trace.warnings, *warnings, *more])),
        judge=judge.name,
        index=case.index,
    )


def _whole_work(  # noqa: PLR0917 - what `diagnose` takes
    trace: Trace,
    judge: Judge,
    options: VerifyOptions,
    report: Report | None,
    gold: Collection[str] | None,
    reference: str | Iterable[str],
    facets: Sequence[Facet | str],
    index: Index | None,
) -> Pipeline[Diagnosis]:
    """What `diagnose` does; with a cache folder it makes only calls that the folder has no answer to."""
    known = (reference,) if isinstance(reference, str) else tuple(reference)
    named = [each if isinstance(each, Facet) else Facet(id="", text=each) for each in facets]
    numbered = tuple(replace(each, id=f"f{n}") for n, each in enumerate(named, 1))

    def work() -> Pipeline[Diagnosis]:
        verified = report or (yield from of_run(trace, judge, options))
        return (
            yield from diagnosed(
                trace, verified, judge, options, gold=gold, reference=known, facets=numbered, index=index
            )
        )

    cache = None if options.cache is None else call_cache(judge, options)
    return work() if cache is None else cache.answering(work())


def _checked(trace: Trace, report: Report | None) -> Trace:
    if not isinstance(trace, Trace):
        raise InputError(f"trace is {type(trace).__name__}, expected a Trace: handler.trace() or Trace.from_json()")
    if report is not None:
        mine, its = trace.graph.answer, report.graph.answer
        if (mine.text if mine else None) != (its.text if its else None):
            raise InputError("the report is of another answer than the trace")
    return trace
