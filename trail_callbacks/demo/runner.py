"""Runs the demo's apps, which live with the adapters and are found through entry points, not imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from trail_callbacks.demo.chat import Planted, RecordedChat
from trail_callbacks.errors import InputError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report
from trail_callbacks.taxonomy import UNSUPPORTED

_GROUP = "trail_callbacks.demos"


@dataclass(frozen=True, slots=True)
class DemoApp:
    """One app of the demo.

    Attributes:
        title: The framework and the kind of app.
        question: The question it is asked.
    """

    title: str
    question: str


APPS = {
    "langchain": DemoApp(
        "LangChain: a map-reduce chain over three documents",
        "What should a visitor know about the harbour, its boats and its last season?",
    ),
    "langgraph": DemoApp(
        "LangGraph: an agent with two tools",
        "Which boat takes passengers, and what does the society plan for 2025?",
    ),
    "llama-index": DemoApp(
        "LlamaIndex: a query engine that refines its answer",
        "How was the basin saved from the car park, and what did the storm of 1993 do?",
    ),
}


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The result of one app.

    Attributes:
        app: Its name.
        details: Its title and question.
        report: The report on its answer.
        planted: The planted errors that are in the answer.
    """

    app: str
    details: DemoApp
    report: Report
    planted: tuple[Planted, ...]

    @property
    def found(self) -> tuple[Planted, ...]:
        """The planted errors that the judge flagged."""
        return tuple(each for each in self.planted if any(self._covers(each, span) for span in self._flagged()))

    @property
    def false_alarms(self) -> int:
        """Number of flagged claims without a planted error."""
        return sum(not any(self._covers(each, span) for each in self.planted) for span in self._flagged())

    @property
    def undecided(self) -> int:
        """Number of claims from which the judge abstained."""
        return len(self.report.undecided)

    def _flagged(self) -> list[tuple[int, int]]:
        verdicts = self.report.verdicts
        return [
            (claim.start, claim.end)
            for claim, verdict in zip(self.report.claims, verdicts, strict=True)
            if verdict.support in UNSUPPORTED
        ]

    def _covers(self, planted: Planted, span: tuple[int, int]) -> bool:
        answer = self.report.graph.answer
        start = answer.text.find(planted.quote) if answer else -1
        return start >= 0 and start < span[1] and span[0] < start + len(planted.quote)


def run(app: str, judge: Judge) -> DemoResult:
    """Runs one app and verifies its answer.

    Args:
        app: A key of `APPS`.
        judge: The judge.

    Raises:
        InputError: If the app is unknown or not installed.
        MissingExtraError: If its framework is not installed.
    """
    found = entry_points(group=_GROUP, name=app)
    if app not in APPS or not found:
        raise InputError(f"there is no demo app {app!r}, expected one of {', '.join(APPS)}")
    run_app: Callable[[RecordedChat, str, Judge], Report] = next(iter(found)).load()
    details, chat = APPS[app], RecordedChat()
    report = run_app(chat, details.question, judge)
    answer = report.graph.answer.text if report.graph.answer else ""
    planted = tuple(each for each in chat.planted if each.quote in answer)
    return DemoResult(app=app, details=details, report=report, planted=planted)
