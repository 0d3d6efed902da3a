"""LangChain's callbacks: each appends one record to a session, in a few microseconds.

`Readings` follows what was read of the runs that go on, and the messages on which their reports are shown.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import repeat
from operator import is_
from typing import Any, ClassVar, NamedTuple, Protocol
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult

from langchain_trail.answers import added, answer_message
from langchain_trail.convert import Finished, Started, snapshot, status_of, stops_graph
from trail_callbacks.capture.events import RunKind
from trail_callbacks.capture.payloads import contained, described, exact_text
from trail_callbacks.session import Session

_KEY = "trail"
_OPEN = 4_096
_SOURCES = 2  # inputs of the root and of its first step: with the latter comes what a checkpoint or a history held


@dataclass(slots=True, eq=False)
class HookedCall:
    """A call of a model.

    Attributes:
        run_id: Its run.
        root: The root run around it.
        metadata: That of its start.
        chunks: What it has streamed so far; texts of a model that streams no chunks.
        message: The whole, once it has ended.
        marked: The last chunk, if it carries `summary`.
        summary: What the last chunk carries.
    """

    run_id: UUID
    root: str
    metadata: Mapping[str, Any]
    chunks: list[Any] = field(default_factory=list)
    message: AIMessage | None = None
    marked: AIMessage | None = None
    summary: dict[str, Any] = field(default_factory=dict)

    def partial(self) -> LLMResult:
        """Returns what it has streamed, as its result."""
        whole = added([getattr(chunk, "message", None) or getattr(chunk, "text", chunk) for chunk in self.chunks])
        return LLMResult(
            generations=[[Generation(text=whole) if isinstance(whole, str) else ChatGeneration(message=whole)]]
        )


class Stopped(NamedTuple):
    """A root run that the app stopped.

    Attributes:
        read: What its user had read; None for nothing.
        whole: That was all the model wrote.
        left: The models in it that were still writing.
    """

    read: Any
    whole: bool
    left: list[HookedCall]


@dataclass(slots=True, eq=False)
class _Root:
    given: list[object] = field(default_factory=list)
    models: list[HookedCall] = field(default_factory=list)


class Readings:
    """Follows open runs. Bounded, because a run that is abandoned never ends.

    Attributes:
        open: The calls of models that go on.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._attach = session.settings.attach and session.settings.evaluate != "never"
        self.open: OrderedDict[UUID, HookedCall] = OrderedDict()
        self._roots: OrderedDict[str, _Root] = OrderedDict()

    def started(self, root: str, run_id: UUID, payload: object, metadata: Mapping[str, Any] | None) -> None:
        """A run began."""
        run = self._roots.get(root)
        if run is None:
            run = self._roots[root] = _Root()
            if len(self._roots) > _OPEN:
                self._roots.popitem(last=False)
        if len(run.given) < _SOURCES:
            run.given.append(payload)
        if metadata is not None:
            model = self.open[run_id] = HookedCall(run_id, root, metadata)
            run.models.append(model)
            if len(self.open) > _OPEN:
                self.open.popitem(last=False)

    def token(self, run_id: UUID, chunk: Any) -> None:
        """A model streamed a chunk. The last one gets the pending summary before the app reads it, and adds it up."""
        model = self.open.get(run_id)
        if model is None or (model.chunks and model.chunks[-1] is chunk):  # some report a chunk that LangChain reports
            return
        model.chunks.append(chunk)
        message: Any = getattr(chunk, "message", None)
        if self._attach and getattr(message, "chunk_position", None) == "last":
            calls = any(getattr(each.message, "tool_call_chunks", None) for each in model.chunks)
            if not calls and self._session.samples(model.root):
                model.marked, model.summary = message, {"state": "pending", "run_id": model.root}
                _put(message, model.summary)

    def model_ended(self, run_id: UUID, result: object = None) -> HookedCall | None:
        """A model ended. Its message carries no summary yet, or that of another run if it comes from a cache."""
        model = self.open.pop(run_id, None)
        if model is not None and result is not None:
            model.message = _answer_in(result)
            if self._attach and model.message is not None:
                unmarked(model.message)
        return model

    def ended(self, root: str, output: object, *, cut: bool = False) -> None:
        """A root run ended: the message that answers gets the summary of its report."""
        run = self._roots.pop(root, None)
        if run is None or not self._attach:
            return
        answer = _answer_in(output)
        if answer is not None and (_decided(answer) or any(_holds(given, answer) for given in run.given)):
            answer = None
        marked = [model for model in run.models if model.marked is not None]
        if cut:
            streamed = next((model for model in marked if model is run.models[-1]), None)
        else:
            streamed = next((each for each in marked if answer and each.message and each.message.id == answer.id), None)
        summary = streamed.summary if streamed else {"state": "pending", "run_id": root}
        if answer is not None or streamed is not None:
            if not self._session.fill(root, summary):
                streamed = None
            elif answer is not None:
                _put(answer, summary)
        for model in marked:
            if model is not streamed and model.marked is not None:  # it wrote something else, or nobody verifies it
                unmarked(model.marked)
                model.summary.clear()

    def stopped(self, run_id: UUID, error: BaseException | None) -> Stopped | None:
        """Returns what was read of a run that the app stopped; None if it is no root."""
        root = str(run_id)
        run = self._roots.get(root)
        if run is None:
            return None
        unread = set(_unread(error))
        left = [model for model in list(run.models) if model.run_id in self.open and model.chunks]
        for model in reversed(run.models):
            read = [chunk for chunk in model.chunks if id(getattr(chunk, "message", chunk)) not in unread]
            if read:
                message = _answer_in(HookedCall(run_id, root, {}, read).partial())
            elif isinstance(error, GeneratorExit) and not model.chunks and id(model.message) not in unread:
                message = model.message  # a reader gets the states and updates of a graph whole
            else:
                continue
            if message is not None and message.text:
                last = getattr(getattr(read[-1], "message", None), "chunk_position", None) if read else None
                return Stopped(message, last == "last" and model is run.models[-1], left)
        return Stopped(None, False, left)

    def closed(self, run_id: UUID, output: object) -> Stopped | None:
        """As `stopped`, of a streaming run that ended as if nothing was, and without the last chunk that was read.

        That is how LangChain reports the end of a synchronous stream that the app closes; a model in it still writes.
        """
        stopped = self.stopped(run_id, None)
        if stopped is None or not stopped.left or stopped.read is None:
            return None
        said = output.text if isinstance(output, BaseMessage) else output or ""
        if not isinstance(said, str):
            return stopped._replace(read=output)
        return stopped if stopped.read.text.startswith(said) else None


