"""What a gate decided, with the figures behind it, and the same as rows, Markdown and JUnit XML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args
from xml.etree import ElementTree as ET

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.observation import SIGNALS, SignalName
from trail_callbacks.render.excerpt import plain
from trail_callbacks.text import shorten
from trail_callbacks.verify.threshold import OnUndecided

MeasureName: TypeAlias = Literal["unsupported_claims"] | SignalName
"""Share of the decided claims that are unsupported; share of the runs that are bad by a signal."""

GateOutcome: TypeAlias = Literal["passes", "worse", "not_enough_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Counts over the runs of a release, or of a segment of it."""

    answers: int = 0  # runs
    undecided: int = 0  # runs that the judge failed on, or of which it decided nothing
    declined: int = 0  # runs in which the app declined to answer
    claims: int = 0  # decided claims
    open_claims: int = 0  # claims that the judge left undecided or failed on, in runs of which it decided others
    unsupported: int = 0  # decided claims that are unsupported
    flawed: int = 0  # runs with an unsupported claim
    contradicted: int = 0  # runs with a contradiction
    # share of the answers that is not known, 0.0 to 1.0: one for each undecided, and of each other the share of its
    # claims that is open
    open_share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure in one segment."""

    name: MeasureName  # what is measured
    outcome: GateOutcome  # what it says by itself
    margin: float  # by how much it may rise
    # share in the baseline, 0.0 to 1.0; of paired runs, mean of the questions' shares. None without data.
    baseline: float | None = None
    candidate: float | None = None  # share in the candidate, likewise
    difference: float | None = None  # candidate minus baseline; None without data
    low: float | None = None  # lower limit of the difference, one-sided with error alpha
    high: float | None = None  # upper limit, likewise: the candidate passes if it is below the margin
    p: float | None = None  # probability of such a rise if nothing had changed
    adjusted: float | None = None  # the same after Holm's correction over all segments and measures
    # questions in the baseline and in the candidate; of paired runs, the pairs, twice
    questions: tuple[int, int] = (0, 0)
    design: float | None = None  # design effect of the difference, see `Share`
    # correlation of claims of one answer, 0.0 to 1.0; None where answers have one each, or without data
    icc: float | None = None
    # further questions of the baseline and of the candidate that are needed; None if they are enough, or if no number
    # would help
    more: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentDecision:
    """One segment."""

    name: str  # its value; `rest` for merged ones; `all` without segments
    merged: tuple[str, ...]  # values that were merged into it
    critical: bool  # whether contradictions may not rise at all
    outcome: GateOutcome  # what is decided
    reasons: tuple[str, ...]  # why, in words; empty if it passes
    baseline: Arm  # what was counted in the baseline
    candidate: Arm  # what was counted in the candidate
    # runs of the baseline and of the candidate that were left out: nobody asked their question in the other release. Of
    # unpaired runs (0, 0).
    unmatched: tuple[int, int]
    measures: tuple[Measure, ...]  # what is measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a gate decided."""

    outcome: GateOutcome  # `worse` if a segment is; else `not_enough_data` if one has not enough; else `passes`
    policy: Policy  # by which rules
    judge: str  # who judged both releases
    paired: bool  # whether question was compared with question
    matched: float  # share of the runs of each release whose question was asked in the other too, the smaller of both
    segments: tuple[SegmentDecision, ...]  # all segments, the worst first

    def as_data(self) -> dict[str, Any]:
        """Returns the decision as JSON-safe values."""
        data = asdict(self)
        data["policy"]["critical"] = sorted(self.policy.critical)
        return data


ALPHA = 0.05
"""How often a candidate that is worse by the margin may pass, and one that is as good be called worse."""

POWER = 0.8
"""How often a candidate without a change is to pass: what the missing number of answers is computed for."""

MARGIN = 0.05
"""By how much a share of bad runs may rise unless somebody says otherwise. A run says less than its several claims."""

