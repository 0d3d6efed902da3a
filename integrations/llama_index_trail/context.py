"""`with trail() as t:` records every LlamaIndex run started inside the block."""

from __future__ import annotations

from contextvars import Token
from types import TracebackType
from typing import TYPE_CHECKING, Unpack

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.handlers import listen, unlisten
from llama_index_trail.scope import Scope, current
from llama_index_trail.tracker import TRACKER
from trail_callbacks.forking import ChildSafeLock
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.session import CaptureKeywords, CaptureSettings, Evaluate, Recording
from trail_callbacks.signatures import shows_settings

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Trail", "lock", "open_trails", "rest", "trail"]

lock = ChildSafeLock()  # protects the next number and the handlers' registration
_trails = 0


class Trail(Recording):
    """One block's recording. Made by `trail`; enter it once.

    Its results stay readable after the block, also if the app raised.
    """

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.session)
        self._scope = scope
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


@shows_settings(CaptureSettings, CaptureKeywords)
def trail(judge: JudgeLike = None, evaluate: Evaluate = "background", **settings: Unpack[CaptureKeywords]) -> Trail:
    """Records and verifies what runs in a `with` block, for sync and async code alike.

        with trail() as t:
            engine.query(question)
        print(t.report)

    Blocks may nest and run concurrently: a run belongs to the innermost block around the code that starts it. A
    thread started by hand is outside, unless run in a `contextvars.copy_context()`.

    Args:
        judge: See `instrument`.
        evaluate: See `instrument`.
        **settings: See `instrument`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    return Trail(Scope(CaptureSettings(judge=judge, evaluate=evaluate, **settings)))


def open_trails() -> int:
    """Number of blocks that are open now."""
    return _trails


def rest() -> None:
    """Takes the handlers off when nobody needs them any more."""
    with lock:
        if TRACKER.installed is None and _trails == 0 and TRACKER.open_traces == 0:
            unlisten()


TRACKER.on_idle = rest
