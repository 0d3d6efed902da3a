"""What a later step said about a text: a filter that kept or dropped a document, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trail_callbacks.capture.arrivals import Draft, Resolver
from trail_callbacks.capture.runs import Run

__all__ = ["FILTER", "Remarks"]

FILTER = "filter"
"""Attribute of an input piece, and then of its node: `{"kept": bool, "reasons": [...]}`, see `context_filter`."""


class Remarks:
    """Remarks found on what runs were given, by the nodes that they are about.

    A filter passes documents on or does not; it makes none. So what it says belongs to the node of the step that
    brought the document, and a document that it dropped is a node with nothing behind it.

    Args:
        runs: The runs of one tree.
        resolver: Finds the node behind a piece.
    """

    def __init__(self, runs: Iterable[Run], resolver: Resolver) -> None:
        self._found: list[tuple[Draft, Mapping[str, Any], Mapping[object, Draft]]] = []
        for run in runs:
            marked = [slot for slot in run.inputs if isinstance(slot.piece.attributes.get(FILTER), Mapping)]
            if not marked:
                continue
            nodes: dict[object, Draft] = {}
            for slot in run.inputs:
                if slot.piece.form == "document" and slot.piece.path:
                    text = slot.piece.text.strip()
                    same = [node for node in resolver.of(slot) if node.text.text.strip() == text]
                    if same:
                        nodes[slot.piece.path[-1]] = max(same, key=lambda node: node.order)
            for slot in marked:
                node = nodes.get(slot.piece.path[-1]) if slot.piece.path else None
                if node is not None:
                    self._found.append((node, slot.piece.attributes[FILTER], nodes))

    def write(self, ids: Mapping[Draft, str]) -> None:
        """Writes the remarks into the attributes of their nodes; places in the filter's input become node ids."""
        for node, remark, nodes in self._found:
            reasons = []
            for reason in remark.get("reasons", ()):
                against = [ids[nodes[i]] for i in reason.get("against", ()) if i in nodes and nodes[i] in ids]
                reasons.append({**reason, "against": against} if "against" in reason else dict(reason))
            node.attributes[FILTER] = {"kept": bool(remark.get("kept", True)), "reasons": reasons}
