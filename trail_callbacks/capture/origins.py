"""Who wrote each text of a graph, and which parts of it a model did: the one place where that is decided.

A draft already has the origin that its kind and its run suggest. Here a text, or a part of it, becomes a model's if a
model wrote those words before: in this run, in an earlier turn of the conversation, or in a message of its history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from trail_callbacks.capture.conversation import TURN, Earlier
from trail_callbacks.capture.echoes import Echoes, arguments, merged, transcript_spans
from trail_callbacks.capture.lineage import Contribution, NodeDraft
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.graph import EVIDENCE_KINDS
from trail_callbacks.text import forms

__all__ = ["mark_model_text", "recall", "time_of"]

_HISTORY = -1e6  # the time of what was there before the run; within a run, times begin at 1
_EARLIER_TURN = 1.5 * _HISTORY  # when models wrote in earlier turns
_EARLIER_SOURCE = 2 * _HISTORY  # when those turns had their sources, which they read first
_CONTENT = 4  # words from which the rest of a text says something


def recall(drafts: list[NodeDraft], earlier: Earlier | None) -> None:
    """Adds the evidence of earlier turns of a conversation as inputs of the messages that rest on it.

    Args:
        drafts: All nodes so far; recalled ones are appended.
        earlier: What is known of the turns before.
    """
    recalled: dict[str, NodeDraft] = {}
    messages = [draft for draft in drafts if draft.kind == "completion" and (draft.slot or draft.run.kind != "model")]
    for message in messages if earlier is not None else ():
        for node, turn in earlier.sources(message.text.text) if earlier is not None else ():
            source = recalled.get(node.id)
            if source is None:
                source = recalled[node.id] = NodeDraft(
                    node.kind,
                    Text(node.text),
                    message.run,
                    _HISTORY,
                    {**node.attributes, TURN: turn},
                    origin=node.origin,
                    model_spans=node.model_spans,
                    step=node.step,
                )
                drafts.append(source)
            message.inputs.setdefault(source, Contribution("declared", 1.0))


def mark_model_text(drafts: Iterable[NodeDraft], runs: Sequence[Run], earlier: Earlier | None) -> None:
    """Sets `model_spans` of the drafts of evidence, and their origin where nothing else is left of them.

    Args:
        drafts: All nodes.
        runs: The runs of the tree.
        earlier: What is known of the turns before.
    """
    drafts = list(drafts)
    sources = [draft for draft in drafts if draft.kind in EVIDENCE_KINDS and draft.text.text.strip()]
    if not sources:
        return
    echoes = Echoes(draft.text.text for draft in sources)
    latest = max(time_of(draft) for draft in sources)
    for draft in sources:
        echoes.held(_rest(draft.text.text, draft.model_spans), time_of(draft))
    for node in earlier.graph.nodes if earlier is not None else ():
        if node.is_evidence:  # what a model then read is no invention of its own, though it be read again
            echoes.held(_rest(node.text, node.model_spans), _EARLIER_SOURCE)
    for text in earlier.written() if earlier is not None else ():
        echoes.wrote(text, _EARLIER_TURN, recorded=True)
    for text, time, recorded in _written(drafts, runs):
        if time < latest:
            echoes.wrote(text, time, recorded=recorded)
    for draft in sources:
        if TURN not in draft.attributes:  # else decided in its own turn
            _mark(draft, echoes)


def _written(drafts: Iterable[NodeDraft], runs: Iterable[Run]) -> Iterator[tuple[str, float, bool]]:
    """Every text that a model wrote, with its time, and whether the run in which it did was recorded."""
    written: dict[str, float] = {}
    for draft in drafts:
        if draft.kind not in EVIDENCE_KINDS and draft.run.kind == "model" and draft.slot is None:
            text = draft.text.text.strip()
            written[text] = min(draft.order, written.get(text, draft.order))
            yield text, draft.order, True
    for run in runs:
        for slot in run.outputs if run.kind == "model" else ():
            if slot.piece.form == "tool_call":
                yield from ((text, run.end, True) for text in arguments(slot.piece.text))
        for slot in run.inputs:
            piece = slot.piece
            if run.kind == "tool" and run.hints.call_id is not None:
                yield piece.text, run.start, True
            elif piece.role == "assistant" or piece.origin == "model" or piece.form == "tool_call":
                text = piece.text.strip()
                if written.get(text, run.start) >= run.start:  # else written in this run, and passed on
                    written[text] = _HISTORY
                    texts = arguments(text) if piece.form == "tool_call" else (text,)
                    yield from ((each, _in_history(slot), False) for each in texts)


def _mark(draft: NodeDraft, echoes: Echoes) -> None:
    text, time = draft.text.text, time_of(draft)
    if draft.origin == "retrieved":  # models quote pages; a page with nothing else in it is a memory of the model's
        draft.origin = "unknown" if echoes.whole(text, time) else "retrieved"
        return
    literal = draft.kind == "instruction" and draft.origin in {None, "template"}
    spans = list(echoes.spans(text, time, recorded=literal))
    if draft.kind != "tool_result":
        spans += transcript_spans(text)
    draft.model_spans = merged(spans)
    if draft.model_spans and len(forms(_rest(text, draft.model_spans))) < _CONTENT:
        draft.origin = "model"


def _rest(text: str, model_spans: Sequence[tuple[int, int]]) -> str:
    """What of a text no model wrote; a line break keeps apart what stood around a model's words."""
    return "\n".join(text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *model_spans, (len(text), 0)]))


def time_of(draft: NodeDraft) -> float:
    """When a text was there: smaller is earlier; what was there before the run has a time far before it."""
    if TURN in draft.attributes:
        return _EARLIER_SOURCE
    return draft.order if draft.slot is None else _in_history(draft.slot)


def _in_history(slot: Slot) -> float:
    """When a message was written that was there before the run: by its place in the history."""
    places = [part for part in slot.piece.path if isinstance(part, int)]
    return _HISTORY + (places[0] if places else 0)
