"""How nodes reach pieces: links composed, hop by hop, from a piece back to the nodes whose text it carries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from trail_callbacks.capture.link import Link, Linker
from trail_callbacks.capture.match import Text, arrived, overlap
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.graph import Basis, NodeKind

__all__ = ["Arrival", "Arrivals", "Draft", "Resolver", "merge"]

_RANK: dict[Basis, int] = {"declared": 0, "matched": 1, "scope": 2}


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a node reached a piece.

    Attributes:
        basis: The weakest basis on the way.
        coverage: Share of the node's text that arrived.
        opaque: Code rewrote the text on the way; coverage counts words then, in any order.
        rivals: Nodes that hold the words that arrived just as well.
    """

    basis: Basis
    coverage: float
    opaque: bool = False
    rivals: frozenset[Draft] = frozenset()


@dataclass(slots=True, eq=False)
class Draft:
    """A node in the making. An edge must lead from a smaller order to a larger one, so no cycle can arise."""

    kind: NodeKind
    text: Text
    run: Run
    order: float
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: dict[Draft, Arrival] = field(default_factory=dict)
    from_code: bool = False  # no model, retriever or tool brought it


Arrivals = dict[Draft, Arrival]
_ITSELF = Arrival("declared", 1.0)


def merge(into: Arrivals, more: Arrivals) -> None:
    """Adds arrivals; of two by which one node came, the firmer, then the fuller, stays."""
    for node, arrival in more.items():
        known = into.get(node)
        if known is None or (_RANK[arrival.basis], -arrival.coverage) < (_RANK[known.basis], -known.coverage):
            into[node] = arrival


class Resolver:
    """Finds the nodes behind a piece.

    Args:
        linker: Where pieces come from.
        anchor: The node that a piece is, or None if it only passes text on.
    """

    def __init__(self, linker: Linker, anchor: Callable[[Slot], Draft | None]) -> None:
        self._linker = linker
        self._anchor = anchor
        self._known: dict[Slot, Arrivals] = {}

    def of(self, slot: Slot) -> Arrivals:
        """Returns the nodes whose text a piece carries. Iterative: chains of a thousand steps are common."""
        todo = [slot]
        while todo:
            here = todo[-1]
            if here in self._known:
                todo.pop()
                continue
            node = self._anchor(here)
            if node is not None:
                self._known[here] = {node: _ITSELF}
                continue
            links = self._linker.of(here)
            missing = [link.source for link in links if link.source not in self._known]
            waiting = [source for source in missing if source not in todo]
            if waiting:
                todo.extend(waiting)
                continue
            arrivals: Arrivals = {}
            for link in links:
                for node, arrival in self._known.get(link.source, {}).items():
                    passed = self._hop(link, node, arrival, self._linker.text(here))
                    if passed is not None:
                        if link.rivals:
                            passed = replace(passed, rivals=passed.rivals | self._nodes(link.rivals))
                        merge(arrivals, {node: passed})
            self._known[here] = arrivals
        return self._known[slot]

    def forget(self, slot: Slot) -> None:
        """Drops what was found behind a piece before it was decided that the piece is a node of its own."""
        self._known.pop(slot, None)

    def _nodes(self, slots: Iterable[Slot]) -> frozenset[Draft]:
        """The nodes behind pieces, as far as they are known by now."""
        found: set[Draft] = set()
        for slot in slots:
            node = self._anchor(slot)
            found.update(self._known.get(slot, ()) if node is None else (node,))
        return frozenset(found)

    @staticmethod
    def _hop(link: Link, node: Draft, arrival: Arrival, target: Text) -> Arrival | None:
        basis = max(link.basis, arrival.basis, key=_RANK.__getitem__)
        if link.whole and not arrival.opaque:
            return arrival if basis == arrival.basis else replace(arrival, basis=basis)
        if link.opaque or arrival.opaque:
            return Arrival(basis, arrived(node.text, target), opaque=True, rivals=arrival.rivals)
        match = overlap(node.text, target)
        return (
            None if match is None else Arrival(basis, match.coverage, rivals=arrival.rivals)
        )  # None: this node's part was cut away
