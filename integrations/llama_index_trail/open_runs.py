"""Runs that are open, and how they end: with a result, an exception, or the last token of a stream.

A run whose result is a stream ends when the stream has been read, was abandoned, or was collected as garbage.
"""

from __future__ import annotations

import time
import weakref
from asyncio import CancelledError
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from llama_index_trail.families import is_kind
from llama_index_trail.messages import documents, joined, reply
from llama_index_trail.pieces import BEYOND, answer_of, event_fields
from llama_index_trail.records import ByIdentity, Raw, SpanEnded, usage_of
from llama_index_trail.results import Scope, current
from llama_index_trail.spans import HANDOFF, OpenSpan, OpenTrace
from llama_index_trail.streams import Stream, follow, is_stream
from trail_callbacks.capture.payloads import contained, described, is_cancellation
from trail_callbacks.session import Session

_ERRORS = 100
STREAMING = ("StreamingResponse", "AsyncStreamingResponse")
"""Responses whose text comes while the app reads them."""


class OpenRuns:
    """The state of all open runs. Entries go when their span or trace ends."""

    def __init__(self) -> None:
        self.installed: Scope | None = None
        self.trails = 0  # open blocks
        self.on_idle: Callable[[], None] = lambda: None
        self._spans: dict[str, OpenSpan] = {}
        self._traces: dict[str, OpenTrace] = {}
        self._lazy: list[OpenSpan] = []  # async streams of models that may call their sync twin while read
        self._chats: ByIdentity[OpenTrace] = ByIdentity()  # of responses whose writer or reader is at work
        self._lost: deque[Callable[[], None]] = deque()
        self._errors: deque[Exception] = deque(maxlen=_ERRORS)
        self._numbers = count(1)

    @property
    def open_traces(self) -> int:
        """Number of runs that have not ended; unread streams count."""
        self._end_lost()
        self._give_up(time.monotonic(), len(self._traces))
        return len(self._traces)

    @property
    def errors(self) -> list[Exception]:
        """Our own faults, oldest first."""
        return list(self._errors)

    def keep(self, fault: BaseException, scope: Scope | None = None) -> None:
        """Keeps a fault of ours; LlamaIndex would swallow it without a trace."""
        kept = contained(fault)
        self._errors.append(kept)
        scope = scope or current.get() or self.installed
        if scope is not None:
            scope.session.keep_error(kept)

    def run_at(self, span_id: str | None) -> tuple[Session, str] | None:
        """Returns the session that records an open span, and the run that what starts inside it belongs to."""
        span = self._spans.get(span_id) if span_id else None
        if span is None or span.trace.closed:
            return None
        return span.trace.scope.session, span.above.node

    def note_history(self, span_id: str | None) -> None:
        """Makes the earlier turns that prompts of a chat showed an input of an open span, as they are of the chat."""
        span = self._spans.get(span_id) if span_id else None
        if span is not None and span.trace.history:
            span.collected = _earlier(span.trace)

    def maker_of(self, source: object, span_id: str | None) -> str | None:
        """Returns the span of the component that made a stream: the innermost below a span that passed it on."""
        span = self._spans.get(span_id) if span_id else None
        unread = span.trace.unread if span is not None else []
        return next((maker.id for maker, key in unread if key == id(source)), span_id)

    def was_read(self, source: object, span_id: str | None, text: str) -> None:
        """Ends the components that passed on a stream, which has been read to its end inside the run around them."""
        span = self._spans.get(span_id) if span_id else None
        if span is None or span.trace.closed:
            return
        ended = [maker for maker, key in span.trace.unread if key == id(source)]
        span.trace.unread = [each for each in span.trace.unread if each[1] != id(source)]
        for maker in ended:
            self._forget(maker)
            self._end(maker, [Raw(text, ("response",))])

    def _token(self, trace: OpenTrace, event: object) -> int:
        """A number for the identity of an event."""
        token = trace.tokens.get(event)
        if token is None:
            token = next(self._numbers)
            trace.tokens.put(event, token)
        return token

    def _outputs(self, span: OpenSpan, result: object) -> list[Raw]:
        try:
            if span.kind == "model":
                return reply(result, span.instance, {**_model_attributes(span.instance), **usage_of(result)})
            if span.kind == "retriever" and isinstance(result, list | tuple):
                return documents(result, ("documents",))
            if span.family == "own" and is_kind(result, "Event") and not is_kind(result, "StopEvent"):
                return event_fields(result, self._token(span.trace, result))
            if span.kind == "tool" and span.name == HANDOFF:
                return [raw._replace(origin="model") for raw in answer_of(result)]  # the reason that a model gave
            return answer_of(result)
        except BaseException as fault:  # noqa: BLE001 - the tree of runs must stay whole, whatever a payload is
            self.keep(fault, span.trace.scope)
            return []

    @staticmethod
    def _end(span: OpenSpan, outputs: Sequence[Raw] = (), error: BaseException | None = None) -> None:
        """Records how a run ended. Of an exception only its text is kept: its traceback holds the app's frames."""
        more = [BEYOND] if span.hides_prompt else span.collected
        said = () if error is None else (described(error), "cancelled" if is_cancellation(error) else "error")
        span.trace.scope.session.finish(span.id, (SpanEnded, span.id, outputs, more, *said))

    def _forget(self, span: OpenSpan) -> None:
        self._spans.pop(span.id, None)
        span.trace.open.pop(span.id, None)
        if span in self._lazy:
            self._lazy.remove(span)

    def _leave(self, root: OpenSpan, result: Any) -> None:
        """A root span closes; its run ends now, or when the stream that it returned has been read."""
        trace = root.trace
        if is_kind(result, "StopEvent"):
            response = result if result.result is None else result.result
            if not (is_kind(response, *STREAMING) and self._wrap(root, response)):
                self._finish(trace, self._outputs(root, result), None, response)
        elif is_kind(result, "StreamingAgentChatResponse") and result.is_done:  # a guard replays what is written
            self._finish(trace, [Raw(str(result.response), ("response",))], None, result)
        elif is_kind(result, "StreamingAgentChatResponse"):
            self._await_writer(root, result)
        elif result is None and is_kind(root.instance, "Workflow"):  # it was cancelled: a run ends with an event
            self._finish(trace, [], CancelledError())
        elif not (is_kind(result, *STREAMING) and self._wrap(root, result)):
            self._finish(trace, self._outputs(root, result), None, result)

    def _wrap(self, root: OpenSpan, response: Any) -> bool:
        source = response.response_gen
        if not is_stream(source):
            return False
        root.trace.stream = id(source)
        stream = self._stream(root, response, source)
        if is_kind(response, "AsyncStreamingResponse"):  # what its readers get does not close what it reads
            self._chats.put(response, root.trace)
            follow(type(response), self.reading)
        # By the class of the response: another instrumentation may have put a proxy there that can be read both ways.
        wrap = stream.wrapped_async if is_kind(response, "AsyncStreamingResponse") else stream.wrapped
        response.response_gen = wrap(source)
        return True

    def _stream(self, root: OpenSpan, response: Any, source: object) -> Stream:
        trace = root.trace
        kept = weakref.ref(response)  # not the response itself: it holds the stream, and they would keep each other

        def ended(chunks: list[Any], error: BaseException | None) -> None:
            try:
                self._finish(trace, [Raw(joined(chunks), ("response",))], error, kept())
            except BaseException as fault:  # noqa: BLE001 - this runs inside the app's own loop over the stream
                self.keep(fault, trace.scope)

        def lost(chunks: list[Any], error: BaseException | None) -> None:
            self._lost.append(lambda: ended(chunks, error))

        # A model that is asked only now belongs to the component that made the stream, not to the engine around it.
        maker = next((span for span, key in trace.unread if key == id(source)), root)
        return Stream(maker.id, ended, lost)

    def _await_writer(self, root: OpenSpan, response: Any) -> None:
        """A chat engine's stream is read by a writer of its own, on a thread or task, into a queue for the app."""
        trace = root.trace
        trace.streamed = weakref.ref(response)
        self._chats.put(response, trace)
        follow(type(response), self.reading)

        def lost() -> None:
            self._lost.append(lambda: self._finish(trace, [], GeneratorExit()))

        weakref.finalize(response, lost).atexit = False
        self._settle(trace)

    def reading(self, response: Any, source: Any) -> Any:
        """Somebody reads a chat response, perhaps not to its end: returns the stream that shows how far."""
        trace = self._chats.get(response)
        if trace is None or trace.root is None:
            return source
        trace.reading = True

        def ended(chunks: list[str], error: BaseException | None) -> None:
            try:
                trace.reading = False
                if is_cancellation(error):
                    self._finish(trace, [Raw("".join(chunks), ("response",))], error, response)
                else:
                    self._settle(trace)
            except BaseException as fault:  # noqa: BLE001 - this runs inside the app's own loop over the stream
                self.keep(fault, trace.scope)

        stream = Stream(trace.root.id, ended, lambda *end: self._lost.append(lambda: ended(*end)))
        return stream.wrapped_async(source) if hasattr(source, "__anext__") else stream.wrapped(source)

    def _wrote(self, span: OpenSpan, error: BaseException | None) -> None:
        response: Any = span.instance
        span.trace.written = (id(response), str(response.response), error or getattr(response, "exception", None))
        self._settle(span.trace)

    def _settle(self, trace: OpenTrace) -> None:
        """Ends the run once both have happened, in either order: the root returned, and the writer is done."""
        response = trace.streamed() if trace.streamed else None
        if response is None or trace.written is None or trace.written[0] != id(response) or trace.reading:
            return
        _, text, error = trace.written
        self._finish(trace, [Raw(text, ("response",))], error, response)

    def _finish(
        self, trace: OpenTrace, outputs: list[Raw], error: BaseException | None, response: object = None
    ) -> None:
        root = trace.root
        if root is None or self._traces.pop(root.id, None) is None:
            return  # ended already, or given up as too old
        stopped = error is not None and is_cancellation(error)
        if stopped and not outputs and trace.streaming is not None:  # what a workflow streamed as events was read
            outputs = self._outputs(*trace.streaming)
        if len(trace.open) > 1:
            self._close_models(trace, outputs, error)
            self._close_unread(trace, outputs, error)
        self._drop(trace)
        root.collected = [*root.collected, *_earlier(trace)]
        self._end(root, outputs, error)
        trace.scope.name(root.id, trace.names)
        if response is not None and (error is None or stopped):
            trace.scope.deliver(root.id, response)
        if self.installed is None and not self._traces:
            self.on_idle()

    def _close_models(self, trace: OpenTrace, outputs: list[Raw], error: BaseException | None) -> None:
        """Ends streams of models that reported no end: their author left out the callbacks, or nobody read them."""
        unended = [span for span in list(trace.open.values()) if span.streaming and span is not trace.root]
        for span in unended:
            read = [Raw(outputs[0].text, ("text",))] if len(unended) == 1 and outputs else []
            self._end(span, read, None if error is None and read else error or GeneratorExit())

    def _close_unread(self, trace: OpenTrace, outputs: list[Raw], error: BaseException | None) -> None:
        """Ends the components that passed the stream on; what went through another stream is not known."""
        passed_on = trace.stream
        if passed_on is None and trace.streamed is not None:  # a chat's writer reads the stream of an engine
            passed_on = trace.unread[-1][1] if trace.unread else None
        for span, key in trace.unread:
            self._end(span, outputs if key == passed_on else (), error)

    def _drop(self, trace: OpenTrace | None) -> None:
        if trace is not None:
            trace.closed, trace.root = True, None
            if trace.streamed is not None:
                self._chats.pop(trace.streamed())
            for span in list(trace.open.values()):
                self._forget(span)
            for id_ in trace.lent:
                self._spans.pop(id_, None)

    def _give_up(self, now: float, most: int) -> None:
        """Drops runs that never ended: those past their time, and the oldest if there are too many."""
        while self._traces:
            try:
                id_, oldest = next(iter(self._traces.items()))
            except (StopIteration, RuntimeError):  # other threads begin and end runs meanwhile: the next one will see
                return
            if len(self._traces) <= most and now - oldest.started <= oldest.scope.ttl:
                return
            self._drop(self._traces.pop(id_, None))

    def _end_lost(self) -> None:
        """Ends runs whose streams were collected unread; the garbage collector only queued them."""
        while self._lost:
            try:
                lost = self._lost.popleft()
            except IndexError:  # another thread has just ended it
                return
            lost()


def _earlier(trace: OpenTrace) -> list[Raw]:
    """What the prompts of a chat showed of its earlier turns."""
    return [turn for turn in trace.history.values() if turn] if trace.history else []


def _model_attributes(model: object) -> dict[str, Any]:
    """Which model it is, from plain fields: `metadata` may ask a server."""
    own = getattr(model, "__dict__", {})
    name = own.get("model") or own.get("model_name")
    return {"llm": type(model).__name__, **({"model": name} if isinstance(name, str) else {})}
