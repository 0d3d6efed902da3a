"""The trail of a claim: its evidence, where it was introduced, the nodes that repeat it, and the paths between them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Verdict

__all__ = ["Stop", "Trails"]

_STOPS = 200  # nodes of one trail; with more, the whole graph would be highlighted


@dataclass(frozen=True, slots=True)
class Stop:
    """A node on the trail of a claim.

    Attributes:
        node_id: The node.
        roles: Any of `evidence`, `nearest`, `introduced`, `carried`, `answer`; none for a node in between.
    """

    node_id: str
    roles: tuple[str, ...]


class Trails:
    """The trails through one graph."""

    def __init__(self, graph: ProvenanceGraph) -> None:
        self._graph = graph
        self._answer = graph.answer
        self._onward: dict[str, Mapping[str, str]] = {}

    @cached_property
    def _sources(self) -> Mapping[str, Sequence[str]]:
        sources: dict[str, list[str]] = defaultdict(list)
        for edge in self._graph.edges:
            sources[edge.target].append(edge.source)
        return sources

    def stops(self, verdict: Verdict) -> tuple[Stop, ...]:
        """Returns the nodes of a trail, sources first; at most 200."""
        roles: dict[str, list[str]] = defaultdict(list)
        for item in verdict.evidence:
            roles[item.node_id].append("evidence" if item.decides else "nearest")
        if verdict.introduced_at is not None:
            roles[verdict.introduced_at].append("introduced")
        for node_id in verdict.carried_through:
            roles[node_id].append("carried")
        if self._answer is not None:
            roles[self._answer.id].append("answer")
        for path in self.paths(verdict):
            for node_id in path:
                roles.setdefault(node_id, [])
        stops = [Stop(node_id, tuple(dict.fromkeys(each))) for node_id, each in roles.items()]
        stops = sorted(stops, key=lambda stop: not stop.roles)[:_STOPS]
        return tuple(sorted(stops, key=lambda stop: self._graph.node(stop.node_id).stage or 0))

    def paths(self, verdict: Verdict) -> tuple[tuple[str, ...], ...]:
        """Returns the paths of a trail: from the evidence to the entry step, and from there to the answer.

        Evidence that did not reach the entry step leads to the answer. From the nearest passages, which decide nothing,
        no path leads anywhere.
        """
        answer = self._answer
        if answer is None:
            return ()
        entered = verdict.introduced_at
        paths: dict[tuple[str, ...], None] = {}
        if entered is not None:
            stations = [entered, *verdict.carried_through[:_STOPS], answer.id]
            for here, there in pairwise(stations):
                paths[self._path(here, there)] = None
        for node_id in dict.fromkeys(item.node_id for item in verdict.evidence if item.decides):
            path = self._path(node_id, entered) if entered is not None else ()
            paths[path or self._path(node_id, answer.id)] = None
        return tuple(path for path in paths if len(path) > 1)

    def _path(self, a: str, b: str) -> tuple[str, ...]:
        """A shortest path, as `ProvenanceGraph.path`; the search is cached, because many claims share its end."""
        if a in self._sources.get(b, ()):
            return (a, b)
        onward = self._onward.get(b)
        if onward is None:
            onward = self._onward[b] = self._search(b)
        if a not in onward:
            return ()
        path = [a]
        while path[-1] != b:
            path.append(onward[path[-1]])
        return tuple(path)

    def _search(self, end: str) -> Mapping[str, str]:
        onward = {end: end}
        todo = deque([end])
        while todo:
            here = todo.popleft()
            for source in self._sources.get(here, ()):
                if source not in onward:
                    onward[source] = here
                    todo.append(source)
        return onward
