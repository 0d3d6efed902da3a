"""The recorded run as a value: flat events plus context. Everything else is a pure function of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trail_callbacks.capture.build import build
from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Event
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.trace.calls import model_calls
from trail_callbacks.trace.codec import dumped, loaded, schema_of
from trail_callbacks.trace.context import Context, Versions
from trail_callbacks.trace.packings import packings
from trail_callbacks.trace.reading import Reading
from trail_callbacks.trace.rerankings import rerankings
from trail_callbacks.trace.retrievals import retrievals
from trail_callbacks.trace.steps import ModelCall, Packing, Reranking, Retrieval

__all__ = ["Trace"]


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
