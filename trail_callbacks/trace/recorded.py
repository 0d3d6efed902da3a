"""A trace of what was recorded: its context and versions are read from what the app and its documents say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Event, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.capture.payloads import CONTEXT
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.trace.context import Versions, context_of, versions_of
from trail_callbacks.trace.trace import Trace


def recorded(
    run_id: str,
    events: Sequence[Event],
    earlier: Earlier | None = None,
    *,
    graph: ProvenanceGraph | None = None,
    context: Mapping[str, Any] | None = None,
    versions: Versions | None = None,
    answering: Versions | None = None,
) -> Trace:
    """Makes the trace of a run.

    Args:
        run_id: Id of the root run.
        events: What it did, in the order of `seq`.
        earlier: What is known of the conversation before it.
        graph: Its graph, if it is built already.
        context: What holds for all runs of the app, with the keys of a run's metadata, which goes before it.
        versions: Likewise; what a run or its documents say goes before them.
        answering: What wrote the answer, where that is known; else the graph is built to find it.
    """
    root = next((event for event in events if isinstance(event, RunStarted)), None)
    last = events[-1] if events else None
    ended = (
        last.at if last is not None and root is not None and last.run_id == root.run_id and last is not root else None
    )
    said = {**(context or {}), **_of_steps(events), **(root.metadata if root else {})}
    trace = Trace(
        id=run_id,
        events=tuple(events),
        earlier=earlier,
        context=context_of(said, root.tags if root else (), root.at if root else None, ended),
        warnings=gaps(events),
    )
    if graph is not None:
        trace.__dict__["graph"] = graph  # where `cached_property` keeps it
    object.__setattr__(trace, "versions", _versions(trace, versions_of(said), versions or Versions(), answering))
    return trace


def _of_steps(events: Sequence[Event]) -> dict[str, Any]:
    """Whose run it is, as the first step says that does: a run may be told only after it began."""
    keys = [key for keys in CONTEXT.values() for key in keys]
    steps = [event.metadata for event in events if isinstance(event, RunStarted) and event.metadata]
    return {key: each[key] for each in reversed(steps) for key in keys if key in each}


def _versions(trace: Trace, said: Versions, given: Versions, answering: Versions | None) -> Versions:
    """What the run says, else its components, else its documents, else what holds for all runs, else its calls."""
    components = [event.metadata for event in trace.events if isinstance(event, RunStarted)]
    documents = [
        piece.attributes
        for event in trace.events
        if not isinstance(event, RunStarted)
        for piece in event.outputs
        if piece.form == "document"
    ]
    sources = [asdict(said), _named(components), _named(documents), asdict(given)]
    sources.append(_answering(trace) if answering is None else asdict(answering))
    return Versions(
        **{
            each.name: next((found for source in sources if (found := source.get(each.name))), None)
            for each in fields(Versions)
        }
    )


def _named(all_metadata: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The versions that metadata names; where it names several, all of them."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for metadata in all_metadata:
        if metadata:
            for name, version in asdict(versions_of(metadata)).items():
                if version is not None:
                    found[name][version] = None
    return {name: ", ".join(versions) for name, versions in found.items()}


def _answering(trace: Trace) -> Mapping[str, str | None]:
    """Model and prompt of the call that wrote the answer; of several, the last."""
    calls = [call for call in trace.calls if call.answers]
    return {"model": calls[-1].model, "prompt": calls[-1].prompt_hash} if calls else {}


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
