"""What a trace lacks, or shows that a reader would not expect: found in its events alone, without the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trail_callbacks.capture.events import Event, Piece, RunEnded, RunFailed, RunStarted

__all__ = ["gaps"]

_NOT_FINITE = frozenset({"nan", "inf", "-inf"})


def gaps(events: Sequence[Event]) -> tuple[str, ...]:
    """Returns one sentence for each thing that is missing or odd; none for a trace that is whole."""
    return tuple(_gaps(events))


def _gaps(events: Sequence[Event]) -> Iterator[str]:
    started = [event for event in events if isinstance(event, RunStarted) and not event.hints.internal]
    ended = {event.run_id: event for event in events if not isinstance(event, RunStarted)}
    if not started:
        yield "no step was recorded"
        return
    root, end = started[0], ended.get(started[0].run_id)
    if end is None:
        yield "the run has not ended: there is no answer yet"
    elif isinstance(end, RunFailed):
        yield {
            "paused": "the run was interrupted and waits to be resumed: there is no answer yet",
            "cancelled": "the run was cancelled: "
            + ("the answer is what was read by then" if end.outputs else "there is no answer"),
        }.get(end.status, f"the run failed ({end.error}): there is no answer")
    unended = [event.name for event in started[1:] if event.run_id not in ended]
    if unended and end is not None:
        many = "1 step has" if len(unended) == 1 else f"{len(unended)} steps have"
        yield f"{many} no end: {', '.join(dict.fromkeys(unended[:8]))}"
    yield from _of_retrieval(root, started, ended)
    if asked := [piece for piece in root.inputs if piece.path[:1] in {("question",), ("query",), ("input",)}][1:]:
        yield f"the run was asked {len(asked) + 1} questions: the first is taken for the request"
    retrievers = {event.run_id for event in started if event.kind == "retriever"}
    unscored = sum(_is_not_finite(piece) for run_id in retrievers for piece in _outputs(ended.get(run_id)))
    if unscored == 1:
        yield "1 candidate has a score that is not a finite number: it counts as one without a score"
    elif unscored:
        yield f"{unscored} candidates have a score that is not a finite number: they count as ones without a score"


def _of_retrieval(
    root: RunStarted, started: Sequence[RunStarted], ended: dict[str, RunEnded | RunFailed]
) -> Iterator[str]:
    bringing = [event for event in started if event.kind in {"retriever", "tool"}]
    if not bringing and not any(piece.form == "document" for piece in root.inputs):
        yield "no retrieval was recorded"
    for event in bringing:
        failed = ended.get(event.run_id)
        if isinstance(failed, RunFailed):
            yield f"the retrieval {event.name} failed: {failed.error}"
    writing = [ended[event.run_id].seq for event in started if event.kind == "model" and event.run_id in ended]
    late = [event.name for event in bringing if writing and event.seq > max(writing)]
    if late:
        yield f"{', '.join(dict.fromkeys(late))} began after the last model had ended: no answer can rest on it"


def _outputs(end: RunEnded | RunFailed | None) -> tuple[Piece, ...]:
    return end.outputs if end is not None else ()


def _is_not_finite(piece: Piece) -> bool:
    return piece.form == "document" and any(
        value in _NOT_FINITE and "score" in key for key, value in piece.attributes.items() if isinstance(value, str)
    )
