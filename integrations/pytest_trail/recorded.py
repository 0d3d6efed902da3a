"""What one test checked, as it travels from where the test ran to where results are gathered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_trail import grounded

if TYPE_CHECKING:
    from pytest_trail.canary import CanaryResult
    from trail_callbacks import Report


@dataclass(slots=True)
class Check:
    """A check of an answer."""

    report: Report  # of a check made several times, what most of them say
    runs: Sequence[Report]  # the reports of each time
    wanted: int = 1  # how often it was to be made: a judge without a model is asked once, it would say the same again
    passing: int | None = None  # how many of the runs pass on their own; None if no `assert_grounded` asked


@dataclass(slots=True)
class CheckedTest:
    """The checks of a test."""

    outcome: str = "passed"  # of its phases so far: the worst of `passed`, `skipped` and `failed`
    checks: list[Check] = field(default_factory=list)  # in the order in which they were made, or first asserted
    accepted: set[AcceptedFinding] = field(default_factory=set)  # that the baseline accepts, or is to accept
    allowed: dict[str, bool] = field(default_factory=dict)  # for each entry of `allow`, whether it matched a claim
    canaries: list[CanaryResult] = field(default_factory=list)  # in the order in which they were made

    def check(self, report: Report) -> Check | None:
        """Returns the check that a report is of, if it was recorded."""
        return next((each for each in self.checks if each.report is report), None)

    def allow(self, report: Report, entries: Sequence[grounded.Accepted]) -> None:
        """Keeps which entries of `allow` match a claim, in any check of the test."""
        lost = grounded.unmatched(report, entries)
        for entry in entries:
            self.allowed[repr(entry)] = self.allowed.get(repr(entry), False) or entry not in lost

    def to_json(self) -> str:
        """Writes what is gathered, in ASCII: a text of a model may hold what no channel between processes carries."""
        return json.dumps(
            {
                "outcome": self.outcome,
                "checks": [_written(check) for check in self.checks],
                "accepted": sorted(self.accepted),
                "allowed": self.allowed,
                "canaries": [each.as_data() for each in self.canaries],
            }
        )


def _written(check: Check) -> dict[str, Any]:
    from trail_callbacks.errors import ReportError  # noqa: PLC0415 - the engine, which made the report

    stored, unwritable = None, ""
    try:
        stored = json.loads(check.report.to_json())
    except ReportError as error:  # an attribute of a node, which may be anything of the app's
        unwritable = str(error)
    return {
        "report": stored,
        "unwritable": unwritable,
        "score": check.report.hallucination_score,
        "state": check.report.state,
        "claims": len(check.report.claims),
        "findings": list(grounded.findings(check.report)),
        "made": len(check.runs),
        "wanted": check.wanted,
        "passing": check.passing,
    }


_VERSION = 1


class AcceptedFinding(NamedTuple):
    """A claim that is not supported, or not decided, in a test. Two checks of one test may share one."""

    test: str  # node id of the test
    quote: str  # the words of the answer, verbatim
    outcome: str  # as of a verdict


def read_baseline(path: Path) -> frozenset[AcceptedFinding]:
    """Reads the file."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; --trail-update-baseline writes it") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    entries = stored.get("findings") if isinstance(stored, dict) and stored.get("version") == _VERSION else None
    if not isinstance(entries, list):
        raise ValueError(f"{path} is no baseline of version {_VERSION}")  # noqa: TRY004 - of a file, not of an argument
    for entry in entries:
        known = isinstance(entry, dict) and set(entry) == set(AcceptedFinding._fields)
        if not known or not all(isinstance(value, str) for value in entry.values()):
            raise ValueError(f"{path} has a finding that is not one: {str(entry)[:200]!r}")
    return frozenset(AcceptedFinding(**entry) for entry in entries)


def baseline_text(findings: Iterable[AcceptedFinding]) -> str:
    """Returns the content of the file: sorted, a finding a line, so that a review shows what is accepted now.

    Characters that do not show, or change how others show, are escaped: who reviews the file sees all there is.
    """
    lines = [json.dumps(each._asdict(), ensure_ascii=False) for each in sorted(set(findings))]
    text = ",\n".join("".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line) for line in lines)
    return f'{{"version": {_VERSION}, "findings": [\n{text}\n]}}\n'
