"""The callback handler, and `with trail() as t:`, which records every run started inside the block."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from inspect import iscoroutinefunction
from types import MethodType
from typing import TYPE_CHECKING, Any, Unpack
from uuid import UUID

from langchain_core.tracers.context import register_configure_hook

from langchain_trail.hooks import RecordingHooks
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.session import Block, CaptureKeywords, CaptureSettings, Evaluate, Redact, Session
from trail_callbacks.signatures import shows_settings

if TYPE_CHECKING:
    from trail_callbacks.trace import Trace

_MADE = "_made_by_mixing"
Hook = Callable[..., None]
_ENDS = tuple(f"on_{kind}_{end}" for kind in ("chain", "llm", "tool", "retriever") for end in ("end", "error"))


class TrailCallbackHandler(RecordingHooks):
    """Records what a LangChain or LangGraph app does and verifies what it answered.

    One handler serves any number of runs, concurrent ones too: `chain.invoke(x, config={"callbacks": [handler]})`.
    The app is not affected: a hook appends one record in a few microseconds, and what goes wrong is kept in `errors`.

    Threads started by hand lose LangChain's callbacks, this one included, unless run in a `contextvars.copy_context()`.

    Args:
        judge: Who decides; None is the offline judge. A string such as `"openai/gpt-5-mini"` is a model through
            instructor; `as_model(chat_model)` is the app's own model.
        evaluate: `background`: on a worker thread once a run ended; `process`: likewise in another process, which
            takes the work off a busy server; `inline`: before the app gets its answer, awaited in an event loop;
            `never`: only when `report()` is asked for.
        **settings: `options`, `sample_rate`, `redact`, `on_report`, `sources`, `context`, `store` and more; see
            `trail_callbacks.session.CaptureSettings`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    @shows_settings(CaptureSettings, CaptureKeywords)
    def __init__(
        self, judge: JudgeLike = None, evaluate: Evaluate = "background", **settings: Unpack[CaptureKeywords]
    ) -> None:
        self._record(CaptureSettings(judge=judge, evaluate=evaluate, **settings))

    def _record(self, settings: CaptureSettings) -> None:
        self.__class__ = _class_for(_written(type(self)), settings)
        super().__init__(Session(settings))

    def __reduce__(self) -> tuple[Any, ...]:
        """The settings, and what a subclass added: another process has runs of its own."""
        own = RecordingHooks(Session(CaptureSettings(evaluate="never")))
        added = {name: value for name, value in vars(self).items() if name not in vars(own)}
        return _restored, (_written(type(self)), self._session.settings, added)

    def __deepcopy__(self, memo: dict[int, object]) -> TrailCallbackHandler:
        """Returns the handler itself: apps copy their models and configs, and a copy would record out of sight."""
        return self

    def __copy__(self) -> TrailCallbackHandler:
        """As above."""
        return self

    def graph(self, run_id: UUID | str | None = None) -> ProvenanceGraph:
        """Returns the provenance graph of a root run, by default the latest; it waits for nothing.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self._session.graph(_text(run_id))

    def trace(self, run_id: UUID | str | None = None) -> Trace:
        """Returns the trace of a root run, by default the latest; it waits for nothing.

        A trace can be saved, and verified again later, with another judge: `verify(Trace.from_json(saved))`.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self._session.trace(_text(run_id))

    def report(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """Returns the report of a root run; verifies now if nobody has.

        Args:
            run_id: Id of the root run, as in `config["run_id"]`. None is the last one of the caller's own task or
                thread; without one the last of all, unless others ran beside it.
            timeout: Seconds to wait for a verification that is under way; None waits as long as it takes.

        Raises:
            InputError: If nothing was recorded under this id, or several runs may be meant.
            TimeoutError: If the verification is not finished in time.
        """
        return self._session.report(_text(run_id), timeout)

    async def areport(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop."""
        return await self._session.areport(_text(run_id), timeout)

    def graph_around(self, run_id: UUID | str) -> ProvenanceGraph | None:
        """Returns the graph so far of the unfinished root run around a run; None if this handler does not record it."""
        root = self._session.root_of(str(run_id))
        return None if root is None else self._session.graph(root)

    @property
    def redact(self) -> Redact | None:
        """What is applied to all that is recorded; None for nothing."""
        return self._session.settings.redact

    def redacted(self, text: str) -> str:
        """Returns a text as it is stored."""
        return self._session.redacted(text)

    def redacted_graph(self, graph: ProvenanceGraph) -> ProvenanceGraph:
        """Returns a graph of texts that were not recorded as it would be stored."""
        return self._session.redacted_graph(graph)

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        return self._session.reports

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side; the app is not affected."""
        return self._session.errors

    @property
    def skipped(self) -> int:
        """Runs that were not verified because more ended than the judge kept up with; `errors` says so once each time.

        At most `max_waiting` runs wait to be verified, and the app never waits for them. `report(run_id)` verifies one
        that was skipped as long as it is kept.
        """
        return self._session.skipped

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        return self._session.flush(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker."""
        self._session.close(timeout)


def _restored(
    kind: type[TrailCallbackHandler], settings: CaptureSettings, added: Mapping[str, Any]
) -> TrailCallbackHandler:
    handler = kind.__new__(kind)
    handler._record(settings)  # noqa: SLF001 - its own
    vars(handler).update(added)
    return handler


def _written(kind: type[TrailCallbackHandler]) -> type[TrailCallbackHandler]:
    """The class as it was written, of one that `_mixed` made."""
    return next(each for each in kind.__mro__ if _MADE not in vars(each))


def _class_for(kind: type[TrailCallbackHandler], settings: CaptureSettings) -> type[TrailCallbackHandler]:
    """The class of a new handler: langgraph reports interrupts only to handlers of its own, and is slow to import."""
    graphs = "langgraph" in sys.modules and not kind.receives_interrupts
    inline = settings.evaluate == "inline"
    if not (graphs or inline):
        return kind
    return _mixed(kind, graphs, inline)  # type: ignore[arg-type]  # mypy takes the hash of an instance for that of the class


@cache
def _mixed(kind: type[TrailCallbackHandler], graphs: bool, inline: bool) -> type[TrailCallbackHandler]:
    bases: tuple[type, ...] = (kind,)
    members: dict[str, Any] = {"__module__": kind.__module__, _MADE: True}
    if graphs:
        try:
            from langgraph.callbacks import GraphCallbackHandler  # noqa: PLC0415 - see _class_for

            bases, members["receives_interrupts"] = (kind, GraphCallbackHandler), True
        except ImportError:  # an older one has no such callbacks; the error of the node that interrupts is read
            pass
    if inline:
        members |= _awaited_ends(kind)
    return type(kind.__name__, bases, members)


class _End:
    """A hook that is a plain method for threads, and a coroutine for event loops.

    LangChain calls a hook on the event loop's own thread, unless it is a coroutine function; a run that is verified
    before the app gets its answer must not hold up other runs. Who calls decides, so it is told at each look-up.
    """

    def __init__(self, hook: Hook) -> None:
        async def awaited(handler: Any, *args: Any, **details: Any) -> None:
            hook(handler, *args, **details)
            await handler._session.settled(str(details.get("run_id")))  # noqa: SLF001 - a method of the handler, by way of a class that is made later

        self._hook, self._awaited = hook, awaited

    def __get__(self, handler: object | None, kind: type | None = None) -> Any:
        if handler is None:
            return self._hook
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return MethodType(self._hook, handler)
        return MethodType(self._awaited, handler)


def _awaited_ends(kind: type) -> dict[str, Any]:
    """Returns the hooks for the ends of runs, by name, for a class that verifies before the app goes on.

    Args:
        kind: The class of handlers whose hooks they are; those that are coroutine functions already are left out.
    """
    return {name: _End(hook) for name in _ENDS if not iscoroutinefunction(hook := getattr(kind, name))}


def _text(run_id: UUID | str | None) -> str | None:
    return None if run_id is None else str(run_id)


_active: ContextVar[TrailCallbackHandler | None] = ContextVar("langchain_trail", default=None)
# Once for the process: LangChain walks all hooks whenever anything runs, and none can be taken back.
register_configure_hook(_active, inheritable=True)


class Trail(Block):
    """One block's recording. Made by `trail`; enter it once.

    Its results are those of the last run of the block that answered, and stay readable after the block, also if the app
    raised. What the block called before, such as a retriever, belongs to that run if the run read what it returned.

    Attributes:
        handler: The handler that records.
    """

    def __init__(self, handler: TrailCallbackHandler) -> None:
        super().__init__(handler._session, _active, handler)  # noqa: SLF001 - two views of one session
        handler._session.join_runs()  # noqa: SLF001 - as above
        self.handler = handler


@shows_settings(CaptureSettings, CaptureKeywords)
def trail(judge: JudgeLike = None, evaluate: Evaluate = "background", **settings: Unpack[CaptureKeywords]) -> Trail:
    """Records and verifies what runs in a `with` block, without touching the app; for sync and async code alike.

        with trail() as t:
            chain.invoke(question)
        print(t.report)

    Blocks may nest and run concurrently: a run belongs to the innermost block around the code that starts it.

    Args:
        judge: See `TrailCallbackHandler`.
        evaluate: See `TrailCallbackHandler`.
        **settings: See `TrailCallbackHandler`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    return Trail(TrailCallbackHandler(judge, evaluate, **settings))


@contextmanager
def untraced() -> Generator[None]:
    """Hides what runs inside from the block around it: `callbacks=[]` alone does not stop a context hook."""
    token = _active.set(None)
    try:
        yield
    finally:
        _active.reset(token)
