"""The context filter as a step of a LangChain app, its decisions recorded where the graph shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import (
    ensure_config,
    get_async_callback_manager_for_config,
    get_callback_manager_for_config,
    run_in_executor,
)
from pydantic import ConfigDict, Field

from langchain_trail.pieces import FILTERED
from trail_callbacks.context_filter import ContextFilter, Filtered, PassageDecision, report_outcome
from trail_callbacks.errors import InputError

_NAME = "TrailContextFilter"


class TrailContextFilter(BaseDocumentCompressor):
    """Keeps passages from the model that address it or contradict the majority. Offline.

    As a compressor: `ContextualCompressionRetriever(base_compressor=TrailContextFilter(), base_retriever=retriever)`.
    As a step: `retriever | TrailContextFilter().as_runnable()`. In a function of one's own, or a node of a graph:
    `TrailContextFilter().compress_documents(documents, question)`.

    Each call is a run of its own, so every callback handler receives its input and output. In the graph of
    `TrailCallbackHandler` a document that was dropped or flagged has `attributes["filter"]`, with reasons, and one
    that was dropped has no outgoing edge.

    Documents are returned in order and unchanged, except that one that was flagged comes as a copy with
    `metadata["trail_filter"]`. If the filter fails, all documents are returned, and the log says so.

    Attributes:
        filter: What is looked for and what is done about it.
        on_filtered: Called with every outcome, on the thread of the call; what it raises is logged.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    filter: ContextFilter = Field(default_factory=ContextFilter)
    on_filtered: Callable[[Filtered[Document]], None] | None = None

    def compress_documents(
        self, documents: Sequence[Document], query: str | None, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Returns the documents that go on; see `ContextFilter.apply`."""
        run = get_callback_manager_for_config(_config(callbacks)).on_chain_start(
            None, _inputs(documents, query), name=_NAME
        )
        shown, returned = self._decided(documents)
        run.on_chain_end(returned, inputs=_inputs(shown, query))
        return returned

    async def acompress_documents(
        self, documents: Sequence[Document], query: str | None, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """As `compress_documents`, without blocking the event loop."""
        run = await get_async_callback_manager_for_config(_config(callbacks)).on_chain_start(
            None, _inputs(documents, query), name=_NAME
        )
        shown, returned = await run_in_executor(None, self._decided, documents)
        await run.on_chain_end(returned, inputs=_inputs(shown, query))
        return returned

    def as_runnable(self) -> Runnable[list[Document], list[Document]]:
        """Returns the filter as a step that takes a list of documents, and raises `InputError` for anything else."""
        return RunnableLambda(
            lambda given: self.compress_documents(_listed(given), None),
            afunc=lambda given: self.acompress_documents(_listed(given), None),
            name=_NAME,
        )

    def _decided(self, documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
        """What callbacks are shown as input, with the reasons on copies, and what is returned of the same objects."""
        outcome = self.filter.apply(list(documents))
        report_outcome(outcome, self.on_filtered)
        shown = [_annotated(decision) for decision in outcome.decisions]
        return shown, [document for document, each in zip(shown, outcome.decisions, strict=True) if each.kept]


def _config(callbacks: Callbacks) -> RunnableConfig:
    """The config to run in: the callbacks that were given, else those of the run around this code, if there is one."""
    return ensure_config() if callbacks is None else ensure_config({"callbacks": callbacks})


def _inputs(documents: Sequence[Document], question: str | None) -> dict[str, Any]:
    inputs: dict[str, Any] = {"documents": list(documents)}
    return inputs if question is None else {**inputs, "question": question}


def _annotated(decision: PassageDecision[Document]) -> Document:
    document = decision.passage
    if not decision.reasons:
        return document
    note = {"kept": decision.kept, "reasons": [reason.to_dict() for reason in decision.reasons]}
    return document.model_copy(update={"metadata": {**document.metadata, FILTERED: note}})


def _listed(given: Any) -> Sequence[Document]:
    """A wrong input must not leave the model without its context."""
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise InputError(f"expected a list of documents, got {type(given).__name__}")
    return given
