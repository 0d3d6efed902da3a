"""A provenance graph in a terminal, stage by stage: sources first, the answer last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from trail_callbacks.graph import Node, ProvenanceGraph, named
from trail_callbacks.render.excerpt import opening, plain
from trail_callbacks.render.labels import WRITTEN, listed, origin_words
from trail_callbacks.render.terminal import RichView, plain_text

_SHOWN = 12  # nodes of one stage; more would scroll the answer out of sight
_STAGES = 16  # if there are more, the first and the last are shown
_NAMED = 8  # inputs of one node
_PREVIEW = 160  # characters of a text
_PARTS = 3  # parts that a model wrote

_STYLES = {
    "question": "cyan",
    "instruction": "cyan",
    "document": "blue",
    "tool_result": "blue",
    "completion": "yellow",
    "answer": "bold",
}


def graph_to_rich(graph: ProvenanceGraph) -> RichView:
    """Renders a graph for a rich console, stage by stage."""
    return RichView(partial(_drawn, graph))


def graph_to_text(graph: ProvenanceGraph, width: int | None = None, ascii: bool | None = None) -> str:  # noqa: A002 - named like Python's own function
    """Renders a graph as plain text; arguments as for `trail_callbacks.render.terminal.to_text`."""
    return plain_text(graph_to_rich(graph), width, ascii)


def _drawn(graph: ProvenanceGraph, ascii: bool) -> Iterator[Any]:  # noqa: A002 - as above
    """One block for each stage; each text has its kind, its step, its origin and its inputs."""
    stages: dict[int, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        stages[node.stage or 0].append(node)
    if not stages:
        yield Text("nothing was recorded", style="dim")
    weak = frozenset((edge.source, edge.target) for edge in graph.edges if edge.basis == "scope")
    ordered = sorted(stages)
    middle = ordered[_STAGES // 2 : -_STAGES // 2] if len(ordered) > _STAGES else []
    for stage in ordered:
        if middle and middle[0] < stage <= middle[-1]:
            continue
        nodes = sorted(stages[stage], key=lambda node: node.kind != "answer")  # the answer is always shown
        if middle and stage == middle[0]:
            nodes = [node for each in middle for node in stages[each]]
            yield Text(f"stages {stage} to {middle[-1]}: {len(nodes):,} texts, not shown", style="dim")
            nodes = [node for node in nodes if node.kind == "answer"]
        else:
            yield Text(f"stage {stage}", style="bold")
        for node in nodes[:_SHOWN]:
            yield Padding(Group(*_lines(node, graph, weak, ascii=ascii)), (0, 0, 0, 2))
        if len(nodes) > _SHOWN:
            yield Text(f"  and {len(nodes) - _SHOWN:,} more at this stage", style="dim")
    if weak:
        yield Text("? only known to have been in reach", style="dim")


def _lines(node: Node, graph: ProvenanceGraph, weak: frozenset[tuple[str, str]], *, ascii: bool) -> Iterator[Any]:  # noqa: A002 - as above
    head = Text(node.kind.replace("_", " "), style=_STYLES[node.kind])
    name = plain(named(node.id, graph), ascii=ascii)
    if name != node.kind:
        head.append(f" {name}", style="bold")
    origin = origin_words(node)
    if origin:
        head.append(f", {origin}", style="dim")
    yield head
    inputs = graph.inputs(node.id)
    if inputs:
        names = listed(inputs, _NAMED, lambda each: each.id + ("?" if (each.id, node.id) in weak else ""))
        yield Padding(Text(f"from {plain(names, ascii=ascii)}", style="dim"), (0, 0, 0, 2))
    text = plain(opening(node.text, _PREVIEW), ascii=ascii)
    yield Padding(Text(f'"{text}"' if text else "(empty)"), (0, 0, 0, 2))
    spans = node.model_spans if node.origin != "model" else ()
    for start, end in spans[:_PARTS]:
        part = plain(opening(node.text[start:end], _PREVIEW), ascii=ascii)
        yield Padding(Text(f'{WRITTEN}: "{part}"', style="dim"), (0, 0, 0, 2))
    left = len(spans) - _PARTS
    if left > 0:
        yield Padding(Text(f"and {left:,} more parts {WRITTEN}", style="dim"), (0, 0, 0, 2))
