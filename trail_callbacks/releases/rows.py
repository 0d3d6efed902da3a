"""A decision as rows of a table, for a terminal and for Markdown, and as the sentences beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from trail_callbacks.releases.arm import MeasureName
from trail_callbacks.releases.decision import Decision, Measure, Outcome, SegmentDecision

__all__ = ["COLUMNS", "HEADLINES", "OUTCOMES", "measure_rows", "remarks"]

COLUMNS = ("segment", "measure", "baseline", "candidate", "change", "limits", "n", "outcome")

OUTCOMES: Mapping[Outcome, str] = {"passes": "passes", "worse": "worse", "not_enough_data": "not enough data"}

HEADLINES: Mapping[Outcome, str] = {
    "passes": "The candidate passes: it is not worse than the baseline by the margin, in any segment.",
    "worse": "The candidate is worse than the baseline.",
    "not_enough_data": "There is not enough data to pass the candidate.",
}

_SHOWN = 10  # names of merged segments
_MEASURES: Mapping[MeasureName, str] = {"unsupported_claims": "unsupported", "contradictions": "contradictions"}


def measure_rows(segments: Sequence[SegmentDecision], shown: Callable[[str], str]) -> Iterator[tuple[str, ...]]:
    """Yields a row for each measure of each segment, as `COLUMNS` names its cells.

    Args:
        segments: Segments of a decision.
        shown: Makes a segment's name, which is untrusted, safe to show.
    """
    for segment in segments:
        name = f"{shown(segment.name)}{' (critical)' if segment.critical else ''}"
        for measure in segment.measures:
            yield name, _MEASURES[measure.name], *_cells(measure)


def _cells(measure: Measure) -> Iterator[str]:
    yield _percent(measure.baseline)
    yield _percent(measure.candidate)
    yield _points(measure.difference)
    yield "-" if measure.low is None else f"{_points(measure.low)} to {_points(measure.high)}"
    old, new = measure.questions
    yield f"{old:,}" if old == new else f"{old:,} / {new:,}"
    yield OUTCOMES[measure.outcome]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _points(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:+.1f}"


def remarks(decision: Decision, shown: Callable[[str], str]) -> Iterator[str]:
    """Yields what has to be known to read the table: pairing, segments that were merged, what the judge left open.

    Args:
        decision: The decision.
        shown: Makes the name of a segment or judge, which is untrusted, safe to show.
    """
    rules = decision.policy
    yield f"judged by {shown(decision.judge) if decision.judge else 'an unnamed judge'}; {_pairing(decision)}"
    for segment in decision.segments:
        if segment.merged:
            names = ", ".join(map(shown, segment.merged[:_SHOWN]))
            more = f" and {len(segment.merged) - _SHOWN} more" if len(segment.merged) > _SHOWN else ""
            n = f"{len(segment.merged)} segments with fewer than {rules.minimum} questions"
            yield f"{shown(segment.name)}: {n} were merged: {names}{more}"
    for segment in decision.segments:
        yield f"{shown(segment.name)}: {'; '.join(_counts(segment))}"
    claims, runs = _points(rules.margin), _points(rules.contradiction_margin)
    yield (
        f"unsupported: share of the claims, margin {claims}; contradictions: share of the runs with one, margin "
        f"{runs}; n: questions"
    )
    yield (
        f"changes, limits and margins are percentage points; limits are one-sided, {1 - rules.alpha:.0%} each, and a "
        "measure passes if the upper one is below its margin"
    )


def _pairing(decision: Decision) -> str:
    if not decision.paired:
        same = f" ({decision.matched:.0%} of the runs ask what was asked in both)" if decision.matched else ""
        return f"unpaired, clustered by question{same}"
    old, new = (sum(each.unmatched[n] for each in decision.segments) for n in (0, 1))
    left = f"; left out, because their question is in one release only: {old} and {new} runs" if old or new else ""
    return f"paired by question, shares are means over questions{left}"


def _counts(segment: SegmentDecision) -> Iterator[str]:
    for name, arm in (("baseline", segment.baseline), ("candidate", segment.candidate)):
        parts = [f"{arm.answers:,} answers", f"{arm.flawed:,} with an unsupported claim"]
        parts += [f"{arm.contradicted:,} with a contradiction"]
        parts += [f"{arm.undecided:,} that the judge decided nothing of"] if arm.undecided else []
        parts += [f"{arm.declined:,} declined"] if arm.declined else []
        parts += [f"{arm.open_claims:,} further claims left open"] if arm.open_claims else []
        yield f"{name}: {', '.join(parts)}"
    measure = segment.measures[0]
    if measure.design is not None:
        icc = "" if measure.icc is None else f", correlation of claims of one answer {measure.icc:.2f}"
        yield f"design effect {measure.design:.1f}{icc}"
