"""`with trail() as t:` records every LangChain run started inside the block."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from langchain_core.tracers.context import register_configure_hook

from langchain_trail.handler import TrailCallbackHandler
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.session import CaptureKeywords, CaptureSettings, Evaluate, Recording
from trail_callbacks.signatures import shows_settings

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Trail", "trail", "untraced"]

_active: ContextVar[TrailCallbackHandler | None] = ContextVar("langchain_trail", default=None)
# Once for the process: LangChain walks all hooks whenever anything runs, and none can be taken back.
register_configure_hook(_active, inheritable=True)


class Trail(Recording):
    """One block's recording. Made by `trail`; enter it once.

    Its results are those of the last run of the block that answered, and stay readable after the block, also if the app
    raised. What the block called before, such as a retriever, belongs to that run if the run read what it returned.

    Attributes:
        handler: The handler that records.
    """

    def __init__(self, handler: TrailCallbackHandler) -> None:
        super().__init__(handler._session)  # noqa: SLF001 - the handler and the block are two views of one session
        handler._session.join_runs()  # noqa: SLF001 - as above
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


@shows_settings(CaptureSettings, CaptureKeywords)
def trail(judge: JudgeLike = None, evaluate: Evaluate = "background", **settings: Unpack[CaptureKeywords]) -> Trail:
    """Records and verifies what runs in a `with` block, without touching the app; for sync and async code alike.

        with trail() as t:
            chain.invoke(question)
        print(t.report)

    Blocks may nest and run concurrently: a run belongs to the innermost block around the code that starts it.

    Args:
        judge: See `TrailCallbackHandler`.
        evaluate: See `TrailCallbackHandler`.
        **settings: See `TrailCallbackHandler`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    return Trail(TrailCallbackHandler(judge, evaluate, **settings))


@contextmanager
def untraced() -> Generator[None]:
    """Hides what runs inside from the block around it: `callbacks=[]` alone does not stop a context hook."""
    token = _active.set(None)
    try:
        yield
    finally:
        _active.reset(token)
