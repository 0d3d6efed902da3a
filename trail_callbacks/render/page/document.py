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

from trail_callbacks.render.labels import named, origin_words
from trail_callbacks.render.page.claims import claims
from trail_callbacks.render.page.header import charts, facts, notices, score
from trail_callbacks.render.page.texts import Texts, answer
from trail_callbacks.render.page.view import View
from trail_callbacks.render.safe_text import block, line, plain, script_json, shorten
from trail_callbacks.report import Report

__all__ = ["base_style", "colours", "page_policy", "security_policy", "to_page"]

_START = "start.js"  # in the head
_SCRIPTS = ("vendor/dagre.min.js", "vendor/cytoscape.min.js", "graph.js", "page.js")
_LICENCES = ("vendor/dagre.LICENSE", "vendor/cytoscape.LICENSE")
_SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)  # a file that is not there
_LABEL = 60  # characters of a label in the graph
_ID = 14  # characters


def to_page(report: Report, *, title: str | None = None, text_limit: int = 20_000, total: int = 1_000_000) -> str:
    """Renders a report as one self-contained HTML file.

    All untrusted text is escaped, including control and bidirectional characters. A content security policy allows the
    scripts and the style sheet of this file by their hashes and nothing else: no requests, images or forms.

    Args:
        report: The report.
        title: Title of the page; the question by default.
        text_limit: Characters of one text, 200 or more; of longer ones, the parts that claims cite are shown.
        total: Characters of all texts except the answer; if there are more, `text_limit` is lowered.
    """
    view = View(report)
    texts = Texts(view, text_limit, total)
    question = report.graph.question
    heading = block(title or (question.text.strip() if question else "") or "Report on an answer")
    scripts = [_asset(path) for path in _SCRIPTS]
    start, style = _asset(_START), _style()
    return Template(_asset("page.html")).substitute(
        policy=page_policy(),
        style=style,
        title=line(shorten(plain(title or (question.text if question else "")), 120) or "Report on an answer"),
        start=start,
        heading=f'<h1 dir="auto">{heading}</h1>',
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
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def _path(report: Report) -> str:
    if report.diagnosis is None:
        return ""
    from trail_callbacks.render.page.strip import strip  # noqa: PLC0415 - few have one

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


def _drawing(view: View) -> dict[str, Any]:
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


def _trails(view: View) -> Iterator[dict[str, Any]]:
    for number, (_, verdict) in enumerate(view.pairs):
        edges = {pair for path in view.trails.paths(verdict) for pair in pairwise(path)}
        yield {
            "key": view.keys[number],
            "class": verdict.outcome,
            "stops": [[view.numbers[stop.node_id], " ".join(stop.roles)] for stop in view.stops[number]],
            "edges": sorted([view.numbers[a], view.numbers[b]] for a, b in edges),
        }
