"""Layout of a provenance graph that fits on a page: columns of boxes, each for one node or the nodes of a step."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from trail_callbacks.graph import Node, ProvenanceGraph

__all__ = ["Arrow", "Box", "Column", "Layout", "layout"]

_COLUMNS = 9  # if there are more stages, those in the middle share a column
_ROWS = 8  # boxes in one column
_LINKS = 400  # lines; more than that cannot be followed


@dataclass(frozen=True, slots=True)
class Box:
    """One or more nodes that are drawn as one box.

    Attributes:
        column: Its column, from 0.
        row: Its position in the column, from 0.
        nodes: The nodes, at least one.
        steps: Number of steps they belong to; more than one only in the box for the rest of a column.
    """

    column: int
    row: int
    nodes: tuple[Node, ...]
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Arrow:
    """The edges from the nodes of one box to those of another, drawn as one line.

    Attributes:
        source: The box they come from.
        target: The box they lead to.
        count: Number of edges.
        weak: Whether all of them have the basis `scope`.
    """

    source: Box
    target: Box
    count: int
    weak: bool


@dataclass(frozen=True, slots=True)
class Column:
    """The boxes of a stage, or of all stages from `first` to `last`."""

    first: int
    last: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The drawn part of a graph.

    Attributes:
        columns: From the sources to the answer.
        links: Lines between columns.
        hidden: Number of edges that are not drawn: within one column, or beyond the limit of 400 lines.
    """

    columns: tuple[Column, ...]
    links: tuple[Arrow, ...]
    hidden: int


def layout(graph: ProvenanceGraph, columns: int = _COLUMNS, rows: int = _ROWS, apart: Collection[str] = ()) -> Layout:
    """Reduces a graph to a few columns of a few boxes.

    In a stage with more nodes than `rows`, those of a step share a box; what is still too much shares the last box of
    the column. Takes time linear in the size of the graph.

    Args:
        graph: The graph.
        columns: Columns at most, 3 or more; stages in the middle share one.
        rows: Boxes of a column at most, 2 or more.
        apart: Ids of nodes that have a box of their own while there is room, as the answer has.
    """
    ordered = sorted(graph.nodes, key=lambda node: node.stage or 0)
    stages = [list(nodes) for _, nodes in groupby(ordered, key=lambda node: node.stage or 0)]
    if len(stages) > columns:
        half = (columns - 1) // 2
        stages = [*stages[:half], [node for each in stages[half:-half] for node in each], *stages[-half:]]
    drawn = tuple(
        Column(nodes[0].stage or 0, nodes[-1].stage or 0, tuple(_boxes(number, nodes, rows, apart)))
        for number, nodes in enumerate(stages)
    )
    links, hidden = _links(graph, drawn)
    return Layout(drawn, links, hidden)


def _boxes(column: int, nodes: Sequence[Node], rows: int, apart: Collection[str]) -> Iterator[Box]:
    groups: list[list[Node]] = [[node] for node in nodes]
    if len(nodes) > rows:
        steps: dict[tuple[str, str | None, str], list[Node]] = {}
        for node in nodes:
            steps.setdefault((node.kind, node.step, node.id if node.id in apart else ""), []).append(node)
        # What is to be apart never goes into the box for the rest, unless all of it is.
        groups = sorted(steps.values(), key=lambda group: group[0].kind != "answer" and group[0].id not in apart)
    kept = groups if len(groups) <= rows else groups[: rows - 1]
    for row, group in enumerate(kept):
        yield Box(column, row, tuple(group))
    rest = groups[len(kept) :]
    if rest:
        yield Box(column, len(kept), tuple(node for group in rest for node in group), len(rest))


def _links(graph: ProvenanceGraph, columns: Sequence[Column]) -> tuple[tuple[Arrow, ...], int]:
    place = {node.id: box for column in columns for box in column.boxes for node in box.nodes}
    at = {(box.column, box.row): box for column in columns for box in column.boxes}
    found: dict[tuple[int, int, int, int], list[int]] = {}
    for edge in graph.edges:
        a, b = place[edge.source], place[edge.target]
        if a.column != b.column:
            counts = found.setdefault((a.column, a.row, b.column, b.row), [0, 0])
            counts[0] += 1
            counts[1] += edge.basis != "scope"
    links = [Arrow(at[key[:2]], at[key[2:]], count, sure == 0) for key, (count, sure) in found.items()]
    drawn = tuple(sorted(links, key=lambda link: link.weak)[:_LINKS])  # certain links come first
    return drawn, len(graph.edges) - sum(link.count for link in drawn)
