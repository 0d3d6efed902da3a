"""A diagnosis in words: the stages of the evidence path, what was lost at each, and the first break.

`stages` is behind the strip of a page and of a notebook; `to_text` is the whole of it for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trail_callbacks.render.excerpt import block, line, plain
from trail_callbacks.report.diagnosis import Depth, Diagnosis, Figure, StageName
from trail_callbacks.text import shorten

_LONGEST = 160  # characters of one text
_MANY = 4  # lost texts that are named
NAMES: dict[StageName, str] = {
    "query": "asked",
    "retrieval": "retrieved",
    "reranking": "reranked",
    "packing": "selected",
    "sources": "sources",
    "generation": "answered",
}
_UNITS: dict[StageName, tuple[str, str]] = {
    "query": ("query", "queries"),
    "generation": ("claim", "claims"),
}
_DEPTHS: tuple[Depth, ...] = ("retrieved", "reranked", "selected")


class StageCell(NamedTuple):
    """One stage as it is shown."""

    name: str  # the stage in a word: `retrieved`
    there: str  # what was there: `4 passages`
    lost: tuple[str, ...]  # what was lost, a text each; of the answer, its unsupported claims
    label: str  # what these are: `lost` or `unsupported`
    broken: bool  # whether the path broke here first
    figure: str  # query coverage behind this stage: `1.00`, `0.50 by words`; empty if it has none


def cells(diagnosis: Diagnosis) -> Iterator[StageCell]:
    """The stages of a diagnosis in order; a conflict of sources has one of its own."""
    for stage in diagnosis.stages:
        one, several = _UNITS.get(stage.name, ("passage", "passages"))
        there = "not recorded" if stage.there is None else f"{stage.there:,} {one if stage.there == 1 else several}"
        depth = NAMES[stage.name]
        figure = diagnosis.coverage.query.get(depth) if depth in _DEPTHS else None
        more = len(stage.lost) - _MANY
        lost = (*stage.lost[:_MANY], *([f"and {more:,} more"] if more > 0 else []))
        yield StageCell(
            name=depth,
            there=f"{there}, {stage.note}" if stage.note else there,
            lost=tuple(plain(shorten(text, _LONGEST)) for text in lost),
            label="unsupported" if stage.name == "generation" else "lost",
            broken=stage.broken,
            figure="" if figure is None or figure.value is None else f"{figure.value:.2f}{_hint(figure)}",
        )


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


def verdict_line(diagnosis: Diagnosis) -> str:
    """The signature, and where it broke: `selection failure at reranking (Reranker), certainty medium`."""
    words = diagnosis.signature.replace("_", " ")
    words = {"none": "no break: nothing is wrong with the answer"}.get(words, words)
    broke = diagnosis.first_break
    if broke is None:
        return words
    step = f" ({plain(shorten(broke.step, _LONGEST))})" if broke.step else ""
    kind = "" if broke.signature == diagnosis.signature else f"{broke.signature.replace('_', ' ')} "
    return f"{words}; {kind}at {broke.stage}{step}, certainty {broke.certainty}"


def figures(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    """The figures of a diagnosis with their n, or why there is none."""
    cover = diagnosis.coverage
    for depth in _DEPTHS:
        if depth in cover.query:
            yield f"question covered, {depth}", _figure(cover.query[depth])
    yield "facets kept by the queries sent", _figure(cover.kept)
    for depth in _DEPTHS:
        if depth in cover.sufficient:
            known = cover.sufficient[depth]
            yield f"sufficient, {depth}", "unknown" if known is None else "yes" if known else "no"
    for depth in _DEPTHS:
        if depth in cover.overlap:
            overlap = cover.overlap[depth]
            yield f"gold recall, {depth}", _figure(overlap.recall)
            yield f"gold precision, {depth}", _figure(overlap.precision)
            yield f"gold overlap (Jaccard), {depth}", _figure(overlap.jaccard)
    if (index := diagnosis.index) is not None:
        there = f"has it, at rank {index.rank} for {index.query!r}"
        told = there if index.found else "not told" if index.found is None else "does not have it"
        brought = f"{len(index.queries)} queries, {index.passages} passages, {index.new} of them new"
        yield "asked again, the index", f"{plain(shorten(told, _LONGEST))} ({brought})"
    yield "claims supported", _figure(cover.answer)
    yield "claims contradicted", _figure(cover.contradicted)
    yield "claims that cite", _figure(cover.citation_presence)
    yield "citations that hold", _figure(cover.citation_precision)
    yield "claims that a cited source supports", _figure(cover.citation_recall)


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return f"unknown: {plain(shorten(figure.why, _LONGEST))}" if figure.why else "unknown"
    spread = f", 95 % interval {figure.interval[0]:.2f} to {figure.interval[1]:.2f}" if figure.interval else ""
    return f"{figure.value:.2f}{_hint(figure)} (n={figure.n}{spread})"


def _hint(figure: Figure) -> str:
    return " by words" if figure.decided_by == "words" else ""


def to_text(diagnosis: Diagnosis, *, ascii: bool = False) -> str:  # noqa: A002 - named like Python's own function
    """Renders a diagnosis for a terminal, without colour; in ASCII characters only if asked for."""
    lines = ((len(line) - len(line.lstrip(" ")), line) for line in _lines(diagnosis))
    return "\n".join(" " * indent + plain(line, ascii=ascii) for indent, line in lines)


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"evidence path: {verdict_line(diagnosis)}"
    for cell in cells(diagnosis):
        mark = ">" if cell.broken else " "
        figure = f", question covered {cell.figure}" if cell.figure else ""
        yield f" {mark} {cell.name}: {cell.there}{figure}"
        yield from (f"     {cell.label}: {text}" for text in cell.lost)
    yield from (f"   because {shorten(reason, 3 * _LONGEST)}" for reason in diagnosis.reasons)
    yield from (f"   next: {text}" for text in diagnosis.look_at)
    yield from (f"   ! {shorten(warning, 3 * _LONGEST)}" for warning in diagnosis.warnings)
