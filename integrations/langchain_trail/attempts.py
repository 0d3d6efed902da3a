"""The drafts of one guarded call: each is a run of its own, recorded by a handler of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.answers import answer_message, answer_text, complete, earlier, parts, shown
from langchain_trail.drafts import Drafts, adispatch, dispatch
from langchain_trail.grounds import redacting
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.memory import held, identified, without_reviews
from langchain_trail.pieces import pieces
from langchain_trail.withholding import cleared, field_texts
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import Guard, GuardOutcome
from trail_callbacks.guard.withheld import Withheld, read_texts


@dataclass(frozen=True, slots=True)
class Draft:
    """What the app returned, or streamed, and the run that it came from."""

    output: Any
    run_id: UUID
    chunks: list[Any] | None = None


class Attempts:
    """The drafts of one call.

    Attributes:
        run_id: The run of the last draft.
    """

    def __init__(self, guard: Guard, config: RunnableConfig, app: Runnable[Any, Any], given: Any) -> None:
        self._guard = guard
        self._config = config
        self._given = given
        self._app = app
        self._holder = held(app)
        self._reviews: frozenset[str] = frozenset()
        known = redacting(config)  # the judge reads what is recorded here: no more than the app's own handler keeps
        self._recorder = TrailCallbackHandler(evaluate="never", redact=known.settings.redact if known else None)
        self._drafts = Drafts(config, hide=not guard.is_live)
        self._withheld: Withheld | None = None
        self.run_id = uuid4()

    def next(self) -> tuple[Runnable[Any, Any], RunnableConfig]:
        """Returns the app to write the next draft with, whose memory is held back, and its config."""
        self._holder = held(self._app)
        self.run_id = uuid4()
        config = merge_configs(self._drafts.next(), {"callbacks": [self._recorder], "run_id": self.run_id})
        return self._holder.runnable, config

    def reviewed(self, given: Any, request: Any) -> Any:
        """Returns a request whose reviews can be told from the messages that the app was given."""
        request, reviews = identified(given, request)
        self._reviews |= reviews
        return request

    def unreviewed(self, output: Any) -> Any:
        """Returns an output without the reviews of earlier drafts."""
        return without_reviews(output, self._reviews)

    def graph(self, draft: Draft) -> ProvenanceGraph:
        """Returns the provenance graph of a draft."""
        output = shown(draft.output, draft.chunks)
        return complete(self._recorder.graph(draft.run_id), output, self._recorder.session.redacted)

    def publish(self, outcome: GuardOutcome[Any], summary: dict[str, Any]) -> None:
        """Shows the last draft if it is accepted, and sends the summary of its report."""
        if not outcome.withheld:
            self._drafts.release()
        if summary:
            dispatch(summary, self._config)

    async def apublish(self, outcome: GuardOutcome[Any], summary: dict[str, Any]) -> None:
        """As `publish`."""
        if not outcome.withheld:
            await self._drafts.arelease()
        if summary:
            await adispatch(summary, self._config)

    def keep(self, outcome: GuardOutcome[Any]) -> None:
        """Lets the app remember the answer as the user gets it; of one that raises nothing is kept."""
        self._holder.keep(self._scrub(outcome))

    async def akeep(self, outcome: GuardOutcome[Any]) -> None:
        """As `keep`."""
        await self._holder.akeep(await asyncio.to_thread(self._scrub, outcome))

    def withheld(self, outcome: GuardOutcome[Any]) -> Withheld:
        """Returns what is withheld of a draft that is not accepted."""
        if self._withheld is not None:
            return self._withheld
        graph = outcome.report.graph if outcome.report else ProvenanceGraph(nodes=())
        output = outcome.draft.output
        known = [piece.text for piece in pieces([self._given, earlier(self.unreviewed(output))])] + read_texts(graph)
        texts = [] if outcome.taken else _answer_texts(output, graph, known)
        self._withheld = self._guard.withheld(outcome, texts, known, field_texts)
        return self._withheld

    def _scrub(self, outcome: GuardOutcome[Any]) -> Callable[[Any], Any]:
        if self._guard.instead(outcome) is None:
            return self.unreviewed
        withheld = self.withheld(outcome)
        return lambda value: cleared(self.unreviewed(value), withheld)


def _answer_texts(output: Any, graph: ProvenanceGraph, known: Sequence[str]) -> list[str]:
    """The answer as it was judged: one text, or several side by side.

    If there is no graph, because the judge failed before there was one, it is all that the app was not given.
    """
    if (message := answer_message(output)) is not None:
        return [answer_text(message)]
    given = {text.strip() for text in known}
    return (
        parts(graph, output)
        or ([graph.answer.text] if graph.answer else [])
        or [piece.text for piece in pieces(output) if piece.text.strip() not in given]
    )
