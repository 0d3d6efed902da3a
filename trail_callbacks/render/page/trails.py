"""The trail of a claim: the texts it rests on, where it entered, what carried it, and the ways between them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Verdict

__all__ = ["Stop", "Trails"]

_STOPS = 200  # of one claim; a claim with more would light the whole graph


@dataclass(frozen=True, slots=True)
class Stop:
    """A node on the trail of a claim.

    Attributes:
        node_id: The node.
        roles: Of `evidence`, `introduced`, `carried`, `answer`; none for a node that only lies between.
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
        """The nodes of a trail, sources first; at most 200."""
        roles: dict[str, list[str]] = defaultdict(list)
        for item in verdict.evidence:
            roles[item.node_id].append("evidence")
        if verdict.introduced_at is not None:
            roles[verdict.introduced_at].append("introduced")
        for node_id in verdict.carried_through:
            roles[node_id].append("carried")
        if self._answer is not None:
            roles[self._answer.id].append("answer")
        for way in self.ways(verdict):
            for node_id in way:
                roles.setdefault(node_id, [])
        stops = [Stop(node_id, tuple(dict.fromkeys(each))) for node_id, each in roles.items()]
        stops = sorted(stops, key=lambda stop: not stop.roles)[:_STOPS]
        return tuple(sorted(stops, key=lambda stop: self._graph.node(stop.node_id).stage or 0))

    def ways(self, verdict: Verdict) -> tuple[tuple[str, ...], ...]:
        """The ways of a trail: from where the claim entered to the answer, and from its evidence to there.

        Evidence that did not reach the node where the claim entered leads to the answer.
        """
        answer = self._answer
        if answer is None:
            return ()
        entered = verdict.introduced_at
        ways: dict[tuple[str, ...], None] = {}
        if entered is not None:
            stations = [entered, *verdict.carried_through[:_STOPS], answer.id]
            for here, there in pairwise(stations):
                ways[self._way(here, there)] = None
        for node_id in dict.fromkeys(item.node_id for item in verdict.evidence):
            way = self._way(node_id, entered) if entered is not None else ()
            ways[way or self._way(node_id, answer.id)] = None
        return tuple(way for way in ways if len(way) > 1)

    def _way(self, a: str, b: str) -> tuple[str, ...]:
        """A shortest path, as `ProvenanceGraph.path`; the search is kept, as many claims ask for the same end."""
        if a in self._sources.get(b, ()):
            return (a, b)
        onward = self._onward.get(b)
        if onward is None:
            onward = self._onward[b] = self._search(b)
        if a not in onward:
            return ()
        way = [a]
        while way[-1] != b:
            way.append(onward[way[-1]])
        return tuple(way)

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
