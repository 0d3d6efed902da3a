"""What LangGraph's own history says of a thread: which step wrote what, in runs that no callback of ours saw.

Each task of a checkpoint has its name and what it wrote, but not whether a model did. So a text that a step wrote is of
unknown origin, and so is a tool's result, which a model may have made inside it; a document that names where it is from
counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from langchain_trail.pieces import pieces
from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Event, Hints, Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.trace import Trace

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

_START = "__start__"
_TURNS = 8


class ThreadHistory:
    """The history of one thread.

    Args:
        snapshots: What `graph.get_state_history(config)` returns, the newest first.
        adopted: Returns events as they are kept.
    """

    def __init__(
        self, snapshots: Iterable[StateSnapshot], adopted: Callable[[Iterable[Event]], tuple[Event, ...]]
    ) -> None:
        self._adopted = adopted
        known = {_id(each.config): each for each in snapshots}
        here = next(iter(known.values()), None)
        line = []
        while here is not None:  # a thread may have branches: of time travel, or of an updated state
            line.append(here)
            here = known.pop(_id(here.parent_config), None)
        self._snapshots = line[::-1]
        self._equal: dict[Any, Piece] = {}

    def before(self, time: float) -> Trace | None:
        """Returns the last turn before a time, in seconds since the epoch, with those before it."""
        turns: list[list[StateSnapshot]] = []
        for each in self._snapshots:
            if _time(each) >= time:
                break
            if not turns or (each.metadata or {}).get("source") == "input":
                turns.append([])
            turns[-1].append(each)
        found: Trace | None = None
        for turn in turns[-_TURNS:]:
            earlier = None if found is None else Earlier.before(found.graph, _TURNS)
            found = Trace(id=_id(turn[0].config) or "", events=self._adopted(self._events(turn, time)), earlier=earlier)
        return found

    def _events(self, turn: list[StateSnapshot], time: float) -> Iterator[Event]:
        root, at, seq = _id(turn[0].config) or "history", _time(turn[0]), 1
        tasks = [(snapshot, task) for snapshot in turn for task in snapshot.tasks]
        given = next((task.result for _, task in tasks if task.name == _START), None)
        yield RunStarted(
            seq=1, run_id=root, parent_id=None, kind="chain", name="LangGraph", inputs=pieces(given), at=at,
            hints=Hints(unnamed=True),
        )  # fmt: skip
        ends = {_id(each.parent_config): _time(each) for each in self._snapshots}
        for snapshot, task in tasks:
            if task.name == _START or task.result is None or ends.get(_id(snapshot.config), time) >= time:
                continue
            name = f"{task.name}:{task.id}"
            step = int((snapshot.metadata or {}).get("step", 0)) + 1
            yield RunStarted(
                seq=seq + 1, run_id=name, parent_id=root, kind="chain", name=task.name, at=_time(snapshot),
                inputs=self._read(snapshot.values), hints=Hints(channels=True, task=name, superstep=step),
            )  # fmt: skip
            yield RunEnded(seq=seq + 2, run_id=name, outputs=tuple(map(_written, pieces(task.result))))
            seq += 2
        yield RunFailed(seq=seq + 1, run_id=root, error="known from the graph's history", status="paused")

    def _read(self, values: Any) -> tuple[Piece, ...]:
        """The pieces of a state; equal ones are kept once, because each step reads all of it."""
        found = (replace(piece, ref=None) for piece in pieces(values))
        return tuple(self._equal.setdefault((each.path, each.id, each.text), each) for each in found)


def _written(piece: Piece) -> Piece:
    """A piece that a step wrote, with the origin that can be told."""
    named = piece.form == "document" and (piece.id is not None or bool(piece.attributes))
    if named or piece.role in {"user", "assistant", "system"}:
        return piece
    return replace(piece, origin="unknown")


def _id(config: Any) -> str | None:
    return ((config or {}).get("configurable") or {}).get("checkpoint_id")


def _time(snapshot: StateSnapshot) -> float:
    return datetime.fromisoformat(snapshot.created_at).timestamp() if snapshot.created_at else 0.0
