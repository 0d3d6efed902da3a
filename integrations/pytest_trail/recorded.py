"""What one test checked, as it travels from where the test ran to where results are gathered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_trail import grounded
from pytest_trail.baseline import Finding

if TYPE_CHECKING:
    from pytest_trail.canary import CanaryResult
    from trail_callbacks import Report

__all__ = ["Check", "CheckedTest"]


@dataclass(slots=True)
class Check:
    """A check of an answer.

    Attributes:
        report: Its report; of a check made several times, what most of them say.
        runs: The reports of each time.
        wanted: How often it was to be made. A judge without a model is asked once, it would say the same again.
        passing: How many of the runs pass on their own; None if no `assert_grounded` asked.
    """

    report: Report
    runs: Sequence[Report]
    wanted: int = 1
    passing: int | None = None


@dataclass(slots=True)
class CheckedTest:
    """The checks of a test.

    Attributes:
        outcome: Of its phases so far: the worst of `passed`, `skipped` and `failed`.
        checks: In the order in which they were made, or first asserted.
        accepted: Findings that the baseline accepts, or is to accept.
        allowed: For each entry of `allow`, whether it matched a claim.
        canaries: Canary runs, in the order in which they were made.
    """

    outcome: str = "passed"
    checks: list[Check] = field(default_factory=list)
    accepted: set[Finding] = field(default_factory=set)
    allowed: dict[str, bool] = field(default_factory=dict)
    canaries: list[CanaryResult] = field(default_factory=list)

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
