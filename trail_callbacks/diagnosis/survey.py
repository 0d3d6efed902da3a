"""What a question asks for, and which lines meet it: a judge with a model reads that; words cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import whole
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Survey, Surveyor
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report.diagnosis import Facet
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.sources import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What passages are surveyed for: a question with the turns before it, and what is known of it."""

    question: str
    conversation: str = ""
    queries: Sequence[str] = ()
    facets: Sequence[Facet] = ()


def surveyed(judge: Judge, request: Request, nodes: Sequence[Node], options: VerifyOptions) -> Pipeline[Survey]:
    """Has a judge survey what was retrieved; of what is too much for one reading, the likeliest lines.

    Returns:
        The survey; one with `error` and without `answers` if nobody made one.
    """
    question, facets = request.question, tuple(request.facets)
    if not question.strip():
        return Survey(facets=facets, error="there is no question", warnings=("the run has no question to diagnose by",))
    if not nodes:
        return Survey(facets=facets, answers=())
    if not isinstance(judge, Surveyor):
        return Survey(facets=facets, error="the judge makes no survey")
    asked = Claim(id="question", text=question, quote="", start=0, end=0)
    lines, sources = whole(nodes), Sources([asked], nodes, options.read_tokens)
    likeliest = sources.next([asked], ())
    shown = lines if sources.fit else likeliest
    survey = yield from judge.survey(question, request.queries, shown, facets, request.conversation)
    warnings = survey.warnings
    if survey.error is not None:
        warnings = (f"not surveyed, because the judge failed: {survey.error}", *warnings)
    elif not sources.fit:
        part = f"the survey read {len(likeliest)} of {len(lines)} lines that were retrieved: the likeliest"
        warnings = (part, *warnings)
    return replace(survey, warnings=warnings)