WHERE_KNOWN: tuple[SignalName, ...] = ("query_coverage", "evidence_overlap", "citation_presence", "citation_coverage")
"""Signals that a gate goes by where the baseline knows enough of them, and not all of its runs are bad."""

_MINIMUM = 10  # below, no limit used here keeps what it says


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules of a gate. They are to be fixed before anybody sees the figures.

    Attributes:
        segment: Name of the segments that are decided one by one, see `Observation.segment`; None: all runs together.
        margin: By how much the share of unsupported claims may rise, above 0.0, below 1.0.
        margins: By how much the share of runs that are bad by a signal may rise, likewise; of `contradiction` and those
            of `WHERE_KNOWN` it is `MARGIN` unless it is given. What is named here has to be known of both releases.
        critical: Values of the segment in which contradictions may not rise at all.
        minimum: Questions in each release below which a segment is merged with others, 10 or more.
        max_undecided: Share of the candidate's answers that the judge may have left open, 0.0 to 1.0.
        on_undecided: What claims that the judge left undecided beside decided ones mean, in both releases: `pass`
            leaves them open, `fail` counts each as unsupported.

    Raises:
        InputError: If a value is out of its range.
    """

    segment: str | None = None
    margin: float = 0.02
    margins: Mapping[SignalName, float] = field(default_factory=dict)
    critical: frozenset[str] = frozenset()
    minimum: int = 30
    max_undecided: float = 0.1
    on_undecided: OnUndecided = "pass"

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.margins) - set(SIGNALS)):
            raise InputError(f"margins names {unknown[0]!r}, expected one of {', '.join(SIGNALS)}")
        for margin in (self.margin, *self.margins.values()):
            if not 0.0 < margin < 1.0:
                raise InputError(f"a margin is {margin}, expected above 0.0 and below 1.0")
        if not 0.0 <= self.max_undecided <= 1.0:
            raise InputError(f"max_undecided is {self.max_undecided}, expected 0.0 to 1.0")
        if self.on_undecided not in get_args(OnUndecided):
            raise InputError(f"on_undecided is {self.on_undecided!r}, expected 'pass' or 'fail'")
        if self.minimum < _MINIMUM:
            raise InputError(f"minimum is {self.minimum}, expected {_MINIMUM} or more: fewer answers show nothing")
        if self.critical and self.segment is None:
            raise InputError("critical names values of a segment: say of which one, with segment")


COLUMNS = ("segment", "measure", "baseline", "candidate", "change", "limits", "n", "outcome")

_OUTCOMES: Mapping[GateOutcome, str] = {"passes": "passes", "worse": "worse", "not_enough_data": "not enough data"}

HEADLINES: Mapping[GateOutcome, str] = {
    "passes": "The candidate passes: it is not worse than the baseline by the margin, in any segment.",
    "worse": "The candidate is worse than the baseline.",
    "not_enough_data": "There is not enough data to pass the candidate.",
}

_SHOWN = 10  # names of merged segments


def words(name: MeasureName) -> str:
    """What is measured: `unsupported claims`, `runs with a contradicted claim`."""
    return "unsupported claims" if name == "unsupported_claims" else SIGNALS[name].counted


def measure_rows(segments: Sequence[SegmentDecision], shown: Callable[[str], str]) -> Iterator[tuple[str, ...]]:
    """Yields a row for each measure of each segment, as `COLUMNS` names its cells."""
    for segment in segments:
        name = f"{shown(segment.name)}{' (critical)' if segment.critical else ''}"
        for measure in segment.measures:
            yield name, words(measure.name), *_cells(measure)


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
    margins = {words(each.name): _points(each.margin) for segment in decision.segments for each in segment.measures}
    yield f"margins: {', '.join(f'{name} {margin}' for name, margin in margins.items())}; n: questions"
    if unknown := [SIGNALS[name].counted for name in WHERE_KNOWN if SIGNALS[name].counted not in margins]:
        yield f"not decided by, because the baseline does not know them well enough: {', '.join(unknown)}"
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
