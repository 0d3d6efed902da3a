"""`with trail() as t:` records every LangChain run started inside the block."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING

from langchain_core.tracers.context import register_configure_hook

from langchain_trail.handler import TrailCallbackHandler
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.session import Evaluate

if TYPE_CHECKING:
    from typing import Self

    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["Trail", "trail", "untraced"]

_active: ContextVar[TrailCallbackHandler | None] = ContextVar("langchain_trail", default=None)
# Once for the process: LangChain walks all hooks whenever anything runs, and none can be taken back.
register_configure_hook(_active, inheritable=True)


class Trail:
    """One block's recording. Made by `trail`; enter it once.

    Its results mean the last run of the block that ended, and stay readable after the block, also if the app raised.
    """

    def __init__(self, handler: TrailCallbackHandler) -> None:
        self.handler = handler
        self._token: Token[TrailCallbackHandler | None] | None = None

    def __enter__(self) -> Self:
        self._token = _active.set(self.handler)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        token, self._token = self._token, None
        if token is None:
            return
        try:
            _active.reset(token)
        except ValueError:  # closed in another context than it was opened in, as async fixtures and generators do
            if _active.get() is self.handler:
                _active.set(None)

    @property
    def report(self) -> Report:
        """The report; waits until the verification is finished. In a coroutine use `areport()`.

        Raises:
            InputError: If nothing ran in the block.
        """
        return self.handler.report()

    async def areport(self) -> Report:
        """As `report`, without blocking the event loop."""
        return await self.handler.areport()

    @property
    def graph(self) -> ProvenanceGraph:
        """The provenance graph; waits for nothing.

        Raises:
            InputError: If nothing ran in the block.
        """
        return self.handler.graph()

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports of all runs of the block by the id of their root run, oldest first."""
        return self.handler.reports

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side; the app saw nothing of it."""
        return self.handler.errors


def trail(
    judge: JudgeLike = None,
    evaluate: Evaluate = "background",
    *,
    options: VerifyOptions | None = None,
    sample_rate: float = 1.0,
    redact: Callable[[str], str] | None = None,
    on_report: Callable[[Report], None] | None = None,
    max_traces: int = 256,
    ttl: float = 3600.0,
) -> Trail:
    """Records and verifies what runs in a `with` block, without touching the app; for sync and async code alike.

        with trail() as t:
            chain.invoke(question)
        print(t.report)

    Blocks may nest and run concurrently: a run belongs to the innermost block around the code that starts it.

    Args:
        judge: See `TrailCallbackHandler`, as for the other arguments.
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
    handler = TrailCallbackHandler(
        judge,
        evaluate,
        options=options,
        sample_rate=sample_rate,
        redact=redact,
        on_report=on_report,
        max_traces=max_traces,
        ttl=ttl,
    )
    return Trail(handler)


@contextmanager
def untraced() -> Generator[None]:
    """Hides what runs inside from the block around it: `callbacks=[]` alone does not stop a context hook."""
    token = _active.set(None)
    try:
        yield
    finally:
        _active.reset(token)
