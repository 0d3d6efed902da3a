"""Asking an engine again: with feedback, and without searching for other sources than before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.query_engine import CitationQueryEngine, RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import QueryBundle

from llama_index_trail.drafts import Draft, Request

__all__ = ["Rewriting"]

_RETRIEVE_THEN_WRITE = (RetrieverQueryEngine, CitationQueryEngine)


class Rewriting:
    """Asks one engine for drafts.

    Args:
        engine: The engine.
    """

    def __init__(self, engine: BaseQueryEngine) -> None:
        self._engine = engine
        self._synthesizer = _writer(engine)

    def ask(self, request: Request) -> Any:
        """Lets the engine answer, or write again from the nodes retrieved before."""
        if request.feedback and request.nodes is not None and self._synthesizer is not None:
            return self._synthesizer.synthesize(_query(request), request.nodes)
        return self._engine.query(_query(request))

    async def aask(self, request: Request) -> Any:
        """As `ask`."""
        if request.feedback and request.nodes is not None and self._synthesizer is not None:
            return await self._synthesizer.asynthesize(_query(request), request.nodes)
        return await self._engine.aquery(_query(request))

    def write(self, additional: Sequence[Any] | None, request: Request) -> Any:
        """Lets the engine write from nodes that the caller retrieved."""
        return self._engine.synthesize(_query(request), request.nodes or [], additional)

    async def awrite(self, additional: Sequence[Any] | None, request: Request) -> Any:
        """As `write`."""
        return await self._engine.asynthesize(_query(request), request.nodes or [], additional)

    def revised(self, request: Request, draft: Draft, feedback: str) -> Request:
        """Returns the request for the next draft."""
        nodes = request.nodes
        if nodes is None and self._synthesizer is not None:
            nodes = list(draft.response.source_nodes)
        return replace(request, feedback=feedback, nodes=nodes)


def _writer(engine: BaseQueryEngine) -> BaseSynthesizer | None:
    """The part that writes, if the engine does nothing but retrieve and let it write."""
    while isinstance(engine, TransformQueryEngine) and _answers_as(engine, TransformQueryEngine):
        engine = engine._query_engine  # noqa: SLF001 - there is no other way in
    if not any(_answers_as(engine, kind) for kind in _RETRIEVE_THEN_WRITE):
        return None
    synthesizer = getattr(engine, "_response_synthesizer", None)
    return synthesizer if isinstance(synthesizer, BaseSynthesizer) else None


def _answers_as(engine: BaseQueryEngine, kind: type) -> bool:
    """True unless a subclass answers in a way of its own."""
    bases = type(engine).__mro__
    return all(next(base for base in bases if name in vars(base)) is kind for name in ("_query", "_aquery"))


def _query(request: Request) -> QueryBundle:
    """The query, followed by the feedback. Embeddings are made of the user's words alone."""
    query: QueryBundle = request.query
    if not request.feedback:
        return query
    return QueryBundle(
        query_str=f"{query.query_str}\n\n{request.feedback}",
        image_path=query.image_path,
        custom_embedding_strs=query.embedding_strs,
        embedding=query.embedding,
    )
