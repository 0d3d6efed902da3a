"""`with trail() as t:` records every LlamaIndex run started inside the block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import Token
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.handlers import listen, unlisten
from llama_index_trail.scope import Scope, current
from llama_index_trail.tracker import TRACKER
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.session import Evaluate

if TYPE_CHECKING:
    from typing import Self

    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["Recording", "Trail", "lock", "open_trails", "rest", "trail"]

lock = RLock()  # protects the next number and the handlers' registration
_trails = 0


class Recording:
    """What was recorded, with its reports. `run_id=None` means the root run that ended last."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def report(self) -> Report:
        """The report of the last run; waits until the verification is finished. In a coroutine use `areport()`.

        Raises:
            InputError: If nothing was recorded.
        """
        return self._scope.session.report()

    async def areport(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """As `report`, for any run, without blocking the event loop."""
        return await self._scope.session.areport(run_id, timeout)

    @property
    def graph(self) -> ProvenanceGraph:
        """The provenance graph of the last run; waits for nothing.

        Raises:
            InputError: If nothing was recorded.
        """
        return self._scope.session.graph()

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        return self._scope.session.reports

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side; the app saw nothing of it."""
        return self._scope.session.errors

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        return self._scope.session.flush(timeout)


class Trail(Recording):
    """One block's recording. Made by `trail`; enter it once.

    Its results stay readable after the block, also if the app raised.
    """

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._token: Token[Scope | None] | None = None

    def __enter__(self) -> Self:
        global _trails  # noqa: PLW0603 - one registration for the process, counted
        self._scope.opened_in = active_span_id.get()
        with lock:
            _trails += 1
            listen()
        self._token = current.set(self._scope)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        global _trails  # noqa: PLW0603 - as above
        token, self._token = self._token, None
        if token is None:
            return
        try:
            current.reset(token)
        except ValueError:  # closed in another context than it was opened in, as async fixtures and generators do
            if current.get() is self._scope:
                current.set(None)
        with lock:
            _trails -= 1
            rest()


def trail(
    judge: JudgeLike = None,
    evaluate: Evaluate = "inline",
    *,
    options: VerifyOptions | None = None,
    sample_rate: float = 1.0,
    redact: Callable[[str], str] | None = None,
    on_report: Callable[[Report], None] | None = None,
    max_traces: int = 256,
    ttl: float = 3600.0,
) -> Trail:
    """Records and verifies what runs in a `with` block, for sync and async code alike.

        with trail() as t:
            engine.query(question)
        print(t.report)

    Blocks may nest and run concurrently: a run belongs to the innermost block around the code that starts it. A
    thread started by hand is outside, unless run in a `contextvars.copy_context()`.

    Args:
        judge: See `instrument`, as for the other arguments.
        evaluate: Likewise.
        options: Likewise.
        sample_rate: Likewise.
        redact: Likewise.
        on_report: Likewise.
        max_traces: Likewise.
        ttl: Likewise.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    scope = Scope(
        judge,
        evaluate,
        options=options,
        sample_rate=sample_rate,
        redact=redact,
        on_report=on_report,
        max_traces=max_traces,
        ttl=ttl,
    )
    return Trail(scope)


def open_trails() -> int:
    """Number of blocks that are open now."""
    return _trails


def rest() -> None:
    """Takes the handlers off when nobody needs them any more."""
    with lock:
        if TRACKER.installed is None and _trails == 0 and TRACKER.open_traces == 0:
            unlisten()


TRACKER.on_idle = rest
