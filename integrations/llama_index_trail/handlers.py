"""One span handler and one event handler on LlamaIndex's root dispatcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index_instrumentation import root_dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span_handlers import BaseSpanHandler

from llama_index_trail.sending import unwatch
from llama_index_trail.tracker import TRACKER

if TYPE_CHECKING:
    import inspect

    from llama_index_instrumentation.base import BaseEvent

__all__ = ["listen", "listening", "unlisten"]

_STREAM_EVENTS = frozenset(
    {"LLMChatEndEvent", "LLMCompletionEndEvent", "ExceptionEvent", "StreamChatEndEvent", "StreamChatErrorEvent"}
    | {"LLMChatInProgressEvent", "LLMCompletionInProgressEvent"}
)


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

    def span_exit(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,  # noqa: ARG002 - as above
        instance: Any | None = None,  # noqa: ARG002 - as above
        result: Any | None = None,
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> None:
        try:
            TRACKER.exit(id_, result)
        except Exception as fault:  # noqa: BLE001 - as above
            TRACKER.keep(fault)

    def span_drop(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,  # noqa: ARG002 - as above
        instance: Any | None = None,  # noqa: ARG002 - as above
        err: BaseException | None = None,
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> None:
        try:
            TRACKER.drop(id_, err)
        except Exception as fault:  # noqa: BLE001 - as above
            TRACKER.keep(fault)

    def new_span(self, *args: Any, **kwargs: Any) -> None:
        """Abstract in the base class; never called here."""

    def prepare_to_exit_span(self, *args: Any, **kwargs: Any) -> None:
        """As `new_span`."""

    def prepare_to_drop_span(self, *args: Any, **kwargs: Any) -> None:
        """As `new_span`."""


class _EventHandler(BaseEventHandler):
    """Receives every token of every stream, so it looks at the type first."""

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:  # noqa: ARG002 - LlamaIndex's signature
        kind = type(event).__name__
        if kind not in _STREAM_EVENTS:
            return
        try:
            if kind.startswith("StreamChat"):
                TRACKER.chat_written(event.span_id, getattr(event, "exception", None))
            elif kind.endswith("InProgressEvent"):
                TRACKER.streamed(event.span_id, getattr(event, "response", None))
            elif kind == "ExceptionEvent":
                TRACKER.stream_failed(event.span_id, getattr(event, "exception", None) or RuntimeError("unknown"))
            else:
                TRACKER.stream_ended(event.span_id, getattr(event, "response", None))
        except Exception as fault:  # noqa: BLE001 - the dispatcher would swallow it unseen
            TRACKER.keep(fault)


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
