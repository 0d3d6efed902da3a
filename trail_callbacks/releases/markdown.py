"""A decision as Markdown, for the description or a comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trail_callbacks.releases.decision import Decision
from trail_callbacks.releases.rows import COLUMNS, HEADLINES, measure_rows, remarks
from trail_callbacks.render.safe_text import plain, shorten

__all__ = ["quoted", "table", "to_markdown"]

_LONGEST = 120  # characters of a name


def quoted(name: str) -> str:
    """An untrusted name as a code span, in which no markup, link, HTML or mention of a user is read; also for cells."""
    shown = shorten(plain(name), _LONGEST).replace("`", "'").replace("|", "/")
    return f"`{shown or ' '}`"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yields the lines of a table; cells are Markdown."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def to_markdown(decision: Decision, baseline: str = "baseline", candidate: str = "candidate") -> str:
    """Writes a decision down.

    Args:
        decision: The decision.
        baseline: What the baseline is called.
        candidate: What the candidate is called.
    """
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
    yield from table(COLUMNS, measure_rows(decision.segments, quoted))
    yield ""
    yield "<details><summary>Figures</summary>"
    yield ""
    yield from (f"- {each}" for each in remarks(decision, quoted))
    yield ""
    yield "</details>"
