"""The recorded run as a value: flat events plus context. Everything else is a pure function of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from trail_callbacks.capture.build import build
from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Event
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.trace.codec import dumped, loaded, schema_of
from trail_callbacks.trace.context import Context, Versions
from trail_callbacks.trace.packings import packings
from trail_callbacks.trace.rerankings import rerankings
from trail_callbacks.trace.retrievals import Reading, model_calls, retrievals
from trail_callbacks.trace.steps import ModelCall, Packing, Reranking, Retrieval


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A recorded run that can be kept, and verified, diagnosed or replayed later with other settings.

    Attributes:
        id: Id of the root run; of an imported trace, its id in the tool that recorded it.
        events: What the run did, in the order of `seq`.
        earlier: What is known of the conversation before the run; None if it is the first turn.
        context: Whose run it was.
        versions: What answered.
        warnings: What is known to be missing, or odd.
        lost: Those of the warnings that are about texts of an imported run which its file lacks: a report on it is
            `partial` at best, because nobody can check what is not there.
    """

    id: str
    events: tuple[Event, ...]
    earlier: Earlier | None = None
    context: Context = field(default_factory=Context)
    versions: Versions = field(default_factory=Versions)
    warnings: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @cached_property
    def graph(self) -> ProvenanceGraph:
        """The provenance graph, built once."""
        return build(self.events, self.earlier)

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.events, self.graph)

    @property
    def question(self) -> str | None:
        """The user's request; None if there is none."""
        return self.graph.question.text if self.graph.question else None

    @property
    def answer(self) -> str | None:
        """What the app returned; None if it returned nothing."""
        return self.graph.answer.text if self.graph.answer else None

    @cached_property
    def retrievals(self) -> tuple[Retrieval, ...]:
        """Every retrieval, in order of its start; those of earlier turns are left out."""
        return retrievals(self._reading)

    @cached_property
    def rerankings(self) -> tuple[Reranking, ...]:
        """Every reranking or filtering, in order of its start."""
        return rerankings(self._reading)

    @cached_property
    def packings(self) -> tuple[Packing, ...]:
        """The evidence in the prompt of every model call that could have read some, in order of its start."""
        return packings(self._reading)

    @cached_property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every call of a model, in order of its start."""
        return model_calls(self._reading)

    def to_json(self) -> str:
        """Serialises the trace on one line; `from_json` returns an equal one.

        Raises:
            InputError: If something in it is not JSON-serialisable (text, number, list, dictionary).
        """
        return dumped(self)

    @classmethod
    def from_json(cls, data: str | bytes) -> Trace:
        """Reads a trace that `to_json` wrote.

        Raises:
            InputError: If it is truncated, no trace, or of a newer version.
        """
        return loaded(cls, data)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Returns the JSON schema of saved traces, as `trace.schema.json` publishes it."""
        return schema_of(cls)


def save(path: str | Path, traces: Trace | Iterable[Trace]) -> None:
    """Writes one trace as JSON, or several as JSON lines: atomically, a new file for its owner only.

    Args:
        path: The file; one that is there is replaced.
        traces: A trace, or several, which are written as they come.

    Raises:
        InputError: If the file cannot be written or a trace cannot be serialised; then nothing is replaced.
    """
    several = [traces] if isinstance(traces, Trace) else traces
    write(str(path), (f"{each.to_json()}\n" for each in several))


def read(path: str | Path, on_error: Callable[[InputError], object] | None = None) -> Iterator[Trace]:
    """Reads the traces of a file: one as JSON, or several as JSON lines, one after the other.

    Args:
        path: The file.
        on_error: Called with what is wrong with a line, which is left out then. None raises it.

    Raises:
        InputError: If the file cannot be read, or a line is no trace; names file and line.
    """
    try:
        with Path(path).open("rb") as stream:
            yield from read_lines(stream, str(path), on_error)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def read_lines(stream: IO[bytes], name: str, on_error: Callable[[InputError], object] | None = None) -> Iterator[Trace]:
    """As `read`, of an open stream."""
    first = stream.readline().removeprefix(b"\xef\xbb\xbf")
    if not _is_json(first):
        rest = stream.read()
        if _is_json(first + rest):  # one trace, with line breaks in it
            yield from _trace(first + rest, name, on_error)
            return
        lines: Iterable[bytes] = [first, *rest.splitlines()]
    else:
        lines = _chained(first, stream)
    found = False
    for number, line in enumerate(lines, 1):
        if line.strip():
            found = True
            yield from _trace(line, f"{name}, line {number}", on_error)
    if not found:
        raise InputError(f"{name} is empty: expected a trace")


def _chained(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _trace(data: bytes, where: str, on_error: Callable[[InputError], object] | None) -> Iterator[Trace]:
    try:
        yield Trace.from_json(data)
    except InputError as error:
        named = InputError(f"{where}: {error}")
        if on_error is None:
            raise named from error
        on_error(named)
