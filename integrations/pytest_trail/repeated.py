"""One check made several times, and the report that most of them agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trail_callbacks import Claim, Report, Verdict
    from trail_callbacks.report import State

_WITHOUT_VERDICTS = {"error", "interrupted", "no_evidence"}
_SEVEREST = ("contradicted", "absent", "partially_supported")


@dataclass(slots=True)
class _Statement:
    """What an answer states, as the checks that found it read it."""

    claim: Claim
    verdicts: list[Verdict]

    def overlaps(self, claim: Claim) -> bool:
        return self.claim.start < claim.end and claim.start < self.claim.end


def majority(runs: Sequence[Report]) -> Report:
    """Returns what most checks of one answer say, claim by claim.

    The checks vote on the side of a claim first: supported, unsupported, unevaluatable, undecided or failed. A side
    needs more than half of all checks, of those that failed or did not find the claim too; without one, as in a tie,
    the claim is undecided, and the reason has the votes. The class is the most frequent of the side; of two as frequent
    the severer. A claim that less than half of the checks found is left out if its words are in another one.
    """
    if len(runs) == 1:
        return runs[0]
    usage = sum((run.usage for run in runs[1:]), runs[0].usage)
    note = f"the verdicts are those of most of {len(runs)} checks"
    warned = Counter(warning for run in runs for warning in set(run.warnings))
    warnings = (note, *(warning for warning, n in warned.items() if 2 * n > len(runs)))
    without = [run for run in runs if not run.claims or run.state in _WITHOUT_VERDICTS]
    for state, n in Counter(run.state for run in without).most_common(1):
        if 2 * n > len(runs):
            first = next(run for run in without if run.state == state)
            return replace(first, usage=usage, warnings=tuple(dict.fromkeys([note, *first.warnings])))
    statements = _kept(_statements(runs), len(runs))
    claims = tuple(replace(each.claim, id=f"c{n}") for n, each in enumerate(statements, 1))
    verdicts = tuple(
        replace(_voted(each.verdicts, len(runs)), claim_id=claim.id)
        for claim, each in zip(claims, statements, strict=True)
    )
    missing = [run.claims_error for run in runs if run.claims_error is not None]
    covered = [run.coverage for run in runs if run.coverage is not None]
    return replace(
        next((run for run in runs if run.claims), runs[0]),
        state=_state(verdicts),
        claims=claims,
        verdicts=verdicts,
        usage=usage,
        warnings=warnings if claims else (f"no majority: {_counted([run.state for run in runs])}", *warnings),
        claims_error=missing[0] if 2 * len(missing) >= len(runs) else None,
        coverage=min(covered, default=None),
        diagnosis=None,  # of one check, and with its ids of claims
    )


def _statements(runs: Sequence[Report]) -> list[_Statement]:
    """Finds which claims of the checks are the same: words alike, in the same place of the answer."""
    from trail_callbacks.report.comparison import pair  # noqa: PLC0415 - the engine, not before it is used

    found: list[_Statement] = []
    for run in runs:
        matches = pair([each.claim.text for each in found], [claim.text for claim in run.claims])
        same = {match.new: found[match.old] for match in matches}
        for n, claim in enumerate(run.claims):
            verdict = run.verdict(claim.id)
            if n in same and same[n].overlaps(claim):
                same[n].verdicts.append(verdict)
            else:
                found.append(_Statement(claim, [verdict]))
    return sorted(found, key=lambda each: (each.claim.start, each.claim.end))


def _kept(found: Sequence[_Statement], n: int) -> list[_Statement]:
    often = [each for each in found if 2 * len(each.verdicts) >= n]
    return [each for each in found if each in often or not any(other.overlaps(each.claim) for other in often)]


def _voted(verdicts: Sequence[Verdict], n: int) -> Verdict:
    from trail_callbacks import Verdict  # noqa: PLC0415 - the engine, not before it is used

    sides = Counter(_side(verdict) for verdict in verdicts)
    side, agreeing = sides.most_common(1)[0]
    if 2 * agreeing <= n:
        said = _counted([str(verdict.outcome) for verdict in verdicts] + ["without this claim"] * (n - len(verdicts)))
        why = f"no majority in {n} checks: {said}"
        return Verdict(claim_id=verdicts[0].claim_id, judge=verdicts[0].judge, undecided=why)
    mine = [verdict for verdict in verdicts if _side(verdict) == side]
    classes = Counter(str(verdict.outcome) for verdict in mine)
    chosen = min(classes, key=lambda name: (-classes[name], _SEVEREST.index(name) if name in _SEVEREST else 0))
    return next(verdict for verdict in mine if verdict.outcome == chosen)


def _side(verdict: Verdict) -> str:
    from trail_callbacks.taxonomy import UNSUPPORTED  # noqa: PLC0415 - the engine, not before it is used

    return "unsupported" if verdict.support in UNSUPPORTED else str(verdict.outcome)


def _state(verdicts: Sequence[Verdict]) -> State:
    outcomes = {str(verdict.outcome) for verdict in verdicts}
    if outcomes == {"unevaluatable"}:
        return "no_checkable_claims"
    if outcomes <= {"unevaluatable", "undecided"}:
        return "unverified"
    if outcomes == {"not_judged"}:
        return "error"
    return "partial" if outcomes & {"undecided", "not_judged"} else "assessed"


def _counted(said: Sequence[str]) -> str:
    return ", ".join(f"{n} {each}" for each, n in Counter(said).items())
