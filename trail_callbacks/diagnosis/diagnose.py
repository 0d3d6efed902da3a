"""The diagnosis from start to end: what the question asks for, how far its evidence got, what the answer made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

from trail_callbacks.claims import Claim
from trail_callbacks.diagnosis.breaks import LOOK_AT, decide
from trail_callbacks.diagnosis.case import Case, coverage_of, facet_findings, retrieval_findings, stages_of
from trail_callbacks.diagnosis.facets import survey_by_rules
from trail_callbacks.diagnosis.reach import Reach, place_claims
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import Passage, whole
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Survey, Surveyor
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
from trail_callbacks.verify.sources import Sources

_TITLES = ("title", "source", "file_name", "name", "heading", "section", "url")


def diagnose(
    trace: Trace,
    judge: JudgeLike = None,
    *,
    report: Report | None = None,
    gold: Collection[str] | None = None,
    reference: str | Iterable[str] = (),
    facets: Sequence[Facet | str] = (),
    options: VerifyOptions | None = None,
) -> Diagnosis:
    """Finds where the evidence path of a recorded run broke first.

    Beyond the verification of the answer it costs two model calls at most: one surveys what was retrieved, one checks
    what the model did not read for the claims that the prompt does not support.

    Args:
        trace: The recorded run.
        judge: As in `check`. The offline judge knows the facets of a question by rules only, and not what answers it.
        report: The verification of the run's answer; None verifies it first.
        gold: Ids, document ids or content hashes of the passages that ought to be retrieved; empty if nothing in the
            corpus answers the question; None if unknown.
        reference: Texts known to be true, such as the right answer: they tell a memory from an invention.
        facets: What the question asks for, if you know; texts count as topics.
        options: Settings.

    Returns:
        The diagnosis. What cannot be told is None or `undetermined`, with the reason; a failing judge is a warning.

    Raises:
        InputError: If `trace` is not a `Trace`, or the report is of another answer.
        JudgeError: If the judge is unknown.
    """
    settings = options or VerifyOptions()
    asked = judging(judge, settings)
    work = _whole_work(_checked(trace, report), asked, settings, report, gold, reference, facets)
    return drive(work, asked.model, *settings.limits)[0]


async def adiagnose(
    trace: Trace,
    judge: JudgeLike = None,
    *,
    report: Report | None = None,
    gold: Collection[str] | None = None,
    reference: str | Iterable[str] = (),
    facets: Sequence[Facet | str] = (),
    options: VerifyOptions | None = None,
) -> Diagnosis:
    """As `diagnose`, without blocking the event loop during model calls."""
    settings = options or VerifyOptions()
    asked = judging(judge, settings)
    work = _whole_work(_checked(trace, report), asked, settings, report, gold, reference, facets)
    with sliced():
        return (await adrive(work, asked.model, *settings.limits))[0]


def verified(trace: Trace, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Report:
    """Verifies the answer of a recorded run and diagnoses the run: the report carries its `diagnosis`.

    Args:
        trace: The recorded run.
        judge: As in `check`.
        options: Settings; the budget holds for both together.

    Raises:
        InputError: If `trace` is not a `Trace`.
        JudgeError: If the judge is unknown.
    """
    work, asked, settings = _verification(trace, judge, options)
    report, usage = drive(work, asked.model, *settings.limits)
    return replace(report, usage=usage + report.usage)


async def averified(trace: Trace, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Report:
    """As `verified`, without blocking the event loop during model calls."""
    work, asked, settings = _verification(trace, judge, options)
    with sliced():
        report, usage = await adrive(work, asked.model, *settings.limits)
    return replace(report, usage=usage + report.usage)


def _verification(
    trace: Trace, judge: JudgeLike, options: VerifyOptions | None
) -> tuple[Pipeline[Report], Judge, VerifyOptions]:
    settings = options or VerifyOptions()
    asked = judging(judge, settings)
    work = verifying(_checked(trace, None), asked, settings)
    return work if settings.cache is None else cached(work, asked, settings), asked, settings


def diagnosis_cost(trace: Trace, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Estimate:
    """Estimates the calls and tokens of `verified`, without calling a model; see `trail_callbacks.verify.estimate`."""
    answer = _checked(trace, None).answer or ""
    return estimated(partial(verifying, trace), answer, trace.question, judge, options)


def verifying(trace: Trace, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """The work of `verified`, for callers that drive the calls of models themselves."""
    report = yield from of_run(trace, judge, options)
    if trace.graph.answer is None:
        return report
    diagnosis = yield from diagnosed(trace, report, judge, options)
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
) -> Pipeline[Diagnosis]:
    """The diagnosis of a verified run, as a generator that yields model calls. See `diagnose`."""
    reach = Reach(trace)
    question = trace.question or ""
    survey, warnings = yield from _surveyed(question, reach, judge, options, facets)
    known = [
        Node(id=f"reference:{n}", kind="document", text=text) for n, text in enumerate(reference, 1) if text.strip()
    ]
    claims, more = yield from place_claims(report, reach, known, judge, options)
    found = facet_findings(survey, reach)
    case = Case(
        report=report,
        reach=reach,
        survey=survey,
        by_judge=survey.answers is not None,
        facets=found,
        claims=claims,
        coverage=coverage_of(report, survey, found, reach, gold),
        gold=gold,
    )
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
    )


def _whole_work(  # noqa: PLR0917 - what `diagnose` takes
    trace: Trace,
    judge: Judge,
    options: VerifyOptions,
    report: Report | None,
    gold: Collection[str] | None,
    reference: str | Iterable[str],
    facets: Sequence[Facet | str],
) -> Pipeline[Diagnosis]:
    """What `diagnose` does; with a cache folder it makes only calls that the folder has no answer to."""
    known = (reference,) if isinstance(reference, str) else tuple(reference)
    named = [each if isinstance(each, Facet) else Facet(id="", text=each) for each in facets]
    numbered = tuple(replace(each, id=f"f{n}") for n, each in enumerate(named, 1))

    def work() -> Pipeline[Diagnosis]:
        verified = report or (yield from of_run(trace, judge, options))
        return (yield from diagnosed(trace, verified, judge, options, gold=gold, reference=known, facets=numbered))

    cache = None if options.cache is None else call_cache(judge, options)
    return work() if cache is None else cache.answering(work())


def _surveyed(
    question: str, reach: Reach, judge: Judge, options: VerifyOptions, facets: Sequence[Facet]
) -> Pipeline[tuple[Survey, tuple[str, ...]]]:
    queries = list(dict.fromkeys(each.query for each in reach.trace.retrievals if each.query and not each.after_answer))
    lines = whole(reach.nodes)
    if not question.strip():
        return Survey(facets=tuple(facets), error="there is no question"), ("the run has no question to diagnose by",)
    if isinstance(judge, Surveyor) and lines:
        shown, left = _readable(question, reach, lines, options)
        survey = yield from judge.survey(question, queries, shown, facets)
        if survey.error is None:
            return survey, (*left, *survey.warnings)
        ruled = survey_by_rules(question, queries, lines, facets, _titles(reach))
        return ruled, (f"surveyed by words only, because the judge failed: {survey.error}",)
    return survey_by_rules(question, queries, lines, facets, _titles(reach)), ()


def _readable(
    question: str, reach: Reach, lines: Sequence[Passage], options: VerifyOptions
) -> tuple[Sequence[Passage], tuple[str, ...]]:
    """The lines that may be read at once, and a warning if those are not all."""
    asked = Claim(id="question", text=question, quote="", start=0, end=0)
    sources = Sources([asked], reach.nodes, options.read_tokens)
    shown = sources.next([asked], ())
    if sources.fit:
        return lines, ()
    return shown, (f"the survey read {len(shown)} of {len(lines)} lines that were retrieved: the likeliest",)


def _titles(reach: Reach) -> Callable[[str], str]:
    """Returns what the metadata of a node say that it is about."""

    def title(node_id: str) -> str:
        candidate = reach.candidates.get(node_id)
        found = (candidate.attributes.get(key) for key in _TITLES) if candidate else ()
        return "\n".join(value for value in found if isinstance(value, str))

    return title


def _checked(trace: Trace, report: Report | None) -> Trace:
    if not isinstance(trace, Trace):
        raise InputError(f"trace is {type(trace).__name__}, expected a Trace: handler.trace() or Trace.from_json()")
    if report is not None:
        mine, its = trace.graph.answer, report.graph.answer
        if (mine.text if mine else None) != (its.text if its else None):
            raise InputError("the report is of another answer than the trace")
    return trace
