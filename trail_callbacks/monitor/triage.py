"""Where to look when runs go wrong, in the order of evidence.

Was the evaluator up? Then which stage broke first, everywhere or in one segment, and since which version? A figure is
compared with the time before, and a stage is suspected in the order of the evidence path: what was retrieved, what of
it reached the prompt, what the answer made of it, what it cites. What is downstream of a broken stage may be bad only
because that one is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, Literal, TypeAlias

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.observation import SIGNALS, Observation, Owner, Signal, SignalName, Tally
from trail_callbacks.render.excerpt import moment, plain
from trail_callbacks.statistics.clusters import Difference, Share
from trail_callbacks.statistics.rates import holm

PATH: tuple[SignalName, ...] = (
    "query_coverage",
    "evidence_overlap",
    "abstention",
    "answer_coverage",
    "contradiction",
    "citation_presence",
    "citation_coverage",
)
"""Signals in the order of the evidence path."""

Evaluator: TypeAlias = Literal["up", "impaired", "changed", "no_data"]
"""`impaired`: it left more open than before, or over a tenth; `changed`: another judge than before, so that figures of
both times cannot be compared; `no_data`: no run was judged."""

_ALPHA = 0.05
_FEWEST = 10  # decided runs in each group, below which nothing is said
_OPEN = 0.1  # share of undecided runs from which an evaluator is impaired
_VALUES = 50  # of a field or a part; with more, it is an id
_ENOUGH = 50  # runs of a version; with fewer, the time goes on to the next rollout but one
_MOST = 10  # rows of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """Bad runs of two groups."""

    name: str  # what is compared: a signal, a segment or a version
    now: Tally  # counts of the group in question
    then: Tally  # counts of what it is compared with
    # probability of such a rise, or a larger one, if nothing differed; None with fewer than 10 decided runs in either
    # group
    p: float | None = None
    worse: bool = False  # whether there are more bad runs, with 5 % error over all contrasts of its kind (Holm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A new version of a part."""

    part: str  # the part: `app`, `model`, `prompt`, `retriever`, `reranker`, `index`, `chunker`
    version: str  # its new version
    replaced: str  # the version that was seen before
    at: float  # when the first run with it began, seconds since the epoch
    # runs with the new version, compared with those of the version before: of both the runs nearest to the rollout, up
    # to the rollouts before and after it
    contrast: Rise


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentContrast:
    """A segment in the time in question."""

    field: str
    value: str
    others: Rise  # compared with all other runs of the time
    before: Rise  # compared with itself before
    suspect: bool  # whether it is worse than the others, and than it was itself if that is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """What is known of runs that went wrong."""

    since: float  # begin of the time in question, seconds since the epoch
    until: float  # its end
    runs: int  # runs in it
    before: int  # runs before it that it is compared with
    evaluator: Evaluator  # whether the evaluator was up
    undecided: Rise  # runs that the judge left open, now and before
    judges: tuple[tuple[str, ...], tuple[str, ...]]  # judges now and before
    stages: tuple[Rise, ...]  # signals in the order of the evidence path, now and before
    # the first of them that is worse than before; `unsupported` if none is. Segments, rollouts and the worst runs go by
    # it.
    symptom: SignalName
    broken: bool  # whether `symptom` is worse than before
    segments: tuple[SegmentContrast, ...]  # segments, the most suspicious first, 10 at most
    rollouts: tuple[Rollout, ...]  # new versions, the most suspicious first, 10 at most
    breaks: Mapping[str, int]  # number of diagnosed runs by the stage that broke first, in the time in question
    breaks_before: Mapping[str, int]  # the same before
    diagnosed: int  # runs of the time that were diagnosed
    worst: tuple[Observation, ...]  # the worst runs of the time, 10 at most
    run: Observation | None = None  # the run that was asked about; None if none was

    @property
    def owner(self) -> Owner | None:
        """Who is to look first: the evaluator's owner if it was not up, else that of the stage.

        None if more runs decline and nobody knows whether what was retrieved answers them.
        """
        if self.evaluator in {"impaired", "no_data"}:
            return "evaluator"
        unknown = self.symptom == "abstention" and self.stages[0].p is None
        return None if unknown else SIGNALS[self.symptom].owner

    def as_data(self) -> dict[str, Any]:
        """Returns it as JSON-safe values; of runs without users and documents."""
        data = {**asdict(self), "owner": self.owner}
        for run in (*data["worst"], data["run"]):
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

    def risen(name: SignalName) -> Rise:
        return _contrast(name, Tally.of(now, SIGNALS[name]), Tally.of(then, SIGNALS[name]))

    (undecided,) = _weighed([risen("undecided")])
    stages = _weighed([risen(name) for name in PATH])
    worse = [name for name, each in zip(PATH, stages, strict=True) if each.worse]
    signal = SIGNALS[worse[0] if worse else "unsupported"]
    judges = [tuple(sorted({each.judge for each in runs})) for runs in (now, then)]
    return Triage(
        since=since,
        until=until,
        runs=len(now),
        before=len(then),
        evaluator=_evaluator(now, undecided, changed=bool(then) and judges[0] != judges[1]),
        undecided=undecided,
        judges=(judges[0], judges[1]),
        stages=stages,
        symptom=signal.name,
        broken=bool(worse),
        segments=_segments(now, then, signal, fields),
        rollouts=rollouts(everything, signal)[:_MOST],
        breaks=_breaks(now),
        breaks_before=_breaks(then),
        diagnosed=sum(each.diagnosed for each in now),
        worst=tuple(sorted(now, key=_badness(signal), reverse=True)[:_MOST]),
        run=asked,
    )


