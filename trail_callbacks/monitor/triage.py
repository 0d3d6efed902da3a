"""Where to look when runs go wrong, in the order of evidence.

Was the evaluator up? Then which stage broke first, everywhere or in one segment, and since which version? A figure is
compared with the time before, and a stage is suspected in the order of the evidence path: what was retrieved (QC), what
of it reached the prompt (EO), what the answer made of it (AC, contradictions), what it cites (CC). What is downstream
of a broken stage may be bad only because that one is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.contrast import Rise, Rollout, contrast, rollouts, tallied, weighed
from trail_callbacks.monitor.observation import Observation
from trail_callbacks.monitor.signals import SIGNALS, Owner, Signal, SignalName

__all__ = ["PATH", "Evaluator", "SegmentContrast", "Triage", "triage"]

PATH: tuple[SignalName, ...] = (
    "query_coverage",
    "evidence_overlap",
    "answer_coverage",
    "contradiction",
    "citation_coverage",
)
"""Signals in the order of the evidence path."""

Evaluator: TypeAlias = Literal["up", "impaired", "changed", "no_data"]
"""`impaired`: it left more open than before, or over a tenth; `changed`: another judge than before, so that figures of
both times cannot be compared; `no_data`: no run was judged."""

_OPEN = 0.1  # share of undecided runs from which an evaluator is impaired
_VALUES = 50  # values of a field above which it is an id and no segment
_MOST = 10  # rows of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentContrast:
    """A segment in the time in question.

    Attributes:
        field: Name of the segment.
        value: Its value.
        others: Compared with all other runs of the time.
        before: Compared with itself before.
        suspect: Whether it is worse than the others, and than it was itself if that is known.
    """

    field: str
    value: str
    others: Rise
    before: Rise
    suspect: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """What is known of runs that went wrong.

    Attributes:
        since: Begin of the time in question, seconds since the epoch.
        until: Its end.
        runs: Runs in it.
        before: Runs before it that it is compared with.
        evaluator: Whether the evaluator was up.
        undecided: Runs that the judge left open, now and before.
        judges: Judges now and before.
        stages: Signals in the order of the evidence path, now and before.
        symptom: The first of them that is worse than before; `unsupported` if none is. Segments, rollouts and the
            worst runs go by it.
        broken: Whether `symptom` is worse than before.
        segments: Segments, the most suspicious first, 10 at most.
        rollouts: New versions, the most suspicious first, 10 at most.
        breaks: Number of diagnosed runs by the stage that broke first, in the time in question.
        breaks_before: The same before.
        diagnosed: Runs of the time that were diagnosed.
        first: The first run of the time that is bad by `symptom`; None if there is none.
        worst: The worst runs of the time, 10 at most.
        run: The run that was asked about; None if none was.
    """

    since: float
    until: float
    runs: int
    before: int
    evaluator: Evaluator
    undecided: Rise
    judges: tuple[tuple[str, ...], tuple[str, ...]]
    stages: tuple[Rise, ...]
    symptom: SignalName
    broken: bool
    segments: tuple[SegmentContrast, ...]
    rollouts: tuple[Rollout, ...]
    breaks: Mapping[str, int]
    breaks_before: Mapping[str, int]
    diagnosed: int
    first: Observation | None
    worst: tuple[Observation, ...]
    run: Observation | None = None

    @property
    def owner(self) -> Owner:
        """Who is to look first: the evaluator's owner if it was not up, else that of the stage."""
        return "evaluator" if self.evaluator in {"impaired", "no_data"} else SIGNALS[self.symptom].owner

    def as_data(self) -> dict[str, Any]:
        """Returns it as JSON-safe values; of runs without users and documents."""
        data = {**asdict(self), "owner": self.owner}
        for run in (*data["worst"], data["first"], data["run"]):
            if run is not None:
                del run["user"], run["documents"]
        return data