def unmarked(message: Any) -> Any:
    """Takes the summary off a message or a chunk, and returns it; anything else as it is."""
    if isinstance(message, AIMessage) and _KEY in message.response_metadata:
        vars(message)["response_metadata"] = {k: v for k, v in message.response_metadata.items() if k != _KEY}
    return message


def _put(message: AIMessage, summary: dict[str, Any]) -> None:
    # In a new dictionary: copies of a message, such as those that a cache returns, share the old one.
    vars(message)["response_metadata"] = {**message.response_metadata, _KEY: summary}


def _decided(message: AIMessage) -> bool:
    """True if a guard has put its decision there."""
    return "passed" in (message.response_metadata.get(_KEY) or ())


def _answer_in(output: object) -> AIMessage | None:
    """The message that answers in what a run returned, or the only one in a dictionary."""
    if isinstance(output, LLMResult):
        first = output.generations[0][0] if output.generations and output.generations[0] else None
        output = getattr(first, "message", None)
    found = answer_message(output)
    if found is None and isinstance(output, Mapping):
        values = [value for value in output.values() if isinstance(value, AIMessage)]
        found = values[0] if len(values) == 1 else None
    return found


def _holds(payload: object, message: AIMessage) -> bool:
    """True for inputs with this very message in them: the app had it before."""
    parts = payload.values() if isinstance(payload, Mapping) else (payload, *getattr(payload, "__dict__", {}).values())
    return any(
        part is message or (isinstance(part, list | tuple) and any(map(is_, part, repeat(message)))) for part in parts
    )


def _unread(error: BaseException | None) -> Iterator[int]:
    """The identities of messages that a graph has streamed and nobody has taken: its queue runs ahead of its reader."""
    here = error.__traceback__ if error is not None else None
    while here is not None:
        frame, here = here.tb_frame, here.tb_next
        if frame.f_globals.get("__name__") == "langgraph.pregel.main":
            for _, mode, payload in list(getattr(frame.f_locals.get("stream"), "_queue", ())):
                if mode in {"messages", "updates"}:
                    yield from _identities(payload)


def _identities(payload: object) -> Iterator[int]:
    if isinstance(payload, BaseMessage):
        yield id(payload)
    elif isinstance(payload, Mapping | list | tuple):
        for each in payload.values() if isinstance(payload, Mapping) else payload:
            yield from _identities(each)


_INTERRUPTED = 1_024

_THREADS = ("thread_id", "session_id", "conversation_id")
"""Metadata keys by which apps name a conversation; langgraph fills in the first one."""


class _Interrupt(Protocol):
    """What a graph reports when it stops; langgraph's own class, which may not be installed."""

    run_id: UUID | None


