"""What a `with trail()` block, or a whole process, recorded, as its user reads it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.session.session import Session

if TYPE_CHECKING:
    from typing import Self

    from trail_callbacks.trace import Trace


class Recording:
    """What was recorded, with its reports. By default results are those of the root run that ended last."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def report(self) -> Report:
        """The report of the last run; waits until the verification is finished. In a coroutine use `areport()`.

        Raises:
            InputError: If nothing was recorded.
        """
        return self._session.report()

    async def areport(self, run_id: str | None = None, timeout: float | None = None) -> Report:
        """As `report`, for any root run, without blocking the event loop.

        Args:
            run_id: Id of the root run; None is the last one of the caller's own task or thread, else the last of all.
            timeout: Seconds to wait for the verification; None waits as long as it takes.

        Raises:
            InputError: If nothing was recorded under this id, or several runs may be meant.
            TimeoutError: If the verification is not finished in time.
        """
        return await self._session.areport(run_id, timeout)

    @property
    def graph(self) -> ProvenanceGraph:
        """The provenance graph of the last run; waits for nothing.

        Raises:
            InputError: If nothing was recorded.
        """
        return self._session.graph()

    @property
    def trace(self) -> Trace:
        """The trace of the last run, which can be kept and verified again later; waits for nothing.

        Raises:
            InputError: If nothing was recorded.
        """
        return self._session.trace()

    def trace_of(self, run_id: str) -> Trace:
        """As `trace`, for any root run, such as one that a report names (`Report.trace_id`).

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self._session.trace(run_id)

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports of all root runs by their id, oldest first."""
        return self._session.reports

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side; the app is not affected."""
        return self._session.errors

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        return self._session.flush(timeout)


class Block(Recording):
    """What a `with` block recorded: a context variable says to whoever runs in it where to record. Enter it once."""

    def __init__(self, session: Session, current: ContextVar[Any], value: object) -> None:
        super().__init__(session)
        self._current, self._value = current, value
        self._token: Token[Any] | None = None

    def __enter__(self) -> Self:
        self._token = self._current.set(self._value)
        return self

    def __exit__(self, *error: object) -> None:
        token, self._token = self._token, None
        if token is None:
            return
        try:
            self._current.reset(token)
        except ValueError:  # closed in another context than it was opened in, as async fixtures and generators do
            if self._current.get() is self._value:
                self._current.set(None)
