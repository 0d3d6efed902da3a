"""Which session a run belongs to, and how its report reaches the app: attached to the response, or looked up by it."""

from __future__ import annotations

import asyncio
import weakref
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from threading import Event
from typing import Any

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.families import is_kind
from llama_index_trail.records import ByIdentity
from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.session import CaptureSettings, Evaluate, Session
from trail_callbacks.verify.delivery import running_loop

KEY = "trail"
"""The key of the summary in `response.metadata`."""

_TIMEOUT = 60.0  # seconds a read of a pending summary waits
_WITH_METADATA = (
    "Response",
    "PydanticResponse",
    "StreamingResponse",
    "AsyncStreamingResponse",
    "AgentChatResponse",
    "StreamingAgentChatResponse",
)

_origins: ByIdentity[tuple[Session | Report, str]] = ByIdentity()
_named: OrderedDict[str, tuple[weakref.ref[Session], str]] = OrderedDict()  # by the id of a request or workflow run
_NAMED = 10_000
_TURNS = 16  # of the event loop, in which it closes the generators inside a stream that the app has just left
_decided: ByIdentity[bool] = ByIdentity()  # what a guard has decided on: no plain report replaces its summary


class PendingSummary(dict[str, Any]):
    """The summary of a report, as `Report.summary()` gives it, that may still be pending.

    Where an event loop runs, which must not be blocked, a pending one reads as `{"state": "pending", "run_id": ...}`;
    `await areport_for(response)` waits. Elsewhere reading waits, for a minute at most; printing does not. Made by a
    plain call it is complete.
    """

    __slots__ = ("__weakref__", "_ready")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ready: Event | None = None

    @classmethod
    def pending(cls, run_id: str) -> PendingSummary:
        """Makes the summary of a run, which `fill` completes."""
        summary = cls(state="pending", run_id=run_id)
        summary._ready = Event()
        return summary

    def fill(self, values: dict[str, Any]) -> None:
        """Completes a pending summary; those who wait for it go on."""
        if "run_id" not in values:
            dict.pop(self, "run_id", None)
        dict.update(self, values)
        ready, self._ready = self._ready, None
        if ready is not None:
            ready.set()

    def give_up(self) -> None:
        """Lets a summary stay as it is: reading waits no more."""
        self._ready = None

    def _wait(self) -> None:
        ready = self._ready
        if ready is not None and running_loop() is None and not ready.wait(_TIMEOUT):
            self._ready = None  # it is not coming: further reads must not wait as long

    def copy(self) -> dict[str, Any]:
        """Returns a plain dictionary."""
        return dict(self.items())

    __hash__ = None

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self.copy(),)


def _reading(name: str) -> Callable[..., Any]:
    """A method of dictionaries that waits first."""
    plain = getattr(dict, name)

    @wraps(plain)
    def read(self: PendingSummary, *arguments: Any) -> Any:
        self._wait()
        return plain(self, *arguments)

    return read


for _name in (
    "__getitem__",
    "__contains__",
    "__iter__",
    "__len__",
    "__eq__",
    "__ne__",
    "get",
    "items",
    "keys",
    "values",
):
    setattr(PendingSummary, _name, _reading(_name))


def note_decision(response: object) -> None:
    """Keeps the summary that a guard puts on this very response: that of a plain report does not replace it."""
    _decided.put(response, True)


def decide(response: Any, summary: dict[str, Any], report: Report | None) -> None:
    """Puts what a guard decided on a response."""
    response.metadata = {**(getattr(response, "metadata", None) or {}), KEY: summary}
    note_decision(response)
    settle(response, report)


def settle(response: object, report: Report | None) -> None:
    """Makes `report_for` return a report that a guard has already, or none."""
    if report is not None:
        _origins.put(response, (report, ""))
    else:
        _origins.pop(response)


def graph_for(response: object) -> ProvenanceGraph | None:
    """Returns the provenance graph of the run that returned a response, or None if none was recorded."""
    origin = _origins.get(response)
    if origin is None:
        return None
    session, root_id = origin
    try:
        return session.graph if isinstance(session, Report) else session.graph(root_id)
    except InputError:  # too old: more runs were recorded since than are kept
        return None


def recorded_in(response: object) -> tuple[Session | None, str | None]:
    """Returns the session that recorded the run that returned a response, and its root; None if nothing did."""
    session, root_id = _origins.get(response) or (None, None)
    return (None, None) if isinstance(session, Report) else (session, root_id)