def _contrast(name: str, now: Tally, then: Tally) -> Rise:
    """Compares two groups; whether one is worse is said by `_weighed`."""
    if min(now.decided, then.decided) < _FEWEST:
        return Rise(name=name, now=now, then=then)
    shares = [Share(each.share or 0.0, each.decided, each.effective) for each in (now, then)]
    return Rise(name=name, now=now, then=then, p=Difference(shares[0], shares[1]).p_worse())


def _weighed(contrasts: Sequence[Rise]) -> tuple[Rise, ...]:
    """Says of contrasts of one kind which are worse, so that all of them together err in 5 % at most."""
    pairs = zip(contrasts, holm([each.p for each in contrasts]), strict=True)
    return tuple(replace(each, worse=p is not None and p < _ALPHA) for each, p in pairs)


def _evaluator(now: Sequence[Observation], undecided: Rise, *, changed: bool) -> Evaluator:
    if not now:
        return "no_data"
    if undecided.worse or (undecided.now.share or 0.0) > _OPEN:
        return "impaired"
    return "changed" if changed else "up"


def _segments(
    now: Sequence[Observation], then: Sequence[Observation], signal: Signal, fields: Sequence[str]
) -> tuple[SegmentContrast, ...]:
    """Each value of each field, beside the other runs and beside itself before."""
    found = []
    everyone = Tally.of(now, signal)
    for field in fields or sorted({name for run in now for name in run.fields}):
        values, earlier = (_by(runs, [run.segment(field) for run in runs]) for runs in (now, then))
        if not fields and not 1 < len(values) <= _VALUES:
            continue
        for value, mine in values.items():
            tally = Tally.of(mine, signal)
            before = _contrast(value, tally, Tally.of(earlier.get(value, ()), signal))
            found.append((field, value, _contrast(value, tally, everyone - tally), _weighed([before])[0]))
    others = _weighed([each[2] for each in found])
    rows = [
        SegmentContrast(
            field=field,
            value=value,
            others=against,
            before=before,
            suspect=against.worse and (before.worse or before.p is None),
        )
        for (field, value, _, before), against in zip(found, others, strict=True)
    ]
    rows.sort(key=lambda each: (not each.suspect, 1.0 if each.others.p is None else each.others.p))
    return tuple(rows[:_MOST])


