"""A retriever that serves the real texts or those of a fictive twin, by the arm of a canary run."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, cast

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation

from langchain_trail.handler import untraced
from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.serving.exposure import checked_arm
from trail_callbacks.canary.serving.source import CanarySource, Framework, Sight
from trail_callbacks.canary.twin import Twin

Call = tuple[Sight, RunnableConfig | None, Mapping[str, Any]]
_call: ContextVar[Call | None] = ContextVar("langchain_trail_canary", default=None)
_NOT_INHERITED = frozenset({"callbacks", "run_id", "run_name"})


def _write(document: Document, text: str | None, metadata: dict[str, Any]) -> Document:
    return document.model_copy(update={"metadata": metadata} | ({} if text is None else {"page_content": text}))


_LANGCHAIN: Final = Framework(
    retriever=Runnable,
    read=lambda document: (document.page_content, document.id, document.metadata),
    write=_write,
    shown=lambda document: document.page_content,
)


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
        arm: Serves this arm whatever the code around says; see `under`.
        **details: `tags` and `metadata` of the recorded runs, as of any retriever.

    Raises:
        InputError: If `retriever` is no runnable, or the twin is none.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    retriever: SkipValidation[Runnable[str, list[Document]]] = Field(repr=False)
    twin: SkipValidation[Twin] = Field(repr=False, exclude=True)
    arm: Arm | None = None
    _source: CanarySource[Document] = PrivateAttr()

    def __init__(
        self,
        retriever: Runnable[str, list[Document]],
        twin: Twin,
        *,
        arm: Arm | None = None,
        **details: Any,
    ) -> None:
        # Before pydantic, which would wrap what these raise.
        source = CanarySource(retriever, twin, _LANGCHAIN)
        arm = None if arm is None else checked_arm(arm)
        super().__init__(retriever=retriever, twin=twin, arm=arm, **details)  # type: ignore[call-arg]
        self._source = source

    @property
    def source(self) -> CanarySource[Document]:
        """What this retriever shares with its copies for single arms."""
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
            return self._source.served(self.retriever.invoke(input, config, **kwargs), sight)
        token = _call.set((sight, config, kwargs))
        try:
            return super().invoke(input, config)
        finally:
            _call.reset(token)

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:  # noqa: A002 - as Runnable names it
        """As `invoke`, without blocking the event loop."""
        sight = self._source.sight(self.arm)
        if sight.is_untouched:
            return self._source.served(await self.retriever.ainvoke(input, config, **kwargs), sight)
        token = _call.set((sight, config, kwargs))
        try:
            return await super().ainvoke(input, config)
        finally:
            _call.reset(token)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - LangChain's signature
        sight, config, kwargs = _call.get() or (self._source.sight(self.arm), None, {})
        if sight.arm in ("empty", "closed_book"):
            return self._source.served([], sight)
        with untraced():
            found = self.retriever.invoke(query, _silent(config), **kwargs)
        return self._source.served(found, sight)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain's signature
    ) -> list[Document]:
        sight, config, kwargs = _call.get() or (self._source.sight(self.arm), None, {})
        if sight.arm in ("empty", "closed_book"):
            return self._source.served([], sight)
        with untraced():
            found = await self.retriever.ainvoke(query, _silent(config), **kwargs)
        return self._source.served(found, sight)


def _silent(config: RunnableConfig | None) -> RunnableConfig:
    """The config of a call without its callbacks."""
    kept = {key: value for key, value in (config or {}).items() if key not in _NOT_INHERITED}
    return cast("RunnableConfig", {**kept, "callbacks": []})