def report_for(response: object, timeout: float | None = None) -> Report:
    """Returns the report on a response, also for one without metadata. In a coroutine use `areport_for`.

    Verifies now if nobody has, e.g. with `evaluate="never"`.

    Args:
        response: What a query engine, chat engine or workflow returned, the very object; the handler of a workflow or
            agent; or the `request_id` that the app gave with `instrument_tags`, which means the last run under it.
        timeout: Seconds to wait for a verification that is under way; None waits as long as it takes.

    Raises:
        InputError: If no recorded run returned this object. A stream must be read to its end first, or closed.
        TimeoutError: If the verification is not finished in time.
    """
    session, root_id = _origin(response)
    return session if isinstance(session, Report) else session.report(root_id, timeout)


async def areport_for(response: object, timeout: float | None = None) -> Report:
    """As `report_for`, without blocking the event loop. If it is cancelled, a verification under way goes on."""
    for _ in range(_TURNS):
        if _known(response) is not None:
            break
        await asyncio.sleep(0)
    session, root_id = _origin(response)
    return session if isinstance(session, Report) else await session.areport(root_id, timeout)


def _origin(response: object) -> tuple[Session | Report, str]:
    origin = _known(response)
    if origin is None:
        raise InputError(
            f"no recorded run returned this {type(response).__name__}: switch on instrument() or trail() before the "
            "query, pass the very object it returned, and read a stream to its end first, or close it. The string or "
            "dict that a workflow returned is found by the handler that its run() returned, or by the request_id of "
            "instrument_tags()"
        )
    return origin


def _known(response: object) -> tuple[Session | Report, str] | None:
    if is_kind(response, "WorkflowHandler"):
        response = getattr(response, "run_id", None)
    if not isinstance(response, str):
        return _origins.get(response)
    session, root_id = _named.get(response, (None, ""))
    known = session() if session is not None else None
    return None if known is None else (known, root_id)


current: ContextVar[Scope | None] = ContextVar("llama_index_trail", default=None)
_suppressed: ContextVar[bool] = ContextVar("llama_index_trail_suppressed", default=False)
suppressed = _suppressed.get
"""True while our own verification runs: it may use the app's models, and is not part of any trace."""


@contextmanager
def untraced() -> Generator[None]:
    """Hides what runs inside from every scope."""
    token = _suppressed.set(True)
    try:
        yield
    finally:
        _suppressed.reset(token)


class Scope:
    """A session, and how its reports reach the app: attached to the responses, without keeping those alive."""

    def __init__(self, settings: CaptureSettings) -> None:
        self._settings = settings
        # Never on the app's thread: whether the app waits is decided for each run, as it may be in an event loop.
        evaluate: Evaluate = "background" if settings.evaluate == "inline" else settings.evaluate
        self.session = Session(
            replace(settings, evaluate=evaluate, on_report=self._reported),
            around=untraced,  # the judge may use the app's models, on any thread
        )
        self.ttl = settings.keep.seconds
        self.opened_in: str | None = active_span_id.get()
        self._waiting: weakref.WeakValueDictionary[str, PendingSummary] = weakref.WeakValueDictionary()
        renewed_in_child(self, Scope._renew)

    def _renew(self) -> None:
        """In a forked child: what waits there waits for the parent's work."""
        for summary in list(self._waiting.values()):
            summary.give_up()
        self._waiting.clear()

    def name(self, root_id: str, names: Iterable[str]) -> None:
        """Lets the report of a root run that has just ended be found by other names than its response."""
        for each in names:
            _named.pop(each, None)
            _named[each] = weakref.ref(self.session), root_id
        while len(_named) > _NAMED:
            _named.popitem(last=False)

    def deliver(self, root_id: str, response: Any) -> None:
        """Puts the summary of a root run that has just ended into the metadata of its response."""
        _origins.put(response, (self.session, root_id))
        evaluate = self._settings.evaluate
        if evaluate == "never" or not self._settings.attach or _decided.get(response):
            return
        if not self.session.is_due(root_id):
            return
        if evaluate == "inline" and running_loop() is None:
            self.session.report(root_id)
        agent = is_kind(response, "AgentOutput")
        if not (agent or is_kind(response, *_WITH_METADATA)):
            return
        summary = self._waiting[root_id] = PendingSummary.pending(root_id)
        if (report := self.session.reports.get(root_id)) is not None:  # finished meanwhile
            summary.fill(report.summary())
        if agent:
            response[KEY] = summary
        else:  # a new dictionary: the old one may be that of a part of the app, which puts it into a prompt
            response.metadata = {**(getattr(response, "metadata", None) or {}), KEY: summary}

    def _reported(self, report: Report) -> object:
        summary = self._waiting.pop(report.run_id or "", None)
        if summary is not None:
            summary.fill(report.summary())
        return None if self._settings.on_report is None else self._settings.on_report(report)
