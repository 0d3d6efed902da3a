"""The texts of all nodes, stage by stage, with what claims point at marked in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trail_callbacks.graph import Node
from trail_callbacks.render.marks import named
from trail_callbacks.render.page.escape import block, line, name
from trail_callbacks.render.page.spans import Span, Stretch, kept, stretches
from trail_callbacks.render.page.view import View

__all__ = ["texts"]

_INPUTS = 8  # named under a text
_LEAST = 200  # characters of a text, however many there are


def texts(view: View, limit: int, total: int) -> Iterator[str]:
    """Renders every text but the answer, which stands for itself.

    Args:
        view: The report.
        limit: Characters of one text; longer ones are cut around what claims point at, and say what is left out.
        total: Characters of all texts together: where it is not enough, the limit is halved until it is.
    """
    nodes = [node for node in view.report.graph.nodes if node is not view.answer]
    if not nodes:
        yield '<p class="missing">Nothing else was recorded: the report has no graph beside the answer.</p>'
        return
    while limit > _LEAST and sum(min(len(node.text), limit) for node in nodes) > total:
        limit //= 2
    weak = {(edge.source, edge.target) for edge in view.report.graph.edges if edge.basis == "scope"}
    stage: int | None = None
    for node in sorted(nodes, key=lambda node: node.stage or 0):
        if node.stage != stage:
            stage = node.stage
            yield f'<h3 class="stage">Stage {stage}</h3>'
        yield from _text(view, node, limit, weak)


def _text(view: View, node: Node, limit: int, weak: set[tuple[str, str]]) -> Iterator[str]:
    yield f'<article class="text" data-number="{view.numbers[node.id]}">'
    yield f"<h4>{name(named(node.id, view.report.graph))} "
    yield f'<span class="kind">{node.kind.replace("_", " ")}, stage {node.stage}</span></h4>'
    inputs = view.report.graph.inputs(node.id)
    if inputs:
        shown = [
            name(named(each.id, view.report.graph)) + (" (in reach)" if (each.id, node.id) in weak else "")
            for each in inputs[:_INPUTS]
        ]
        more = f" and {len(inputs) - _INPUTS:,} more" if len(inputs) > _INPUTS else ""
        yield f'<p class="faint">from {", ".join(shown)}{more}</p>'
    yield f'<div class="verbatim" dir="auto" tabindex="0" data-node-text="{line(node.id)}">'
    yield from _shown(view, node.text, view.pointed.get(node.id, ()), limit)
    yield "</div></article>"


def _shown(view: View, text: str, spans: Sequence[Span], limit: int) -> Iterator[str]:
    if not text.strip():
        yield '<span class="gap">an empty text</span>'
        return
    at = 0
    for start, end in kept(len(text), spans, limit):
        yield from _gap(start - at)
        for stretch in stretches(start, end, spans):
            shown = block(text[stretch.start : stretch.end])
            yield _marked(view, stretch, shown) if stretch.spans else shown
        at = end
    yield from _gap(len(text) - at)


def _marked(view: View, stretch: Stretch, shown: str) -> str:
    keys = " ".join(dict.fromkeys(view.keys[span.owner] for span in stretch.spans))
    roles = " ".join(dict.fromkeys(span.role for span in stretch.spans))
    return f'<mark data-claim="{line(keys)}" data-relation="{roles}">{shown}</mark>'


def _gap(length: int) -> Iterator[str]:
    if length > 0:
        yield f' <span class="gap">{length:,} characters left out</span> '
