"""A retriever that serves the real texts or those of a fictive twin, by the arm of a canary run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import run_in_executor
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation

from langchain_trail.context import untraced
from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.serving.quarantine import refuse_polluted
from trail_callbacks.canary.serving.source import CanarySource, Embedding, Sight, checked_arm, shared_parts
from trail_callbacks.canary.twin import TAG, Twin
from trail_callbacks.errors import InputError

__all__ = ["CanaryRetriever"]

Call = tuple[Sight, RunnableConfig | None, Mapping[str, Any]]
_call: ContextVar[Call | None] = ContextVar("langchain_trail_canary", default=None)
_NOT_INHERITED = frozenset({"callbacks", "run_id", "run_name"})


class CanaryRetriever(BaseRetriever):
    """Wraps the retriever of an app. Outside of a canary run, and under the arm `real`, it is that retriever.

        retriever = CanaryRetriever(store.as_retriever(), twin)
        with exposed("fictive", twin):
            retriever.invoke("How long does the ferry take?")

    Under `fictive` the same documents come with the texts of the twin: ids, order and scores stay, metadata gets the
    tag of the twin and is translated where it has text. They are copies. A passage that cannot be placed in the corpus
    is left out, and `dropped` of the exposure, and the log, say why. Under `empty` and `closed_book` nothing is found.
    An error of the wrapped retriever passes through.

    What the wrapped retriever does for the arm `fictive` is not recorded, because callbacks would take the real texts
    that it finds for context of the answer: the run of this retriever is, with what it serves.

    Wrap what stands last before the prompt: a reranker, a compressor or a parent-document retriever with its store.

    Args:
        retriever: The app's own, or any runnable from a question to documents.
        twin: The corpus that the app reads, and its twin.
        embedding: `real`: passages are found by their real text, and swapped then. `fictive`: they are found in an
            index of the twin, which `index` makes, in memory and never in that of the app.
        index: Makes a retriever over the documents of the twin, each whole and tagged; called once, when first needed.
        arm: Serves this arm whatever the code around says; see `under`.
        **details: `tags` and `metadata` of the recorded runs, as of any retriever.

    Raises:
        InputError: If `retriever` is no runnable, `index` is missing, or the twin is none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retriever: SkipValidation[Runnable[str, list[Document]]] = Field(repr=False)
    twin: SkipValidation[Twin] = Field(repr=False, exclude=True)
    embedding: Embedding = "real"
    index: SkipValidation[Callable[[list[Document]], BaseRetriever] | None] = Field(
        default=None, repr=False, exclude=True
    )
    arm: Arm | None = None
    _source: CanarySource[Runnable[str, list[Document]]] = PrivateAttr()

    def __init__(
        self,
        retriever: Runnable[str, list[Document]],
        twin: Twin,
        *,
        embedding: Embedding = "real",
        index: Callable[[list[Document]], BaseRetriever] | None = None,
        arm: Arm | None = None,
        **details: Any,
    ) -> None:
        if not isinstance(retriever, Runnable):
            raise InputError(f"retriever: expected a retriever, got {type(retriever).__name__}")
        # Before pydantic, which would wrap what this raises.
        source: CanarySource[Runnable[str, list[Document]]] = CanarySource(
            twin, embedding, None if index is None else self._indexed
        )
        arm = None if arm is None else checked_arm(arm)
        super().__init__(retriever=retriever, twin=twin, embedding=embedding, index=index, arm=arm, **details)  # type: ignore[call-arg]
        self._source = source

    @property
    def source(self) -> CanarySource[Runnable[str, list[Document]]]:
        """What this retriever shares with its copies for single arms; `translator.counts` says what was swapped."""
        return self._source

    def under(self, arm: Arm) -> CanaryRetriever:
        """Returns a copy that serves one arm in whatever thread it is called.

        Raises:
            InputError: If there is no such arm.
        """
        return self.model_copy(update={"arm": checked_arm(arm)})

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - as Runnable names it
        """Returns what the arm is served."""
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._noted(self.retriever.invoke(input, config, **kwargs), sight)
        token = _call.set((sight, config, kwargs))
        try:
            return super().invoke(input, config)
        finally:
            _call.reset(token)

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._noted(await self.retriever.ainvoke(input, config, **kwargs), sight)
        token = _call.set((sight, config, kwargs))
        try:
            return await super().ainvoke(input, config)
        finally:
            _call.reset(token)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        sight, config, kwargs = _call.get() or (self._source.sight(self.arm), None, {})
        if sight.is_untouched:
            return self._noted(self.retriever.invoke(query, {"callbacks": run_manager.get_child()}), sight)
        if sight.arm != "fictive":
            return self._noted([], sight)
        finder = self._source.fictive_finder() if self.index else self.retriever
        with untraced():
            found = finder.invoke(query, _silent(config), **kwargs)
        return self._fictive(found, sight)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        sight, config, kwargs = _call.get() or (self._source.sight(self.arm), None, {})
        if sight.is_untouched:
            return self._noted(await self.retriever.ainvoke(query, {"callbacks": run_manager.get_child()}), sight)
        if sight.arm != "fictive":
            return self._noted([], sight)
        finder = await run_in_executor(None, self._source.fictive_finder) if self.index else self.retriever
        with untraced():
            found = await finder.ainvoke(query, _silent(config), **kwargs)
        return self._fictive(found, sight)

    def _noted(self, found: list[Document], sight: Sight) -> list[Document]:
        """Documents that are served as they were found."""
        if sight.arm is None and sight.exposure is None:
            return found
        refuse_polluted(found)
        if sight.exposure is not None:
            locate = self._source.translator.documents
            sight.exposure.served(
                [each.page_content for each in found],
                [id_ for each in found for id_ in locate(each.page_content, each.id, each.metadata)],
            )
        return found

    def _fictive(self, found: Sequence[Document], sight: Sight) -> list[Document]:
        self._source.refuse_if_off()
        served: list[Document] = []
        documents: list[str] = []
        dropped: list[Skipped] = []
        translator = self._source.translator
        if self.embedding == "real":
            refuse_polluted(found)
        for each in found:
            if self.embedding == "fictive":
                served.append(each.model_copy(update={"metadata": {**each.metadata, TAG: self.twin.id}}))
                documents.extend(translator.named(None, each.metadata)[:1])
                continue
            translated = translator.passage(each.page_content, each.id, each.metadata)
            if not translated.text or not translated.text.strip():
                self._source.drop(dropped, each.id, translated)
                continue
            details = translator.metadata(each.metadata, translated.documents)
            served.append(each.model_copy(update={"page_content": translated.text, "metadata": details}))
            documents.extend(translated.documents)
        if sight.exposure is not None:
            sight.exposure.served([each.page_content for each in served], documents, dropped)
        return served

    def _indexed(self) -> Runnable[str, list[Document]]:
        """The retriever over the twin, made by the user's function."""
        assert self.index is not None  # noqa: S101 - for the type checker: asked for where there is one
        documents = [  # under ids of their own: a store that has those of the real ones would overwrite them
            Document(each.text, id=f"{TAG}:{each.id}", metadata={"source": each.id, **each.metadata, TAG: self.twin.id})
            for each in self.twin.fictive
        ]
        made = self.index(documents)
        if not isinstance(made, Runnable):
            raise InputError(f"index: expected it to return a retriever, got {type(made).__name__}")
        if made is self.retriever or (shared := shared_parts(self.retriever, made, (VectorStore, BaseStore))):
            what = (
                "the app's own retriever" if made is self.retriever else f"a retriever over the app's own {shared[0]}"
            )
            raise InputError(
                f"index: it returned {what}; fictive texts must not enter it. Make a new store, such as "
                "InMemoryVectorStore.from_documents(documents, embeddings).as_retriever(); if documents were added to "
                f"the app's, delete those with {TAG!r} in their metadata"
            )
        return made


def _silent(config: RunnableConfig | None) -> RunnableConfig:
    """The config of a call without its callbacks."""
    kept = {key: value for key, value in (config or {}).items() if key not in _NOT_INHERITED}
    return cast("RunnableConfig", {**kept, "callbacks": []})
