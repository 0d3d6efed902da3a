"""A decision as Markdown, for the description or a comment of a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from trail_callbacks.monitor.decision import ALPHA, Decision, GateOutcome, Measure, MeasureName, SegmentDecision
from trail_callbacks.render.excerpt import plain, shorten

__all__ = [
    "COLUMNS",
    "HEADLINES",
    "OnNotEnough",
    "measure_rows",
    "quoted",
    "remarks",
    "to_junit",
    "to_markdown",
]

COLUMNS = ("segment", "measure", "baseline", "candidate", "change", "limits", "n", "outcome")

_OUTCOMES: Mapping[GateOutcome, str] = {"passes": "passes", "worse": "worse", "not_enough_data": "not enough data"}

HEADLINES: Mapping[GateOutcome, str] = {
    "passes": "The candidate passes: it is not worse than the baseline by the margin, in any segment.",
    "worse": "The candidate is worse than the baseline.",
    "not_enough_data": "There is not enough data to pass the candidate.",
}

_SHOWN = 10  # names of merged segments
_MEASURES: Mapping[MeasureName, str] = {"unsupported_claims": "unsupported", "contradictions": "contradictions"}


def measure_rows(segments: Sequence[SegmentDecision], shown: Callable[[str], str]) -> Iterator[tuple[str, ...]]:
    """Yields a row for each measure of each segment, as `COLUMNS` names its cells."""
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
    yield _OUTCOMES[measure.outcome]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _points(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:+.1f}"


def remarks(decision: Decision, shown: Callable[[str], str]) -> Iterator[str]:
    """Yields what has to be known to read the table: pairing, segments that were merged, what the judge left open."""
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
        f"changes, limits and margins are percentage points; limits are one-sided, {1 - ALPHA:.0%} each, and a "
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


_LONGEST = 120  # characters of a name


def quoted(name: str) -> str:
    """An untrusted name as a code span, in which no markup, link, HTML or mention of a user is read; also for cells."""
    shown = shorten(plain(name), _LONGEST).replace("`", "'").replace("|", "/")
    return f"`{shown or ' '}`"


def to_markdown(decision: Decision, baseline: str = "baseline", candidate: str = "candidate") -> str:
    """Writes a decision down."""
    return "\n".join(_lines(decision, baseline, candidate)) + "\n"


def _lines(decision: Decision, baseline: str, candidate: str) -> Iterator[str]:
    yield f"### Release gate: {HEADLINES[decision.outcome]}"
    yield ""
    yield f"{quoted(candidate)}, compared with {quoted(baseline)}."
    yield ""
    for segment in decision.segments:
        for reason in segment.reasons:
            yield f"- {quoted(segment.name)}: {reason}"
    yield ""
    for row in (COLUMNS, ["---"] * len(COLUMNS), *measure_rows(decision.segments, quoted)):
        yield f"| {' | '.join(row)} |"
    yield ""
    yield "<details><summary>Figures</summary>"
    yield ""
    yield from (f"- {each}" for each in remarks(decision, quoted))
    yield ""
    yield "</details>"


OnNotEnough: TypeAlias = Literal["pass", "fail"]


def to_junit(decision: Decision, on_not_enough: OnNotEnough | None = None) -> str:
    """Writes a decision down."""
    undecided = {"pass": None, "fail": "failure", None: "skipped"}[on_not_enough]
    kinds = {"passes": None, "worse": "failure", "not_enough_data": undecided}
    found = [kinds[segment.outcome] for segment in decision.segments]
    counts = {"failures": found.count("failure"), "skipped": found.count("skipped"), "errors": 0}
    suites = ET.Element("testsuites")
    totals = {name: str(n) for name, n in {"tests": len(found), **counts}.items()}
    suite = ET.SubElement(suites, "testsuite", {"name": "trail gate", **totals})
    for segment, kind in zip(decision.segments, found, strict=True):
        case = ET.SubElement(suite, "testcase", classname="trail.gate", name=plain(segment.name), time="0")
        if kind is not None:
            ET.SubElement(case, kind, message="; ".join(segment.reasons))
        lines = [
            ", ".join(f"{name} {cell}" for name, cell in zip(COLUMNS, row, strict=True))
            for row in measure_rows([segment], plain)
        ]
        ET.SubElement(case, "system-out").text = "\n".join([*segment.reasons, *lines])
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode") + "\n"
