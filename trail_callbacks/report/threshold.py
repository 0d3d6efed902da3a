"""A report against a threshold, the same for guards and for the command line: what counts, and whether all is known.

A judge that abstains is no judge that fails. Whether the claims it left undecided count against an answer is up to who
sets the threshold: with `pass` the score is over the decided claims, with `fail` each undecided claim counts as
unsupported. A statement that the judge left out is another matter: nobody read it, so the answer is not completely
judged, whatever undecided claims mean.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from trail_callbacks.claims import Claim
from trail_callbacks.report.report import Report
from trail_callbacks.report.scoring import score
from trail_callbacks.taxonomy import SupportClass

__all__ = ["OnUndecided", "counted_score", "is_complete", "unsettled"]

OnUndecided: TypeAlias = Literal["pass", "fail"]


_READ = frozenset({"assessed", "partial", "unverified", "no_checkable_claims"})
"""States of answers that a judge read."""


def counted_score(report: Report, on_undecided: OnUndecided) -> float | None:
    """Returns the score that is compared with the threshold, 0.0 to 1.0; None if there is nothing to compute it from.

    It is the hallucination score, unless undecided claims count: then they count as unsupported, and those of which the
    judge says that no source could settle them, also in an answer that has no score because nothing else was decided.
    Statements that the judge left out never count.
    """
    undecided = len(report.undecided) - len(report.uncovered) + len(unsettled(report))
    if on_undecided == "pass" or not undecided or report.state not in _READ:
        return report.hallucination_score
    classes = [verdict.support for verdict in report.verdicts if verdict.support is not None]
    return score([*classes, *[SupportClass.ABSENT] * undecided], report.scoring)


def unsettled(report: Report) -> list[Claim]:
    """Returns the statements of which the judge says that no source could settle them.

    Praise is no statement that a source could settle. But whether a claim is praise the judge alone says, so to those
    who want everything checked it is undecided.
    """
    if report.state == "abstained":
        return []
    return [
        claim
        for claim in report.claims
        if claim.checkable and report.verdict(claim.id).support is SupportClass.UNEVALUATABLE
    ]


def is_complete(report: Report) -> bool:
    """Whether the judge said about all of the answer what it can say, be it that it cannot decide.

    False if it failed, wholly or in part, if it left out a part of the answer, or if it read a claim whose meaning it
    calls unclear: neither was compared with anything, and an answer can talk a judge into either.
    """
    if report.uncovered or any(claim.unresolved for claim in report.claims):
        return False
    if report.state not in {"partial", "unverified"}:
        return report.state not in {"error", "interrupted"}
    failed = report.claims_error is not None or any(verdict.outcome == "not_judged" for verdict in report.verdicts)
    return bool(report.undecided) and not failed
