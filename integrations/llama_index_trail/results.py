"""Which session a run belongs to, and how its report reaches the app: attached to the response, or looked up by it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from threading import Event
from typing import Any

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.families import is_kind
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
_origins: dict[int, tuple[weakref.ref[Any], Session | Report, str]] = {}


class GuardDecision(dict[str, Any]):
    """The summary that a guard attaches to a response; the summary of a plain report does not replace it.

    Made as a dictionary is, for `dataclasses.asdict` makes another one of it. Engines merge metadata, so that it may
    turn up on another response than the one it is about.

    Attributes:
        about: Returns the response it is about, as long as there is one.
    """

    __slots__ = ("about",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.about: Callable[[], object] = _nothing

    @classmethod
    def on(cls, response: object, summary: dict[str, Any]) -> GuardDecision:
        """Makes the decision on a response; the summary is that of `trail_callbacks.guard.GuardOutcome`."""
        decision = cls(summary)
        decision.about = weakref.ref(response)
        return decision

    def is_about(self, response: object) -> bool:
        """True for the very response."""
        return self.about() is response

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)


def _nothing() -> None:
    """What a copy of a decision is about."""


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


class Attachments:
    """Attaches the reports of one session to the responses they are about, without keeping those alive."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: weakref.WeakValueDictionary[str, PendingSummary] = weakref.WeakValueDictionary()
        renewed_in_child(self, Attachments._renew)

    def _renew(self) -> None:
        """In a forked child: what waits there waits for the parent's work."""
        for summary in list(self._waiting.values()):
            summary.give_up()
        self._waiting.clear()

    def remember(self, root_id: str, response: object) -> None:
        """Lets `report_for` find the run of a response."""
        _remember(response, self._session, root_id)

    def attach(self, root_id: str, response: object, *, wait: bool) -> None:
        """Puts the summary of a root run that has ended into the metadata of its response."""
        self.remember(root_id, response)
        if is_decided(response) or not self._session.is_due(root_id):
            return
        if wait:
            self._session.report(root_id)
        agent = is_kind(response, "AgentOutput")
        if not (agent or is_kind(response, *_WITH_METADATA)):
            return
        summary = PendingSummary.pending(root_id)
        self._waiting[root_id] = summary
        report = self._session.reports.get(root_id)
        if report is not None:  # finished meanwhile
            summary.fill(report.summary())
        target: Any = response
        if agent:
            target[KEY] = summary
        else:  # a new dictionary: the old one may be that of a part of the app, which puts it into a prompt
            target.metadata = {**(getattr(target, "metadata", None) or {}), KEY: summary}

    def fill(self, report: Report) -> None:
        """Completes the summary that waits for a report."""
        summary = self._waiting.pop(report.run_id or "", None)
        if summary is not None:
            summary.fill(report.summary())


def decide(response: Any, summary: dict[str, Any], report: Report | None) -> None:
    """Puts what a guard decided on a response."""
    response.metadata = {**(getattr(response, "metadata", None) or {}), KEY: GuardDecision.on(response, summary)}
    settle(response, report)


def settle(response: object, report: Report | None) -> None:
    """Makes `report_for` return a report that a guard has already, or none."""
    if report is not None:
        _remember(response, report, "")
    else:
        _origins.pop(id(response), None)


def is_decided(response: object) -> bool:
    """True if a guard has put its decision on this very response."""
    if is_kind(response, "AgentOutput"):
        found = getattr(response, KEY, None)
    else:
        metadata = getattr(response, "metadata", None) if is_kind(response, *_WITH_METADATA) else None
        found = metadata.get(KEY) if isinstance(metadata, dict) else None
    return isinstance(found, GuardDecision) and found.is_about(response)


def graph_for(response: object) -> ProvenanceGraph | None:
    """Returns the provenance graph of the run that returned a response, or None if none was recorded."""
    origin, session, root_id = _origins.get(id(response), (None, None, ""))
    if session is None or origin is None or origin() is not response:
        return None
    try:
        return session.graph if isinstance(session, Report) else session.graph(root_id)
    except InputError:  # too old: more runs were recorded since than are kept
        return None


def _remember(response: object, session: Session | Report, root_id: str) -> None:
    key = id(response)
    try:
        origin = weakref.ref(response, lambda _: _origins.pop(key, None))
    except TypeError:  # strings, numbers and the like
        return
    _origins[key] = (origin, session, root_id)


def report_for(response: object, timeout: float | None = None) -> Report:
    """Returns the report on a response, also for one without metadata. In a coroutine use `areport_for`.

    Verifies now if nobody has, e.g. with `evaluate="never"`.

    Args:
        response: What a query engine, chat engine or workflow returned; the very object.
        timeout: Seconds to wait for a verification that is under way; None waits as long as it takes.

    Raises:
        InputError: If no recorded run returned this object. A stream must be read to its end first.
        TimeoutError: If the verification is not finished in time.
    """
    session, root_id = _origin(response)
    return session if isinstance(session, Report) else session.report(root_id, timeout)


async def areport_for(response: object, timeout: float | None = None) -> Report:
    """As `report_for`, without blocking the event loop. If it is cancelled, a verification under way goes on."""
    session, root_id = _origin(response)
    return session if isinstance(session, Report) else await session.areport(root_id, timeout)


def _origin(response: object) -> tuple[Session | Report, str]:
    origin, session, root_id = _origins.get(id(response), (None, None, ""))
    if session is None or origin is None or origin() is not response:
        raise InputError(
            f"no recorded run returned this {type(response).__name__}: switch on instrument() or trail() before the "
            "query, pass the very object it returned, and read a stream to its end first"
        )
    return session, root_id


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
    """A session, and how its reports reach the app."""

    def __init__(self, settings: CaptureSettings) -> None:
        self._settings = settings
        # Never on the app's thread: whether the app waits is decided for each run, as it may be in an event loop.
        evaluate: Evaluate = "background" if settings.evaluate == "inline" else settings.evaluate
        self.session = Session(
            replace(settings, evaluate=evaluate, on_report=self._reported),
            around=untraced,  # the judge may use the app's models, on any thread
        )
        self.results = Attachments(self.session)
        self.ttl = settings.keep.seconds
        self.opened_in: str | None = active_span_id.get()

    def deliver(self, root_id: str, response: object) -> None:
        """Attaches the report of a root run that has just ended to the response the app gets."""
        if self._settings.evaluate == "never" or not self._settings.attach:
            self.results.remember(root_id, response)
            return
        self.results.attach(root_id, response, wait=self._settings.evaluate == "inline" and running_loop() is None)

    def _reported(self, report: Report) -> object:
        self.results.fill(report)
        return None if self._settings.on_report is None else self._settings.on_report(report)