def _by(runs: Iterable[Observation], values: Iterable[str | None]) -> dict[str, list[Observation]]:
    """Runs by their value, in the order in which the values were first seen."""
    found: dict[str, list[Observation]] = defaultdict(list)
    for run, value in zip(runs, values, strict=True):
        if value is not None:
            found[value].append(run)
    return found


def rollouts(runs: Sequence[Observation], signal: Signal) -> tuple[Rollout, ...]:
    """Finds new versions, the most suspicious first."""
    found: list[tuple[str, Sequence[Observation], Sequence[Observation]]] = []
    for part in sorted({name for run in runs for name in run.versions}):
        known = _by(runs, [run.versions.get(part) for run in runs])
        if len(known) <= _VALUES:
            found += [(part, known[old], known[new]) for old, new in pairwise(known)]
    times = sorted({new[0].at for _, _, new in found})
    contrasts = []
    for part, old, new in found:
        at = new[0].at
        begin = next((t for t in reversed(times) if t < at and _within(old, t, at) >= _ENOUGH), -inf)
        end = next((t for t in times if t > at and _within(new, at, t) >= _ENOUGH), inf)
        tallies = [Tally.of([run for run in each if begin <= run.at < end], signal) for each in (new, old)]
        contrasts.append(_contrast(new[0].versions[part], *tallies))
    rows = [
        Rollout(part=part, version=each.name, replaced=old[0].versions[part], at=new[0].at, contrast=each)
        for (part, old, new), each in zip(found, _weighed(contrasts), strict=True)
    ]
    rows.sort(key=lambda each: (not each.contrast.worse, 1.0 if each.contrast.p is None else each.contrast.p, -each.at))
    return tuple(rows)


def _within(runs: Sequence[Observation], begin: float, end: float) -> int:
    first, last = (bisect_left(runs, t, key=lambda run: run.at) for t in (begin, end))
    return last - first


def _breaks(runs: Iterable[Observation]) -> dict[str, int]:
    return dict(Counter(run.broken for run in runs if run.broken is not None).most_common())


def _badness(signal: Signal) -> Callable[[Observation], tuple[bool, int, float]]:
    return lambda run: (bool(signal.bad(run)), run.outcomes.get("contradicted", 0), run.score or 0.0)


_EVALUATOR = {
    "up": "yes",
    "impaired": "it left too much open, so that what follows rests on the runs that it decided",
    "changed": "another judge than before: figures of both times cannot be compared; judge them with the same one",
    "no_data": "no run was judged: that is no sign that all is well",
}


def _figures(tally: Tally) -> str:
    """Bad runs of those decided: `12 of 80 (15.0%)`."""
    if tally.share is None:
        return f"unknown of {tally.runs:,}"
    return f"{tally.bad:,} of {tally.decided:,} ({tally.share:.1%})"


def verdict(found: Triage) -> str:
    """Where to look first, in a sentence."""
    if found.evaluator in {"no_data", "impaired", "changed"}:
        return f"Look at the evaluator first: {_EVALUATOR[found.evaluator]}."
    if not found.broken:
        known = any(each.p is not None for each in found.stages)
        why = "no stage is worse than before" if known else "there are too few runs before to compare with"
        return f"No stage is suspected: {why}."
    where = [f"{plain(each.field)} {plain(each.value)}" for each in found.segments if each.suspect]
    since = [f"{each.part} {plain(each.version)} ({moment(each.at)})" for each in found.rollouts if each.contrast.worse]
    owner = "retrieval and generation" if found.owner is None else found.owner.replace("_", " ")
    return (
        f"Look at {owner} first: {SIGNALS[found.symptom].about}; "
        f"{'in ' + ', '.join(where) if where else 'in no segment more than in others'}; "
        f"{'since ' + ', '.join(since) if since else 'since no new version that is known'}."
    )


