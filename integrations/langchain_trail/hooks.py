"""LangChain's callbacks: each appends one record to a session, in a few microseconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from langchain_trail.convert import Ended, Failed, Started, snapshot, status_of, stops_graph
from langchain_trail.reading import Readings, Stopped
from trail_callbacks.capture.events import RunKind
from trail_callbacks.capture.payloads import described
from trail_callbacks.session import Session

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

__all__ = ["RecordingHooks"]

_INTERRUPTED = 1_024

_THREADS = ("thread_id", "session_id", "conversation_id")
"""Metadata keys by which apps name a conversation; langgraph fills in the first one."""


class _Interrupt(Protocol):
    """What a graph reports when it stops; langgraph's own class, which may not be installed."""

    run_id: UUID | None


class RecordingHooks(BaseCallbackHandler):
    """Records what LangChain and LangGraph report. No exception of ours reaches the app.

    Of a stream it keeps the chunks until its run has ended, as LangChain does: an app may stop reading anywhere.

    Args:
        session: Receives the records.
    """

    receives_interrupts: ClassVar[bool] = False
    """Whether langgraph reports interrupts to handlers of this class."""
    run_inline = True  # on the event loop's own thread: handing a microsecond's work to another costs fifty
    raise_error = False
    # Read at every event. In LangChain they are properties, which take ten times as long.
    ignore_agent = ignore_chain = ignore_chat_model = ignore_llm = ignore_retriever = False
    ignore_retry = ignore_custom_event = True

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._readings = Readings(session)
        self._interrupted: deque[UUID] = deque(maxlen=_INTERRUPTED)
        self._begin, self._finish = session.begin, session.finish

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

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, run_id: UUID, **_: Any) -> None:
        """A model streamed a chunk, or a text."""
        try:
            self._readings.token(run_id, token if chunk is None else chunk)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """A model answered."""
        self._end(response, kwargs)

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        """A model failed; what it had written by then is kept."""
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
                metadata = metadata or {}
            thread = _thread(metadata) if parent_id is None and metadata else None
            payload = snapshot(payload)
            root = self._begin(
                run_id, parent_id, (Started, run_id, parent_id, kind, serialized, payload, details), thread
            )
            if root is not None:
                self._readings.started(root, run_id, payload, metadata if kind == "model" else None)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)
            self._bare(self._begin, details, (Started, details.get("run_id"), details.get("parent_run_id"), kind))

    def _end(self, payload: object, details: dict[str, Any]) -> None:
        try:
            run_id, late = details["run_id"], details.get("inputs")
            model = self._readings.model_ended(run_id, payload)
            stopped = None
            if late is not None:
                late = snapshot(late)
                stopped = self._readings.closed(run_id, payload)
            if stopped is not None:
                self._stop(run_id, GeneratorExit(), stopped, late)
            elif self._interrupted and run_id in self._interrupted:
                self._interrupted.remove(run_id)
                why = "interrupted: the graph waits to be resumed"
                if root := self._finish(run_id, (Failed, run_id, why, "paused", snapshot(payload), late)):
                    self._readings.ended(root, None)
            elif root := self._finish(
                run_id, (Ended, run_id, snapshot(payload), late, model.metadata if model else None)
            ):
                self._readings.ended(root, payload)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)
            self._bare(self._finish, details, (Ended, details.get("run_id")))

    def _fail(self, error: BaseException, details: dict[str, Any]) -> None:
        try:
            run_id, late, partial = details["run_id"], details.get("inputs"), details.get("response")
            model, status = self._readings.model_ended(run_id), status_of(error)
            if status == "cancelled" and (stopped := self._readings.stopped(run_id, error)) is not None:
                self._stop(run_id, error, stopped, snapshot(late), model.metadata if model else None)
                return
            if model is not None and model.chunks:
                partial = model.partial()
            graph_id = details.get("parent_run_id")
            if graph_id is not None and not self.receives_interrupts and stops_graph(error, details):
                self._interrupted.append(graph_id)
            record = (
                Failed,
                run_id,
                described(error),
                status,
                partial,
                snapshot(late),
                model.metadata if model else None,
            )
            if root := self._finish(run_id, record):
                self._readings.ended(root, None)
        except BaseException as fault:  # noqa: BLE001 - see _keep
            self._keep(fault)
            self._bare(self._finish, details, (Failed, details.get("run_id"), type(error).__name__, "error"))

    def _stop(
        self,
        run_id: UUID,
        error: BaseException,
        stopped: Stopped,
        late: object,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Ends a root run that the app stopped, and the models that it leaves behind."""
        why = described(error)
        for model in stopped.left:
            self._finish(model.run_id, (Failed, model.run_id, why, "cancelled", model.partial(), None, model.metadata))
        if stopped.whole and (late is not None or metadata is not None):  # of a graph more might have come
            record: tuple[Any, ...] = (Ended, run_id, stopped.read, late, metadata)
        else:
            record = (Failed, run_id, why, "cancelled", stopped.read, late, metadata)
        if root := self._finish(run_id, record):
            self._readings.ended(root, None, cut=True)

    def _bare(self, keep: Callable[..., object], details: dict[str, Any], record: tuple[Any, ...]) -> None:
        """Keeps the record of a payload that could not be read, without it: the runs inside need their parent."""
        run_id = details.get("run_id")
        try:
            keep(run_id, details.get("parent_run_id"), record) if record[0] is Started else keep(run_id, record)
        except Exception as error:  # noqa: BLE001 - see _keep
            self._keep(error)

    def _keep(self, error: BaseException) -> None:
        """Keeps our own fault away from the app. LangChain passes on whatever is not an `Exception`."""
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise error
        kept = error if isinstance(error, Exception) else RuntimeError(repr(error))
        try:
            self._session.keep_error(kept)
        except Exception:  # noqa: BLE001 - kept already; only logging it failed, e.g. at the end of the stack
            return


def _thread(metadata: Mapping[str, Any]) -> str | None:
    """The conversation that a root run is a turn of, as the app names it."""
    return next((f"{key}:{metadata[key]}" for key in _THREADS if metadata.get(key)), None)
