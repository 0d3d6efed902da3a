"""The evidence path as a strip: what was asked, retrieved, reranked, selected and answered, and the first break."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.render.evidence_path import cells, figures, verdict_line
from trail_callbacks.render.safe_text import block, line
from trail_callbacks.report.diagnosis import Diagnosis

__all__ = ["strip"]


def strip(diagnosis: Diagnosis) -> Iterator[str]:
    """The strip of a diagnosis."""
    yield '<section id="path" aria-labelledby="path-title"><h2 id="path-title">Evidence path</h2>'
    yield f'<p class="headline">{line(verdict_line(diagnosis))}</p><ol class="strip">'
    for cell in cells(diagnosis):
        broken = ' data-broken=""' if cell.broken else ""
        yield f'<li{broken}><p class="stage">{line(cell.name)}</p><p>{line(cell.there)}</p>'
        if cell.figure:
            yield f'<p class="faint">question covered {line(cell.figure)}</p>'
        if cell.broken:
            yield '<p class="break"><b>First break</b></p>'
        if cell.lost:
            yield f'<p class="faint">{cell.label}</p><ul class="lost">'
            yield from (f'<li dir="auto">{block(text)}</li>' for text in cell.lost)
            yield "</ul>"
        yield "</li>"
    yield "</ol>"
    if diagnosis.reasons or diagnosis.look_at:
        yield '<ul class="because">'
        yield from (f'<li dir="auto">{block(text)}</li>' for text in diagnosis.reasons)
        yield from (f"<li><b>Next:</b> {line(text)}</li>" for text in diagnosis.look_at)
        yield "</ul>"
    yield '<details><summary>Figures</summary><table class="figures"><tbody>'
    for label, value in figures(diagnosis):
        yield f'<tr><th scope="row">{line(label)}</th><td>{line(value)}</td></tr>'
    yield "</tbody></table></details></section>"
