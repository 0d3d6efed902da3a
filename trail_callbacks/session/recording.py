"""What a `with trail()` block, or a whole process, recorded, as its user reads it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any
from uuid import UUID

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Report
from trail_callbacks.session.session import Session

if TYPE_CHECKING:
    from typing import Self

    from trail_callbacks.trace import Trace


class RecordedReports:
    """The reports of a session, and what went wrong: what everything that records shows its user.

    Attributes:
        session: What records, and verifies what ended.
    """

    session: Session

    async def areport(self, run_id: UUID | str | None = None, timeout: float | None = None) -> Report:
        """Returns the report of a root run without blocking the event loop; verifies now if nobody has.

        Args:
            run_id: Id of the root run, as in `config["run_id"]`. None is the last one of the caller's own task or
                thread; without one the last of all, unless others ran beside it.
            timeout: Seconds to wait for a verification that is under way; None waits as long as it takes.

        Raises:
            InputError: If nothing was recorded under this id, or several runs may be meant.
            TimeoutError: If the verification is not finished in time.
        """
        return await self.session.areport(run_id, timeout)

    @property
    def reports(self) -> Mapping[str, Report]:
        """Finished reports by the id of their root run, oldest first."""
        return self.session.reports

    @property
    def errors(self) -> list[Exception]:
        """What went wrong on our side; the app is not affected."""
        return self.session.errors

    @property
    def skipped(self) -> int:
        """Runs that were not verified because more ended than the judge kept up with; `errors` says so once each time.

        At most `Retention.waiting` runs wait to be verified, and the app never waits for them. `report(run_id)`
        verifies one that was skipped as long as it is kept.
        """
        return self.session.skipped

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every verification under way is finished; returns False if the time was too short."""
        return self.session.flush(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Finishes what is under way, at most for `timeout` seconds, and stops the worker."""
        self.session.close(timeout)


class Recording(RecordedReports):
    """What was recorded, with its reports. By default results are those of the root run that ended last."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def report(self) -> Report:
        """The report of the last run; waits until the verification is finished. In a coroutine use `areport()`.

        Raises:
            InputError: If nothing was recorded.
        """
        return self.session.report()

    @property
    def graph(self) -> ProvenanceGraph:
        """The provenance graph of the last run; waits for nothing.

        Raises:
            InputError: If nothing was recorded.
        """
        return self.session.graph()

    @property
    def trace(self) -> Trace:
        """The trace of the last run, which can be kept and verified again later; waits for nothing.

        Raises:
            InputError: If nothing was recorded.
        """
        return self.session.trace()

    def trace_of(self, run_id: UUID | str) -> Trace:
        """As `trace`, for any root run, such as one that a report names (`Report.trace_id`).

        Raises:
            InputError: If nothing was recorded under this id.
        """
        return self.session.trace(run_id)


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
