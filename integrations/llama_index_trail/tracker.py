"""From LlamaIndex's spans to events.

Spans show what ran inside what, for every component, also for models whose author forgot the callbacks.
Events are needed only for the end of a model's stream, which comes after its span has closed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from llama_index_instrumentation import root_dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span import active_span_id
from llama_index_instrumentation.span_handlers import BaseSpanHandler

from llama_index_trail.families import (
    MODEL_CALLS,
    conversation_of,
    family,
    goes_on,
    is_kind,
    memory_of,
    session_of,
    summaries,
)
from llama_index_trail.messages import turns, with_authors
from llama_index_trail.open_runs import STREAMING, OpenRuns
from llama_index_trail.pieces import BEYOND, bounded, event_fields, prompt_of, state_of
from llama_index_trail.records import Raw, SpanStarted
from llama_index_trail.results import KEY, Scope, current, suppressed
from llama_index_trail.spans import OpenSpan, OpenTrace, asker, classify, method_of, passes
from llama_index_trail.streams import is_stream, keep, unwatch, watch
from trail_callbacks.capture.events import LEFT
from trail_callbacks.capture.payloads import CONTEXT, is_cancellation

if TYPE_CHECKING:
    import inspect

    from llama_index_instrumentation.base import BaseEvent

_OPEN_TRACES = 4_096
_EVENTS = 10_000  # pieces of events that one step sends


class Tracker(OpenRuns):
    """Follows spans and emits the records of runs."""

    def enter(
        self, id_: str, arguments: dict[str, Any], instance: object, parent_id: str | None, tags: dict[str, Any] | None
    ) -> None:
        """A span begins."""
        parent = self._spans.get(parent_id) if parent_id else None
        if parent is not None:
            if parent.trace.closed:
                parent = None
            elif instance is not None and self._passes(id_, arguments, instance, parent):
                return
        if suppressed():
            return
        scope = current.get()
        if parent is not None and scope is not None and self._opened_inside(scope, parent.trace):
            parent = None
        if parent is None:
            scope = scope or self.installed
            if scope is not None and (instance is None or family(type(instance)) != "passing"):
                self._open(id_, scope, arguments, instance, tags)
            return
        span = OpenSpan(id_, parent.trace, method_of(id_), instance)
        classify(span, parent, arguments)
        if span.kind is None:
            span.over, span.node = parent.above, parent.node
        else:
            self._start(span, parent, arguments, tags)
        span.trace.open[id_] = self._spans[id_] = span

    def _passes(self, id_: str, arguments: dict[str, Any], instance: object, parent: OpenSpan) -> bool:
        """Most spans are no runs of their own: one look into a dictionary."""
        above, kind = parent.over or parent, family(type(instance))
        if kind != "passing" and not passes(instance, kind, id_, above):
            return False
        self._spans[id_] = parent
        if kind == "model" and above.hides_prompt and method_of(id_) in MODEL_CALLS:
            self._show(above, arguments)
        return True

    def _opened_inside(self, scope: Scope, trace: OpenTrace) -> bool:
        """True if the code of this very run opened another scope: what follows belongs there."""
        if scope is trace.scope or scope.opened_in is None:
            return False
        around = self._spans.get(scope.opened_in)
        return around is not None and around.trace is trace

    def _start(self, span: OpenSpan, parent: OpenSpan, arguments: dict[str, Any], tags: dict[str, Any] | None) -> None:
        inputs = self._inputs(span, arguments)
        if span.kind == "model" and (twin := self._twin(span)) is not None:
            span.kind, span.over, span.node = None, twin, twin.node
            return
        node = asker(parent).node if span.kind == "model" else parent.node
        said = span.trace.said(tags) if tags else None
        if span.trace.context is not None and not span.trace.named:  # it was seen by this very span
            span.trace.named, said = True, {**(said or {}), "session_id": span.trace.context}
        span.trace.begin(span.id, node, (SpanStarted, span.id, node, span.kind, span.name, inputs, span.call_id, said))

    def prompted(self, span_id: str | None, **prompt: object) -> None:
        """A model says itself what it reads."""
        span = self._spans.get(span_id) if span_id else None
        if span is not None and span.above.hides_prompt:
            self._show(span.above, prompt)

    def _show(self, span: OpenSpan, arguments: dict[str, Any]) -> None:
        """Keeps the prompt of a model whose own arguments do not show it."""
        span.prompt = span.collected = self._inputs(span, arguments)

    def _twin(self, span: OpenSpan) -> OpenSpan | None:
        """The open call that this one carries out: an async stream reads the sync one of the same model lazily."""
        if not span.method.startswith("stream_"):
            return None
        for other in self._lazy:
            same = other.instance is span.instance and other.method == f"a{span.method}"
            if same and not other.claimed and other.prompt == span.prompt:
                other.claimed = True
                return other
        return None

    def _inputs(self, span: OpenSpan, arguments: dict[str, Any]) -> list[Raw]:
        try:
            if span.kind == "model":
                span.prompt = self._prompt(span.trace, arguments)
                return span.prompt
            if span.family == "own" and span.instance is None:
                found: list[Raw] = []
                for name, value in arguments.items():
                    if is_kind(value, "Event"):
                        found += self._received(span.trace, value)
                    elif is_kind(value, "Context"):
                        watch(type(value), self.sent, self.collected)
                        self._restore(span.trace, value)
                    else:
                        found += bounded({name: value}, "chain")
                return found
            return bounded(arguments, span.kind or "chain")
        except BaseException as fault:  # noqa: BLE001 - the tree of runs must stay whole, whatever a payload is
            self.keep(fault, span.trace.scope)
            return []

    def _received(self, trace: OpenTrace, event: object) -> list[Raw]:
        """The texts of an event that a step receives; of one that was in the context, marked as such."""
        known = not trace.resumed or trace.tokens.get(event) is not None or is_kind(event, "HumanResponseEvent")
        found = event_fields(event, self._token(trace, event))
        left = {LEFT: type(event).__name__}
        return found if known else [raw if raw.attributes else raw._replace(attributes=left) for raw in found]

    def _restore(self, trace: OpenTrace, context: Any) -> None:
        """Reads the state that an earlier run left in a context, at the first step that can read it.

        Where runs are kept in a store, which other workers may read, the context gets a name that survives with it.
        """
        name = None
        if trace.restored:
            trace.restored = False
            try:
                found = state_of(context, [raw.text for raw in trace.given])
            except Exception as fault:  # noqa: BLE001 - what cannot be serialised: the report says that it lacks texts
                self.keep(fault, trace.scope)
                found = [BEYOND]
            trace.given += [raw for raw in found if raw.path != ("state", KEY)]
            name = next((raw.text for raw in found if raw.path == ("state", KEY)), None)
        session = trace.scope.session
        if trace.kept or session.settings.store is None or trace.root is None:
            return
        known = trace.context or name or uuid4().hex
        if name == known or keep(context, KEY, known):
            trace.kept, trace.context = True, known
            session.recorder.continues(trace.root.id, f"context:{known}")

    @staticmethod
    def _prompt(trace: OpenTrace, arguments: dict[str, Any]) -> list[Raw]:
        """What a model reads; of a chat, with the authors of its messages."""
        prompt = prompt_of(arguments)
        if trace.history is not None:
            asked = next(iter(trace.history), "")
            written = [turn for raw in prompt if raw.role in (None, "user") for turn in turns(raw.text, asked)]
            for turn in written:
                trace.history.setdefault(turn.text, turn)
        return prompt if trace.memory is None else with_authors(prompt, summaries(trace.memory))

    def _open(
        self, id_: str, scope: Scope, arguments: dict[str, Any], instance: object, tags: dict[str, Any] | None
    ) -> None:
        """A root: registers the trace and starts its run."""
        if self._lost:
            self._end_lost()
        span = OpenSpan(id_, OpenTrace(scope, started=time.monotonic()), method_of(id_), instance)
        classify(span, None, arguments)
        if span.kind is None:
            return
        span.trace.root = span
        span.trace.memory = memory_of(instance, arguments)
        if span.family in ("workflow", "agent"):
            try:
                span.trace.restored = goes_on(instance, arguments)
            except Exception as fault:  # noqa: BLE001 - LlamaIndex's own state, whose form changes
                self.keep(fault, scope)
            span.trace.resumed = span.trace.restored and arguments.get("start_event") is None
        inputs = span.trace.given = self._inputs(span, arguments)
        if span.kind == "model" and (twin := self._twin(span)) is not None:
            self._spans[id_] = twin
            return
        carried = arguments.get("tags") if span.family in ("workflow", "agent") else None  # its own span has none
        given = tags or (carried or {}).get("instrument_tags") or {}
        own = dict(span.trace.said(given) or {})
        if span.family in ("workflow", "agent") and isinstance(run_id := given.get("llamaindex.run_id"), str):
            span.trace.names.append(run_id)
        self._give_up(span.trace.started, _OPEN_TRACES - 1)
        self._traces[span.id] = span.trace
        if is_kind(instance, "BaseChatEngine"):
            span.trace.history = {raw.text.strip(): None for raw in inputs}
        span.trace.open[span.id] = self._spans[span.id] = span
        thread = conversation_of(span.trace.memory)
        if (session := session_of(span.trace.memory)) is not None:
            own.setdefault("session_id", session)
        name = next((str(own[key]) for key in CONTEXT["session"] if key in own), None)
        if name is not None and thread is not None:
            thread = f"{thread.replace(':', ' ')}:{name}"  # by the name other recordings are found
        span.trace.context, span.trace.named = name, name is not None
        record = (SpanStarted, span.id, None, span.kind, span.name, inputs, span.call_id, own)
        span.trace.begin(span.id, None, record, thread)

    def exit(self, id_: str, result: object) -> None:
        """A span ends with a result."""
        span = self._spans.get(id_)
        if span is None:
            return
        if span.id != id_:  # it only passed through to the run above it
            self._passed(id_, span.trace, result)
            return
        if span.kind == "model" and is_stream(result):
            span.streaming = True  # its end is an event
            if span.method.startswith("astream_"):
                self._lazy.append(span)
            return
        if span is span.trace.root:
            self._leave(span, result)
            return
        if span.kind == "chain" and is_kind(result, *STREAMING):
            span.trace.unread.append((span, id(getattr(result, "response_gen", None))))  # ends with the stream
            return
        self._forget(span)
        if span.kind is not None:
            outputs = self._outputs(span, result)
            if span.sent:
                outputs = [*span.sent, *outputs]
            self._end(span, outputs)
        elif span.family == "writer":
            self._wrote(span, None)

    def _passed(self, id_: str, trace: OpenTrace, result: object) -> None:
        """Forgets a span that was no run, unless its stream may yet be read in the context of that very call."""
        if is_stream(result):  # other instrumentations keep the context
            trace.lent.append(id_)
        else:
            del self._spans[id_]

    def drop(self, id_: str, error: BaseException | None) -> None:
        """A span is left by an exception."""
        span = self._spans.get(id_)
        if span is None or span.id != id_:
            self._spans.pop(id_, None)
            return
        if span is span.trace.root:
            self._finish(span.trace, [], error or RuntimeError("dropped"))
            return
        self._forget(span)
        if span.kind is not None:
            self._end(span, span.sent, error or RuntimeError("dropped"))
        elif span.family == "writer":
            self._wrote(span, error)

    def streamed(self, span_id: str | None, response: object) -> None:
        """A model streamed another token."""
        span = self._spans.get(span_id) if span_id else None
        if span is not None and span.streaming:
            span.trace.streaming = span, response

    def stream_ended(self, span_id: str | None, response: object) -> None:
        """The stream of a model was read to its end."""
        span = self._spans.get(span_id) if span_id else None
        if span is None or not span.streaming:
            return
        outputs = self._outputs(span, response)
        if span is span.trace.root:
            self._finish(span.trace, outputs, None)
            return
        self._forget(span)
        self._end(span, outputs)

    def chat_written(self, span_id: str | None, error: BaseException | None) -> None:
        """The writer of a chat's stream has all of it; its readers learn of the end after this."""
        span = self._spans.get(span_id) if span_id else None
        if span is not None and span.family == "writer" and span.trace.written is None:
            self._wrote(span, error)

    def sent(self, event: object) -> None:
        """A step sends an event by hand, which may be received before the step is done."""
        self._note(event, "sent")

    def collected(self, event: object) -> None:
        """A step collects an event that it was given in an earlier turn."""
        self._note(event, "collected")

    def _note(self, event: object, kept: Literal["sent", "collected"]) -> None:
        try:
            span = self._spans.get(active_span_id.get() or "")
            if span is not None and span.family == "own" and len(getattr(span, kept)) < _EVENTS:
                more = event_fields(event, self._token(span.trace, event))
                setattr(span, kept, [*getattr(span, kept), *more])
        except BaseException as fault:  # noqa: BLE001 - this runs inside the app's own step
            self.keep(fault)

    def stream_failed(self, span_id: str | None, error: BaseException) -> None:
        """The stream of a model was left by an exception, or closed early."""
        span = self._spans.get(span_id) if span_id else None
        if span is None or not span.streaming:
            return
        stopped = is_cancellation(error)
        if stopped and span.trace.stream is not None:
            return  # the app stops the stream of the run around it, which knows what was read
        if span is span.trace.root:
            self._finish(span.trace, [], error)
            return
        self._forget(span)
        last = span.trace.streaming
        stopped = stopped and not isinstance(error, GeneratorExit)  # with that LlamaIndex itself leaves streams early
        read = self._outputs(*last) if stopped and last is not None and last[0] is span else []
        self._end(span, read, error)


