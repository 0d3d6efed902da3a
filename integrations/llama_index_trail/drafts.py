"""A draft of an answer: a run of its own, recorded by the app's recording if there is one, else by one of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from llama_index.core.schema import QueryBundle
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.dispatcher import DISPATCHER_SPAN_DECORATED_ATTR
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

_SOURCES = frozenset({"document", "tool_result"})

Asked = TypeVar("Asked", bound="Request")
Method = TypeVar("Method", bound=Callable[..., Any])

_span = get_dispatcher(__name__).span


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a draft is asked for."""

    query: Any
    feedback: str = ""


@dataclass(slots=True, kw_only=True)
class EngineDraft:
    """The answer of an engine."""

    response: Any = None
    text: str = ""
    query: str = ""
    chunks: list[Any] | None = None
    run: tuple[Session, str] | None = field(default=None, repr=False)
    hidden: bool = False

    def write(self, ask: Callable[[], Any], *, live: bool = False) -> None:
        """Lets an engine write it, as a run of its own."""

        def work() -> Any:
            self.run = run_here()
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
            self.run = run_here()
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
        return from_nodes(nodes, draft.text, request.query.query_str)

    return graph


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


def revised(request: Asked, draft: EngineDraft, feedback: str) -> Asked:  # noqa: ARG001 - a guard passes it
    """Returns the request for the next draft."""
    return replace(request, feedback=feedback)


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