def triage(
    observations: Iterable[Observation],
    since: float,
    until: float,
    *,
    run: str | None = None,
    fields: Sequence[str] = (),
) -> Triage:
    """Asks the questions of the evidence-path method in their order.

    Args:
        observations: Judged runs of the time in question, and of a time before to compare with.
        since: Begin of the time in question, seconds since the epoch.
        until: Its end, itself outside.
        run: Id of a run that is asked about.
        fields: Names of segments; by default all metadata with up to 50 values.

    Raises:
        InputError: If the time is empty, or the run is not among the observations.
    """
    if not since < until:
        raise InputError("the time in question is empty: since has to be before until")
    everything = sorted((each for each in observations if each.at < until), key=lambda each: each.at)
    now = [each for each in everything if each.at >= since]
    then = [each for each in everything if each.at < since]
    asked = next((each for each in everything if each.id == run), None)
    if run is not None and asked is None:
        raise InputError(f"no judged run has the id {run!r}")
    undecided = weighed([_signal("undecided", now, then)])[0]
    stages = weighed([_signal(name, now, then) for name in PATH])
    worse = [name for name, each in zip(PATH, stages, strict=True) if each.worse]
    signal = SIGNALS[worse[0] if worse else "unsupported"]
    bad = [each for each in now if signal.bad(each)]
    return Triage(
        since=since,
        until=until,
        runs=len(now),
        before=len(then),
        evaluator=_evaluator(now, then, undecided),
        undecided=undecided,
        judges=(_judges(now), _judges(then)),
        stages=stages,
        symptom=signal.name,
        broken=bool(worse),
        segments=_segments(now, then, signal, fields),
        rollouts=rollouts(everything, signal)[:_MOST],
        breaks=_breaks(now),
        breaks_before=_breaks(then),
        diagnosed=sum(each.diagnosed for each in now),
        first=bad[0] if bad else None,
        worst=tuple(sorted(now, key=_badness(signal), reverse=True)[:_MOST]),
        run=asked,
    )


def _signal(name: SignalName, now: Sequence[Observation], then: Sequence[Observation]) -> Rise:
    return contrast(name, tallied(now, SIGNALS[name]), tallied(then, SIGNALS[name]))


def _judges(runs: Iterable[Observation]) -> tuple[str, ...]:
    return tuple(sorted({each.judge for each in runs}))


def _evaluator(now: Sequence[Observation], then: Sequence[Observation], undecided: Rise) -> Evaluator:
    if not now:
        return "no_data"
    if undecided.worse or (undecided.now.share or 0.0) > _OPEN:
        return "impaired"
    return "changed" if then and _judges(now) != _judges(then) else "up"


def _segments(
    now: Sequence[Observation], then: Sequence[Observation], signal: Signal, fields: Sequence[str]
) -> tuple[SegmentContrast, ...]:
    """Each value of each field, beside the other runs and beside itself before."""
    found = []
    everyone = tallied(now, signal)
    for field in fields or sorted({name for run in now for name in run.fields}):
        values, earlier = _by(now, field), _by(then, field)
        if not fields and not 1 < len(values) <= _VALUES:
            continue
        for value, mine in values.items():
            tally = tallied(mine, signal)
            found.append((field, value, tally, everyone - tally, tallied(earlier.get(value, ()), signal)))
    others_ = weighed([contrast(value, tally, rest) for _, value, tally, rest, _ in found])
    before = [weighed([contrast(value, tally, old)])[0] for _, value, tally, _, old in found]
    rows = [
        SegmentContrast(
            field=each[0],
            value=each[1],
            others=against,
            before=earlier,
            suspect=against.worse and (earlier.worse or earlier.p is None),
        )
        for each, against, earlier in zip(found, others_, before, strict=True)
    ]
    rows.sort(key=lambda each: (not each.suspect, 1.0 if each.others.p is None else each.others.p))
    return tuple(rows[:_MOST])


def _by(runs: Iterable[Observation], field: str) -> dict[str, list[Observation]]:
    """Runs by the value of a segment, or by the version of a part."""
    found: dict[str, list[Observation]] = {}
    for run in runs:
        value = run.segment(field)
        if value is not None:
            found.setdefault(value, []).append(run)
    return found


def _breaks(runs: Iterable[Observation]) -> dict[str, int]:
    return dict(Counter(run.broken for run in runs if run.broken is not None).most_common())


def _badness(signal: Signal) -> Callable[[Observation], tuple[bool, int, float]]:
    def key(run: Observation) -> tuple[bool, int, float]:
        return bool(signal.bad(run)), run.outcomes.get("contradicted", 0), run.score or 0.0

    return key