class RecordingHooks(BaseCallbackHandler):
    """Records what LangChain and LangGraph report. No exception of ours reaches the app.

    Of a stream it keeps the chunks until its run has ended, as LangChain does: an app may stop reading anywhere.
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
        self.session = session
        self._readings = Readings(session)
        self._interrupted: deque[UUID] = deque(maxlen=_INTERRUPTED)
        self._begin, self._finish = session.begin, session.finish

    def on_chain_start(self, serialized: dict[str, Any], inputs: Any, **kwargs: Any) -> None:
        """A chain, prompt, parser, graph or graph node began."""
        self._start("chain", serialized, inputs, kwargs)

    def on_chat_model_start(self, serialized: dict[str, Any], messages: Any, **kwargs: Any) -> None:
        """A model was asked; there is one prompt, as each of a batch is a run of its own."""
        self._start("model", serialized, messages, kwargs)

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, **kwargs: Any) -> None:
        """A tool was called."""
        inputs = kwargs.get("inputs")
        self._start("tool", serialized, input_str if inputs is None else inputs, kwargs)

    def on_retriever_start(self, serialized: dict[str, Any], query: str, **kwargs: Any) -> None:
        """A retriever was queried."""
        self._start("retriever", serialized, query, kwargs)

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, run_id: UUID, **_: Any) -> None:
        """A model streamed a chunk, or a text."""
        try:
            self._readings.token(run_id, token if chunk is None else chunk)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> None:
        """A run of any kind ended."""
        self._end(outputs, kwargs)

    def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        """A run of any kind failed, was cancelled or paused; what a model had written by then is kept."""
        self._fail(error, kwargs)

    on_llm_start = on_chat_model_start  # type: ignore[assignment]  # called with positions only
    on_llm_end = on_tool_end = on_retriever_end = on_chain_end  # type: ignore[assignment]  # as above
    on_llm_error = on_tool_error = on_retriever_error = on_chain_error

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
            readings = self._readings
            model = readings.model_ended(run_id, payload) if readings.open else None
            stopped = None
            if late is not None:
                late = snapshot(late)
                stopped = self._readings.closed(run_id, payload)
            if stopped is not None:
                self._stop(run_id, GeneratorExit(), stopped, late)
            elif self._interrupted and run_id in self._interrupted:
                self._interrupted.remove(run_id)
                why = "interrupted: the graph waits to be resumed"
                self._ended(run_id, (Finished, run_id, snapshot(payload), late, None, why, "paused"))
            else:
                record = (Finished, run_id, snapshot(payload), late, model.metadata if model else None)
                if root := self._finish(run_id, record):
                    readings.ended(root, payload)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)
            self._bare(self._finish, details, (Finished, details.get("run_id")))

    def _fail(self, error: BaseException, details: dict[str, Any]) -> None:
        try:
            run_id, late, partial = details["run_id"], snapshot(details.get("inputs")), details.get("response")
            model, status = self._readings.model_ended(run_id), status_of(error)
            metadata = model.metadata if model else None
            if status == "cancelled" and (stopped := self._readings.stopped(run_id, error)) is not None:
                self._stop(run_id, error, stopped, late, metadata)
                return
            if model is not None and model.chunks:
                partial = model.partial()
            graph_id = details.get("parent_run_id")
            if graph_id is not None and not self.receives_interrupts and stops_graph(error, details):
                self._interrupted.append(graph_id)
            self._ended(run_id, (Finished, run_id, partial, late, metadata, described(error), status))
        except BaseException as fault:  # noqa: BLE001 - see _keep
            self._keep(fault)
            lost = (Finished, details.get("run_id"), None, None, None, type(error).__name__)
            self._bare(self._finish, details, lost)

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
            left = (Finished, model.run_id, model.partial(), None, model.metadata, why, "cancelled")
            self._finish(model.run_id, left)
        whole = stopped.whole and (late is not None or metadata is not None)  # of a graph more might have come
        record = (Finished, run_id, stopped.read, late, metadata, None if whole else why, "cancelled")
        self._ended(run_id, record, cut=True)

    def _ended(self, run_id: UUID, record: tuple[Any, ...], output: object = None, *, cut: bool = False) -> None:
        if root := self._finish(run_id, record):
            self._readings.ended(root, output, cut=cut)

    def _bare(self, keep: Callable[..., object], details: dict[str, Any], record: tuple[Any, ...]) -> None:
        """Keeps the record of a payload that could not be read, without it: the runs inside need their parent."""
        run_id = details.get("run_id")
        try:
            keep(run_id, details.get("parent_run_id"), record) if record[0] is Started else keep(run_id, record)
        except BaseException as error:  # noqa: BLE001 - see _keep
            self._keep(error)

    def _keep(self, error: BaseException) -> None:
        """Keeps our own fault away from the app. LangChain passes on whatever is not an `Exception`."""
        kept = contained(error)
        with suppress(Exception):  # kept already; only logging it failed, e.g. at the end of the stack
            self.session.keep_error(kept)


def _thread(metadata: Mapping[str, Any]) -> str | None:
    """The conversation that a root run is a turn of, as the app names it."""
    named = ((key, value) for key in _THREADS if issubclass(type(value := metadata.get(key)), str | int | UUID))
    return next((f"{key}:{text}" for key, value in named if (text := exact_text(value))), None)
