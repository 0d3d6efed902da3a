"""A triage in words: each question of the method, with the figures that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from trail_callbacks.monitor.observation import Observation
from trail_callbacks.monitor.signals import SIGNALS, SignalName, Tally
from trail_callbacks.monitor.triage import PATH, Rise, Triage
from trail_callbacks.render.excerpt import plain

_LABELS: Mapping[SignalName, str] = {
    "query_coverage": "QC, retrieved",
    "evidence_overlap": "EO, reached the prompt",
    "answer_coverage": "AC, supported",
    "contradiction": "contradictions",
    "citation_coverage": "CC, cited",
    "unsupported": "unsupported claims",
    "abstention": "declined",
    "undecided": "left open by the judge",
}

_EVALUATOR = {
    "up": "yes",
    "impaired": "it left too much open, so that what follows rests on the runs that it decided",
    "changed": "another judge than before: figures of both times cannot be compared; judge them with the same one",
    "no_data": "no run was judged: that is no sign that all is well",
}


def moment(at: float) -> str:
    """A time as ISO 8601 in UTC, to the second; a dash if it is not known."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if at else "-"
    except (ValueError, OverflowError, OSError):  # no calendar has it
        return f"{at:g}"


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
    owner = found.owner.replace("_", " ")
    return (
        f"Look at {owner} first: {SIGNALS[found.symptom].about}; "
        f"{'in ' + ', '.join(where) if where else 'in no segment more than in others'}; "
        f"{'since ' + ', '.join(since) if since else 'since no new version that is known'}."
    )


def steps(found: Triage) -> Iterator[tuple[str, list[str]]]:
    """Yields each question with its answers, in the order of the method."""
    yield "Was the evaluator up?", list(_evaluator(found))
    symptom = _LABELS[found.symptom]
    yield f"Everywhere or in a segment? ({symptom})", list(_segments(found))
    yield f"Since which version? ({symptom})", list(_rollouts(found))
    yield "Which stage is worse than before? (bad runs)", list(_stages(found))
    yield "At which stage did runs break first?", list(_breaks(found))
    yield "Which runs are worst?", [_row(run) for run in found.worst] or ["none was judged"]
    if found.run is not None:
        yield f"And run {plain(found.run.id)}?", list(_run(found.run))


def _evaluator(found: Triage) -> Iterator[str]:
    yield f"{'no: ' if found.evaluator == 'impaired' else ''}{_EVALUATOR[found.evaluator]}"
    yield f"left open: {_figures(found.undecided.now)}, before {_figures(found.undecided.then)}"
    for name, judges in zip(("now", "before"), found.judges, strict=True):
        if judges:
            yield f"judge {name}: {', '.join(map(plain, judges))}"


def _segments(found: Triage) -> Iterator[str]:
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


def _rollouts(found: Triage) -> Iterator[str]:
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
        yield f"{_LABELS[name]}: {_figures(each.now)}, before {_figures(each.then)}{_said(found, name, each)}"


def _said(found: Triage, name: SignalName, each: Rise) -> str:
    if found.broken and name == found.symptom:
        return f": broken first ({SIGNALS[name].owner.replace('_', ' ')})"
    if each.worse:
        return ": worse, downstream"
    return ": too few to compare" if each.p is None else ""


def _breaks(found: Triage) -> Iterator[str]:
    if not found.diagnosed:
        yield "no run was diagnosed: VerifyOptions(diagnose=True), or trail check --diagnose"
        return
    yield f"{found.diagnosed:,} of {found.runs:,} runs were diagnosed"
    for stage, n in found.breaks.items():
        yield f"{stage}: {n:,}, before {found.breaks_before.get(stage, 0):,}"


def _row(run: Observation) -> str:
    score = "-" if run.score is None else f"{run.score:.2f}"
    broken = f", broke first at {run.broken}" if run.broken else ""
    unsupported = f"{run.unsupported} of {run.decided} claims unsupported"
    return f"{plain(run.id)}  {moment(run.at)}  score {score}, {unsupported}{broken}"


def _run(run: Observation) -> Iterator[str]:
    yield _row(run)
    words = {True: "bad", False: "good", None: "unknown"}
    yield ", ".join(f"{_LABELS[name]}: {words[SIGNALS[name].bad(run)]}" for name in PATH)
    for name, values in (("versions", run.versions), ("segments", run.fields)):
        if values:
            yield f"{name}: {', '.join(f'{plain(key)} {plain(value)}' for key, value in values.items())}"