TRACKER = Tracker()
"""The one of this process, as there is one root dispatcher."""


_STREAM_EVENTS = frozenset(
    {"LLMChatEndEvent", "LLMCompletionEndEvent", "ExceptionEvent", "StreamChatEndEvent", "StreamChatErrorEvent"}
    | {"LLMChatInProgressEvent", "LLMCompletionInProgressEvent", "LLMChatStartEvent", "LLMCompletionStartEvent"}
)


def _quietly(work: Callable[..., None], *arguments: Any, **named: Any) -> None:
    """Does some work of ours; the dispatcher would swallow a fault unseen."""
    try:
        work(*arguments, **named)
    except BaseException as fault:  # noqa: BLE001 - see above
        TRACKER.keep(fault)


class _SpanHandler(BaseSpanHandler[Any]):
    """Overrides the outer methods: building a pydantic span for each call is what makes span handlers slow."""

    def span_enter(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any | None = None,
        parent_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> None:
        try:
            TRACKER.enter(id_, bound_args.arguments, instance, parent_id, tags)
        except Exception as fault:  # noqa: BLE001 - the dispatcher would swallow it unseen
            TRACKER.keep(fault)

    def span_exit(self, id_: str, *_: Any, result: object = None, **__: Any) -> None:
        try:
            TRACKER.exit(id_, result)
        except Exception as fault:  # noqa: BLE001 - as above
            TRACKER.keep(fault)

    def span_drop(self, id_: str, *_: Any, **given: Any) -> None:
        _quietly(TRACKER.drop, id_, given.get("err"))

    def new_span(self, *_: Any, **__: Any) -> None:
        """Abstract in the base class; never called here."""

    prepare_to_exit_span = prepare_to_drop_span = new_span


class _EventHandler(BaseEventHandler):
    """Receives every token of every stream, so it looks at the type first."""

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:  # noqa: ARG002 - LlamaIndex's signature
        kind = type(event).__name__
        if kind not in _STREAM_EVENTS:
            return
        if kind == "LLMChatStartEvent":
            _quietly(TRACKER.prompted, event.span_id, messages=getattr(event, "messages", None))
        elif kind == "LLMCompletionStartEvent":
            _quietly(TRACKER.prompted, event.span_id, prompt=getattr(event, "prompt", None))
        elif kind.startswith("StreamChat"):
            _quietly(TRACKER.chat_written, event.span_id, getattr(event, "exception", None))
        elif kind == "ExceptionEvent":
            _quietly(TRACKER.stream_failed, event.span_id, getattr(event, "exception", None) or RuntimeError("unknown"))
        else:
            took = TRACKER.streamed if kind.endswith("InProgressEvent") else TRACKER.stream_ended
            _quietly(took, event.span_id, getattr(event, "response", None))


_spans, _events = _SpanHandler(), _EventHandler()


def listen() -> None:
    """Puts the handlers on the root dispatcher, once."""
    if not any(handler is _spans for handler in root_dispatcher.span_handlers):
        root_dispatcher.add_span_handler(_spans)
    if not any(handler is _events for handler in root_dispatcher.event_handlers):
        root_dispatcher.add_event_handler(_events)


def unlisten() -> None:
    """Takes the handlers off; by identity, because handlers with equal fields compare equal."""
    root_dispatcher.span_handlers = [h for h in root_dispatcher.span_handlers if h is not _spans]
    root_dispatcher.event_handlers = [h for h in root_dispatcher.event_handlers if h is not _events]
    unwatch()


def listening() -> bool:
    """True while the handlers are on the root dispatcher."""
    return any(handler is _spans for handler in root_dispatcher.span_handlers)
