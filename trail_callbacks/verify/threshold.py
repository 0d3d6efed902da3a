"""Whether a report passes a threshold: one policy for guards, command line, gate and tests (`docs/guards.md`).

A judge that abstains is no judge that fails. Claims that it left undecided beside decided ones count as whoever sets
the threshold says: with `pass` the score is over the decided claims, with `fail` each undecided claim counts as
unsupported. Where it decided nothing, nothing passes. A statement that it left out is another matter: nobody read it,
so the answer is not completely judged, whatever undecided claims mean.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from trail_callbacks.claims import Claim
from trail_callbacks.judges.judge import Extraction
from trail_callbacks.report import Report, State
from trail_callbacks.report.verdict import score
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass

OnUndecided: TypeAlias = Literal["pass", "fail"]

_READ = frozenset({"assessed", "partial", "unverified", "no_checkable_claims"})
"""States of answers that a judge read."""
_UNKNOWN = {
    "error": "the verification failed",
    "interrupted": "the run was interrupted and has not answered yet",
    "no_evidence": "no source reached the answer",
    "partial": "some claims were not judged",
    "unverified": "nothing that the answer states could be checked",
    "abstained": "the judge says that the answer declines, but it states something",
}


class Refusal(NamedTuple):
    """Why a report does not pass.

    Attributes:
        kind: `score`: it is over the threshold; `no_evidence`; `undecided`: nothing was decided; `incomplete`: the
            judge did not read all.
        reason: The same in words, without the threshold.
    """

    kind: Literal["score", "no_evidence", "undecided", "incomplete"]
    reason: str


def refusal(
    report: Report, max_score: float, on_undecided: OnUndecided = "pass", *, memory: bool = False
) -> Refusal | None:
    """Returns why a report does not pass a threshold; None if it passes.

    Args:
        report: Any report.
        max_score: The highest score that passes, 0.0 to 1.0.
        on_undecided: What undecided claims beside decided ones mean.
        memory: Whether an answer may rest on nothing that was read.
    """
    value = counted_score(report, on_undecided)
    if value is not None and value > max_score:
        n = len(report.undecided) + len(unsettled(report))
        counting = f" ({_number(n, 'undecided claim')} counted as unsupported)" if n and on_undecided == "fail" else ""
        return Refusal("score", f"hallucination score{counting} {value:.2f}")
    if report.state == "no_evidence" and not memory:
        return Refusal("no_evidence", _UNKNOWN[report.state])
    if not is_complete(report) or _states_something(report):
        return Refusal("incomplete", _missing(report))
    decided = sum(verdict.support in {*UNSUPPORTED, SupportClass.SUPPORTED} for verdict in report.verdicts)
    if not is_decided(report.state, decided) and report.state != "no_evidence":
        return Refusal("undecided", _UNKNOWN["unverified"])
    return None


def is_decided(state: State, decided: int) -> bool:
    """Tells whether a judge decided anything about an answer, or there was nothing to decide."""
    return state in {"assessed", "abstained", "no_checkable_claims"} or (state in _READ and decided > 0)


def counted_score(report: Report, on_undecided: OnUndecided) -> float | None:
    """Returns the score that is compared with the threshold, 0.0 to 1.0; None if there is nothing to compute it from.

    With `fail`, undecided claims and those that no source could settle count as unsupported, also in an answer that has
    no score because nothing else was decided. Statements that the judge left out never count.
    """
    undecided = len(report.undecided) - len(report.uncovered) + len(unsettled(report))
    if on_undecided == "pass" or not undecided or report.state not in _READ:
        return report.hallucination_score
    classes = [verdict.support for verdict in report.verdicts if verdict.support is not None]
    return score([*classes, *[SupportClass.ABSENT] * undecided], report.scoring)


def unsettled(report: Report) -> list[Claim]:
    """Returns the statements of which the judge says that no source could settle them, such as praise.

    That is the judge's word alone, so to those who want everything checked they are undecided.
    """
    if report.state == "abstained":
        return []
    unfit = {v.claim_id for v in report.verdicts if v.support is SupportClass.UNEVALUATABLE}
    return [claim for claim in report.claims if claim.checkable and claim.id in unfit]


def is_complete(report: Report) -> bool:
    """Whether the judge said about all of the answer what it can say, be it that it cannot decide.

    False if it failed, wholly or in part, or if it left out a part of the answer: that was compared with nothing, and
    an answer can talk a judge into it.
    """
    if report.claims_error is not None or report.uncovered:
        return False
    if report.state not in {"partial", "unverified"}:
        return report.state not in {"error", "interrupted"}
    return bool(report.undecided) and not any(verdict.outcome == "not_judged" for verdict in report.verdicts)


def _states_something(report: Report) -> bool:
    """Tells whether an answer that the judge says declines states something all the same, as far as code can tell.

    A judge may be talked into calling any sentence a refusal. A claim of it shows only that it saw the words, so they
    are looked at as if it had made none: what is no refusal by the rules of `coverage` is a statement.
    """
    if report.state != "abstained" or report.graph.answer is None:
        return False
    from trail_callbacks.verify.citations import naming  # noqa: PLC0415 - as below
    from trail_callbacks.verify.coverage import covered  # noqa: PLC0415 - many patterns, and few answers decline

    extraction = Extraction(claims=(), abstained=True)
    return bool(covered(report.graph, extraction, naming(report.graph))[1].uncovered)


def _missing(report: Report) -> str:
    if report.uncovered:
        return f"the judge left out {_number(len(report.uncovered), 'statement')} of the answer"
    if report.claims_error is not None:
        return f"claims are missing ({report.claims_error})"
    return _UNKNOWN[report.state]


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
