"""The callback handler: one object to pass in `config["callbacks"]`."""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from langchain_trail.convert import Ended, Failed, Started, described, snapshot, status_of, stops_graph
from trail_callbacks.capture.events import RunKind
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.session import Evaluate, Session

if TYPE_CHECKING:
    from typing import Self

    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["TrailCallbackHandler"]

_OPEN_MODELS = 4_096
_INTERRUPTED = 1_024


class _Interrupt(Protocol):
    """What a graph says when it stops; langgraph's own class, which may not be installed."""

    run_id: UUID | None


class TrailCallbackHandler(BaseCallbackHandler):
    """Records what a LangChain or LangGraph app does and verifies what it answered.

    One handler serves any number of runs, concurrent ones too: `chain.invoke(x, config={"callbacks": [handler]})`.
    Nothing of it reaches the app: a hook appends one record in a few microseconds, and what goes wrong is kept in
    `errors`. It takes no part in token streaming: the end of a model call brings the merged message, and a thousand
    hooks for as many tokens would only cost time.

    Threads started by hand lose LangChain's callbacks, this one included, unless run in a `contextvars.copy_context()`.

    Args:
        judge: Who decides; None is the offline judge. A string such as `"openai/gpt-5-mini"` is a model through
            instructor; `as_model(chat_model)` is the app's own model.
        evaluate: `background`: on a worker thread once a run ended; `inline`: before the app gets its answer;
            `never`: only when `report()` is asked for.
        options: Settings of the verification.
        sample_rate: Share of runs verified unasked, 0.0 to 1.0.
        redact: Applied to every captured text before it is stored or judged.
        on_report: Called with every finished report, on the thread that verified.
        max_traces: Runs kept for reading, 1 or more; the oldest go first.
        ttl: Seconds after which a run that never ended is dropped.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    hears_graphs: ClassVar[bool] = False
    """Whether langgraph tells handlers of this class of interrupts."""
    run_inline = True  # on the event loop's own thread: handing a microsecond's work to another costs fifty
    raise_error = False
    # Read at every event. In LangChain they are properties, which take ten times as long.
    ignore_agent = ignore_chain = ignore_chat_model = ignore_llm = ignore_retriever = False
    ignore_retry = ignore_custom_event = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:  # noqa: ARG004 - those of __init__
        """Makes a handler that also hears of a graph's interrupts, if the app uses langgraph."""
        return cast("Self", super().__new__(_for_graphs(cls)))

    def __init__(
        self,
        judge: JudgeLike = None,
        evaluate: Evaluate = "background",
        *,
        options: VerifyOptions | None = None,
        sample_rate: float = 1.0,
        redact: Callable[[str], str] | None = None,
        on_report: Callable[[Report], None] | None = None,
        max_traces: int = 256,
        ttl: float = 3600.0,
    ) -> None:
        super().__init__()
        self._session = Session(
            judge=judge,
            evaluate=evaluate,
            options=options,
            sample_rate=sample_rate,
            redact=redact,
            on_report=on_report,
            max_traces=max_traces,
            ttl=ttl,
        )
        # Both are bounded, because a run that is abandoned never ends.
        self._models: OrderedDict[UUID, Mapping[str, Any]] = OrderedDict()
        self._interrupted: deque[UUID] = deque(maxlen=_INTERRUPTED)
        self._begin, self._finish = self._session.begin, self._session.finish

    def __deepcopy__(self, memo: dict[int, object]) -> TrailCallbackHandler:
        """Apps copy their models and configs; a copy that records elsewhere would lose what it sees."""
        return self

    def __copy__(self) -> TrailCallbackHandler:
        """As above."""
        return self

    # ------------------------------------------------------------------ results

    def graph(self, run_id: UUID | str | None = None) -> ProvenanceGraph:
        """Returns the provenance graph of a root run, by default the latest; it waits for nothing.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self._session.graph(_text(run_id))

    def report(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """Returns the report of a root run, by default the latest; verifies now if nobody has.

        Args:
            run_id: Id of the root run, as in `config["run_id"]`.
            timeout: Seconds to wait for a verification that is under way; None waits as long as it takes.

        Raises:
            InputError: If nothing was recorded under this id.
            TimeoutError: If the verification is not finished in time.
        """
        return self._session.report(_text(run_id), timeout)

    async def areport(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """As `report`, without blocking the event loop."""
        return await self._session.areport(_text(run_id), timeout)

    def graph_around(self, run_id: UUID | str) -> ProvenanceGraph | None:
        """Returns the graph so far of the unfinished root run that a run belongs to; None if this handler misses it."""
        root = self._session.root_of(str(run_id))
        return None if root is None else self._session.graph(root)

    def graph_so_far(self, run_id: UUID | str, text: str) -> ProvenanceGraph:
        """Returns the graph of a root run that goes on, as if the model that writes just now had ended with a text.

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self._session.graph_so_far(str(run_id), text)

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        return self._session.reports

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side; the app saw nothing of it."""
        return self._session.errors

    @property
    def skipped(self) -> int:
        """Runs that were not verified because more ended than the judge kept up with; `report(run_id)` does it still.

        At most 256 runs, and no more than `max_traces`, wait for the worker. The app never waits for it.
        """
        return self._session.skipped

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        return self._session.flush(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker."""
        self._session.close(timeout)

    # ------------------------------------------------------------------ hooks

    def on_chain_start(self, serialized: dict[str, Any], inputs: Any, **kwargs: Any) -> None:
        """A chain, prompt, parser, graph or graph node began."""
        self._start("chain", serialized, inputs, kwargs)

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        """It ended."""
        self._end(outputs, kwargs)

    def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        """It failed, was cancelled or paused."""
        self._fail(error, kwargs)

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **kwargs: Any) -> None:
        """A chat model was asked; there is one list of messages, as each prompt of a batch is a run of its own."""
        self._start("model", serialized, messages, kwargs)

    def on_llm_start(self, serialized: dict[str, Any], prompts: list[str], **kwargs: Any) -> None:
        """A text model was asked."""
        self._start("model", serialized, prompts, kwargs)

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """A model answered."""
        self._end(response, kwargs)

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        """A model failed; what it had said by then is kept."""
        self._fail(error, kwargs)

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **kwargs: Any) -> None:
        """A tool was called."""
        inputs = kwargs.get("inputs")
        self._start("tool", serialized, input_str if inputs is None else inputs, kwargs)

    def on_tool_end(self, output: Any, **kwargs: Any) -> None:
        """It returned."""
        self._end(output, kwargs)

    def on_tool_error(self, error: BaseException, **kwargs: Any) -> None:
        """It failed."""
        self._fail(error, kwargs)

    def on_retriever_start(self, serialized: dict[str, Any], query: str, **kwargs: Any) -> None:
        """A retriever was queried."""
        self._start("retriever", serialized, query, kwargs)

    def on_retriever_end(self, documents: Any, **kwargs: Any) -> None:
        """It found documents."""
        self._end(documents, kwargs)

    def on_retriever_error(self, error: BaseException, **kwargs: Any) -> None:
        """It failed."""
        self._fail(error, kwargs)

    def on_interrupt(self, event: _Interrupt) -> None:
        """A graph stops to be resumed: what it returns is a state, not an answer. Its normal end follows."""
        try:
            if event.run_id is not None:
                self._interrupted.append(event.run_id)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)

    def on_resume(self, event: object) -> None:
        """A graph goes on from a checkpoint; its new root run has begun already."""

    # ------------------------------------------------------------------ records

    def _start(
        self, kind: RunKind, serialized: Mapping[str, Any] | None, payload: object, details: dict[str, Any]
    ) -> None:
        try:
            metadata = details.get("metadata")
            if metadata:
                details["metadata"] = metadata = metadata.copy()  # langgraph writes into the original later
            run_id, parent_id = details["run_id"], details.get("parent_run_id")
            if kind == "model":
                if isinstance(payload, list) and len(payload) == 1:
                    payload = payload[0]
                self._models[run_id] = metadata or {}
                if len(self._models) > _OPEN_MODELS:
                    self._models.popitem(last=False)
            self._begin(run_id, parent_id, (Started, run_id, parent_id, kind, serialized, snapshot(payload), details))
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)
            self._bare(self._begin, details, (Started, details.get("run_id"), details.get("parent_run_id"), kind))

    def _end(self, payload: object, details: dict[str, Any]) -> None:
        try:
            run_id, late = details["run_id"], details.get("inputs")
            metadata = self._models.pop(run_id, None) if self._models else None
            if late is not None:
                late = snapshot(late)
            if self._interrupted and run_id in self._interrupted:
                self._interrupted.remove(run_id)
                told = "interrupted: the graph waits to be resumed"
                self._finish(run_id, (Failed, run_id, told, "paused", snapshot(payload), late))
            else:
                self._finish(run_id, (Ended, run_id, snapshot(payload), late, metadata))
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)
            self._bare(self._finish, details, (Ended, details.get("run_id")))

    def _fail(self, error: BaseException, details: dict[str, Any]) -> None:
        try:
            run_id, late, partial = details["run_id"], details.get("inputs"), details.get("response")
            metadata = self._models.pop(run_id, None)
            graph_id = details.get("parent_run_id")
            if graph_id is not None and not self.hears_graphs and stops_graph(error, details):
                self._interrupted.append(graph_id)
            record = (Failed, run_id, described(error), status_of(error), partial, snapshot(late), metadata)
            self._finish(run_id, record)
        except BaseException as fault:  # noqa: BLE001 - see _keep
            self._keep(fault)
            self._bare(self._finish, details, (Failed, details.get("run_id"), type(error).__name__, "error"))

    def _bare(self, keep: Callable[..., None], details: dict[str, Any], record: tuple[Any, ...]) -> None:
        """Keeps the record of a payload that could not be read, without it: the runs inside need their parent."""
        run_id = details.get("run_id")
        try:
            keep(run_id, details.get("parent_run_id"), record) if record[0] is Started else keep(run_id, record)
        except Exception as error:  # noqa: BLE001 - see _keep
            self._keep(error)

    def _keep(self, error: BaseException) -> None:
        """Keeps our own fault away from the app. LangChain would let other than `Exception`s through to it."""
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise error
        kept = error if isinstance(error, Exception) else RuntimeError(repr(error))
        try:
            self._session.keep_error(kept)
        except Exception:  # noqa: BLE001 - kept already; only logging it failed, e.g. at the end of the stack
            return


def _for_graphs(kind: type[TrailCallbackHandler]) -> type[TrailCallbackHandler]:
    """The class to make: langgraph tells of interrupts only handlers of its own, and is slow to import for nothing."""
    if "langgraph" not in sys.modules or kind.hears_graphs:
        return kind
    return _mixed(kind)  # type: ignore[arg-type]  # mypy takes the hash of an instance for that of the class


@cache
def _mixed(kind: type[TrailCallbackHandler]) -> type[TrailCallbackHandler]:
    try:
        from langgraph.callbacks import GraphCallbackHandler  # noqa: PLC0415 - see _for_graphs
    except ImportError:  # an older one has no such callbacks; the nodes that interrupt tell
        return kind
    return type(kind.__name__, (kind, GraphCallbackHandler), {"__module__": kind.__module__, "hears_graphs": True})


def _text(run_id: UUID | str | None) -> str | None:
    return None if run_id is None else str(run_id)