def steps(found: Triage) -> Iterator[tuple[str, list[str]]]:
    """Yields each question with its answers, in the order of the method."""
    yield "Was the evaluator up?", list(_evaluator_said(found))
    symptom = SIGNALS[found.symptom].counted
    yield f"Everywhere or in a segment? ({symptom})", list(_segments_said(found))
    yield f"Since which version? ({symptom})", list(_rollouts_said(found))
    yield "Which stage is worse than before? (bad runs)", list(_stages(found))
    yield "At which stage did runs break first?", list(_breaks_said(found))
    yield "Which runs are worst?", [_row(run) for run in found.worst] or ["none was judged"]
    if found.run is not None:
        yield f"And run {plain(found.run.id)}?", list(_run(found.run))


def _evaluator_said(found: Triage) -> Iterator[str]:
    yield f"{'no: ' if found.evaluator == 'impaired' else ''}{_EVALUATOR[found.evaluator]}"
    yield f"left open: {_figures(found.undecided.now)}, before {_figures(found.undecided.then)}"
    for name, judges in zip(("now", "before"), found.judges, strict=True):
        if judges:
            yield f"judge {name}: {', '.join(map(plain, judges))}"


def _segments_said(found: Triage) -> Iterator[str]:
    if not found.segments:
        yield "no run has segments: give runs metadata such as query_class or tenant"
        return
    suspects = [each for each in found.segments if each.suspect]
    if not suspects:
        yield "in no segment more than in the others"
    for each in suspects or found.segments[:3]:
        name = f"{plain(each.field)} {plain(each.value)}"
        mark = "worse: " if each.suspect else ""
        yield (
            f"{mark}{name}: {_figures(each.others.now)}, others {_figures(each.others.then)}, "
            f"itself before {_figures(each.before.then)}"
        )


def _rollouts_said(found: Triage) -> Iterator[str]:
    if not found.rollouts:
        yield "no version changed, as far as runs name versions"
    for each in found.rollouts:
        mark = "worse: " if each.contrast.worse else ""
        yield (
            f"{mark}{each.part} {plain(each.version)} since {moment(each.at)}: {_figures(each.contrast.now)}, "
            f"with {plain(each.replaced)} {_figures(each.contrast.then)}"
        )


def _stages(found: Triage) -> Iterator[str]:
    for name, each in zip(PATH, found.stages, strict=True):
        yield f"{SIGNALS[name].counted}: {_figures(each.now)}, before {_figures(each.then)}{_said(found, name, each)}"


def _said(found: Triage, name: SignalName, each: Rise) -> str:
    if found.broken and name == found.symptom:
        return f": broken first ({SIGNALS[name].owner.replace('_', ' ')})"
    if each.worse:
        return ": worse, downstream"
    return ": too few to compare" if each.p is None else ""


def _breaks_said(found: Triage) -> Iterator[str]:
    if not found.diagnosed:
        yield "no run was diagnosed: VerifyOptions(diagnose=True), or trail check --diagnose"
        return
    yield f"{found.diagnosed:,} of {found.runs:,} runs were diagnosed"
    for stage, n in found.breaks.items():
        yield f"{stage}: {n:,}, before {found.breaks_before.get(stage, 0):,}"


def _row(run: Observation) -> str:
    score = "-" if run.score is None else f"{run.score:.2f}"
    broken = f", broke first at {run.broken}" if run.broken not in {None, "undetermined"} else ""
    unsupported = f"{run.unsupported} of {run.decided} claims unsupported"
    return f"{plain(run.id)}  {moment(run.at)}  score {score}, {unsupported}{broken}"


def _run(run: Observation) -> Iterator[str]:
    yield _row(run)
    words = {True: "bad", False: "good", None: "unknown"}
    yield ", ".join(f"{name.replace('_', ' ')}: {words[SIGNALS[name].bad(run)]}" for name in PATH)
    for name, values in (("versions", run.versions), ("segments", run.fields)):
        if values:
            yield f"{name}: {', '.join(f'{plain(key)} {plain(value)}' for key, value in values.items())}"
