"""A report in a notebook: compact HTML, inline styles, no script, every text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.render.marks import around, counted, entered, error_words, headline, mark, named, plain, shorten
from trail_callbacks.report import Report, Verdict

__all__ = ["to_html"]

_QUOTES = 3
_LONGEST = 400
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.45;max-width:60em;text-align:left"
_FAINT = "opacity:.65"


def to_html(report: Report) -> str:
    """Renders a report as one HTML element.

    All text that comes from outside is escaped and stripped of control characters; there is no script, no link, no
    image and no style sheet, so the result is safe to show and to save.
    """
    return "".join(_report(report))


def _report(report: Report) -> Iterator[str]:
    yield f'<div style="{_BOX}">'
    yield f"<div><b>{_text(headline(report))}</b></div>"
    yield f"<div>{_text(counted(report))}</div>"
    errors = [f"{n} {error.value.replace('_', ' ')}" for error, n in report.error_counts.items() if n]
    if errors:
        yield f"<div>error types: {_text(', '.join(errors))}</div>"
    usage = report.usage
    cost = f"judge {report.judge or 'unknown'}; {usage.calls} model calls; {usage.seconds:.2f} s"
    yield f'<div style="{_FAINT}">{_text(cost)}</div>'
    for warning in report.warnings:
        yield f"<div>! {_text(warning)}</div>"
    for claim in report.claims:
        yield from _claim(report, claim, report.verdict(claim.id))
    yield "</div>"


def _claim(report: Report, claim: Claim, verdict: Verdict) -> Iterator[str]:
    how = mark(verdict.support)
    words = error_words(verdict)
    title = f"{how.sign} {claim.id} {how.word}" + (f" ({words})" if words else "")
    yield f'<div style="margin:.6em 0 0;padding-left:.6em;border-left:3px solid {how.colour}">'
    yield f'<div style="color:{how.colour}"><b>{_text(title)}</b></div>'
    yield f"<div>{_text(shorten(claim.quote, _LONGEST))}</div>"
    yield from _rows(report, verdict)
    yield "</div>"


def _rows(report: Report, verdict: Verdict) -> Iterator[str]:
    if verdict.error:
        yield _row("failed", _text(shorten(verdict.error, _LONGEST)))
    for item in verdict.evidence[:_QUOTES]:
        yield _row("for" if item.relation == "supports" else "against", _evidence(item, report))
    if len(verdict.evidence) > _QUOTES:
        yield _row("", f"and {len(verdict.evidence) - _QUOTES} more")
    if verdict.rationale and verdict.error_type:
        yield _row("why", _text(shorten(verdict.rationale, _LONGEST)))
    for line in entered(verdict, report.graph):
        yield _row("entered at", f"<b>{_text(line)}</b>")
    if verdict.carried_through:
        yield _row("carried by", _text(", ".join(named(node, report.graph) for node in verdict.carried_through)))


def _evidence(item: Evidence, report: Report) -> str:
    before, after = around(item, report.graph)
    source = _text(named(item.node_id, report.graph))
    quote = f"<b>{_text(shorten(item.quote, _LONGEST))}</b>"
    faint = f'<span style="{_FAINT}">'
    return f"{source}: {faint}{_text(before)}</span> {quote} {faint}{_text(after)}</span>"


def _row(label: str, html: str) -> str:
    shown = f'<span style="{_FAINT}">{label}:</span> ' if label else ""
    return f"<div>{shown}{html}</div>"


def _text(text: str) -> str:
    return escape(plain(text))
