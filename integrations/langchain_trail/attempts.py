"""The drafts of one guarded call: each is a run of its own, recorded by a handler of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs

from langchain_trail.drafts import Drafts
from langchain_trail.events import adispatch, dispatch
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.parts import complete
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import Outcome, ended_at

__all__ = ["Attempts", "Draft"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What the app returned, or streamed, and the run that it came from."""

    output: Any
    run_id: UUID
    chunks: list[Any] | None = None


class Attempts:
    """The drafts of one call.

    Args:
        config: The config of the call.
        hide: False shows drafts to the user as they are written.

    Attributes:
        run_id: The run of the last draft.
    """

    def __init__(self, config: RunnableConfig, *, hide: bool = True) -> None:
        self._config = config
        self._recorder = TrailCallbackHandler(evaluate="never")
        self._drafts = Drafts(config, hide=hide)
        self.run_id = uuid4()

    def next(self) -> RunnableConfig:
        """Returns the config of the next draft."""
        self.run_id = uuid4()
        return merge_configs(self._drafts.next(), {"callbacks": [self._recorder], "run_id": self.run_id})

    def graph(self, draft: Draft) -> ProvenanceGraph:
        """Returns the provenance graph of a draft."""
        return complete(self._recorder.graph(draft.run_id), draft.output)

    def graph_so_far(self, text: str, given: Any) -> ProvenanceGraph:
        """Returns the graph of an answer that is still being written.

        Args:
            text: The answer so far.
            given: The input of the call.
        """
        graph = self._recorder.graph_so_far(self.run_id, text)
        wrote = [node for node in graph.nodes if node.kind in {"completion", "answer"} and node.text == text]
        if wrote and graph.question:
            return graph if graph.answer else ended_at(graph, wrote[-1].id, text)
        # A stream reports its input at its end; a question that is a plain text is known all the same.
        question = graph.question.text if graph.question else given if isinstance(given, str) else None
        leaves = graph.leaves(wrote[-1].id) if wrote else graph.leaves()
        return ProvenanceGraph.from_texts(text, [leaf for leaf in leaves if leaf is not graph.question], question)

    def publish(self, outcome: Outcome[Any]) -> None:
        """Shows the last draft if it is accepted, and sends the summary of its report."""
        if not outcome.withheld:
            self._drafts.release()
        if summary := outcome.summary():
            dispatch(summary, self._config)

    async def apublish(self, outcome: Outcome[Any]) -> None:
        """As `publish`."""
        if not outcome.withheld:
            await self._drafts.arelease()
        if summary := outcome.summary():
            await adispatch(summary, self._config)
