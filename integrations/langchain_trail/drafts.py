"""Keeps drafts out of what the user watches, until one is accepted.

LangChain streams to the user through callback handlers of its own. While a draft is written they are left out, or a
buffer takes their place and repeats to them what it received once the draft is accepted. Tracers, and all other
handlers of the app, receive everything at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID

from langchain_core.callbacks import (
    BaseCallbackHandler,
    BaseCallbackManager,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.callbacks.manager import ahandle_event, handle_event
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config

from langchain_trail.grounds import handlers_in
from langchain_trail.handler import untraced

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
        callbacks = self._config.get("callbacks")
        if isinstance(callbacks, BaseCallbackManager):
            manager = callbacks.copy()
            for handler in self._streaming:
                manager.remove_handler(handler)
            for buffer in buffers:
                manager.add_handler(buffer)
            return {**self._config, "callbacks": manager}
        others = [handler for handler in callbacks or () if handler not in self._streaming]
        return {**self._config, "callbacks": [*others, *buffers]}

    @contextmanager
    def hidden(self) -> Generator[None]:
        """For a draft written by code that takes its config from the context."""
        if not self._streaming:
            yield
            return
        token = var_child_runnable_config.set(self.next())
        try:
            yield
        finally:
            var_child_runnable_config.reset(token)

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
    token = var_child_runnable_config.set(None)
    try:
        with untraced():
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
