"""A report or a graph in a notebook: the answer coloured by claim, and what a terminal shows. No script, text escaped.

A fragment cannot know whether the notebook is light or dark, so text keeps the notebook's colour. Classes differ by
symbol, background tint and underline; only badges, which have their own background, are white on colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from io import StringIO

from rich.console import Console

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.render.excerpt import MarkedSpan, Stretch, block, plain, segments
from trail_callbacks.render.labels import WORST_FIRST, counted, headline, judged_words, mark
from trail_callbacks.render.terminal import RichView, graph_to_rich, to_rich
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import encodable

_SPAN = 1_000  # characters of one segment of the answer
_WHOLE = 30_000  # characters of the answer
_WIDE, _LINES = 100, 600  # columns and lines of the details
_CALM = (SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE, "undecided")
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:60em;text-align:left"
_FAINT = "opacity:.7"
_FRAME = "1px solid rgba(128,128,128,.4)"


def to_fragment(report: Report) -> str:
    """Renders a report as one HTML element.

    It has the score, the answer with each claim in the colour of its class, and the details as a terminal shows them,
    unfolded if a claim has a problem. Untrusted text is escaped and stripped of control characters; there are no
    scripts, links, images or style sheets, so the result is safe to show and to save. Long answers and lists are cut,
    with a note.
    """
    return encodable("".join(_report(report)))


def graph_to_fragment(graph: ProvenanceGraph) -> str:
    """Renders a graph as one HTML element, stage by stage as a terminal shows it; as safe as `to_fragment`."""
    return encodable(f'<div style="{_BOX}">{_details(graph_to_rich(graph), "see graph.nodes")}</div>')


def _report(report: Report) -> Iterator[str]:
    yield f'<div style="{_BOX}">'
    yield f'<div style="font-size:1.15em"><b>{_text(headline(report))}</b></div>'
    yield from _answer(report)
    amiss = any(verdict.outcome not in _CALM or verdict.conflicting for verdict in report.verdicts)
    unfolded = amiss or not report.claims  # the details say all that follows here if they are folded
    yield f"<details{' open' if unfolded else ''}>"
    yield f'<summary style="cursor:pointer">{_text(counted(report))}</summary>'
    yield f"{_details(to_rich(report), 'see report.claims')}</details>"
    if report.diagnosis is not None and not unfolded:
        from trail_callbacks.render.evidence_path import verdict_line  # noqa: PLC0415 - few have one

        yield f"<div><b>Evidence path:</b> {_text(verdict_line(report.diagnosis))}</div>"
    if not unfolded and (step := report.next_step):
        yield f"<div><b>Next:</b> {_text(step)}</div>"
    yield "</div>"


def _details(view: RichView, more: str) -> str:
    """What a terminal shows, in its colours."""
    console = Console(
        file=StringIO(), width=_WIDE, record=True, force_jupyter=False, legacy_windows=False, highlight=False,
        markup=False, emoji=False,
    )  # fmt: skip
    console.print(view)
    lines = console.export_html(inline_styles=True, code_format="{code}").split("\n")
    if len(lines) > _LINES:
        lines = [*lines[:_LINES], f"and {len(lines) - _LINES:,} more lines: {more}"]
    style = "white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;font-size:.9em;margin:.4em 0"
    return f'<div dir="auto" style="{style}">' + "\n".join(line.rstrip() for line in lines) + "</div>"


def _answer(report: Report) -> Iterator[str]:
    answer = report.graph.answer
    if answer is None:
        return
    style = f"margin:.6em 0;padding:.5em .8em;border:{_FRAME};border-radius:6px;white-space:pre-wrap"
    yield f'<div dir="auto" style="{style};overflow-wrap:anywhere">'
    if not answer.text.strip():
        yield f'<span style="{_FAINT}">(the answer is empty)</span>'
    length, shown = len(answer.text), 0
    claimed = [(max(claim.start, 0), min(claim.end, length)) for claim in report.claims]
    spans = [MarkedSpan(start, end, number) for number, (start, end) in enumerate(claimed) if start < end]
    for segment in segments(0, length, spans):
        if shown >= _WHOLE:
            yield _left_out(length - segment.start)
            break
        kept = min(segment.end, segment.start + _SPAN)
        shown += kept - segment.start
        words = block(answer.text[segment.start : kept]) + _left_out(segment.end - kept)
        yield _marked(report, segment, words) if segment.spans else words
    yield "</div>"


def _left_out(count: int) -> str:
    return f'<span style="{_FAINT}"> [{count:,} more characters] </span>' if count else ""


def _marked(report: Report, segment: Stretch, words: str) -> str:
    claims = [report.claims[span.owner] for span in segment.spans]
    pairs = sorted(
        ((claim, report.verdict(claim.id)) for claim in claims), key=lambda pair: WORST_FIRST.index(pair[1].outcome)
    )
    worst = pairs[0][1].outcome
    how = mark(worst)
    badges = "".join(_badge(report.verdict(report.claims[span.owner].id)) for span in segment.opens)
    title = "; ".join(f"{claim.id} {judged_words(claim, verdict)}" for claim, verdict in pairs)
    style = f"background:{how.colour}38;border-bottom:{how.line} {how.colour}"
    if any(claim.uncovered for claim in claims):
        style = f"outline:1px dashed {how.colour};outline-offset:-1px"
    return f'<span title="{_text(title)}" style="{style}">{badges}<bdi>{words}</bdi></span>'


def _badge(verdict: Verdict) -> str:
    how = mark(verdict.outcome)
    style = f"background:{how.colour};color:#fff;border-radius:3px;padding:0 .35em;margin-right:.3em"
    return f'<span style="{style};font-size:.8em;white-space:nowrap">{how.symbol} {_text(verdict.claim_id)}</span>'


def _text(text: str) -> str:
    return escape(plain(text))
