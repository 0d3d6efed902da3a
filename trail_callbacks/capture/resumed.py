"""Runs that go on from a state that was there: a graph resumed after an interrupt or a crash, and its next turn.

The run that resumes is called with nothing of its own, and what was finished before is not run again. So its events are
put together with those of the runs that it goes on from: what follows is as if nothing had torn it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol, cast

from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import LEFT, REPLY, Event, Piece, RunEnded, RunStarted
from trail_callbacks.capture.joining import moved
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.payloads import CONTEXT
from trail_callbacks.graph import ProvenanceGraph


class Turn(Protocol):
    """A run of a thread that another recording kept, such as a `Trace`."""

    @property
    def id(self) -> str:
        """Id of its root."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What it did, with what it resumed."""

    @property
    def earlier(self) -> Earlier | None:
        """What was known before it."""

    @property
    def graph(self) -> ProvenanceGraph:
        """Its graph."""


def asks(events: Sequence[Event]) -> bool:
    """True if the root was called with something of its own: it is a turn, and resumes none."""
    root = events[0].run_id if events else None
    given = (each.inputs or () for each in events if each.run_id == root)
    return any(piece.attributes.keys().isdisjoint({REPLY, LEFT}) for pieces in given for piece in pieces)


def outputs_of(events: Sequence[Event]) -> set[str]:
    """Returns the texts that the runs among some events wrote, but for words that may stand anywhere."""
    texts = {piece.text.strip() for event in events for piece in getattr(event, "outputs", ())}
    return {text for text in texts if Text(text).distinctive}


def whose(events: Sequence[Event]) -> list[object]:
    """Returns whose run it is, as far as its root says: what one user's run wrote is none of another's."""
    said = events[0].metadata if events and isinstance(events[0], RunStarted) else {}
    return [said.get(key) for field in ("user", "tenant") for key in CONTEXT[field]]


def left_before(events: Sequence[Event]) -> list[str]:
    """Returns the texts that a run read of a state or a history and that were there before: it had not written them."""
    own, found = set[str](), dict[str, None]()
    for event in events:
        read = (*(event.inputs or ()), *getattr(event, "more_inputs", ()))
        texts = (piece.text.strip() for piece in read if LEFT in piece.attributes)
        found |= dict.fromkeys(text for text in texts if text not in own)
        own.update(piece.text.strip() for piece in getattr(event, "outputs", ()))
    return list(found)


def shares_state(before: Sequence[Event], events: Sequence[Event]) -> bool:
    """True if a run can have gone on from another's state; two graphs may use the same thread."""
    read = [event.inputs for event in events if isinstance(event, RunStarted) and event.hints.channels]
    texts = {piece.text for event in before for piece in (*(event.inputs or ()), *getattr(event, "outputs", ()))}
    return not any(read) or any(piece.text in texts for pieces in read for piece in pieces if piece.text.strip())


def resumed(parts: Sequence[Sequence[Event]]) -> tuple[Event, ...]:
    """Puts the runs that each resumed the one before into one.

    A step that was tried again under the name of the same task is one step: what the first try began belongs to it.
    """
    names = _names(parts)
    latest = {
        names[event.run_id]: cast("RunStarted", moved(event, 0, len(parts) - 1 - place))
        for place, events in enumerate(parts)
        for event in events
        if isinstance(event, RunStarted)
    }
    ids = {run: latest[name].run_id for run, name in names.items()}
    given = [piece for events in parts for piece in _given(events)]
    found_left = [piece for piece in given if LEFT in piece.attributes]
    known = {text for events in parts[:-1] for text in outputs_of(events)} if found_left else ()
    again = [piece for piece in found_left if any(text in piece.text for text in known)]
    root = latest[""] = replace(latest[""], inputs=tuple(piece for piece in given if piece not in again))
    found: list[Event] = []
    begun = set[str]()
    for place, events in enumerate(parts):
        for event in events:
            name = names.get(event.run_id, "?")
            if isinstance(event, RunStarted):
                if name not in begun:
                    begun.add(name)
                    parent = None if name == "" else ids.get(event.parent_id or "", root.run_id)
                    at = event.at if name else latest[""].at  # the run is the last; what it resumed was before it
                    found.append(replace(latest[name], seq=len(found) + 1, parent_id=parent, at=at))
            elif ids.get(event.run_id) == event.run_id:
                ended = moved(event, len(found) + 1, len(parts) - 1 - place)
                found.append(ended if name or isinstance(ended, RunStarted) else replace(ended, inputs=None))
    return tuple(found)


def _names(parts: Sequence[Sequence[Event]]) -> dict[str, str]:
    """A name for each run, by its id: the same for all tries of one step, and for the root, whose name is empty.

    What a step began inside, such as a subgraph, has no name of a task. If it did not end, and the same begins in the
    next try, it is the same.
    """
    names: dict[str, str] = {}
    unfinished: dict[str, str] = {}
    for events in parts:
        ended = {event.run_id for event in events if isinstance(event, RunEnded)}
        seen = Counter[str]()
        for event in events:
            if not isinstance(event, RunStarted):
                continue
            name = event.hints.task or ("" if event is events[0] else event.run_id)
            if name == event.run_id and event.kind == "chain":
                inside = f"{names.get(event.parent_id or '', '')}/{event.name}"
                seen[inside] += 1
                inside = f"{inside}/{seen[inside]}"
                if event.run_id not in ended:
                    name = unfinished[inside] = inside
                else:
                    name = unfinished.get(inside, name)
            names[event.run_id] = name
    return names


def _given(events: Sequence[Event]) -> Iterator[Piece]:
    """What the root of a part was called with."""
    given = [event.inputs for event in events if event.run_id == events[0].run_id and event.inputs is not None]
    yield from (replace(piece, ref=None) for piece in (given[-1] if given else ()))
