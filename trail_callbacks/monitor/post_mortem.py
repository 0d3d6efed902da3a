"""A post-mortem as Markdown: what figures can say is filled in, what only people know is left blank."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.monitor.markdown import quoted, table
from trail_callbacks.monitor.signals import SIGNALS
from trail_callbacks.monitor.steps import LABELS, figures, moment, steps, verdict
from trail_callbacks.monitor.triage import PATH, Triage

__all__ = ["to_post_mortem"]

_BLANK = "_to be filled in_"


def to_post_mortem(found: Triage) -> str:
    """Writes the template around the stage that broke first.

    Args:
        found: The triage of the time in question.
    """
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Triage) -> Iterator[str]:
    yield f"# Post-mortem: {_BLANK}"
    yield ""
    yield verdict(found, quoted)
    yield ""
    yield from ("## Summary", "", _BLANK, "", "## Impact", "")
    yield from _impact(found)
    yield from ("", "## Timeline (UTC)", "")
    yield from table(("time", "what happened"), _timeline(found))
    yield from ("", f"## The stage that broke first: {_stage(found)}", "")
    yield from table(("stage", "bad runs", "before", ""), _stages(found))
    yield from (
        "",
        f"Why it broke: {_BLANK}",
        "",
        f"Why nothing before it caught that: {_BLANK}",
        "",
        "## Evidence",
        "",
    )
    for question, answers in steps(found, quoted):
        yield f"**{question}**"
        yield ""
        yield from (f"- {answer}" for answer in answers)
        yield ""
    yield from ("## What went well, what did not", "", _BLANK, "", "## Actions", "")
    rows = [(action, _BLANK, _BLANK) for action in _actions(found)]
    yield from table(("action", "owner", "due"), rows)


def _impact(found: Triage) -> Iterator[str]:
    signal = SIGNALS[found.symptom]
    mine = next((each for each in found.stages if each.name == found.symptom), None)
    if mine is not None:
        about = f"{figures(mine.now)} of the judged runs were bad: {signal.about}"
        more = mine.now.bad_weight - mine.now.bad
        stands = f"; as only a part of all runs is judged, they stand for about {mine.now.bad_weight:,.0f}"
        yield f"- {about}{stands if more >= 1 else ''}"
    yield f"- {found.runs:,} runs were judged from {moment(found.since)} to {moment(found.until)}"
    segments = [f"{quoted(each.field)} {quoted(each.value)}" for each in found.segments if each.suspect]
    yield f"- segments: {', '.join(segments) or 'in none more than in the others'}"
    yield f"- users and business: {_BLANK}"


def _timeline(found: Triage) -> Iterator[tuple[str, str]]:
    known = [(each.at, f"{each.part} {quoted(each.version)} was seen first") for each in found.rollouts]
    known.append((found.since, "begin of the time in question"))
    if found.first is not None:
        known.append((found.first.at, f"first bad run in it: {quoted(found.first.id)}"))
    yield from ((moment(at), what) for at, what in sorted(known))
    for what in ("detected, and by what", "mitigated", "resolved"):
        yield _BLANK, what


def _stage(found: Triage) -> str:
    if not found.broken:
        return _BLANK
    return f"{LABELS[found.symptom]} ({SIGNALS[found.symptom].owner.replace('_', ' ')})"


def _stages(found: Triage) -> Iterator[tuple[str, str, str, str]]:
    for name, each in zip(PATH, found.stages, strict=True):
        first = found.broken and name == found.symptom
        note = "**broken first**" if first else "worse, downstream" if each.worse else ""
        yield LABELS[name], figures(each.now), figures(each.then), note


def _actions(found: Triage) -> Iterator[str]:
    if found.evaluator != "up":
        yield "repair the evaluator, and judge the runs of the time again"
    yield "mend the cause"
    yield f"an alert that would have told sooner: {LABELS[found.symptom]}"
    yield "the worst runs above as cases of the release gate"
