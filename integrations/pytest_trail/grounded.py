"""Whether a report passes in a test, and the message if it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from trail_callbacks import Claim, Report

__all__ = ["Accepted", "accepts", "assert_grounded", "check_arguments", "findings", "message", "refusal", "unmatched"]

Accepted: TypeAlias = str | Mapping[str, str]
"""A claim that is accepted: its text or quote, or fields of which all must match, see `assert_grounded`."""

_FIELDS = ("text", "quote", "error_type", "outcome")
_UNKNOWN = {
    "error": "the verification failed",
    "interrupted": "the run was interrupted and has not answered yet",
    "no_evidence": "no source reached the answer",
}


def assert_grounded(report: Report, max_score: float = 0.0, allow: Sequence[Accepted] = ()) -> None:
    """Fails unless an answer was judged completely and its hallucination score is low enough.

    A report that is not known completely fails with any threshold: no evidence, a judge that failed, claims it did not
    decide, statements it left out. Accepted claims count as supported, undecided ones too.

    Args:
        report: What `trail_check`, `check` or a handler returned.
        max_score: The highest score that passes, 0.0 (no unsupported claim) to 1.0.
        allow: Claims that are accepted. A string is the text or the quote of one; a dictionary has any of `text`,
            `quote`, `error_type` and `outcome`, and accepts every claim of which all match. The message of a failure
            names the entries that match no claim.

    Raises:
        AssertionError: If the report does not pass; with the report.
        InputError: If `max_score` or `allow` is not what it should be.
    """
    __tracebackhide__ = True
    check_arguments(max_score, allow)
    reason = refusal(report, max_score, allow)
    if reason is not None:
        raise AssertionError(message(report, reason, allow))


def check_arguments(max_score: float, allow: Sequence[Accepted]) -> None:
    """Refuses what `assert_grounded` cannot work with.

    Raises:
        InputError: With what is wrong.
    """
    from trail_callbacks.errors import InputError  # noqa: PLC0415 - the engine, not before it is used

    if not 0.0 <= max_score <= 1.0:
        raise InputError(f"max_score is {max_score}, expected 0.0 (no unsupported claim) to 1.0 (anything goes)")
    if isinstance(allow, (str, Mapping)):
        raise InputError(f"allow is {allow!r}, expected a list of accepted claims")
    for entry in allow:
        if not isinstance(entry, str) and (not entry or set(entry) - set(_FIELDS)):
            raise InputError(f"allow has {dict(entry)}, expected texts, or dictionaries of {', '.join(_FIELDS)}")


def refusal(report: Report, max_score: float, allow: Sequence[Accepted]) -> str | None:
    """Returns why a report does not pass; None if it does. See `assert_grounded` for the arguments."""
    from trail_callbacks.report.scoring import score  # noqa: PLC0415 - the engine, not before it is used
    from trail_callbacks.report.threshold import counted_score  # noqa: PLC0415 - as above
    from trail_callbacks.taxonomy import SupportClass  # noqa: PLC0415 - as above

    if report.state in _UNKNOWN:
        return f"the answer is not known to be grounded: {_UNKNOWN[report.state]}"
    if report.claims_error is not None:
        return f"the answer is not known to be grounded: claims are missing ({report.claims_error})"
    accepted = {claim.id for claim in report.claims if any(accepts(entry, report, claim) for entry in allow)}
    value = counted_score(report, "pass")
    if accepted:
        verdicts = [
            replace(verdict, support=SupportClass.SUPPORTED) if verdict.claim_id in accepted else verdict
            for verdict in report.verdicts
        ]
        value = score([verdict.support for verdict in verdicts if verdict.support is not None], report.scoring)
    if value is not None and value > max_score:
        return f"hallucination score {value:.2f} is over {max_score:.2f}"
    left = [claim for claim in report.claims if report.verdict(claim.id).support is None and claim.id not in accepted]
    if left:
        n = len(left)
        return f"{n} claim{'' if n == 1 else 's'} of the answer had no verdict; the first is {left[0].quote!r}"
    if report.state == "unverified" and (not accepted or len(accepted) < len(report.claims)):
        return "nothing that the answer states could be checked"
    return None


def message(report: Report, reason: str, allow: Sequence[Accepted]) -> str:
    """Returns what a failed test shows: the reason, what was accepted in vain, and the report."""
    unused = "".join(f"\nallow has {entry!r}, which matches no claim" for entry in unmatched(report, allow))
    return f"{reason}{unused}\n\n{report}"


def findings(report: Report, allow: Sequence[Accepted] = ()) -> Iterator[tuple[str, str]]:
    """Yields quote and outcome of each claim that counts against an answer and is not accepted.

    A judge that failed found nothing.
    """
    from trail_callbacks.report.scoring import weight  # noqa: PLC0415 - the engine, not before it is used

    for claim in report.claims:
        verdict = report.verdict(claim.id)
        counts = weight(verdict.support, report.scoring) or verdict.outcome == "undecided"
        if counts and not any(accepts(entry, report, claim) for entry in allow):
            yield claim.quote, str(verdict.outcome)


def unmatched(report: Report, allow: Sequence[Accepted]) -> list[Accepted]:
    """Returns the entries of `allow` that match no claim."""
    return [entry for entry in allow if not any(accepts(entry, report, claim) for claim in report.claims)]


def accepts(entry: Accepted, report: Report, claim: Claim) -> bool:
    """Tells whether an entry of `allow` is about a claim."""
    if isinstance(entry, str):
        return entry in {claim.text, claim.quote}
    verdict = report.verdict(claim.id)
    known = {
        "text": claim.text,
        "quote": claim.quote,
        "error_type": str(verdict.error_type),
        "outcome": str(verdict.outcome),
    }
    return all(known[name] == value for name, value in entry.items())
