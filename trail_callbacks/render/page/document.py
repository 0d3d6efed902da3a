"""The page as a whole: its parts, scripts and styles in one file."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from string import Template

from trail_callbacks.render.page.answer import answer
from trail_callbacks.render.page.claims import claims
from trail_callbacks.render.page.drawing import drawing
from trail_callbacks.render.page.escape import block, line, script_json
from trail_callbacks.render.page.header import charts, facts, notices, score
from trail_callbacks.render.page.policy import content_security_policy
from trail_callbacks.render.page.texts import Texts
from trail_callbacks.render.page.view import View
from trail_callbacks.render.safe_text import plain, shorten
from trail_callbacks.report import Report

__all__ = ["to_page"]

_START = "start.js"  # in the head
_SCRIPTS = ("vendor/dagre.min.js", "vendor/cytoscape.min.js", "graph.js", "page.js")
_LICENCES = ("vendor/dagre.LICENSE", "vendor/cytoscape.LICENSE")
_SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)  # a file that is not there


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
    start, style = _asset(_START), _asset("page.css")
    return Template(_asset("page.html")).substitute(
        policy=content_security_policy([start, *scripts], [style]),
        style=style,
        title=line(shorten(plain(title or (question.text if question else "")), 120) or "Report on an answer"),
        start=start,
        heading=f'<h1 dir="auto">{heading}</h1>',
        score="".join(score(report)),
        charts="".join(charts(view)),
        facts="".join(facts(view)),
        warnings="".join(notices(report)),
        answer="".join(answer(view)),
        claims="".join(claims(view)),
        texts="".join(texts.articles()),
        data=script_json({**drawing(view), "texts": texts.stored()}),
        licences=line("\n\n".join(map(_asset, _LICENCES))),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


@cache
def _asset(path: str) -> str:
    text = files(__package__).joinpath("assets", *path.split("/")).read_text("utf-8")
    return _SOURCE_MAP.sub("", text)
