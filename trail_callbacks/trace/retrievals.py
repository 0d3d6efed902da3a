"""The retrievals of a run: what each was asked, and what it brought."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trail_callbacks.capture.events import SENT
from trail_callbacks.capture.runs import Run, Slot
from trail_callbacks.graph import Node
from trail_callbacks.trace.calls import answering
from trail_callbacks.trace.candidates import content_hash, document_of, modality_of, score_of
from trail_callbacks.trace.reading import Reading
from trail_callbacks.trace.steps import Candidate, Retrieval

__all__ = ["bringers", "retrievals"]

_SPACE = re.compile(r"\s+")


def retrievals(reading: Reading) -> tuple[Retrieval, ...]:
    """Returns every retrieval of a run, in the order of the starts."""
    asked = reading.graph.question
    answered = max((run.end for run in answering(reading)), default=float("inf"))
    return tuple(
        Retrieval(
            run_id=run.id,
            step=run.step,
            query=(query := _query(run)),
            raw_query=asked.text if asked else None,
            rewritten=_words(query) != _words(asked.text) if asked and query.strip() else None,
            candidates=tuple(_candidate(*found, rank) for rank, found in enumerate(brought, 1)),
            started=reading.started_at(run),
            seconds=reading.seconds(run),
            error=reading.error(run),
            after_answer=run.start > answered,
        )
        for run, brought in reading.once(bringers)
    )


def bringers(reading: Reading) -> Sequence[tuple[Run, list[tuple[Slot, Node]]]]:
    """Returns the runs that brought passages from outside, each with what no run inside it had brought."""
    inside: dict[Run, list[tuple[Slot, Node]]] = {}
    retrieving = {above for run in reading.runs if run.kind == "retriever" for above in run.ancestors}
    writing = {above for run in reading.runs if run.kind in {"model", "tool"} for above in run.ancestors}
    known: dict[Run, set[str]] = {}
    for run in reversed(reading.runs):  # those inside a run come before it
        if run.kind not in {"retriever", "tool"}:
            continue
        slots = reading.documents(run.outputs)
        if run.kind == "tool" and not slots:
            slots = [slot for slot in run.outputs if slot.piece.form in {"text", "message"}]
        below = known.get(run, set())
        found = [(slot, node) for slot in slots if (node := reading.node(slot)) and node.id not in below]
        composite = run in retrieving or (run.kind == "tool" and run in writing)
        if run.kind == "tool" and composite:
            found = []  # it shows what was found inside it
        if found or not composite:
            inside[run] = found
        ids = {node.id for _, node in found}
        for above in run.ancestors:
            if above.kind in {"retriever", "tool"}:
                known.setdefault(above, set()).update(ids)
    return [(run, inside[run]) for run in reading.runs if run in inside]


def _candidate(slot: Slot, node: Node, rank: int) -> Candidate:
    piece = slot.piece
    return Candidate(
        node_id=node.id,
        hash=content_hash(piece.text),
        text=piece.text,
        id=piece.id if piece.form == "document" else None,
        document_id=document_of(piece.attributes),
        rank=rank,
        score=score_of(piece.attributes),
        modality=modality_of(piece.attributes),
        attributes=piece.attributes,
    )


def _query(run: Run) -> str:
    asked = [slot.piece for slot in run.inputs if slot.piece.form != "document"]
    texts = [piece.text for piece in asked if piece.path[:1] == (SENT,)] or [piece.text for piece in asked]
    return "\n".join(dict.fromkeys(text for text in texts if text.strip()))


def _words(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
