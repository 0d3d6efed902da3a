"""Every exception of the package.

    TrailError
    ├── InputError          an argument, file or text that cannot be used (also a ValueError)
    │   ├── GraphError      a provenance graph that is not one: cycle, duplicate or unknown id
    │   └── ReportError     a saved report that cannot be read: cut, foreign or of an unknown version
    ├── JudgeError          a judge that cannot be built or asked (unknown name, no endpoint, no key)
    ├── AnswerRejectedError a guard with `on_fail="raise"` did not accept an answer
    └── MissingExtraError   an optional dependency is absent (also an ImportError); names the pip line

None of these reaches the host application from a callback: capture keeps its errors and shows them. Only a guard that
is told to raise does so.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AnswerRejectedError",
    "GraphError",
    "InputError",
    "JudgeError",
    "MissingExtraError",
    "ReportError",
    "TrailError",
]


class TrailError(Exception):
    """Base of all errors raised by trail-callbacks."""


class InputError(TrailError, ValueError):
    """An argument, file or text that cannot be used; the message says what, where and what to do."""


class GraphError(InputError):
    """A provenance graph that breaks its own rules: a cycle, a duplicate id, an edge to nowhere."""


class ReportError(InputError):
    """A saved report that cannot be read: truncated, not a report, or of an unknown version."""


class JudgeError(TrailError):
    """A judge that cannot be built or asked: unknown name, unreachable endpoint, refused key."""


class MissingExtraError(TrailError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        extra: The extra of this distribution that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f'{feature} needs an optional dependency: pip install "trail-callbacks[{extra}]"')


class AnswerRejectedError(TrailError):
    """A guard that was told to raise did not accept an answer. The message quotes nothing of it.

    Attributes:
        report: The `Report` on the last draft.
        attempts: Drafts that were written.
    """

    def __init__(self, message: str, report: Any = None, attempts: int = 1) -> None:
        self.report = report
        self.attempts = attempts
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Exceptions cross process borders, where only their message would arrive."""
        return type(self), (str(self), self.report, self.attempts)
