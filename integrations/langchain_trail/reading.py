"""What was read of the runs that go on, and the messages on which their reports are shown."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from operator import is_
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, Generation, LLMResult

from langchain_trail.answers import answer_message
from langchain_trail.chunks import added
from trail_callbacks.session import Session

__all__ = ["Model", "Readings", "Stopped", "unmarked"]

_KEY = "trail"
_OPEN = 4_096
_SOURCES = 2  # inputs of the root and of its first step: with the latter comes what a checkpoint or a history held


@dataclass(slots=True, eq=False)
class Model:
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
    left: list[Model]


@dataclass(slots=True, eq=False)
class _Root:
    given: list[object] = field(default_factory=list)
    models: list[Model] = field(default_factory=list)


class Readings:
    """Follows open runs. Bounded, because a run that is abandoned never ends.

    Args:
        session: Records the runs, and has their reports.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._attach = session.settings.attach and session.settings.evaluate != "never"
        self._open: OrderedDict[UUID, Model] = OrderedDict()
        self._roots: OrderedDict[str, _Root] = OrderedDict()

    def started(self, root: str, run_id: UUID, payload: object, metadata: Mapping[str, Any] | None) -> None:
        """A run began.

        Args:
            root: The root run around it, or itself.
            run_id: The run.
            payload: Its inputs.
            metadata: Of a model, its metadata; None for all others.
        """
        run = self._roots.get(root)
        if run is None:
            run = self._roots[root] = _Root()
            if len(self._roots) > _OPEN:
                self._roots.popitem(last=False)
        if len(run.given) < _SOURCES:
            run.given.append(payload)
        if metadata is not None:
            model = self._open[run_id] = Model(run_id, root, metadata)
            run.models.append(model)
            if len(self._open) > _OPEN:
                self._open.popitem(last=False)

    def token(self, run_id: UUID, chunk: Any) -> None:
        """A model streamed a chunk. The last one gets the pending summary before the app reads it, and adds it up."""
        model = self._open.get(run_id)
        if model is None or (model.chunks and model.chunks[-1] is chunk):  # some report a chunk that LangChain reports
            return
        model.chunks.append(chunk)
        message: Any = getattr(chunk, "message", None)
        if self._attach and getattr(message, "chunk_position", None) == "last":
            calls = any(getattr(each.message, "tool_call_chunks", None) for each in model.chunks)
            if not calls and self._session.samples(model.root):
                model.marked, model.summary = message, {"state": "pending", "run_id": model.root}
                _put(message, model.summary)

    def model_ended(self, run_id: UUID, result: object = None) -> Model | None:
        """A model ended. Its message carries no summary yet, or that of another run if it comes from a cache."""
        model = self._open.pop(run_id, None) if self._open else None
        if model is not None and result is not None:
            model.message = _answer_in(result)
            if self._attach and model.message is not None:
                unmarked(model.message)
        return model

    def ended(self, root: str, output: object, *, cut: bool = False) -> None:
        """A root run ended: the message that answers gets the summary of its report.

        Args:
            root: The root run.
            output: What it returned.
            cut: The app stopped it.
        """
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
        """Returns what was read of a run that the app stopped; None if it is no root.

        Args:
            run_id: The run.
            error: What stopped it; None if that is not known.
        """
        root = str(run_id)
        run = self._roots.get(root)
        if run is None:
            return None
        unread = set(_unread(error))
        left = [model for model in list(run.models) if model.run_id in self._open and model.chunks]
        for model in reversed(run.models):
            read = [chunk for chunk in model.chunks if id(getattr(chunk, "message", chunk)) not in unread]
            if read:
                message = _answer_in(Model(run_id, root, {}, read).partial())
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
