"""Earlier turns of a conversation: what a later turn still rests on, although it does not read it again.

A model answers a second question from its answer to the first. That answer is not evidence; the documents and tool
results behind it are. So they become nodes of the later graph, as inputs of the earlier message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.capture.match import Text
from trail_callbacks.capture.text_index import TextIndex
from trail_callbacks.graph import Node, ProvenanceGraph

__all__ = ["TURN", "Earlier"]

TURN = "turn"
"""Attribute of a node of an earlier turn: the number of the turn, 1 for the first that is known."""

_CHARACTERS = 400_000
_STATED = 16  # outputs of models that one text may hold
_WRITTEN = frozenset({"completion", "answer"})


@dataclass(frozen=True)
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

    def sources(self, text: Text) -> list[tuple[Node, int]]:
        """Returns the evidence behind what a text repeats of a model's before, with its turns, the latest first.

        Args:
            text: A message of the history, or a text that holds such messages: a log, a transcript, a state.
        """
        found: dict[str, tuple[Node, int]] = {}
        room = _CHARACTERS
        for stated in self._stated(text):
            for node in self.graph.leaves(stated.id):
                turn = node.attributes.get(TURN, self.turn)
                if node.id not in found and node.origin != "user" and turn > self.turn - self.turns:
                    room -= len(node.text)
                    if room >= 0:
                        found[node.id] = node, turn
        return sorted(found.values(), key=lambda pair: -pair[1])

    def _stated(self, text: Text) -> list[Node]:
        """What models wrote before that a text is, or else holds in full, the latest first."""
        same = self._by_text.get(text.text.strip())
        if same is not None:
            return [same]
        held = [known.text.strip() for known, match in self._index.find(text).items() if match.whole]
        return [self._by_text[each] for each in reversed(held[:_STATED]) if each in self._by_text]

    @cached_property
    def _by_text(self) -> dict[str, Node]:
        """The last output of a model with each text."""
        return {node.text.strip(): node for node in self.graph.nodes if node.kind in _WRITTEN and node.text.strip()}

    @cached_property
    def _index(self) -> TextIndex:
        index = TextIndex()
        for text in self._by_text:
            index.add(index.text(text))
        return index
