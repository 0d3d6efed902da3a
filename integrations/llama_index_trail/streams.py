"""Token streams that the app reads after the call has returned."""

from __future__ import annotations

import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

from llama_index_instrumentation.span import active_span_id

__all__ = ["Stream", "is_stream"]


_CLASSES = 4_096
_known: dict[type, bool] = {}  # asking an abstract class takes longer than all else that is done for most spans


def is_stream(value: object) -> bool:
    """True for an iterator, sync or async, that the app is going to read."""
    kind = type(value)
    if value.__class__ is not kind:  # a proxy, which may stand for anything
        return isinstance(value, (Iterator, AsyncIterator))
    known = _known.get(kind)
    if known is None:
        if len(_known) >= _CLASSES:
            _known.clear()
        # By class: a structured response claims any attribute.
        known = _known[kind] = isinstance(value, (Iterator, AsyncIterator))
    return known


class Stream:
    """Follows a stream while the app reads it.

    A model that is asked while the stream is read (LlamaIndex asks as late as that) becomes part of the run that
    returned the stream, in whatever thread or task it is read.

    Args:
        run_id: The span that returned the stream; None if there is none.
        on_end: Called with the chunks read, and with what ended it: None at the end, or an exception; a stream
            that was closed early is ended by `GeneratorExit`.
        on_loss: As `on_end`, for a stream that is not referenced any more. It is called from the garbage collector, so
            it must not take locks. `on_end` of an asynchronous one may follow.
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
