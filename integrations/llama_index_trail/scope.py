"""Which session a run belongs to: the innermost `trail()` around the code that starts it, else the global one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.results import Results
from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.session import Evaluate, Session

if TYPE_CHECKING:
    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["Scope", "current", "suppressed", "untraced"]

current: ContextVar[Scope | None] = ContextVar("llama_index_trail", default=None)
_suppressed: ContextVar[bool] = ContextVar("llama_index_trail_suppressed", default=False)
suppressed = _suppressed.get
"""True while our own verification runs: it may use the app's models, and is no part of any trace."""


@contextmanager
def untraced() -> Generator[None]:
    """Hides what runs inside from every scope."""
    token = _suppressed.set(True)
    try:
        yield
    finally:
        _suppressed.reset(token)


class Scope:
    """A session with the way its reports reach the app.

    Args:
        judge: See `instrument`, as for the other arguments.
        evaluate: Likewise.
        options: Likewise.
        sample_rate: Likewise.
        redact: Likewise.
        on_report: Likewise.
        max_traces: Likewise.
        ttl: Likewise.

    Attributes:
        session: Records and verifies.
        results: Reports by response.
        ttl: Seconds after which a run that never ended is dropped.
        opened_in: The span around the code that opened the scope.
    """

    def __init__(
        self,
        judge: JudgeLike,
        evaluate: Evaluate,
        *,
        options: VerifyOptions | None,
        sample_rate: float,
        redact: Callable[[str], str] | None,
        on_report: Callable[[Report], None] | None,
        max_traces: int,
        ttl: float,
    ) -> None:
        if evaluate not in ("inline", "background", "never"):
            raise InputError(f"evaluate is {evaluate!r}, expected one of inline, background, never")
        self.evaluate = evaluate
        self.ttl = ttl
        self._on_report = on_report
        # Always on the worker: whether the app waits for it is decided for each run, as it may be in an event loop.
        mode: Literal["background", "never"] = "never" if evaluate == "never" else "background"
        self.session = Session(
            judge=judge,
            evaluate=mode,
            options=options,
            sample_rate=sample_rate,
            redact=redact,
            on_report=self._reported,
            max_traces=max_traces,
            ttl=ttl,
            around=untraced,  # the judge may use the app's models, on any thread
        )
        self.results = Results(self.session)
        self.opened_in: str | None = active_span_id.get()

    def deliver(self, root_id: str, response: object) -> None:
        """Attaches the report of a root run that has just ended to the response the app gets."""
        if self.evaluate == "never":
            self.results.remember(root_id, response)
            return
        self.results.attach(root_id, response, wait=self.evaluate == "inline" and not _in_event_loop())

    def _reported(self, report: Report) -> None:
        self.results.fill(report)
        if self._on_report is not None:
            self._on_report(report)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
