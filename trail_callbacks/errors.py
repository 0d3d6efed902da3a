"""Every exception of the package.

    TrailError
    ├── InputError          an argument, file or text that cannot be used (also a ValueError)
    │   ├── GraphError      an invalid provenance graph: cycle, duplicate or unknown id
    │   ├── ReportError     a saved report that cannot be read: truncated, not a report, or of an unknown version
    │   └── StoreError      a store that cannot be opened, read or written
    ├── JudgeError          a judge that cannot be built or called (unknown name, no endpoint, no key)
    ├── AnswerRejectedError a guard with `on_fail="raise"` rejected an answer
    └── MissingExtraError   an optional dependency is missing (also an ImportError); gives the pip command

None of these reaches the host application from a callback: capture collects its errors. Only a guard with
`on_fail="raise"` raises into the app.
"""

from __future__ import annotations

from typing import Any


class TrailError(Exception):
    """Base of all errors raised by trail-callbacks."""


class InputError(TrailError, ValueError):
    """An argument, file or text that cannot be used; the message says what, where and what to do."""


class GraphError(InputError):
    """An invalid provenance graph: a cycle, a duplicate id, an edge to an unknown node."""


class ReportError(InputError):
    """A saved report that cannot be read: truncated, not a report, or of an unknown version."""


class StoreError(InputError):
    """A store that cannot be opened, read or written: no database, one of a newer release, a full disk."""


class JudgeError(TrailError):
    """A judge that cannot be built or called: unknown name, unreachable endpoint, rejected key."""


class MissingExtraError(TrailError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        extra: The extra of this distribution that installs it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f'{feature} needs an optional dependency: pip install "trail-callbacks[{extra}]"')


class AnswerRejectedError(TrailError):
    """A guard with `on_fail="raise"` rejected an answer. The message quotes nothing of the answer.

    Attributes:
        report: The `Report` on the last draft.
        attempts: Number of drafts that were written.
    """

    def __init__(self, message: str, report: Any = None, attempts: int = 1) -> None:
        self.report = report
        self.attempts = attempts
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Keeps the attributes when the exception is pickled; by default only the message would survive."""
        return type(self), (str(self), self.report, self.attempts)
