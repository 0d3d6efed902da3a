"""A draft of an answer: a run of its own, recorded by the app's recording if there is one, else by one of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, TypeVar

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.query_engine import CitationQueryEngine, RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import QueryBundle
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.dispatcher import DISPATCHER_SPAN_DECORATED_ATTR, active_instrument_tags
from llama_index_instrumentation.span import active_span_id

from llama_index_trail.instrument import Trail, trail
from llama_index_trail.messages import joined
from llama_index_trail.responses import ended_with, from_nodes, is_empty, read_contents, response_text, streams
from llama_index_trail.results import current, suppressed
from llama_index_trail.streams import Stream
from llama_index_trail.tracker import TRACKER
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import Guard, GuardOutcome
from trail_callbacks.guard.withheld import Withheld, read_texts
from trail_callbacks.session import Session
from trail_callbacks.session.guarded import GuardedRun

_SOURCES = frozenset({"document", "tool_result"})

Method = TypeVar("Method", bound=Callable[..., Any])

_span = get_dispatcher(__name__).span


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a draft is asked for."""

    query: Any
    feedback: str = ""
    nodes: list[Any] | None = None


@dataclass(slots=True, kw_only=True)
class EngineDraft:
    """The answer of an engine."""

    response: Any = None
    text: str = ""
    query: str = ""
    chunks: list[Any] | None = None
    run: tuple[Session, str] | None = field(default=None, repr=False)
    around: GuardedRun = field(default_factory=GuardedRun, repr=False)
    hidden: bool = False

    def write(self, ask: Callable[[], Any], *, live: bool = False) -> None:
        """Lets an engine write it, as a run of its own."""

        def work() -> Any:
            self.run, self.around = run_here(), guarded_run_here()
            self.response = ask()
            if streams(self.response):
                if live:
                    return self.response
                for _ in followed(self, source := self.response.response_gen).wrapped(source):
                    pass
            return self.said()

        draft(self.query, work)

    async def awrite(self, ask: Callable[[], Awaitable[Any]], *, live: bool = False) -> None:
        """As `write`."""

        async def work() -> Any:
            self.run, self.around = run_here(), guarded_run_here()
            self.response = await ask()
            if streams(self.response):
                if live:
                    return self.response
                async for _ in followed(self, source := self.response.response_gen).wrapped_async(source):
                    pass
            return self.said()

        await adraft(self.query, work)

    def said(self) -> str:
        """Returns the text, once it is written."""
        if self.chunks is None:
            self.text = response_text(self.response)
        return self.text

    def graph(self) -> ProvenanceGraph | None:
        """Returns what was recorded of it, or None."""
        if self.run is None:
            return None
        session, run_id = self.run
        try:
            return ended_with(session.recorder.graph_under(run_id), session.redacted(self.text))
        except InputError:  # given up as too old
            return None


class EngineGuard(Guard):
    """The guard of a query or chat engine."""

    def withheld_of(self, outcome: GuardOutcome[Any]) -> Withheld:
        """Returns what nobody is to read of a draft; nodes that its engine did not read may be made of it."""
        draft: EngineDraft = outcome.draft
        read = read_texts(outcome.report.graph) if outcome.report else []
        sources = read_contents(draft.response.source_nodes or (), [draft.query, *read])
        return self.withheld(outcome, [draft.text], [draft.query, *sources])


def no_span(method: Method) -> Method:
    """Keeps LlamaIndex from making a span of an override that only prepares the call of the method."""
    setattr(method, DISPATCHER_SPAN_DECORATED_ATTR, True)
    return method


@contextmanager
def recorded(recording: Callable[[], Trail] | None = None) -> Generator[None]:
    """Records what runs inside, unless it is recorded already."""
    scoped = TRACKER.installed is not None or current.get() is not None
    if scoped or suppressed() or TRACKER.run_at(active_span_id.get()) is not None:
        yield
        return
    with trail(evaluate="never") if recording is None else recording():
        yield


def run_here() -> tuple[Session, str] | None:
    """Returns the session that records the code that runs now, and the run it is in; None if nothing does."""
    return TRACKER.run_at(active_span_id.get())


