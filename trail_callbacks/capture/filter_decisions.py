"""Decisions of a context filter: which documents it kept or dropped, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trail_callbacks.capture.lineage import LineageResolver, NodeDraft
from trail_callbacks.capture.runs import Run

__all__ = ["FILTER", "FilterDecisions"]

FILTER = "filter"
"""Attribute of an input piece, later of its node: `{"kept": bool, "reasons": [...]}`, see `context_filter`."""


class FilterDecisions:
    """The filter decisions found on the inputs of runs, assigned to the nodes they are about.

    A filter creates no documents; it only passes them on or drops them. So its decision belongs to the node of the step
    that returned the document, and the node of a dropped document has no outgoing edge.

    Args:
        runs: The runs of one tree.
        resolver: Finds the node behind a piece.
    """

    def __init__(self, runs: Iterable[Run], resolver: LineageResolver) -> None:
        self._decisions: list[tuple[NodeDraft, Mapping[str, Any], Mapping[object, NodeDraft]]] = []
        for run in runs:
            marked = [slot for slot in run.inputs if isinstance(slot.piece.attributes.get(FILTER), Mapping)]
            if not marked:
                continue
            nodes: dict[object, NodeDraft] = {}
            for slot in run.inputs:
                if slot.piece.form == "document" and slot.piece.path:
                    text = slot.piece.text.strip()
                    same = [node for node in resolver.of(slot) if node.text.text.strip() == text]
                    if same:
                        nodes[slot.piece.path[-1]] = max(same, key=lambda node: node.order)
            for slot in marked:
                node = nodes.get(slot.piece.path[-1]) if slot.piece.path else None
                if node is not None:
                    self._decisions.append((node, slot.piece.attributes[FILTER], nodes))

    def write(self, ids: Mapping[NodeDraft, str]) -> None:
        """Writes the decisions into the attributes of their nodes; positions in the filter's input become node ids."""
        for node, decision, nodes in self._decisions:
            reasons = []
            for reason in filter(_is_reason, decision.get("reasons") or ()):
                against = [ids[nodes[i]] for i in reason.get("against", ()) if i in nodes and nodes[i] in ids]
                reasons.append({**reason, "against": against} if "against" in reason else dict(reason))
            node.attributes[FILTER] = {"kept": bool(decision.get("kept", True)), "reasons": reasons}


def _is_reason(given: object) -> bool:
    """False for what a saved trace may hold and no filter writes."""
    return isinstance(given, Mapping)
