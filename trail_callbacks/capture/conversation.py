"""Earlier turns of a conversation: what a later turn still rests on, although it does not read it again.

A model answers a second question from its answer to the first. That answer is not evidence; the documents and tool
results behind it are. So they become nodes of the later graph, as inputs of the earlier message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trail_callbacks.graph import Node, ProvenanceGraph

__all__ = ["TURN", "Earlier"]

TURN = "turn"
"""Attribute of a node of an earlier turn: the number of the turn, 1 for the first that is known."""

_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of the turns before a run.

    Attributes:
        graph: The graph of the turn before, which holds what that turn knew of those before it.
        turn: Number of the turn before, 1 for the first that is known.
        turns: Turns to look back at, 1 or more.
    """

    graph: ProvenanceGraph
    turn: int
    turns: int

    @classmethod
    def before(cls, graph: ProvenanceGraph, turns: int) -> Earlier:
        """Returns what is known before the turn that follows the one of a graph."""
        return cls(graph, 1 + max((node.attributes.get(TURN, 0) for node in graph.nodes), default=0), turns)

    def written(self) -> Iterator[str]:
        """Yields what models wrote in the turns before."""
        return (node.text for node in self.graph.nodes if node.origin == "model" and node.kind != "tool_result")

    def sources(self, text: str) -> list[tuple[Node, int]]:
        """Returns the evidence behind a text that a model wrote before, with its turns, the latest first."""
        text = text.strip()
        stated = [n for n in self.graph.nodes if n.kind in {"completion", "answer"} and text and n.text.strip() == text]
        if not stated:
            return []
        found: list[tuple[Node, int]] = []
        room = _CHARACTERS
        for node in self.graph.leaves(stated[-1].id):
            turn = node.attributes.get(TURN, self.turn)
            room -= len(node.text)
            if not node.is_request and turn > self.turn - self.turns and room >= 0:
                found.append((node, turn))
        return sorted(found, key=lambda pair: -pair[1])
