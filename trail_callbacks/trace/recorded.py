"""A trace of what was recorded: its context and versions are read from what the app and its documents say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Event, RunStarted
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.trace.context import Versions, context_of, versions_of
from trail_callbacks.trace.gaps import gaps
from trail_callbacks.trace.trace import Trace

__all__ = ["recorded"]


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
    said = {**(context or {}), **(root.metadata if root else {})}
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
