"""The page as a whole: its parts, scripts and styles in one file, the data of the graph, and a policy for all of it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from string import Template
from typing import Any

from trail_callbacks.graph import named
from trail_callbacks.render.excerpt import block, line, name, plain, script_json
from trail_callbacks.render.labels import (
    OUTCOMES,
    citations,
    coverage,
    covered,
    headline,
    mark,
    origin_words,
    shows_score,
)
from trail_callbacks.render.page.parts import Texts, answer, claims
from trail_callbacks.render.page.parts import facts as labelled
from trail_callbacks.render.page.view import PageView
from trail_callbacks.report import Report
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import shorten

_CLASSES = frozenset(SupportClass)  # always listed
_WIDTH = 320  # SVG units; the drawings scale


def score(report: Report) -> Iterator[str]:
    """The score as a number and on a scale from 0 to 1, with its interval, or why there is none."""
    value, interval = report.hallucination_score, report.interval
    left = f'<p class="uncovered">{line(covered(report))}</p>' if covered(report) else ""
    if value is None or not shows_score(report):
        yield '<p class="figure none" aria-hidden="true">\u2013</p>'
        yield f'<div data-state="{report.state}"><p class="headline">{line(headline(report))}</p>{left}</div>'
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
    state = "all claims judged" if report.state == "assessed" else coverage(report)
    citing = f'<p class="citing">{line(citations(report))}</p>' if citations(report) else ""
    yield f'<p class="state">{line(state)}</p>{left}{citing}</div>'


def charts(view: PageView) -> Iterator[str]:
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


def facts(view: PageView) -> Iterator[str]:
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
    yield from labelled(rows)


def notices(report: Report) -> Iterator[str]:
    """The warnings of the report, and what to do first."""
    if report.warnings:
        yield '<ul class="warnings" aria-label="Warnings">'
        for warning in report.warnings:
            yield f'<li dir="auto">{block(warning)}</li>'
        yield "</ul>"
    if step := report.next_step:
        yield f'<p class="next"><b>Next:</b> {line(step)}</p>'


_START = "start.js"  # in the head
_SCRIPTS = ("vendor/dagre.min.js", "vendor/cytoscape.min.js", "graph.js", "page.js")
_LICENCES = ("vendor/dagre.LICENSE", "vendor/cytoscape.LICENSE")
_SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)  # a file that is not there
_LABEL = 60  # characters of a label in the graph
_ID = 14  # characters


def to_page(report: Report, *, title: str | None = None) -> str:
    """Renders a report as one self-contained HTML file.

    All untrusted text is escaped, including control and bidirectional characters. A content security policy allows the
    scripts and the style sheet of this file by their hashes and nothing else: no requests, images or forms.

    Args:
        report: The report.
        title: Title of the page; the question by default.
    """
    view = PageView(report)
    texts = Texts(view)
    asked = report.graph.question.text if report.graph.question else ""
    return Template(_asset("page.html")).substitute(
        policy=page_policy(),
        style=_style(),
        title=line(shorten(plain(title or asked), 120) or "Report on an answer"),
        start=_asset(_START),
        heading=f'<h1 dir="auto">{block(title or asked.strip() or "Report on an answer")}</h1>',
        score="".join(score(report)),
        charts="".join(charts(view)),
        facts="".join(facts(view)),
        warnings="".join(notices(report)),
        path=_path(report),
        answer="".join(answer(view)),
        claims="".join(claims(view)),
        texts="".join(texts.articles()),
        data=script_json({**_drawing(view), "texts": texts.stored()}),
        licences=line("\n\n".join(map(_asset, _LICENCES))),
        scripts="\n".join(f"<script>{_asset(path)}</script>" for path in _SCRIPTS),
    )


def _path(report: Report) -> str:
    if report.diagnosis is None:
        return ""
    from trail_callbacks.render.evidence_path import strip  # noqa: PLC0415 - few have one

    return "".join(strip(report.diagnosis))


@cache
def _asset(path: str) -> str:
    text = files(__package__).joinpath("assets", *path.split("/")).read_text("utf-8")
    return _SOURCE_MAP.sub("", text)


@cache
def page_policy() -> str:
    """The content security policy of every page: its scripts and style sheet by their hashes, and nothing else."""
    return security_policy([_asset(_START), *map(_asset, _SCRIPTS)], [_style()])


def colours() -> str:
    """The colours and fonts of every page, as variables of a style sheet."""
    return _asset("colours.css")


def base_style() -> str:
    """The part of the style sheet that other pages share: colours, themes, fonts, and how a page begins."""
    return colours() + _asset("base.css")


def _style() -> str:
    return base_style() + _asset("page.css")


def security_policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Builds a Content Security Policy (Level 3): the page may run these scripts, use these styles, and load nothing.

    Args:
        scripts: The whole text of each inline script element.
        styles: The whole text of each inline style element.
    """
    directives = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash, scripts)) or "'none'",
        "style-src": " ".join(map(_hash, styles)),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _drawing(view: PageView) -> dict[str, Any]:
    """The data from which the script draws the graph and highlights trails: numbers, names and stages, no texts.

    Nodes and claims are referred to by index.
    """
    graph, numbers = view.report.graph, view.numbers
    steps: dict[str, int] = {}
    entered = Counter(numbers[verdict.introduced_at] for _, verdict in view.pairs if verdict.introduced_at is not None)
    nodes = []
    for number, node in enumerate(graph.nodes):
        step = plain(shorten(node.step or node.kind.replace("_", " "), _LABEL))
        title = plain(shorten(named(node.id, graph).removesuffix(f" ({node.id})"), _LABEL))
        shown = plain(shorten(node.id, _ID))
        place = [steps.setdefault(step, len(steps)), node.stage or 0]
        nodes.append([title, "" if shown == title else shown, node.kind, *place, entered[number], origin_words(node)])
    return {
        "nodes": nodes,
        "steps": list(steps),
        "edges": [[numbers[e.source], numbers[e.target], int(e.basis == "scope")] for e in graph.edges],
        "claims": list(_trails(view)),
    }


def _trails(view: PageView) -> Iterator[dict[str, Any]]:
    for number, (_, verdict) in enumerate(view.pairs):
        edges = {pair for path in view.trails.paths(verdict) for pair in pairwise(path)}
        yield {
            "key": view.keys[number],
            "class": verdict.outcome,
            "stops": [[view.numbers[stop.node_id], " ".join(stop.roles)] for stop in view.stops[number]],
            "edges": sorted([view.numbers[a], view.numbers[b]] for a, b in edges),
        }
