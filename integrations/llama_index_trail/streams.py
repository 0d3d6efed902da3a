"""What comes after a call has returned: streams that the app reads, and events that steps send by hand."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from functools import wraps
from typing import Any

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.records import by_class
from trail_callbacks.verify.delivery import running_loop


def is_stream(value: object) -> bool:
    """True for an iterator, sync or async, that the app is going to read."""
    kind = type(value)
    if value.__class__ is not kind:  # a proxy, which may stand for anything
        return isinstance(value, (Iterator, AsyncIterator))
    return _is_iterator(kind)  # by class: a structured response claims any attribute


@by_class
def _is_iterator(kind: type) -> bool:
    """Remembered: asking an abstract class takes longer than all else that is done for most spans."""
    return issubclass(kind, (Iterator, AsyncIterator))


class Stream:
    """Follows a stream while the app reads it.

    A model that is asked while the stream is read (LlamaIndex asks as late as that) becomes part of the run that
    returned the stream, in whatever thread or task it is read.
    """

    def __init__(
        self,
        run_id: str | None,
        on_end: Callable[[list[Any], BaseException | None], None],
        on_loss: Callable[[list[Any], BaseException | None], None],
    ) -> None:
        self._run_id = run_id
        self._on_end = on_end
        self._on_loss = on_loss
        self._chunks: list[Any] = []
        self._open = True
        self._closing = False

    def wrapped(self, source: Iterator[Any]) -> Generator[Any]:
        """Returns a generator to be read in place of the source."""
        generator = self._read(source)
        self._guard(generator)
        return generator

    def wrapped_async(self, source: AsyncIterator[Any]) -> AsyncGenerator[Any]:
        """As `wrapped`, for an asynchronous source."""
        self._closing = True  # the event loop closes one that is collected, soon and outside of the collector
        generator = self._aread(source)
        self._guard(generator)
        return generator

    def _guard(self, generator: object) -> None:
        """A generator that was never started runs no `finally` when it is collected."""
        weakref.finalize(generator, self._lost).atexit = False

    def _read(self, source: Iterator[Any]) -> Generator[Any]:
        error: BaseException | None = None
        try:
            while True:
                token = active_span_id.set(self._run_id)
                try:
                    chunk = next(source)
                except StopIteration:
                    return
                finally:
                    active_span_id.reset(
                        token
                    )  # before yielding, or the reader's own work would count as part of this run
                self._chunks.append(chunk)
                yield chunk
        except BaseException as caught:
            error = caught
            raise
        finally:
            if (close := getattr(source, "close", None)) is not None:
                close()
            self._end(error)
            error = None  # its traceback holds this frame

    async def _aread(self, source: AsyncIterator[Any]) -> AsyncGenerator[Any]:
        error: BaseException | None = None
        try:
            while True:
                token = active_span_id.set(self._run_id)
                try:
                    chunk = await source.__anext__()
                except StopAsyncIteration:
                    return
                finally:
                    active_span_id.reset(token)
                self._chunks.append(chunk)
                yield chunk
        except BaseException as caught:
            error = caught
            raise
        finally:
            if (close := getattr(source, "aclose", None)) is not None:
                await close()
            self._end(error)
            error = None  # its traceback holds this frame

    def _end(self, error: BaseException | None) -> None:
        if self._open:
            self._open = False
            self._on_end(self._chunks, error)

    def _lost(self) -> None:
        if self._open:
            self._open = self._closing
            self._on_loss(self._chunks, GeneratorExit())


OnEvent = Callable[[Any], None]
_replaced: list[tuple[type, str, Any, Any]] = []  # class, name, the original, ours


def _replace(owner: type, name: str, ours: Any) -> None:
    _replaced.append((owner, name, vars(owner)[name], ours))
    setattr(owner, name, ours)


def _is_replaced(owner: type, name: str) -> bool:
    return any(each[:2] == (owner, name) for each in _replaced)


def watch(context: type, on_send: OnEvent, on_collect: OnEvent) -> None:
    """Watches a class of contexts, once."""
    send, collect = vars(context).get("send_event"), vars(context).get("collect_events")
    if send is None or collect is None or _is_replaced(context, "send_event"):
        return

    @wraps(send)
    def sent(self: Any, *arguments: Any, **keywords: Any) -> Any:
        on_send(arguments[0] if arguments else keywords.get("message"))  # a receiver may be at work before it returns
        return send(self, *arguments, **keywords)

    @wraps(collect)
    def collected(self: Any, *arguments: Any, **keywords: Any) -> Any:
        events = collect(self, *arguments, **keywords)
        for event in events or ():
            on_collect(event)
        return events

    _replace(context, "send_event", sent)
    _replace(context, "collect_events", collected)


_keeping: set[asyncio.Task[None]] = set()


def keep(context: Any, key: str, value: str) -> bool:
    """Keeps a value in the state of a context, soon; False on a thread, or if the state has a class of the app's."""
    if running_loop() is None or getattr(context.store.state_type, "__name__", "") != "DictState":
        return False
    task = asyncio.get_running_loop().create_task(context.store.set(key, value))
    _keeping.add(task)
    task.add_done_callback(_done)
    return True


def _done(task: asyncio.Task[None]) -> None:
    _keeping.discard(task)
    _ = task.cancelled() or task.exception()  # if it is not kept, other workers do not find the run: they say so


def follow(response: type, read: Callable[[Any, Any], Any]) -> None:
    """Follows the streams that a class of chat responses gives its readers, once."""
    for name in ("response_gen", "async_response_gen"):
        owner = next((each for each in response.__mro__ if name in vars(each)), None)
        if owner is None or _is_replaced(owner, name):
            continue
        original: Any = vars(owner)[name]
        get: Any = original.fget if isinstance(original, property) else original

        @wraps(get)
        def given(self: Any, get: Callable[[Any], Any] = get) -> Any:
            return read(self, get(self))

        _replace(owner, name, property(given) if isinstance(original, property) else given)


def unwatch() -> None:
    """Restores the methods of the classes, unless other code has wrapped ours meanwhile: then ours stays."""
    while _replaced:
        owner, name, original, ours = _replaced.pop()
        if vars(owner).get(name) is ours:
            setattr(owner, name, original)
