"""A trace read for its steps: the tree of runs, and for each piece the node of the graph that holds its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from trail_callbacks.capture.events import Event, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.capture.runs import CapturedRun, Slot, document_key, tree
from trail_callbacks.graph import Node, ProvenanceGraph

Found = TypeVar("Found")


class Reading:
    """The runs of a trace beside its graph.

    Attributes:
        runs: The runs, in the order of their starts.
        graph: The graph.
    """

    def __init__(self, events: Sequence[Event], graph: ProvenanceGraph) -> None:
        self.runs: tuple[CapturedRun, ...] = tree(events)
        self.graph = graph
        self._started: dict[str, RunStarted] = {}
        self._ended: dict[str, RunEnded | RunFailed] = {}
        for event in events:
            if isinstance(event, RunStarted):
                self._started[event.run_id] = event
            else:
                self._ended[event.run_id] = event
        self._by_key: dict[Any, Node] = {}
        self._by_text: dict[str, Node] = {}
        self._of_run: dict[tuple[str | None, str], Node] = {}
        self._written: dict[str | None, Node] = {}
        self._known: dict[object, Any] = {}
        for node in graph.nodes:
            text = node.text.strip()
            if node.is_evidence and node.kind in {"document", "tool_result"}:
                self._by_key.setdefault(_key(text, node.attributes, None), node)
                self._by_text.setdefault(text, node)
                self._of_run.setdefault((node.run_id, text), node)
            elif node.kind in {"completion", "answer"}:
                self._written.setdefault(node.run_id, node)

    def once(self, find: Callable[[Reading], Found]) -> Found:
        """Returns what a function finds in this reading; it is called once, as several views need the same."""
        if find not in self._known:
            self._known[find] = find(self)
        found: Found = self._known[find]
        return found

    def node(self, slot: Slot) -> Node | None:
        """Returns the node of the document or tool result that a piece is; None if it is no evidence of the graph."""
        return self.node_of(slot.piece, slot.run.id)

    def node_of(self, piece: Piece, run_id: str | None = None) -> Node | None:
        """As `node`, of a piece of a run."""
        text = piece.text.strip()
        key = _key(text, piece.attributes, piece.id)
        return self._by_key.get(key) or self._of_run.get((run_id, text)) or self._by_text.get(text)

    def written(self, run: CapturedRun) -> Node | None:
        """Returns what a model wrote in a run; None if it wrote nothing."""
        return self._written.get(run.id)

    def started_at(self, run: CapturedRun) -> float | None:
        """Returns when a run began, in seconds since the epoch; None if it was not recorded."""
        return self._started[run.id].at

    def seconds(self, run: CapturedRun) -> float | None:
        """Returns how long a run took; None if that was not recorded, or it did not end."""
        began, end = self._started[run.id].at, self._ended.get(run.id)
        return None if began is None or end is None or end.at is None else max(0.0, end.at - began)

    def error(self, run: CapturedRun) -> str | None:
        """Returns what a run raised; None if it ended normally or goes on."""
        end = self._ended.get(run.id)
        return end.error if isinstance(end, RunFailed) else None

    @staticmethod
    def documents(slots: Iterable[Slot]) -> list[Slot]:
        """Returns the documents among pieces, each once, in their order; those without a text too."""
        found: dict[object, Slot] = {}
        for slot in slots:
            if slot.piece.form == "document":
                found.setdefault((document_key(slot.piece), None if slot.piece.text.strip() else slot.piece.path), slot)
        return list(found.values())


def _key(text: str, attributes: Mapping[str, Any], id_: str | None) -> tuple[str, str, str]:
    """What tells documents apart; a node has the id of its document among its attributes, unless metadata has one."""
    return text, str(attributes.get("id", id_)), str(attributes.get("source"))
