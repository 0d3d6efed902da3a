"""`GuardedQueryEngine`: the same engine, of which only those answers come out that its sources support."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index_instrumentation.dispatcher import DISPATCHER_SPAN_DECORATED_ATTR
from llama_index_instrumentation.span import active_span_id

from llama_index_trail.drafts import Draft, Request, adraft, draft, followed, hides, recorded, run_here
from llama_index_trail.grounds import from_nodes
from llama_index_trail.responses import is_empty, replayed, said, streams, withheld
from llama_index_trail.results import decide, settle
from llama_index_trail.rewriting import Rewriting
from llama_index_trail.scope import untraced
from llama_index_trail.spans import method_of
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    BLOCKED,
    Checker,
    Guarding,
    LastResort,
    OnFail,
    Outcome,
    Policy,
    acarry_out,
    carry_out,
    guarding,
    refused,
)
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from llama_index.core.base.response.schema import RESPONSE_TYPE
    from llama_index.core.prompts.mixin import PromptMixinType
    from llama_index.core.schema import QueryType

    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["GuardedQueryEngine"]

_READ = frozenset({"document", "tool_result"})
_RETRIEVING = frozenset({"retrieve", "aretrieve", "_retrieve", "_aretrieve"})
_caller: ContextVar[str | None] = ContextVar("llama_index_trail_caller", default=None)

Method = TypeVar("Method", bound=Callable[..., Any])


def _no_span(method: Method) -> Method:
    """Keeps LlamaIndex from making a span of an override that only looks around before it calls the real method."""
    setattr(method, DISPATCHER_SPAN_DECORATED_ATTR, True)
    return method


class GuardedQueryEngine(BaseQueryEngine):
    """Judges each answer of a query engine before anybody gets it.

        engine = GuardedQueryEngine(index.as_query_engine(), on_fail="retry")
        response = engine.query(question)
        response.metadata["trail"]["passed"]

    It is a query engine like the one inside and stands wherever one does: in tools, routers, sub-question engines. An
    answer is held against all that was read for it, at whatever depth; it is recorded for that, by the app's own
    recording if there is one. The response is of the type that the engine inside returns, and carries the summary in
    `metadata["trail"]`, except where a retriever asked: it would put the metadata into a prompt.

    A withheld answer is a response too, with `blocked` in its summary and its sources kept: what is raised inside a
    sub-question engine is swallowed, and what is raised in a tool becomes text that a model reads.

    To ask again without searching again, an engine that retrieves and then writes (`RetrieverQueryEngine`,
    `CitationQueryEngine`, one of them behind a query transform) writes from the same nodes, with the feedback beside
    the question. Any other engine is asked anew: the feedback follows the question in the query, while embeddings are
    made of the question alone; keyword search and selectors see both.

    Args:
        engine: The engine inside; it is not changed.
        judge: Who decides; None is the offline judge. `as_model(llm)` is the app's own model.
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        on_fail: `retry`: ask again, told which claims failed and what the sources say; `block`: return `message`
            instead; `annotate`: let it through with its report; `raise`: raise `AnswerRejectedError`.
        max_retries: Further drafts asked for, 0 or more.
        exhausted: What `retry` does with the last draft.
        on_error: When the judge fails: `open` lets the answer through with the failure noted, `closed` does what
            `on_fail` (of `retry`: `exhausted`) says.
        no_evidence: What is done with claims when nothing was read that could support them, see `Policy`. LlamaIndex's
            "Empty Response" is no claim and passes.
        timeout: Seconds for judging one draft, above 0; None waits as long as it takes.
        max_calls: Model calls of the judge for all drafts of one answer; None is no limit. `options` limits each draft.
        max_tokens: Tokens, likewise.
        options: Settings of the verification; by default the origin of unsupported claims is looked for only where the
            report gets to the user (`annotate`, `raise`).
        message: What the user reads in place of a withheld answer. A structured response is then without content, and
            says it as a text.
        stream: `buffer`: a stream is handed out when its answer is accepted; `pass`: tokens come at once, and the
            summary after the last one, which only `annotate` allows and does by default.
        on_report: Called with the report on every draft, on the thread that judged.

    Raises:
        InputError: If a value is out of range, or `engine` is no query engine.
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self,
        engine: BaseQueryEngine,
        judge: JudgeLike = None,
        max_score: float = 0.0,
        on_fail: OnFail = "retry",
        max_retries: int = 2,
        *,
        exhausted: LastResort = "block",
        on_error: Literal["open", "closed"] = "open",
        no_evidence: Literal["pass", "fail"] = "fail",
        timeout: float | None = 60.0,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        options: VerifyOptions | None = None,
        message: str = BLOCKED,
        stream: Literal["buffer", "pass"] | None = None,
        on_report: Callable[[Report], None] | None = None,
    ) -> None:
        if not isinstance(engine, BaseQueryEngine):
            raise InputError(f"GuardedQueryEngine takes a query engine, got {type(engine).__name__}")
        super().__init__(getattr(engine, "callback_manager", None))
        self._engine = engine
        self._policy = Policy(
            max_score=max_score,
            on_fail=on_fail,
            max_retries=max_retries,
            exhausted=exhausted,
            on_error=on_error,
            no_evidence=no_evidence,
        )
        self._checker = Checker(
            judge,
            options or self._policy.options(),
            timeout=timeout,
            max_calls=max_calls,
            max_tokens=max_tokens,
            on_report=on_report,
            around=untraced,
        )
        self._message = message
        self._live = not hides(stream, on_fail)
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

    @_no_span
    def query(self, str_or_query_bundle: QueryType) -> RESPONSE_TYPE:
        """Asks the engine until an answer passes, or does what the policy says.

        Raises:
            AnswerRejectedError: If the policy says so.
        """
        token = _caller.set(active_span_id.get())
        try:
            return super().query(str_or_query_bundle)
        finally:
            _caller.reset(token)

    @_no_span
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
        def write(request: Request) -> Draft:
            made = Draft(hidden=_for_retriever())

            def work() -> Any:
                made.run = run_here()
                made.response = ask(request)
                if streams(made.response):
                    if self._live:
                        return made.response
                    _exhaust(made, made.response.response_gen)
                    return made.text
                made.text = said(made.response)
                return made.text

            draft(request.query.query_str, work)
            return made

        with recorded():
            if self._live and streams((made := write(request)).response):
                made.response.response_gen = self._followed(made, made.response.response_gen, request)
                return made.response
            first = [made] if self._live else []
            outcome = carry_out(
                self._steps(request), lambda again: first.pop() if first else write(again), self._checker
            )
        return self._result(outcome)

    async def _aguarded(self, request: Request, ask: Callable[[Request], Any]) -> Any:
        async def write(request: Request) -> Draft:
            made = Draft(hidden=_for_retriever())

            async def work() -> Any:
                made.run = run_here()
                made.response = await ask(request)
                if streams(made.response):
                    if self._live:
                        return made.response
                    await _aexhaust(made, made.response.response_gen)
                    return made.text
                made.text = said(made.response)
                return made.text

            await adraft(request.query.query_str, work)
            return made

        async def written(request: Request) -> Draft:
            return first.pop() if first else await write(request)

        with recorded():
            if self._live and streams((made := await write(request)).response):
                made.response.response_gen = self._afollowed(made, made.response.response_gen, request)
                return made.response
            first = [made] if self._live else []
            outcome = await acarry_out(self._steps(request), written, self._checker)
        return self._result(outcome)

    def _steps(self, request: Request) -> Guarding[Draft]:
        return guarding(self._policy, request, graph_of=_graph_of, revised=self._rewriting.revised)

    def _result(self, outcome: Outcome[Draft]) -> Any:
        made, report = outcome.draft, outcome.report
        if outcome.action == "raise":
            refused(outcome)
        if outcome.action == "block":
            response, report = withheld(made.response, self._message), None
        else:
            response = made.response if made.chunks is None else replayed(made.response, made.chunks)
        return _marked(response, outcome, report)

    # ------------------------------------------------------------------ streams that the user reads at once

    def _followed(self, made: Draft, source: Any, request: Request) -> Generator[Any]:
        yield from followed(made, source).wrapped(source)
        outcome = carry_out(self._steps(request), lambda _: made, self._checker)
        _marked(made.response, outcome, outcome.report)

    async def _afollowed(self, made: Draft, source: Any, request: Request) -> AsyncGenerator[Any]:
        async def read(_: object) -> Draft:
            return made

        async with aclosing(followed(made, source).wrapped_async(source)) as chunks:
            async for chunk in chunks:
                yield chunk
        outcome = await acarry_out(self._steps(request), read, self._checker)
        _marked(made.response, outcome, outcome.report)


def _for_retriever() -> bool:
    """True if a retriever asks: it makes a node of the response, with its metadata, which a prompt will show."""
    caller = _caller.get()
    return caller is not None and method_of(caller) in _RETRIEVING


def _exhaust(made: Draft, source: Any) -> None:
    for _ in followed(made, source).wrapped(source):
        pass  # it keeps the chunks


async def _aexhaust(made: Draft, source: Any) -> None:
    async for _ in followed(made, source).wrapped_async(source):
        pass  # it keeps the chunks


def _graph_of(request: Request, made: Draft) -> Callable[[], ProvenanceGraph] | None:
    nodes = made.response.source_nodes or []
    if is_empty(made.text, nodes):
        return None

    def graph() -> ProvenanceGraph:
        found = made.graph()
        if found is not None and (not nodes or any(node.kind in _READ for node in found.nodes)):
            return found
        return from_nodes(nodes, made.text, request.query.query_str)  # its author's own parts show nothing

    return graph


def _marked(response: Any, outcome: Outcome[Draft], report: Report | None) -> Any:
    summary = outcome.summary()
    if not summary:
        return response
    if outcome.draft.hidden:
        settle(response, report)
    else:
        decide(response, summary, report)
    return response
