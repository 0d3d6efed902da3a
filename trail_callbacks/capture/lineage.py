"""Which nodes contributed text to a piece: links composed, hop by hop, from the piece back to nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from trail_callbacks.capture.link import Link, Linker
from trail_callbacks.capture.match import Text, arrived, overlap
from trail_callbacks.capture.runs import CapturedRun, Slot
from trail_callbacks.graph import Basis, NodeKind, Origin

_RANK: dict[Basis, int] = {"declared": 0, "matched": 1, "scope": 2}


@dataclass(frozen=True, slots=True)
class Contribution:
    """How a node's text reached a piece."""

    basis: Basis
    coverage: float
    opaque: bool = False
    alternatives: frozenset[NodeDraft] = frozenset()


@dataclass(slots=True, eq=False)
class NodeDraft:
    """A node under construction. Edges lead from a smaller `order` to a larger one, so no cycle can arise."""

    kind: NodeKind
    text: Text
    run: CapturedRun
    order: float
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: dict[NodeDraft, Contribution] = field(default_factory=dict)
    from_code: bool = False  # the output of plain code, not of a model, retriever or tool
    origin: Origin | None = None  # None: what the kind suggests
    model_spans: tuple[tuple[int, int], ...] = ()
    slot: Slot | None = None  # of a message that was there before the run: its place in the history
    step: str | None = None  # None: the run's name


Contributions = dict[NodeDraft, Contribution]
_ITSELF = Contribution("declared", 1.0)


def merge(into: Contributions, more: Contributions) -> None:
    """Adds contributions; of two by the same node, keeps the one with the stronger basis, then the higher coverage."""
    for node, contribution in more.items():
        known = into.get(node)
        if known is None or (_RANK[contribution.basis], -contribution.coverage) < (_RANK[known.basis], -known.coverage):
            into[node] = contribution


class LineageResolver:
    """Finds the nodes behind a piece."""

    def __init__(self, linker: Linker, anchor: Callable[[Slot], NodeDraft | None]) -> None:
        self._linker = linker
        self._anchor = anchor
        self._known: dict[Slot, Contributions] = {}

    def of(self, slot: Slot) -> Contributions:
        """Returns the nodes whose text a piece contains. Iterative: chains of a thousand steps are common."""
        todo, begun = [slot], set[Slot]()
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
            begun.add(here)  # a piece that waits for itself goes without; one that is yet to come is taken first
            waiting = [link.source for link in links if link.source not in self._known and link.source not in begun]
            if waiting:
                todo.extend(reversed(waiting))  # the first is taken first: turns keep their order
                continue
            contributions: Contributions = {}
            for link in links:
                for node, contribution in self._known.get(link.source, {}).items():
                    passed = self._hop(link, node, contribution, self._linker.text(here))
                    if passed is not None:
                        if link.alternatives:
                            passed = replace(passed, alternatives=passed.alternatives | self._nodes(link.alternatives))
                        merge(contributions, {node: passed})
            self._known[here] = contributions
        return self._known[slot]

    def forget(self, slot: Slot) -> None:
        """Drops the cached result for a piece that has since become a node of its own."""
        self._known.pop(slot, None)

    def _nodes(self, slots: Iterable[Slot]) -> frozenset[NodeDraft]:
        """The nodes behind pieces, as far as they are known so far."""
        found: set[NodeDraft] = set()
        for slot in slots:
            node = self._anchor(slot)
            found.update(self._known.get(slot, ()) if node is None else (node,))
        return frozenset(found)

    @staticmethod
    def _hop(link: Link, node: NodeDraft, contribution: Contribution, target: Text) -> Contribution | None:
        basis = max(link.basis, contribution.basis, key=_RANK.__getitem__)
        if link.whole and not contribution.opaque:
            return contribution if basis == contribution.basis else replace(contribution, basis=basis)
        if link.opaque or contribution.opaque:
            return Contribution(basis, arrived(node.text, target), opaque=True, alternatives=contribution.alternatives)
        match = overlap(node.text, target)
        return (
            None if match is None else Contribution(basis, match.coverage, alternatives=contribution.alternatives)
        )  # None: this node's part was cut out
