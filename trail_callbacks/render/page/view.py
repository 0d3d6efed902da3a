"""What all parts of a page share: the report, safe names, places of claims and evidence, trails of claims."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from trail_callbacks.claims import Claim
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.render.excerpt import MarkedSpan
from trail_callbacks.report import Report, Verdict

_STOPS = 200  # nodes of one trail; with more, the whole graph would be highlighted


class Stop(NamedTuple):
    """A node on the trail of a claim."""

    node_id: str
    roles: tuple[str, ...]  # any of `evidence`, `nearest`, `introduced`, `carried`, `answer`; none for one in between


class Trails:
    """The trails through one graph."""

    def __init__(self, graph: ProvenanceGraph) -> None:
        self._graph = graph
        self._answer = graph.answer
        self._onward: dict[str, dict[str, str]] = {}

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
        if any(node.id == a for node in self._graph.inputs(b)):
            return (a, b)
        if b not in self._onward:
            self._onward[b] = onward = {b: b}
            todo = deque([b])
            while todo:
                here = todo.popleft()
                for source in self._graph.inputs(here):
                    if source.id not in onward:
                        onward[source.id] = here
                        todo.append(source.id)
        onward = self._onward[b]
        path = [a] if a in onward else [b]
        while path[-1] != b:
            path.append(onward[path[-1]])
        return tuple(path) if a in onward else ()


_SAFE = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
_SEARCHED = 50_000_000  # characters, for words of claims in texts: thousands of claims on long texts are not all marked


@dataclass(frozen=True)
class PageView:
    """A report with what the parts of its page look up."""

    report: Report

    @cached_property
    def pairs(self) -> tuple[tuple[Claim, Verdict], ...]:
        """Claims with their verdicts."""
        return tuple((claim, self.report.verdict(claim.id)) for claim in self.report.claims)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """A name for each claim that is safe in a space-separated list: its id, if that is unique and safe."""
        ids = Counter(claim.id for claim, _ in self.pairs)
        return tuple(
            claim.id if ids[claim.id] == 1 and _SAFE.fullmatch(claim.id) else f"claim-{number}"
            for number, (claim, _) in enumerate(self.pairs, 1)
        )

    @cached_property
    def answer(self) -> Node | None:
        """What the app returned."""
        return self.report.graph.answer

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The index of each node in the graph."""
        return {node.id: number for number, node in enumerate(self.report.graph.nodes)}

    @cached_property
    def trails(self) -> Trails:
        """Finds paths through the graph."""
        return Trails(self.report.graph)

    @cached_property
    def stops(self) -> tuple[tuple[Stop, ...], ...]:
        """The trail of each claim."""
        return tuple(self.trails.stops(verdict) for _, verdict in self.pairs)

    @cached_property
    def claim_spans(self) -> tuple[MarkedSpan | None, ...]:
        """The span of each claim in the answer; None if its words do not occur there."""
        text = self.answer.text if self.answer else ""
        most = _SEARCHED // max(1, len(text))  # claims that are searched for: those that do not say where they are
        searched, found = 0, []
        for number, (claim, _) in enumerate(self.pairs):
            start, end, said = claim.start, claim.end, claim.quote
            if not (0 <= start < end <= len(text) and text[start:end] == said):
                start = text.find(said) if said and searched < most else -1
                searched += 1
            found.append(MarkedSpan(start, start + len(said), number) if start >= 0 else None)
        return tuple(found)

    @cached_property
    def highlights(self) -> dict[str, list[MarkedSpan]]:
        """The spans to mark in each node: evidence, and the words of a claim where a node repeats them."""
        spans: dict[str, list[MarkedSpan]] = defaultdict(list)
        left = _SEARCHED
        for number, (claim, verdict) in enumerate(self.pairs):
            for item in verdict.evidence:
                length = len(self.report.graph.node(item.node_id).text)
                start, end = max(item.start, 0), min(item.end, length)
                if start < end:
                    spans[item.node_id].append(MarkedSpan(start, end, number, item.relation))
            for node_id in {verdict.introduced_at, *verdict.carried_through} - {None}:
                node = self.report.graph.node(str(node_id))
                if not claim.quote or node is self.answer or len(node.text) > left:
                    continue
                left -= len(node.text)
                start = node.text.find(claim.quote)
                if start >= 0:
                    spans[node.id].append(MarkedSpan(start, start + len(claim.quote), number, "states"))
        return spans
