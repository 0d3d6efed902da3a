"""A provenance graph in a notebook: a small SVG drawing, one column for each stage. No script, all text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rich.cells import cell_len, set_cell_size

from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.render.columns import Arrow, Box, Column, Layout, layout
from trail_callbacks.render.excerpt import opening
from trail_callbacks.render.labels import WRITTEN, named, origin_words
from trail_callbacks.render.safe_text import plain

__all__ = ["graph_to_html", "graph_to_svg"]

_WIDE, _HIGH = 204, 58  # pixels of a box
_ACROSS, _DOWN = 64, 18  # pixels between boxes
_TOP = 26  # pixels for the names of the stages
_MARGIN = 8
_CELLS = 25  # cells of text in a box; Chinese, Japanese and Korean characters and emoji take two
_PREVIEW = 300  # characters of a text in the tooltip of its box
_PARTS = 3  # parts that a model wrote, likewise

# Frame colours that are visible on white and on black; text takes the colour of the notebook.
_COLOURS = {
    "question": "#2a9d8f",
    "instruction": "#6b8e23",
    "document": "#3b82c4",
    "tool_result": "#3b82c4",
    "completion": "#c98a00",
    "answer": "#c0563f",
}
_MIXED = "#808080"


def graph_to_html(graph: ProvenanceGraph) -> str:
    """Renders a graph as one HTML element with a drawing in it.

    Each stage is a column. In a stage of more than eight nodes those of a step share a box, and if there are more than
    nine stages, those in the middle share a column, so a graph of any size stays readable. A dashed line is an input
    that is only known to have been in reach. There are no scripts, links, images or style sheets; all text is escaped.
    """
    return "".join(_page(graph, layout(graph)))


def graph_to_svg(graph: ProvenanceGraph) -> tuple[str, tuple[str, ...]]:
    """Renders a graph as a drawing without style attributes, which the policy of a page would not allow.

    Returns:
        The `svg` element, empty if nothing was recorded; and notes on what it leaves out and what dashed lines mean, as
        plain text.
    """
    drawn = layout(graph)
    return ("".join(_drawing(graph, drawn, "")) if graph.nodes else ""), tuple(_notes(graph, drawn))


def _page(graph: ProvenanceGraph, drawn: Layout) -> Iterator[str]:
    yield '<div style="font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;text-align:left">'
    yield f"<div><b>{_counted(len(graph.nodes), 'text')}, {_counted(len(graph.edges), 'link')}</b></div>"
    if not graph.nodes:
        yield "<div>nothing was recorded</div></div>"
        return
    for note in _notes(graph, drawn):
        yield f'<div style="opacity:.7">{escape(note)}</div>'
    yield '<div style="overflow-x:auto">'
    yield from _drawing(graph, drawn)
    yield "</div></div>"


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _notes(graph: ProvenanceGraph, drawn: Layout) -> Iterator[str]:
    """What the drawing leaves out, and what dashed lines mean."""
    boxes = [box for column in drawn.columns for box in column.boxes]
    if len(boxes) < len(graph.nodes):
        yield f"Drawn by step, in {_counted(len(boxes), 'box', 'boxes')}: there are too many texts for one box each."
    if drawn.hidden:
        yield f"Not drawn: {_counted(drawn.hidden, 'link')}, inside a column or beyond the number that can be followed."
    if any(link.weak for link in drawn.links):
        yield "Dashed: only known to have been in reach."
    if graph.answer is None:
        yield "The app gave no answer."


def _drawing(graph: ProvenanceGraph, drawn: Layout, style: str = ' style="max-width:none"') -> Iterator[str]:
    rows = max(len(column.boxes) for column in drawn.columns)
    width = 2 * _MARGIN + len(drawn.columns) * (_WIDE + _ACROSS) - _ACROSS
    # Lines that pass below the last row need space there.
    height = _TOP + rows * (_HIGH + _DOWN)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-size="12" fill="currentColor" role="img" aria-label="provenance graph"{style}>'
    )
    for link in drawn.links:
        yield _line(link)
    for number, column in enumerate(drawn.columns):
        yield _head(number, column)
        for box in column.boxes:
            yield from _box(graph, box)
    yield "</svg>"


def _left(column: int) -> int:
    return _MARGIN + column * (_WIDE + _ACROSS)


def _middle(row: int) -> int:
    return _TOP + row * (_HIGH + _DOWN) + _HIGH // 2


def _head(number: int, column: Column) -> str:
    words = f"stage {column.first}" if column.first == column.last else f"stages {column.first} to {column.last}"
    return f'<text x="{_left(number)}" y="14" font-weight="bold" opacity=".7">{words}</text>'


def _line(link: Arrow) -> str:
    """A line from box to box; it passes columns in between through the gap between two rows, so it crosses no text."""
    start, end = _middle(link.source.row), _middle(link.target.row)
    x, y = _left(link.source.column) + _WIDE, start
    path = [f"M{x} {y}"]
    between = range(link.source.column + 1, link.target.column)
    for column in between:
        wanted = start + (end - start) * (column - link.source.column) / (len(between) + 1)
        gap = max(0, round((wanted - _middle(0)) / (_HIGH + _DOWN) - 0.5))
        y, before = _middle(gap) + (_HIGH + _DOWN) // 2, y
        path.append(_curve(x, before, _left(column), y) + f"H{_left(column) + _WIDE}")
        x = _left(column) + _WIDE
    tip = _left(link.target.column)
    path.append(_curve(x, y, tip - 5, end))
    dashes = ' stroke-dasharray="4 3"' if link.weak else ""
    count = f"<title>{_counted(link.count, 'link')}</title>"
    return (
        f'<g opacity=".45"><path d="{"".join(path)}" fill="none" stroke="currentColor" stroke-width="1.3"{dashes}>'
        f'{count}</path><path d="M{tip - 7} {end - 4}L{tip} {end}L{tip - 7} {end + 4}z"/></g>'
    )


def _curve(x: int, y: int, to_x: int, to_y: int) -> str:
    bend = (x + to_x) // 2
    return f"C{bend} {y} {bend} {to_y} {to_x} {to_y}"


def _box(graph: ProvenanceGraph, box: Box) -> Iterator[str]:
    first = box.nodes[0]
    colour = _COLOURS[first.kind] if box.steps == 1 else _MIXED
    x, y = _left(box.column), _middle(box.row) - _HIGH // 2
    # A nested drawing clips what is too long for the box.
    yield f'<svg x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}">'
    yield f"<title>{_safe(_preview(graph, box))}</title>"
    yield (
        f'<rect x=".75" y=".75" width="{_WIDE - 1.5}" height="{_HIGH - 1.5}" rx="6" fill="{colour}" '
        f'fill-opacity=".13" stroke="{colour}" stroke-width="{2.5 if first.kind == "answer" else 1.3}"/>'
    )
    yield f'<text x="10" y="17" font-size="11" opacity=".75">{_safe(_kind(box))}</text>'
    yield f'<text x="10" y="33" font-weight="bold">{_safe(_cut(_name(graph, box)))}</text>'
    yield f'<text x="10" y="49">{_safe(_cut(_words(first)))}</text>'
    yield "</svg>"


def _kind(box: Box) -> str:
    if box.steps > 1:
        return _counted(len(box.nodes), "text")
    kind = box.nodes[0].kind.replace("_", " ")
    if len(box.nodes) > 1:
        kind += f" \u00d7 {len(box.nodes):,}"
    origins = {origin_words(node) for node in box.nodes}
    origin = origins.pop() if len(origins) == 1 else ""
    if any(node.model_spans and node.origin != "model" for node in box.nodes):
        origin = "in part a model's"  # there is no room for more
    return f"{kind}, {origin}" if origin else kind


def _name(graph: ProvenanceGraph, box: Box) -> str:
    if box.steps > 1:
        return _counted(box.steps, "more step")
    first = box.nodes[0]
    return named(first.id, graph) if len(box.nodes) == 1 else first.step or first.kind.replace("_", " ")


def _words(node: Node) -> str:
    return opening(node.text, 2 * _CELLS) or "(empty)"


def _preview(graph: ProvenanceGraph, box: Box) -> str:
    first, *others = box.nodes
    head = named(first.id, graph) + (f", the first of {len(box.nodes):,}" if others else "")
    origin = origin_words(first)
    lines = [f"{head}{f', {origin}' if origin else ''}: {opening(first.text, _PREVIEW) or '(empty)'}"]
    spans = first.model_spans[:_PARTS] if first.origin != "model" else ()
    lines += [f"{WRITTEN}: {opening(first.text[start:end], _PREVIEW)}" for start, end in spans]
    return "; ".join(lines)


def _cut(text: str) -> str:
    text = plain(text)
    return text if cell_len(text) <= _CELLS else set_cell_size(text, _CELLS - 1).rstrip() + "\u2026"


def _safe(text: str) -> str:
    return escape(plain(text))
