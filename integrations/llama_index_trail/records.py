"""Records: what spans emit. They hold snapshots only, and are converted to events later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from llama_index_trail.raw import Raw, pieces
from trail_callbacks.capture.events import Hints, RunEnded, RunFailed, RunKind, RunStarted, Status
from trail_callbacks.capture.payloads import is_cancellation, labels, scalars

__all__ = ["Ended", "Failed", "Started", "status_of"]


@dataclass(slots=True, eq=False)
class Started:
    """A run began. See `RunStarted`."""

    run_id: str
    parent_id: str | None
    kind: RunKind
    name: str
    inputs: Sequence[Raw] = ()
    call_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    phase: ClassVar[Literal["started"]] = "started"

    def convert(self, seq: int) -> RunStarted:
        """Makes the event."""
        return RunStarted(
            seq=seq,
            run_id=self.run_id,
            parent_id=self.parent_id,
            kind=self.kind,
            name=self.name,
            inputs=pieces(self.inputs),
            hints=Hints(call_id=self.call_id),
            tags=labels(self.metadata.get("tags")) if self.metadata else (),
            metadata=scalars(self.metadata) if self.metadata else {},
        )


@dataclass(slots=True, eq=False)
class Ended:
    """A run came to its end. See `RunEnded`."""

    run_id: str
    outputs: Sequence[Raw] = ()
    more_inputs: Sequence[Raw] = ()
    parent_id: ClassVar[None] = None
    phase: ClassVar[Literal["ended"]] = "ended"

    def convert(self, seq: int) -> RunEnded:
        """Makes the event."""
        return RunEnded(seq=seq, run_id=self.run_id, outputs=pieces(self.outputs), more_inputs=pieces(self.more_inputs))


@dataclass(slots=True, eq=False)
class Failed:
    """A run was left by an exception. See `RunFailed`."""

    run_id: str
    error: str
    status: Status = "error"
    outputs: Sequence[Raw] = ()
    parent_id: ClassVar[None] = None
    phase: ClassVar[Literal["failed"]] = "failed"

    def convert(self, seq: int) -> RunFailed:
        """Makes the event."""
        return RunFailed(
            seq=seq, run_id=self.run_id, error=self.error, status=self.status, outputs=pieces(self.outputs)
        )


def status_of(error: BaseException | None) -> Status:
    """Returns what an exception means: the app stopped the run, or it failed."""
    return "cancelled" if is_cancellation(error) else "error"
