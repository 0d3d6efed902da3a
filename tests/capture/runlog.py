"""Writes run trees by hand, as an adapter would report them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trail_callbacks.capture.events import Event, Hints, Piece, RunEnded, RunFailed, RunStarted


def text(value: str, *path: str | int, **more) -> Piece:
    return Piece(text=value, path=path, **more)


def message(value: str, role: str = "user", *path: str | int, **more) -> Piece:
    return Piece(text=value, path=path, form="message", role=role, **more)


def document(value: str, *path: str | int, **more) -> Piece:
    return Piece(text=value, path=path, form="document", **more)


class RunLog:
    """Collects events in order; `run` opens a run for the length of a `with` block."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._stack: list[str] = []
        self._count = 0

    def start(self, kind: str, *inputs: Piece, name: str | None = None, **hints) -> str:
        self._count += 1
        run_id = f"run-{self._count}"
        parent = self._stack[-1] if self._stack else None
        self.events.append(
            RunStarted(
                seq=len(self.events) + 1, run_id=run_id, parent_id=parent, kind=kind, name=name or kind,
                inputs=inputs, hints=Hints(**hints),
            )
        )  # fmt: skip
        return run_id

    def end(self, run_id: str, *outputs: Piece, inputs: tuple[Piece, ...] | None = None) -> None:
        self.events.append(RunEnded(seq=len(self.events) + 1, run_id=run_id, outputs=outputs, inputs=inputs))

    def fail(self, run_id: str, error: str = "ValueError: no") -> None:
        self.events.append(RunFailed(seq=len(self.events) + 1, run_id=run_id, error=error))

    @contextmanager
    def run(self, kind: str, *inputs: Piece, name: str | None = None, **hints) -> Iterator[list[Piece]]:
        run_id = self.start(kind, *inputs, name=name, **hints)
        self._stack.append(run_id)
        outputs: list[Piece] = []
        yield outputs
        self._stack.pop()
        self.end(run_id, *outputs)

    def did(self, kind: str, inputs: list[Piece], outputs: list[Piece], name: str | None = None, **hints) -> None:
        with self.run(kind, *inputs, name=name, **hints) as written:
            written.extend(outputs)
