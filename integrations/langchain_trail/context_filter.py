"""The context filter as a step of a LangChain app, its decisions recorded where the graph shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
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

EVENT = "trail.filter"
_DOCUMENTS = ("documents", "docs", "context")


class TrailContextFilter(BaseDocumentCompressor, BaseDocumentTransformer):
    """Keeps passages from the model that address it or contradict the majority. Offline.

    As a compressor: `ContextualCompressionRetriever(base_compressor=TrailContextFilter(), base_retriever=retriever)`.
    As a step: `retriever | TrailContextFilter().as_runnable()`. In a function of one's own, or a node of a graph:
    `TrailContextFilter().compress_documents(documents, question)`.

    Each call is a run of its own, so every callback handler receives its input and output. In the graph of
    `TrailCallbackHandler` a document that was dropped or flagged has `attributes["filter"]`, with reasons, and one
    that was dropped has no outgoing edge. Watchers of a stream get the custom event `trail.filter`.

    Documents are returned in order and unchanged, except that one that was flagged comes as a copy with
    `metadata["trail_filter"]`. If the filter fails, all documents are returned, and the event and the log say so.

    Attributes:
        filter: What is looked for and what is done about it.
        on_filtered: Called with every outcome, on the thread of the call; what it raises is logged.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    filter: ContextFilter = Field(default_factory=ContextFilter)
    on_filtered: Callable[[Filtered[Document]], None] | None = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Returns the documents that go on; see `ContextFilter.apply`."""
        return self._run(documents, query, callbacks)

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """As `compress_documents`, without blocking the event loop."""
        return await self._arun(documents, query, callbacks)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Returns the documents that go on."""
        return self._run(documents, _question(kwargs), kwargs.get("callbacks"))

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """As `transform_documents`, without blocking the event loop."""
        return await self._arun(documents, _question(kwargs), kwargs.get("callbacks"))

    def as_runnable(self) -> Runnable[Any, list[Document]]:
        """Returns the filter as a step that takes a list of documents, or a mapping with `documents` and `question`.

        The step raises `InputError` for a mapping without `documents`, `docs` or `context`, and for anything else that
        is not a list.
        """
        return RunnableLambda(
            lambda given: self._run(*_given(given), None),
            afunc=lambda given: self._arun(*_given(given), None),
            name="TrailContextFilter",
        )

    def _run(self, documents: Sequence[Document], question: str | None, callbacks: Callbacks) -> list[Document]:
        manager = get_callback_manager_for_config(_config(callbacks))
        run = manager.on_chain_start(None, _inputs(documents, question), name="TrailContextFilter")
        outcome = self.filter.apply(list(documents))
        report_outcome(outcome, self.on_filtered)
        returned, shown = _documents(outcome)
        if (child := run.get_child()).handlers and _has_reasons(outcome):
            child.on_custom_event(EVENT, _event(outcome), run_id=run.run_id)
        run.on_chain_end(returned, inputs=_inputs(shown, question))
        return returned

    async def _arun(self, documents: Sequence[Document], question: str | None, callbacks: Callbacks) -> list[Document]:
        manager = get_async_callback_manager_for_config(_config(callbacks))
        run = await manager.on_chain_start(None, _inputs(documents, question), name="TrailContextFilter")
        outcome = await run_in_executor(None, self.filter.apply, list(documents))
        report_outcome(outcome, self.on_filtered)
        returned, shown = _documents(outcome)
        if (child := run.get_child()).handlers and _has_reasons(outcome):
            await child.on_custom_event(EVENT, _event(outcome), run_id=run.run_id)
        await run.on_chain_end(returned, inputs=_inputs(shown, question))
        return returned


def _config(callbacks: Callbacks) -> RunnableConfig:
    """The config to run in: the callbacks that were given, else those of the run around this code, if there is one."""
    return ensure_config() if callbacks is None else ensure_config({"callbacks": callbacks})


def _inputs(documents: Sequence[Document], question: str | None) -> dict[str, Any]:
    inputs: dict[str, Any] = {"documents": list(documents)}
    return inputs if question is None else {**inputs, "question": question}


def _documents(outcome: Filtered[Document]) -> tuple[list[Document], list[Document]]:
    """What is returned, and what callbacks are shown as input: the same objects, with the reasons on copies."""
    shown = [_annotated(decision) for decision in outcome.decisions]
    return [document for document, decision in zip(shown, outcome.decisions, strict=True) if decision.kept], shown


def _annotated(decision: PassageDecision[Document]) -> Document:
    document = decision.passage
    if not decision.reasons:
        return document
    note = {"kept": decision.kept, "reasons": [reason.to_dict() for reason in decision.reasons]}
    return document.model_copy(update={"metadata": {**document.metadata, FILTERED: note}})


def _has_reasons(outcome: Filtered[Document]) -> bool:
    return bool(outcome.errors) or any(decision.reasons for decision in outcome.decisions)


def _event(outcome: Filtered[Document]) -> dict[str, Any]:
    return {
        "kept": sum(decision.kept for decision in outcome.decisions),
        "dropped": [_entry(decision) for decision in outcome.dropped],
        "flagged": [_entry(decision) for decision in outcome.flagged],
        "errors": list(outcome.errors),
        "warnings": list(outcome.warnings),
    }


def _entry(decision: PassageDecision[Document]) -> dict[str, Any]:
    return {
        "index": decision.index,
        "id": decision.passage.id,
        "reasons": [reason.to_dict() for reason in decision.reasons],
    }


def _question(details: Mapping[str, Any]) -> str | None:
    question = details.get("question", details.get("query"))
    return question if isinstance(question, str) else None


def _given(given: Any) -> tuple[Sequence[Document], str | None]:
    """The documents and the question of a step's input. A wrong key must not leave the model without its context."""
    documents: Any = given
    if isinstance(given, Mapping):
        key = next((key for key in _DOCUMENTS if key in given), None)
        if key is None:
            raise InputError(
                f"no documents in an input with {', '.join(map(repr, given))}: pass a list of documents, or a mapping "
                f"that has them under {', '.join(map(repr, _DOCUMENTS))}"
            )
        documents = given[key]
    if isinstance(documents, str | bytes) or not isinstance(documents, Sequence):
        raise InputError(f"expected a list of documents, got {type(documents).__name__}")
    return documents, _question(given) if isinstance(given, Mapping) else None
