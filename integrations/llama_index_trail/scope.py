"""Which session a run belongs to: the innermost `trail()` around the code that starts it, else the global one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.results import Results
from trail_callbacks.report import Report
from trail_callbacks.session import CaptureSettings, Evaluate, Session
from trail_callbacks.verify.delivery import running_loop

__all__ = ["Scope", "current", "suppressed", "untraced"]

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
    """A session, and how its reports reach the app.

    Args:
        settings: How runs are recorded and verified.

    Attributes:
        session: Records and verifies.
        results: Reports by response.
        ttl: Seconds after which a run that never ended is dropped.
        opened_in: The span around the code that opened the scope.

    Raises:
        JudgeError: If the judge is unknown.
    """

    def __init__(self, settings: CaptureSettings) -> None:
        self._settings = settings
        # Never on the app's thread: whether the app waits is decided for each run, as it may be in an event loop.
        evaluate: Evaluate = "background" if settings.evaluate == "inline" else settings.evaluate
        self.session = Session(
            replace(settings, evaluate=evaluate, on_report=self._reported),
            around=untraced,  # the judge may use the app's models, on any thread
        )
        self.results = Results(self.session)
        self.ttl = settings.ttl
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
