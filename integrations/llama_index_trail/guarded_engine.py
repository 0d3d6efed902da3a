"""`GuardedQueryEngine`: the same engine, which returns only answers that its sources support."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index_instrumentation.span import active_span_id

from llama_index_trail.drafts import (
    EngineDraft,
    EngineGuard,
    Request,
    Rewriting,
    around,
    followed,
    graph_of,
    no_span,
    recorded,
    texts_of,
)
from llama_index_trail.responses import replayed, streams, withheld
from llama_index_trail.results import decide, settle, untraced
from llama_index_trail.spans import method_of
from trail_callbacks.errors import InputError
from trail_callbacks.guard import (
    GuardKeywords,
    GuardOutcome,
    GuardSettings,
    GuardSteps,
    Stream,
    acarry_out,
    carry_out,
    guard_answer,
    reject,
)
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.signatures import shows_settings

if TYPE_CHECKING:
    from llama_index.core.base.response.schema import RESPONSE_TYPE
    from llama_index.core.prompts.mixin import PromptMixinType
    from llama_index.core.schema import QueryType

_RETRIEVING = frozenset({"retrieve", "aretrieve", "_retrieve", "_aretrieve"})
_caller: ContextVar[str | None] = ContextVar("llama_index_trail_caller", default=None)


class GuardedQueryEngine(BaseQueryEngine):
    """Judges each answer of a query engine before anybody gets it.

        engine = GuardedQueryEngine(index.as_query_engine(), judge="openai/gpt-5-mini", on_fail="retry")
        response = engine.query(question)
        response.metadata["trail"]["passed"]

    It is a query engine like the one inside and works wherever one does: in tools, routers, sub-question engines. An
    answer is checked against all that was read for it, at whatever depth; it is recorded for that, by the app's own
    recording if there is one. The response is of the type that the engine inside returns, and has the summary in
    `metadata["trail"]`, unless a retriever asked: it would put the metadata into a prompt. LlamaIndex's "Empty
    Response" makes no claim and passes.

    A withheld answer is a response too, with `blocked` in its summary and its sources kept, but for nodes and metadata
    that repeat what is withheld and were not read for it: what is raised inside a
    sub-question engine is swallowed, and what is raised in a tool becomes text that a model reads.

    To ask again without searching again, an engine that retrieves and then writes (`RetrieverQueryEngine`,
    `CitationQueryEngine`, one of them behind a query transform) writes from the same nodes, with the feedback beside
    the question. Any other engine is asked from the start: the feedback follows the question in the query, while
    embeddings are made of the question alone; keyword search and selectors see both.

    Args:
        engine: The engine inside; it is not changed.
        judge: Who decides; it must be given. A string such as `"openai/gpt-5-mini"` is a model through instructor;
            `as_model(llm)` is the app's own model; `"local"` is the offline judge.
        stream: `buffer`: a stream is returned when its answer is accepted; `pass`: tokens come at once, and the
            summary after the last one, which only `annotate` allows and does by default.
        **settings: `max_score`, `on_fail`, `max_retries` and more; see `trail_callbacks.guard.GuardSettings`. In
            place of a structured response that is withheld there is a plain one with the `message`.

    Raises:
        InputError: If a value is out of range, or `engine` is not a query engine.
        JudgeError: If there is no judge, or it is unknown.
    """

    @shows_settings(GuardSettings, GuardKeywords)
    def __init__(
        self,
        engine: BaseQueryEngine,
        judge: JudgeLike = None,
        *,
        stream: Stream | None = None,
        **settings: Unpack[GuardKeywords],
    ) -> None:
        if not isinstance(engine, BaseQueryEngine):
            raise InputError(f"GuardedQueryEngine takes a query engine, got {type(engine).__name__}")
        super().__init__(getattr(engine, "callback_manager", None))
        self._engine = engine
        self._guard = EngineGuard(GuardSettings(judge=judge, stream=stream, **settings), around=untraced)
        self._rewriting = Rewriting(engine)

    # ------------------------------------------------------------------ what the engine inside has

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"query_engine": self._engine}

    def __getattr__(self, name: str) -> Any:
        """Whatever else the engine inside has, e.g. `retriever`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._engine, name)

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """As the engine inside."""
        return self._engine.retrieve(query_bundle)

    # ------------------------------------------------------------------ answers

    @no_span
    def query(self, str_or_query_bundle: QueryType) -> RESPONSE_TYPE:
        """Asks the engine until an answer passes, or does what the settings say.

        Raises:
            AnswerRejectedError: If the settings say so.
        """
        token = _caller.set(active_span_id.get())
        try:
            return super().query(str_or_query_bundle)
        finally:
            _caller.reset(token)

    @no_span
    async def aquery(self, str_or_query_bundle: QueryType) -> RESPONSE_TYPE:
        """As `query`, without blocking the event loop."""
        token = _caller.set(active_span_id.get())
        try:
            return await super().aquery(str_or_query_bundle)
        finally:
            _caller.reset(token)

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        answer: RESPONSE_TYPE = self._guarded(Request(query=query_bundle), self._rewriting.ask)
        return answer

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        answer: RESPONSE_TYPE = await self._aguarded(Request(query=query_bundle), self._rewriting.aask)
        return answer

    def synthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """Writes an answer from nodes, guarded like those of `query`."""
        write = partial(self._rewriting.write, additional_source_nodes)
        answer: RESPONSE_TYPE = self._guarded(Request(query=query_bundle, nodes=nodes), write)
        return answer

    async def asynthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """As `synthesize`."""
        write = partial(self._rewriting.awrite, additional_source_nodes)
        answer: RESPONSE_TYPE = await self._aguarded(Request(query=query_bundle, nodes=nodes), write)
        return answer

    def _guarded(self, request: Request, ask: Callable[[Request], Any]) -> Any:
        def write(request: Request) -> EngineDraft:
            attempt = EngineDraft(query=request.query.query_str, hidden=_for_retriever())
            attempt.write(lambda: ask(request), live=self._guard.is_live)
            return attempt

        with recorded():
            if self._guard.is_live and streams((attempt := write(request)).response):
                attempt.response.response_gen = self._followed(attempt, attempt.response.response_gen, request)
                return attempt.response
            first = [attempt] if self._guard.is_live else []
            outcome = carry_out(
                self._steps(request), lambda again: first.pop() if first else write(again), self._guard.checker
            )
        return self._result(outcome)

    async def _aguarded(self, request: Request, ask: Callable[[Request], Any]) -> Any:
        async def write(request: Request) -> EngineDraft:
            attempt = EngineDraft(query=request.query.query_str, hidden=_for_retriever())
            await attempt.awrite(lambda: ask(request), live=self._guard.is_live)
            return attempt

        async def written(request: Request) -> EngineDraft:
            return first.pop() if first else await write(request)

        with recorded():
            if self._guard.is_live and streams((attempt := await write(request)).response):
                attempt.response.response_gen = self._afollowed(attempt, attempt.response.response_gen, request)
                return attempt.response
            first = [attempt] if self._guard.is_live else []
            outcome = await acarry_out(self._steps(request), written, self._guard.checker)
        return await asyncio.to_thread(self._result, outcome)  # work, if the answer is long

    def _steps(self, request: Request) -> GuardSteps[EngineDraft]:
        return guard_answer(
            self._guard.settings,
            request,
            graph_of=graph_of,
            texts_of=texts_of,
            revised=self._rewriting.revised,
            run=around,
        )

    def _result(self, outcome: GuardOutcome[EngineDraft]) -> Any:
        attempt, report = outcome.draft, outcome.report
        if outcome.action == "raise":
            reject(outcome)
        if self._guard.instead(outcome) is not None:
            response, report = withheld(attempt.response, self._guard.withheld_of(outcome)), None
        else:
            response = attempt.response if attempt.chunks is None else replayed(attempt.response, attempt.chunks)
        return _marked(response, outcome, report)

    # ------------------------------------------------------------------ streams that the user reads at once

    def _followed(self, attempt: EngineDraft, source: Any, request: Request) -> Generator[Any]:
        yield from followed(attempt, source).wrapped(source)
        outcome = carry_out(self._steps(request), lambda _: attempt, self._guard.checker)
        _marked(attempt.response, outcome, outcome.report)

    async def _afollowed(self, attempt: EngineDraft, source: Any, request: Request) -> AsyncGenerator[Any]:
        async def written(_: object) -> EngineDraft:
            return attempt

        async with aclosing(followed(attempt, source).wrapped_async(source)) as chunks:
            async for chunk in chunks:
                yield chunk
        outcome = await acarry_out(self._steps(request), written, self._guard.checker)
        await asyncio.to_thread(_marked, attempt.response, outcome, outcome.report)


def _for_retriever() -> bool:
    """True if a retriever asks: it makes a node of the response, with its metadata, which a prompt will show."""
    caller = _caller.get()
    return caller is not None and method_of(caller) in _RETRIEVING


def _marked(response: Any, outcome: GuardOutcome[EngineDraft], report: Report | None) -> Any:
    summary = outcome.summary()
    if not summary:
        return response
    if outcome.draft.hidden:
        settle(response, report)
    else:
        decide(response, summary, report)
    return response