def guarded_run_here() -> GuardedRun:
    """Returns what is known of the root run around the code that runs now."""
    here = run_here()
    if here is None:
        return GuardedRun(metadata=active_instrument_tags.get())
    session, run_id = here
    return GuardedRun(session=session, root=session.recorder.root_of(run_id) or run_id)


def note_history() -> None:
    """Makes what this code's prompts showed of earlier turns an input of the run it is in."""
    TRACKER.note_history(active_span_id.get())


def followed(draft: EngineDraft, source: Any) -> Stream:
    """Follows the stream of a draft, and keeps its chunks.

    A model that is asked only while it is read is part of the component that made it.
    """
    here = active_span_id.get()

    def ended(chunks: list[Any], error: BaseException | None) -> None:
        draft.chunks, draft.text = chunks, joined(chunks)
        if error is None and draft.run is not None:
            TRACKER.was_read(source, draft.run[1], draft.text)

    return Stream(TRACKER.maker_of(source, draft.run[1] if draft.run else here), ended, ended)


def graph_of(request: Request, draft: EngineDraft) -> Callable[[], ProvenanceGraph] | None:
    """Returns how to get the provenance graph of a draft; None if the engine found nothing and made no answer."""
    nodes = draft.response.source_nodes or []
    if is_empty(draft.text, nodes):
        return None

    def graph() -> ProvenanceGraph:
        captured = draft.graph()
        if captured is not None and (not nodes or any(node.kind in _SOURCES for node in captured.nodes)):
            return captured
        # LlamaIndex's tracing may not show components that the app's author wrote.
        read = from_nodes(nodes, draft.text, request.query.query_str)
        return draft.run[0].redacted_graph(read) if draft.run else read  # what is redacted reaches no judge

    return graph


around = attrgetter("around")


def texts_of(draft: EngineDraft) -> list[str]:
    """Returns the text of a draft, if its answer is a text and no object."""
    said = [draft.response.response] if draft.chunks is None else draft.chunks
    return [draft.text] if all(isinstance(each, str) for each in said) else []


@_span
def draft(query: str, write: Callable[[], Any]) -> Any:  # noqa: ARG001 - the span shows the query
    """Runs code as a run of its own, which the name of this function names in the graph."""
    return write()


@_span
async def adraft(query: str, write: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ARG001 - as above
    """As `draft`."""
    return await write()


_RETRIEVE_THEN_WRITE = (RetrieverQueryEngine, CitationQueryEngine)


class Rewriting:
    """Asks one engine for drafts."""

    def __init__(self, engine: BaseQueryEngine) -> None:
        self._engine = engine
        self._synthesizer = _writer(engine)

    def ask(self, request: Request) -> Any:
        """Lets the engine answer, or write again from the nodes retrieved before."""
        if request.feedback and request.nodes is not None and self._synthesizer is not None:
            return self._synthesizer.synthesize(asked_again(request), request.nodes)
        return self._engine.query(asked_again(request))

    async def aask(self, request: Request) -> Any:
        """As `ask`."""
        if request.feedback and request.nodes is not None and self._synthesizer is not None:
            return await self._synthesizer.asynthesize(asked_again(request), request.nodes)
        return await self._engine.aquery(asked_again(request))

    def write(self, additional: Sequence[Any] | None, request: Request) -> Any:
        """Lets the engine write from nodes that the caller retrieved."""
        return self._engine.synthesize(asked_again(request), request.nodes or [], additional)

    async def awrite(self, additional: Sequence[Any] | None, request: Request) -> Any:
        """As `write`."""
        return await self._engine.asynthesize(asked_again(request), request.nodes or [], additional)

    def revised(self, request: Request, draft: EngineDraft, feedback: str) -> Request:
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


def asked_again(request: Request) -> QueryBundle:
    """Returns the query, followed by the feedback. Embeddings are made of the user's words alone."""
    query: QueryBundle = request.query
    if not request.feedback:
        return query
    return QueryBundle(
        query_str=f"{query.query_str}\n\n{request.feedback}",
        image_path=query.image_path,
        custom_embedding_strs=query.embedding_strs,
        embedding=query.embedding,
    )
