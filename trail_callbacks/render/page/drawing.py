"""The data from which the script draws the graph and highlights trails: numbers, names and stages, no texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from trail_callbacks.render.page.view import View, class_name
from trail_callbacks.render.phrases import named, origin_words
from trail_callbacks.render.safe_text import plain, shorten

__all__ = ["drawing"]

_LABEL = 60  # characters
_ID = 14


def drawing(view: View) -> dict[str, Any]:
    """The graph and the trails as JSON; nodes and claims are referred to by index."""
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
        "claims": list(_claims(view)),
    }


def _claims(view: View) -> Iterator[dict[str, Any]]:
    for number, (_, verdict) in enumerate(view.pairs):
        edges = {pair for path in view.trails.paths(verdict) for pair in pairwise(path)}
        yield {
            "key": view.keys[number],
            "class": class_name(verdict.support),
            "stops": [[view.numbers[stop.node_id], " ".join(stop.roles)] for stop in view.stops[number]],
            "edges": sorted([view.numbers[a], view.numbers[b]] for a, b in edges),
        }
