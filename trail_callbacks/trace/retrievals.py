"""A trace read for its steps, and the retrievals among them: what each was asked, and what it brought."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from trail_callbacks.capture.events import SENT, Event, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.capture.payloads import DOCUMENTS, MODALITIES, SCORES, TEMPLATE
from trail_callbacks.capture.runs import CapturedRun, Slot, document_key, tree
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.trace.steps import Candidate, ModelCall, Retrieval

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

    def metadata(self, run: CapturedRun) -> Mapping[str, Any]:
        """Returns the metadata with which a run began."""
        return self._started[run.id].metadata

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
    """The hash that the framework knows of the template, else one of what is left of the prompt without its inputs."""
    texts = [slot.piece.text for slot in run.inputs]
    prompts = [each for each in reading.runs if each.kind == "prompt" and each.start < run.start and each.outputs]
    for each in reversed(prompts):
        known = reading.metadata(each).get(TEMPLATE)
        if known and texts[: len(each.outputs)] == [slot.piece.text for slot in each.outputs]:
            return str(known)
    written = reading.written(run)
    inputs = reading.graph.inputs(written.id) if written is not None else ()
    wording = "\n".join(node.text for node in inputs if node.origin == "template")
    if not wording and written is not None:
        wording = "\n".join(slot.piece.text for slot in run.inputs if slot.piece.role not in {"assistant", "tool"})
        for text in sorted((node.text.strip() for node in inputs), key=len, reverse=True):
            wording = wording.replace(text, " ") if text else wording
    return content_hash(wording) if wording.strip() else None
