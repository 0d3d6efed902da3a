"""The retrievals of a run: what each was asked, and what it brought."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from trail_callbacks.capture.events import SENT
from trail_callbacks.capture.payloads import DOCUMENTS, MODALITIES, SCORES
from trail_callbacks.capture.runs import CapturedRun, Slot
from trail_callbacks.graph import Node
from trail_callbacks.trace.reading import Reading
from trail_callbacks.trace.steps import Candidate, ModelCall, Retrieval


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


def bringers(reading: Reading) -> Sequence[tuple[CapturedRun, list[tuple[Slot, Node]]]]:
    """Returns the runs that brought passages from outside, each with what no run inside it had brought."""
    inside: dict[CapturedRun, list[tuple[Slot, Node]]] = {}
    retrieving = {above for run in reading.runs if run.kind == "retriever" for above in run.ancestors}
    writing = {above for run in reading.runs if run.kind in {"model", "tool"} for above in run.ancestors}
    known: dict[CapturedRun, set[str]] = {}
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


def _query(run: CapturedRun) -> str:
    asked = [slot.piece for slot in run.inputs if slot.piece.form != "document"]
    texts = [piece.text for piece in asked if piece.path[:1] == (SENT,)] or [piece.text for piece in asked]
    return "\n".join(dict.fromkeys(text for text in texts if text.strip()))


def _words(text: str) -> str:
    return " ".join(text.split())


_HASH = 16  # hexadecimal digits: among a million passages two are alike by chance once in thirty million cases
_NAMES = {
    "text": "text", "narrativetext": "text", "image": "image", "picture": "image", "figure": "image", "table": "table",
    "audio": "audio", "video": "video", "code": "code",
}  # fmt: skip


def content_hash(text: str) -> str:
    """Returns the first 16 hexadecimal digits of the SHA-256 of a text with its white space collapsed.

    The same passage has the same hash after an index is rebuilt, whatever its id is then.
    """
    return hashlib.sha256(_words(text).encode("utf-8", "replace")).hexdigest()[:_HASH]


def document_of(attributes: Mapping[str, Any]) -> str | None:
    """Returns the document that a passage was cut from: by the first key of its metadata that names one."""
    found = (attributes.get(key) for key in DOCUMENTS)
    return next((str(value) for value in found if isinstance(value, str | int) and str(value).strip()), None)


def score_of(attributes: Mapping[str, Any]) -> float | None:
    """Returns the score in the metadata of a passage; None if there is none, or none that is finite."""
    return first_number(attributes, SCORES)


def first_number(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    """Returns the first finite number under one of several keys."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    return None


def modality_of(attributes: Mapping[str, Any]) -> str:
    """Returns `text`, `image`, `table`, `audio`, `video` or `code`, by the metadata of a passage; `text` by default."""
    for key in MODALITIES:
        value = attributes.get(key)
        if isinstance(value, str):
            named = _NAMES.get(value.casefold().partition("/")[0].strip())
            if named is not None:
                return named
    return "text"


def model_calls(reading: Reading) -> tuple[ModelCall, ...]:
    """Returns every call of a model, in the order of the starts."""
    wrote = {run.id for run in answering(reading)}
    return tuple(_call(reading, run, run.id in wrote) for run in reading.runs if run.kind == "model")


def answering(reading: Reading) -> list[CapturedRun]:
    """Returns the models' runs that wrote the answer; several if the app joined what several wrote."""
    answer = reading.graph.answer
    if answer is None:
        return []
    wrote = {answer.run_id} | {node.run_id for node in reading.graph.inputs(answer.id) if node.kind == "completion"}
    runs = [run for run in reading.runs if run.kind == "model"]
    own = [run for run in runs if run.id == answer.run_id]
    return own or [run for run in runs if run.id in wrote]


def _call(reading: Reading, run: CapturedRun, answers: bool) -> ModelCall:
    known = {key: value for slot in run.outputs for key, value in slot.piece.attributes.items()}
    read, written = (first_number(known, (key,)) for key in ("prompt_tokens", "completion_tokens"))
    model = known.get("model")
    return ModelCall(
        run_id=run.id,
        step=run.step,
        model=str(model) if model else None,
        prompt_hash=_template_hash(reading, run),
        prompt_tokens=None if read is None else int(read),
        completion_tokens=None if written is None else int(written),
        started=reading.started_at(run),
        seconds=reading.seconds(run),
        error=reading.error(run),
        answers=answers,
    )


def _template_hash(reading: Reading, run: CapturedRun) -> str | None:
    written = reading.written(run)
    if written is None:
        return None
    wording = [node.text for node in reading.graph.inputs(written.id) if node.origin == "template"]
    return content_hash("\n".join(wording)) if wording else None
