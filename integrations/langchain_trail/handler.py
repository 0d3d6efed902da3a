"""The callback handler, and `with trail() as t:`, which records every run started inside the block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from functools import cache
from inspect import iscoroutinefunction
from types import MethodType
from typing import TYPE_CHECKING, Any, Unpack
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers.context import register_configure_hook

from langchain_trail.hooks import RecordingHooks
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.session import Block, CaptureKeywords, CaptureSettings, Evaluate, RecordedReports, Session
from trail_callbacks.signatures import shows_settings
from trail_callbacks.verify.delivery import running_loop

if TYPE_CHECKING:
    from typing import Self

    from trail_callbacks.trace import Trace

_MADE = "_made_by_mixing"
_ENDS = tuple(f"on_{kind}_{end}" for kind in ("chain", "llm", "tool", "retriever") for end in ("end", "error"))


class TrailCallbackHandler(RecordedReports, RecordingHooks):
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
        self.__class__ = _mixed(_written(type(self)), "langgraph" in sys.modules, settings.evaluate == "inline")  # type: ignore[arg-type]  # mypy takes the hash of an instance for that of the class
        super().__init__(Session(settings))

    def __reduce__(self) -> tuple[Any, ...]:
        """The settings, and what a subclass added: another process has runs of its own."""
        own = RecordingHooks(Session(CaptureSettings(evaluate="never")))
        added = {name: value for name, value in vars(self).items() if name not in vars(own)}
        return _restored, (_written(type(self)), self.session.settings, added)

    def __deepcopy__(self, memo: dict[int, object]) -> TrailCallbackHandler:
        """Returns the handler itself: apps copy their models and configs, and a copy would record out of sight."""
        return self

    def __copy__(self) -> TrailCallbackHandler:
        """As above."""
        return self

    def read_history(self, graph: Any, config: Mapping[str, Any]) -> None:
        """Reads what LangGraph's checkpoints say of a thread that this handler and its store have not seen so far.

        A run that resumes such a thread rests on a state whose writers are unknown; afterwards their steps are known.
        Whether a model was in them is not, so texts are evidence only if they are named in `sources=`, or documents
        that say where they are from.

        Args:
            graph: The compiled graph, with its checkpointer; `durability="exit"` keeps too little.
            config: Names the thread: `{"configurable": {"thread_id": ...}}`. Read before the report is asked for.
        """
        try:
            self._keep_history(config, graph.get_state_history(config))
        except Exception as error:  # noqa: BLE001 - the app is not to suffer from it
            self.session.keep_error(error)

    async def aread_history(self, graph: Any, config: Mapping[str, Any]) -> None:
        """As `read_history`, without blocking the event loop."""
        try:
            self._keep_history(config, [each async for each in graph.aget_state_history(config)])
        except Exception as error:  # noqa: BLE001 - as above
            self.session.keep_error(error)

    def _keep_history(self, config: Mapping[str, Any], snapshots: Iterable[Any]) -> None:
        from langchain_trail.history import ThreadHistory  # noqa: PLC0415 - few resume what another process began

        history = ThreadHistory(snapshots, self.session.recorder.adopted)
        self.session.add_history(str(config["configurable"]["thread_id"]), history.before)

    def graph(self, run_id: UUID | str | None = None) -> ProvenanceGraph:
        """Returns the provenance graph of a root run, by default the latest; it waits for nothing.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self.session.graph(run_id)

    def trace(self, run_id: UUID | str | None = None) -> Trace:
        """Returns the trace of a root run, by default the latest; it waits for nothing.

        A trace can be saved, and verified again later, with another judge: `verify(Trace.from_json(saved))`.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self.session.trace(run_id)

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
        return self.session.report(run_id, timeout)


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


@cache
def _mixed(kind: type[TrailCallbackHandler], graphs: bool, inline: bool) -> type[TrailCallbackHandler]:
    """The class of a new handler: langgraph reports interrupts only to handlers of its own, and is slow to import.

    Args:
        kind: The class as it was written.
        graphs: The app has loaded langgraph.
        inline: The ends of runs verify before the app goes on; hooks that are coroutine functions already are left out.
    """
    bases: tuple[type, ...] = (kind,)
    members: dict[str, Any] = {"__module__": kind.__module__, _MADE: True}
    if graphs and not kind.receives_interrupts:
        with suppress(ImportError):  # an older one has no such callbacks; the error of the node that interrupts is read
            from langgraph.callbacks import GraphCallbackHandler  # noqa: PLC0415 - see above

            bases, members["receives_interrupts"] = (kind, GraphCallbackHandler), True
    if inline:
        members |= {name: _End(hook) for name in _ENDS if not iscoroutinefunction(hook := getattr(kind, name))}
    return type(kind.__name__, bases, members) if inline or len(bases) > 1 else kind


class _End:
    """A hook that is a plain method for threads, and a coroutine for event loops.

    LangChain calls a hook on the event loop's own thread, unless it is a coroutine function; a run that is verified
    before the app gets its answer must not hold up other runs. Who calls decides, so it is told at each look-up.
    """

    def __init__(self, hook: Callable[..., None]) -> None:
        async def awaited(handler: Any, *args: Any, **details: Any) -> None:
            hook(handler, *args, **details)
            await handler.session.settled(str(details.get("run_id")))

        self._hook, self._awaited = hook, awaited

    def __get__(self, handler: object | None, kind: type | None = None) -> Any:
        if handler is None:
            return self._hook
        return MethodType(self._hook if running_loop() is None else self._awaited, handler)


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
        super().__init__(handler.session, _active, handler)
        handler.session.recorder.join_roots()
        self.handler = handler
        self._configured: Token[RunnableConfig | None] | None = None

    def __enter__(self) -> Self:
        super().__enter__()
        if _is_free():
            self._configured = var_child_runnable_config.set({"callbacks": [self.handler]})
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if self._configured is not None:
            with suppress(ValueError):  # closed in another context than it was opened in
                var_child_runnable_config.reset(self._configured)


def _is_free() -> bool:
    """True where no run is around the code, but perhaps a block.

    A block is in the config as well, because langgraph tells handlers that are not there nothing of interrupts.
    """
    config = var_child_runnable_config.get()
    return not config or (config.keys() == {"callbacks"} and isinstance(config["callbacks"], list))


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
    token, config = _active.set(None), var_child_runnable_config.get()
    around = var_child_runnable_config.set(None if _is_free() else config)
    try:
        yield
    finally:
        var_child_runnable_config.reset(around)
        _active.reset(token)
