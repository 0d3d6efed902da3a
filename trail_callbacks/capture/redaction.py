"""Redaction: the user's function applied to all that an event says before the event is stored."""

from __future__ import annotations

import hashlib
import os
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from trail_callbacks.capture.events import (
    DECLARED,
    FILTER,
    LEFT,
    REPLY,
    Event,
    Hints,
    Piece,
    RunFailed,
    RunStarted,
    with_pieces,
)
from trail_callbacks.capture.payloads import KEYS, contained
from trail_callbacks.capture.runs import NAMES
from trail_callbacks.graph import ProvenanceGraph

Redact: TypeAlias = Callable[[str], str] | Sequence[Callable[[str], str]]
"""A function that returns a text without what must not be stored, or several that are applied in turn."""

WITHHELD = "[withheld: redact failed]"

_KINDS = frozenset({"instruction", "contradiction"})  # of what a context filter found
_READ = (
    NAMES
    | _KINDS
    | {REPLY, LEFT, DECLARED, FILTER, "answer", "question", "kept", "reasons", "quote", "why", "source"}
    | KEYS
)
"""Names that mean something to the rest of the engine: of attributes, of inputs and outputs. They stay."""

_DEPTH = 16
_LONG_NUMBER = 1_000_000  # smaller ones are ranks, pages, years; one like this may be a telephone number
_SECRET = os.urandom(16)


class Redactor:
    """Applies a function to every text, name, id and detail of an event.

    Links between texts stay: equal texts become equal texts, and ids that differ stay different, whatever the function
    makes of them. What has a meaning of its own is not touched: ids of runs, which the framework makes, roles, numbers.

    Args:
        redact: What to apply. It must return the same for the same text. What it raises, or returns that is no string,
            withholds the text.
        on_error: Called with what `redact` raises.

    Attributes:
        functions: What is applied, in turn.
    """

    def __init__(self, redact: Redact, on_error: Callable[[Exception], None]) -> None:
        self.functions = (redact,) if callable(redact) else tuple(redact)
        self._distinct = all(getattr(each, "distinct", False) for each in self.functions)
        self._on_error = on_error

    def event(self, event: Event) -> Event:
        """Returns the event with everything redacted."""
        changed = with_pieces(event, self._pieces)
        if isinstance(changed, RunFailed):
            return replace(changed, error=self.text(changed.error))
        if isinstance(changed, RunStarted):
            name, tags = self.text(changed.name), tuple(map(self.text, changed.tags))
            said, hints = self.metadata(changed.metadata), self._hints(changed.hints)
            return replace(changed, name=name, tags=tags, metadata=said, hints=hints)
        return changed

    def metadata(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Returns metadata with its keys and values redacted; those that name a field of a trace keep their names."""
        return {self._name(key): self._value(value) for key, value in metadata.items()}

    def text(self, text: str) -> str:
        """Returns a text without what must not be stored."""
        try:
            return self._applied(text)
        except BaseException as error:  # noqa: BLE001 - a failing redactor must not leak what it should have hidden
            self._on_error(contained(error))
            return WITHHELD

    def graph(self, graph: ProvenanceGraph) -> ProvenanceGraph:
        """Returns a graph that was made of other things than events as if it had been made of redacted ones."""
        nodes = tuple(
            replace(
                node,
                id=self._name(node.id),
                text=self.text(node.text),
                step=None if node.step is None else self.text(node.step),
                model_spans=(),
                attributes=self._value(node.attributes),
            )
            for node in graph.nodes
        )
        edges = tuple(
            replace(edge, source=self._name(edge.source), target=self._name(edge.target)) for edge in graph.edges
        )
        return ProvenanceGraph(nodes=nodes, edges=edges)

    def error(self, error: Exception) -> Exception:
        """Returns an exception without what its message, its causes and the variables of its frames hold.

        Its type stays if it can be made from a message alone; where it was raised is in its notes.
        """
        try:
            message = self._applied(str(error))
        except BaseException as fault:  # noqa: BLE001 - it may be the one that `redact` raised
            contained(fault)
            message = WITHHELD
        return bare(error, message)

    def _applied(self, text: str) -> str:
        for function in self.functions:
            redacted = function(text)
            if not isinstance(redacted, str):
                raise TypeError(f"redact returned {type(redacted).__name__}, expected a string")
            text = redacted
        return text

    def _name(self, name: str) -> str:
        """The redacted form of an id or a key. Two that look alike afterwards are told apart by a keyed hash."""
        if name in _READ:
            return name
        redacted = self.text(name)
        if redacted == name or (self._distinct and redacted != WITHHELD):
            return redacted
        return f"{redacted}#{hashlib.blake2b(name.encode('utf-8', 'replace'), key=_SECRET, digest_size=5).hexdigest()}"

    def _id(self, id_: str | None) -> str | None:
        return None if id_ is None else self._name(id_)

    def _path(self, path: Iterable[str | int]) -> tuple[str | int, ...]:
        return tuple(self._name(part) if isinstance(part, str) else part for part in path)

    def _hints(self, hints: Hints) -> Hints:
        used = None if hints.variables is None else tuple(map(self._name, hints.variables))
        return replace(
            hints,
            branch=self._id(hints.branch),
            task=self._id(hints.task),
            call_id=self._id(hints.call_id),
            variables=used,
            source_keys=tuple(map(self._name, hints.source_keys)),
        )

    def _pieces(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        return tuple(map(self._piece, pieces))

    def _piece(self, piece: Piece) -> Piece:
        text = self.text(piece.text)
        attributes = {self._name(key): self._value(value) for key, value in piece.attributes.items()}
        if FILTER in attributes:
            attributes[FILTER] = _within(attributes[FILTER], text)
        return replace(
            piece,
            text=text,
            path=self._path(piece.path),
            id=self._id(piece.id),
            call_id=self._id(piece.call_id),
            attributes=attributes,
        )

    def _value(self, value: Any, depth: int = 0) -> Any:
        """A detail with all strings in it redacted."""
        if isinstance(value, str):
            return value if value in _KINDS else self.text(value)
        if depth >= _DEPTH:
            return WITHHELD
        if isinstance(value, int) and abs(value) >= _LONG_NUMBER:
            redacted = self.text(str(value))
            return value if redacted == str(value) else redacted
        if isinstance(value, Mapping):
            return {
                self._name(key) if isinstance(key, str) else key: self._value(each, depth + 1)
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._value(each, depth + 1) for each in value]
        return value


def bare(error: Exception, message: str) -> Exception:
    """Returns an exception of the same type with another message, without cause, context and frames."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    kept: Exception
    try:
        kept = type(error).__new__(type(error), message)
        kept.args = (message,)
        if str(kept) != message:
            raise TypeError("it makes its message of something else")  # noqa: TRY301 - as if it could not be made
    except Exception:  # noqa: BLE001 - it needs more than a message
        kept = RuntimeError(f"{type(error).__name__}: {message}")
    if frames:
        kept.add_note(f"raised at (most recent call last):\n{frames}")
    return kept


def _within(decision: Any, text: str) -> Any:
    """What a filter noted, without quotes that show a redacted place in part: they are no part of the text any more."""
    if not isinstance(decision, Mapping) or not isinstance(decision.get("reasons"), list):
        return decision
    reasons = [
        {key: value for key, value in reason.items() if key != "quote" or (isinstance(value, str) and value in text)}
        for reason in decision["reasons"]
        if isinstance(reason, Mapping)
    ]
    return {**decision, "reasons": reasons}
