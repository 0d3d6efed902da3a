"""The header of a page: score with interval, state, counts as charts that also filter, cost, warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trail_callbacks.render.labels import OUTCOMES, citations, coverage, covered, headline, mark
from trail_callbacks.render.page.view import View
from trail_callbacks.render.safe_text import block, line, name
from trail_callbacks.report import Report
from trail_callbacks.taxonomy import SupportClass

__all__ = ["charts", "facts", "notices", "score"]

_STATES = {
    "assessed": "all claims judged",
    "abstained": "the answer declines to answer",
    "no_checkable_claims": "no checkable claim",
    "unverified": "nothing that it states could be checked",
    "no_evidence": "no source reached the answer",
    "interrupted": "no answer yet",
    "error": "the verification failed",
}
_CLASSES = frozenset(SupportClass)  # always listed
_WIDTH = 320  # SVG units; the drawings scale


def score(report: Report) -> Iterator[str]:
    """The score as a number and on a scale from 0 to 1, with its interval, or why there is none."""
    value, interval = report.hallucination_score, report.interval
    state = f'<p class="state">{line(_STATES.get(report.state) or coverage(report))}</p>'
    left = covered(report)
    state += f'<p class="uncovered">{line(left)}</p>' if left else ""
    citing = citations(report)
    state += f'<p class="citing">{line(citing)}</p>' if citing else ""
    if value is None:
        yield '<p class="figure none" aria-hidden="true">\u2013</p>'
        yield f'<div data-state="{report.state}"><p class="headline">{line(headline(report))}</p>'
        yield (
            f'<p class="uncovered">{line(left)}</p></div>'
            if left
            else "</div>"
            if report.graph.answer
            else f"{state}</div>"
        )  # the headline says it, unless there is no answer
        return
    yield f'<p class="figure">{value:.2f}</p><div data-state="{report.state}">'
    yield '<p class="headline">hallucination score <span class="faint">0 is best</span></p>'
    yield f'<svg class="scale" viewBox="0 0 {_WIDTH} 16" preserveAspectRatio="none" role="img" '
    yield f'aria-label="{line(headline(report))}"><rect class="track" x="0" y="6" width="{_WIDTH}" height="4" rx="2"/>'
    if interval:
        low, high = (end * _WIDTH for end in interval)
        yield f'<rect class="spread" x="{low:.1f}" y="3" width="{max(high - low, 1):.1f}" height="10" rx="3"/>'
    at = min(max(value * _WIDTH, 2), _WIDTH - 2)
    yield f'<rect class="point" x="{at - 2:.1f}" y="0" width="4" height="16" rx="1"/></svg>'
    if interval:
        yield f'<p class="faint">95 % interval {interval[0]:.2f} to {interval[1]:.2f}</p>'
    yield f"{state}</div>"


def charts(view: View) -> Iterator[str]:
    """The number of claims of each class and error type, with a filter for each."""
    found = Counter(verdict.outcome for _, verdict in view.pairs)
    outcomes = {outcome: found[outcome] for outcome in OUTCOMES}
    if not view.pairs:
        yield '<p class="missing">The report has no claims.</p>'
        return
    yield '<fieldset class="classes"><legend>Claims by class</legend>'
    yield f'<svg class="stack" viewBox="0 0 {_WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">'
    at = 0.0
    for outcome, count in outcomes.items():
        width = count / len(view.pairs) * _WIDTH
        if count:
            yield f'<rect data-class="{outcome}" x="{at:.2f}" y="0" width="{width:.2f}" height="10"/>'
        at += width
    yield '</svg><ul class="legend">'
    for outcome, count in outcomes.items():
        if count or outcome in _CLASSES:
            shown = mark(outcome)
            yield f'<li><label data-class="{outcome}"{"" if count else " data-none"}>'
            yield f'<input type="checkbox" name="class" value="{outcome}"{"" if count else " disabled"}>'
            yield f'<span class="sign" aria-hidden="true">{shown.symbol}</span>{shown.word} <b>{count}</b></label></li>'
    yield "</ul></fieldset>"
    errors = {error: count for error, count in view.report.error_counts.items() if count}
    if errors:
        most = max(errors.values())
        yield '<fieldset class="types"><legend>Unsupported claims by error type</legend><ul class="bars">'
        for error, count in sorted(errors.items(), key=lambda item: -item[1]):
            yield f'<li><label><input type="checkbox" name="type" value="{error.value}">'
            yield f"<span>{error.value.replace('_', ' ')}</span>"
            yield '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
            yield f'<rect x="0" y="0" width="{count / most * 100:.1f}" height="8" rx="1"/></svg>'
            yield f"<b>{count}</b></label></li>"
        yield "</ul></fieldset>"


def facts(view: View) -> Iterator[str]:
    """The judge and the cost."""
    report, usage = view.report, view.report.usage
    rows = {
        "judge": name(report.judge or "unknown"),
        "model calls": f"{usage.calls:,}" + (f" and {usage.cache_hits:,} from the cache" if usage.cache_hits else ""),
        "tokens": f"{usage.prompt_tokens:,} read"
        + (f" ({usage.cached_tokens:,} of them cached)" if usage.cached_tokens else "")
        + f", {usage.completion_tokens:,} written",
        "seconds": f"{usage.seconds:,.2f}",
        "graph": f"{len(report.graph.nodes):,} texts, {len(report.graph.edges):,} links",
    }
    if report.run_id:
        rows["run"] = name(report.run_id)
    yield '<dl class="facts">'
    for label, value in rows.items():
        yield f"<div><dt>{label}</dt><dd>{value}</dd></div>"
    yield "</dl>"


def notices(report: Report) -> Iterator[str]:
    """The warnings of the report, and what to do first."""
    if report.warnings:
        yield '<ul class="warnings" aria-label="Warnings">'
        for warning in report.warnings:
            yield f'<li dir="auto">{block(warning)}</li>'
        yield "</ul>"
    if step := report.next_step:
        yield f'<p class="next"><b>Next:</b> {line(step)}</p>'
