"""The drafts of a guard: what they rest on, and keeping them out of what the user watches, until one is accepted.

LangChain streams to the user through callback handlers of its own. While a draft is written they are left out, or a
buffer takes their place and repeats to them what it received once the draft is accepted. Tracers, and all other
handlers of the app, receive everything at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, cast
from uuid import UUID

from langchain_core.callbacks import (
    BaseCallbackHandler,
    BaseCallbackManager,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.callbacks.manager import ahandle_event, handle_event
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config

from langchain_trail.answers import answer_text
from langchain_trail.convert import said_of
from langchain_trail.handler import TrailCallbackHandler, untraced
from langchain_trail.pieces import message_text, role_of
from trail_callbacks.capture.payloads import exact_text
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.guard import ReadMessage, ended_at, message_nodes
from trail_callbacks.session import Session
from trail_callbacks.session.guarded import GuardedRun

_RUN = "lc_run--"


def handlers_in(config: RunnableConfig) -> list[BaseCallbackHandler]:
    """Returns the callback handlers of a config."""
    callbacks = config.get("callbacks")
    return list(callbacks.handlers if isinstance(callbacks, BaseCallbackManager) else callbacks or ())


def grounds(
    config: RunnableConfig, message: AIMessage | None, text: str, read: Callable[[], ProvenanceGraph]
) -> ProvenanceGraph:
    """Returns what a draft rests on: the graph of the run around this code if we record it, else what `read` makes.

    Args:
        config: That of the run.
        message: The draft, if it is a message.
        text: The text of it that is the answer.
        read: Makes a graph of messages. It is redacted as the run is: what is redacted reaches no judge.
    """
    run_id = getattr(config.get("callbacks"), "parent_run_id", None)
    for session in _sessions(config):
        graph = None if run_id is None else session.graph_around(run_id)
        if graph is not None and (wrote := _wrote(graph, message, text, session.redacted)) is not None:
            whole = message is not None and not message.tool_calls and bool(wrote.text.strip())
            return ended_at(graph, wrote.id, wrote.text if whole else session.redacted(text))
    redacts = redacting(config)
    return read() if redacts is None else redacts.redacted_graph(read())


def guarded_run(config: RunnableConfig, own: tuple[Session, str] | None = None) -> GuardedRun:
    """Returns the run around a guard: as the strictest handler of the app records it, else as our own recorder does."""
    run_id = getattr(config.get("callbacks"), "parent_run_id", None)
    sessions = sorted(_sessions(config), key=lambda each: (each.settings.keep.texts, each.settings.redact is None))
    for session in sessions:
        if run_id is not None and (root := session.recorder.root_of(str(run_id))) is not None:
            return GuardedRun(session=session, root=root)
        if own is not None and session.recorder.ended(own[1]):  # it is inside the app
            return GuardedRun(session=session, root=own[1])
    known, root = own if own and not sessions else (next(iter(sessions), None), None)
    return GuardedRun(
        session=known, root=root, id=run_id and str(run_id), metadata=said_of(config.get("metadata") or {})
    )


def redacting(config: RunnableConfig) -> Session | None:
    """Returns the session that redacts what is recorded of a run; None if none does."""
    return next((each for each in _sessions(config) if each.settings.redact is not None), None)


def _sessions(config: RunnableConfig) -> list[Session]:
    return [each.session for each in handlers_in(config) if isinstance(each, TrailCallbackHandler)]


def _wrote(graph: ProvenanceGraph, message: AIMessage | None, text: str, redact: Callable[[str], str]) -> Node | None:
    """The completion that is the message. Its id names the run that made it, unless the provider has ids of its own."""
    completions = [node for node in graph.nodes if node.kind in {"completion", "answer"}]
    id_ = message.id if message is not None else None
    if id_ is not None and id_.startswith(_RUN):
        run_id = id_.removeprefix(_RUN).rpartition("-")[0] or id_
        named = [node for node in completions if node.run_id in {run_id, id_.removeprefix(_RUN)}]
        if named:
            return named[-1]
    wanted = redact(answer_text(message) if message is not None else text)
    same = [node for node in completions if node.text.strip() == wanted.strip()]
    return same[-1] if same else None


def from_messages(messages: Sequence[BaseMessage], text: str, ignored: Iterable[str] = ()) -> ProvenanceGraph:
    """Returns the graph of an answer that rests on messages; what models wrote before is not evidence."""
    names = set(ignored)
    read = [
        ReadMessage(role_of(each), exact_text(message_text(each)), each.name)
        for each in messages
        if not (role_of(each) == "tool" and each.name in names)
    ]
    return ProvenanceGraph.from_texts(text, message_nodes(read))


EVENT = "trail.report"
"""The custom event that brings the result of a verification to whoever watches a run."""

_MODEL_HOOKS = frozenset({"on_chat_model_start", "on_llm_start", "on_llm_new_token", "on_llm_end", "on_llm_error"})
_STARTS = frozenset({"on_chat_model_start", "on_llm_start"})


class _Buffer(BaseCallbackHandler):
    """Receives events in place of a handler that streams to the user."""

    run_inline = True

    def __init__(self, handler: BaseCallbackHandler) -> None:
        self.handler = handler
        self.events: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def tap_output_iter(self, run_id: UUID, output: Iterator[Any]) -> Iterator[Any]:  # noqa: ARG002 - LangChain's signature
        """Makes LangChain stream tokens: it looks for a handler with this method."""
        return output

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[Any]) -> AsyncIterator[Any]:  # noqa: ARG002 - as above
        """As above."""
        return output


def _keeps(name: str) -> Any:
    def hook(self: _Buffer, *args: Any, **kwargs: Any) -> None:
        self.events.append((name, args, kwargs))

    return hook


_HOOKS = (
    *sorted(_MODEL_HOOKS),
    *(f"on_{kind}_{phase}" for kind in ("chain", "tool", "retriever") for phase in ("start", "end", "error")),
    "on_custom_event",
)
for _name in _HOOKS:
    setattr(_Buffer, _name, _keeps(_name))


class Drafts:
    """The drafts of one answer, hidden from the user."""

    def __init__(self, config: RunnableConfig, *, hide: bool = True) -> None:
        self._config = config
        self._streaming = [h for h in handlers_in(config) if hasattr(h, "tap_output_iter")] if hide else []
        self._buffers: list[list[_Buffer]] = []  # those of each draft

    def next(self) -> RunnableConfig:
        """Returns the config to write the next draft with."""
        if not self._streaming:
            return self._config
        # LangGraph's handlers need no repetition: they emit what a node returns, once and with our report on it.
        buffers = [_Buffer(h) for h in self._streaming if not type(h).__module__.startswith("langgraph")]
        self._buffers.append(buffers)
        manager = cast("BaseCallbackManager", self._config["callbacks"]).copy()  # inside a run it is one
        for handler in self._streaming:
            manager.remove_handler(handler)
        for buffer in buffers:
            manager.add_handler(buffer)
        return {**self._config, "callbacks": manager}

    def hidden(self) -> AbstractContextManager[None]:
        """For a draft written by code that takes its config from the context."""
        return _configured(self.next()) if self._streaming else nullcontext()

    def release(self) -> None:
        """Repeats the events of the last draft: it is accepted."""
        for handler, name, args, kwargs in self._repeated():
            handle_event([handler], name, None, *args, **kwargs)

    async def arelease(self) -> None:
        """As `release`."""
        for handler, name, args, kwargs in self._repeated():
            await ahandle_event([handler], name, None, *args, **kwargs)

    def _repeated(self) -> Iterator[tuple[BaseCallbackHandler, str, tuple[Any, ...], dict[str, Any]]]:
        if not self._buffers:
            return
        for first, last in zip(self._buffers[0], self._buffers[-1], strict=True):
            if first is last:
                for name, args, kwargs in last.events:
                    yield last.handler, name, args, kwargs
                continue
            # The prompts of a later draft contain the rejected one, so those of the first draft are shown instead.
            prompts = (args for name, args, _ in first.events if name in _STARTS)
            for name, args, kwargs in last.events:
                if name in _STARTS:
                    shown = next(prompts, (*args[:1], [[]] if name == "on_chat_model_start" else [""]))
                    yield last.handler, name, shown, kwargs
                elif name in _MODEL_HOOKS:
                    yield last.handler, name, args, kwargs


@contextmanager
def isolated() -> Generator[None]:
    """For a judge's own calls: they reach no callback of the app, no stream and no recording of ours."""
    with _configured(None), untraced():
        yield


@contextmanager
def _configured(config: RunnableConfig | None) -> Generator[None]:
    token = var_child_runnable_config.set(config)
    try:
        yield
    finally:
        var_child_runnable_config.reset(token)


def dispatch(summary: dict[str, Any], config: RunnableConfig) -> None:
    """Sends a summary to the callback handlers of a run and to `astream_events`; outside a run it sends nothing."""
    with suppress(RuntimeError):  # there is no run around this code
        dispatch_custom_event(EVENT, summary, config=config)


async def adispatch(summary: dict[str, Any], config: RunnableConfig) -> None:
    """As `dispatch`."""
    with suppress(RuntimeError):
        await adispatch_custom_event(EVENT, summary, config=config)
