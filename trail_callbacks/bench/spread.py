"""How far a judge agrees with itself: reports on the same answers, made several times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.comparison import pair
from trail_callbacks.statistics.rates import Hit, Rate, design, rate
from trail_callbacks.taxonomy import UNSUPPORTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """What becomes of one claim in two reports on the same answer; every two reports on it are compared.

    Attributes:
        classes: Share of the claims in both that have the same outcome.
        flags: Share of them that are unsupported in both, or in neither.
        found: Share of the claims of either that are in both.
    """

    classes: Rate
    flags: Rate
    found: Rate


def spread(answers: Iterable[Sequence[Report]]) -> Spread:
    """Compares the reports on each answer with one another, as `pytest --trail-repeat` makes several of one answer.

    Args:
        answers: Of each answer two reports or more, by one judge with the same settings.

    Raises:
        InputError: If reports are by different judges.
    """
    classes, flags, found = list[Hit](), list[Hit](), list[Hit]()
    for n, reports in enumerate(answers):
        if len(judges := {report.judge for report in reports}) > 1:
            raise InputError(f"the reports on answer {n + 1} are by {', '.join(sorted(judges))}: expected one judge")
        for one, other in combinations(reports, 2):
            said = [[claim.text for claim in report.claims] for report in (one, other)]
            same = [(one.verdicts[each.old], other.verdicts[each.new]) for each in pair(*said)]
            classes += [(str(n), a.outcome == b.outcome) for a, b in same]
            flags += [(str(n), (a.support in UNSUPPORTED) == (b.support in UNSUPPORTED)) for a, b in same]
            found += [(str(n), place < 2 * len(same)) for place in range(sum(map(len, said)))]
    prior = design([classes, flags, found])
    why = "no claim is in two reports on one answer"
    return Spread(classes=rate(classes, prior, why), flags=rate(flags, prior, why), found=rate(found, prior, why))
