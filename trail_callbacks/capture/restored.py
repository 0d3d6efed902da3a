"""A state that was there before a run: what a checkpoint held when a graph was resumed, or had its next turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trail_callbacks.capture.conversation import TURN, Earlier, order_of
from trail_callbacks.capture.events import LEFT
from trail_callbacks.capture.lineage import NodeDraft
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.runs import CapturedRun, Slot, is_reply
from trail_callbacks.graph import UNSEEN, NodeKind

_WORDS = 2  # from which a value of a state says something, as does a number
_KINDS: dict[str, NodeKind] = {"message": "tool_result", "document": "document"}

MakeDraft = Callable[..., NodeDraft]
"""Makes the draft of a kind, a piece, its order, and perhaps attributes."""


class RestoredState:
    """The states of the graphs of a run that were there before it.

    Attributes:
        known: What in them is a node of an earlier turn, by its id there.
    """

    def __init__(
        self, runs: Sequence[CapturedRun], earlier: Earlier | None, text: Callable[[Slot], Text], draft: MakeDraft
    ) -> None:
        self._runs, self._earlier, self._text, self._draft = runs, earlier, text, draft
        self._graphs = _restored(runs)
        self._nodes: dict[tuple[str | None, str | None, str], NodeDraft] = {}
        self.known: dict[str, NodeDraft] = {}

    def holds(self, slot: Slot) -> bool:
        """True for a value of such a state, or a message: all or a part of it may have been there before."""
        channel = slot.run.hints.channels and slot.run.parent in self._graphs
        return slot.side == "in" and (channel or LEFT in slot.piece.attributes)

    def reaches(self, slot: Slot) -> bool:
        """True for what may hold such a text that no step explains: in a function, what its tasks returned before."""
        above = (slot.run, *slot.run.ancestors)
        return self.holds(slot) or any(run.hints.replays and run.parent in self._graphs for run in above)

    def node(self, slot: Slot) -> NodeDraft | None:
        """Returns the node of a text that was there: that of the earlier turn, or else one of unknown origin.

        A model may have written it, also where it looks like a document or a tool's result. A label, such as a route,
        is none.
        """
        piece, text = slot.piece, self._text(slot)
        if piece.form == "tool_call" or (len(text.forms) < _WORDS and not any(map(str.isdigit, piece.text))):
            return None
        said = piece.id, piece.call_id, piece.text  # each step of a graph reads all of its state
        if said not in self._nodes:
            self._nodes[said] = self._of_earlier_turn(slot, text) or self._unseen(slot)
        return self._nodes[said]

    def _of_earlier_turn(self, slot: Slot, text: Text) -> NodeDraft | None:
        if self._earlier is None:
            return None
        known = self._earlier.node(text)
        if known is None:
            wrote = self._earlier.model_spans(text)
            draft = None if wrote is None else self._draft("document", slot, slot.run.start)
            if draft is not None:
                draft.model_spans = wrote or ()
            return draft
        if known.id not in self.known:
            draft = self._draft("completion" if known.kind == "answer" else known.kind, slot, order_of(known))
            draft.origin, draft.model_spans, draft.step = known.origin, known.model_spans, known.step
            draft.attributes = {**known.attributes, TURN: known.attributes.get(TURN, self._earlier.turn)}
            self.known[known.id] = draft
        return self.known[known.id]

    def _unseen(self, slot: Slot) -> NodeDraft:
        piece = slot.piece
        more: dict[str, Any] = {UNSEEN: piece.attributes.get(LEFT) or (str(piece.path[0]) if piece.path else "")}
        if piece.role == "assistant":  # a model's, of which nobody may know what it rests on
            known = LEFT not in piece.attributes or (
                self._earlier is not None and self._earlier.repeats(self._text(slot))
            )
            return self._draft("completion", slot, slot.run.start, {"history": True, **({} if known else more)})
        draft = self._draft(_KINDS.get(piece.form, "completion"), slot, slot.run.start, more)
        draft.origin, draft.step = "unknown", "state"
        return draft

    def stale(self, root: CapturedRun) -> set[str]:
        """Returns the texts of a state that nothing of the run wrote, the answer of an earlier turn among them.

        Not of a run that resumes one that nobody saw: then the answer may be its own, of an unseen writer.
        """
        if root not in self._graphs or all(map(is_reply, root.inputs)):
            return set()
        left = {slot.piece.text for run in self._runs for slot in run.inputs if self.holds(slot)}
        return left - {slot.piece.text for run in self._runs if run is not root for slot in run.outputs}


def _restored(runs: Sequence[CapturedRun]) -> frozenset[CapturedRun]:
    """The graphs whose first step is not the first on their state, and the root that was given nothing of its own."""
    first: dict[CapturedRun, CapturedRun] = {}
    for run in runs:
        if run.hints.superstep is not None and run.parent is not None:
            first.setdefault(run.parent, run)
    return frozenset(
        graph
        for graph, node in first.items()
        if (node.hints.superstep or 1) > 1 or (graph.parent is None and all(map(is_reply, graph.inputs)))
    )
