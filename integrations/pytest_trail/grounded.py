"""Whether a report passes in a test, and the message if it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from trail_callbacks import Claim, Report

Accepted: TypeAlias = str | Mapping[str, str]
"""A claim that is accepted: its text or quote, or fields of which all must match, see `assert_grounded`."""

_FIELDS = ("text", "quote", "error_type", "outcome")


def assert_grounded(
    report: Report,
    max_score: float = 0.0,
    allow: Sequence[Accepted] = (),
    on_undecided: Literal["pass", "fail"] = "fail",
) -> None:
    """Fails unless an answer was judged completely and its hallucination score is low enough.

    A report that is not known completely fails with any threshold: no evidence, nothing decided, a judge that failed,
    statements it left out. Accepted claims count as supported, undecided ones too.

    Args:
        report: What `trail_check`, `check` or a handler returned.
        max_score: The highest score that passes, 0.0 (no unsupported claim) to 1.0.
        allow: Claims that are accepted. A string is the text or the quote of one; a dictionary has any of `text`,
            `quote`, `error_type` and `outcome`, and accepts every claim of which all match. The message of a failure
            names the entries that match no claim.
        on_undecided: What claims mean that the judge left undecided beside decided ones: `fail` counts each as
            unsupported, `pass` does not count them.

    Raises:
        AssertionError: If the report does not pass; with the report.
        InputError: If `max_score` or `allow` is not what it should be.
    """
    __tracebackhide__ = True
    check_arguments(max_score, allow)
    reason = refusal(report, max_score, allow, on_undecided)
    if reason is not None:
        raise AssertionError(message(report, reason, allow))


def check_arguments(max_score: float, allow: Sequence[Accepted]) -> None:
    """Refuses what `assert_grounded` cannot work with."""
    from trail_callbacks.errors import InputError  # noqa: PLC0415 - the engine, not before it is used

    if not 0.0 <= max_score <= 1.0:
        raise InputError(f"max_score is {max_score}, expected 0.0 (no unsupported claim) to 1.0 (anything goes)")
    if isinstance(allow, (str, Mapping)):
        raise InputError(f"allow is {allow!r}, expected a list of accepted claims")
    for entry in allow:
        if not isinstance(entry, str) and (not entry or set(entry) - set(_FIELDS)):
            raise InputError(f"allow has {dict(entry)}, expected texts, or dictionaries of {', '.join(_FIELDS)}")


def refusal(
    report: Report, max_score: float, allow: Sequence[Accepted], on_undecided: Literal["pass", "fail"] = "fail"
) -> str | None:
    """Returns why a report does not pass; None if it does. See `assert_grounded` for the arguments."""
    from trail_callbacks.verify import threshold  # noqa: PLC0415 - the engine, not before it is used

    found = threshold.refusal(_accepting(report, allow), max_score, on_undecided)
    if found is None:
        return None
    if found.kind == "score":
        return f"{found.reason} is over {max_score:.2f}"
    return f"the answer is not known to be grounded: {found.reason}"


def _accepting(report: Report, allow: Sequence[Accepted]) -> Report:
    """The report as if its judge had found each accepted claim supported."""
    from trail_callbacks.taxonomy import SupportClass  # noqa: PLC0415 - the engine, not before it is used

    accepted = {claim.id for claim in report.claims if any(accepts(entry, report, claim) for entry in allow)}
    supported: Any = {"support": SupportClass.SUPPORTED, "error_type": None, "undecided": None, "error": None}
    verdicts = [replace(each, **supported) if each.claim_id in accepted else each for each in report.verdicts]
    claims = [replace(each, uncovered=False) if each.id in accepted else each for each in report.claims]
    state = report.state
    opened = (each.claim_id for each in report.verdicts if each.support is None)
    if state in {"partial", "unverified"} and not accepted.isdisjoint(opened):
        state = "partial" if any(each.support is None for each in verdicts) else "assessed"
    return replace(report, state=state, claims=tuple(claims), verdicts=tuple(verdicts))


def message(report: Report, reason: str, allow: Sequence[Accepted]) -> str:
    """Returns what a failed test shows: the reason, what was accepted in vain, and the report."""
    unused = "".join(f"\nallow has {entry!r}, which matches no claim" for entry in unmatched(report, allow))
    return f"{reason}{unused}\n\n{report}"


def findings(report: Report, allow: Sequence[Accepted] = ()) -> Iterator[tuple[str, str]]:
    """Yields quote and outcome of each claim that counts against an answer and is not accepted.

    A judge that failed found nothing.
    """
    from trail_callbacks.report.verdict import weight  # noqa: PLC0415 - the engine, not before it is used

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
