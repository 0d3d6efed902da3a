"""Runs of the demo: one that was recorded, and apps of the adapters, which entry points find."""

from __future__ import annotations

from importlib.metadata import entry_points
from importlib.resources import files
from typing import NamedTuple

from trail_callbacks.demo.chat import Planted, RecordedChat, planted
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report
from trail_callbacks.verify.pipeline import verify

RECORDED = "recorded"
"""The run that comes with the package: of the app `langchain`."""

_HARBOUR = "What should a visitor know about the harbour, its boats and its last season?"
APPS = {
    RECORDED: ("LangChain: a chain that summarises three documents and combines the summaries", _HARBOUR),
    "langchain": ("LangChain: a map-reduce chain over three documents", _HARBOUR),
    "langgraph": (
        "LangGraph: an agent with two tools",
        "Which boat takes passengers, and what does the society plan for 2025?",
    ),
    "llama-index": (
        "LlamaIndex: a query engine that refines its answer",
        "How was the basin saved from the car park, and what did the storm of 1993 do?",
    ),
}
"""What each app is, and the question it is asked."""


class DemoResult(NamedTuple):
    """The result of one app."""

    report: Report
    planted: tuple[Planted, ...]  # errors that are in the answer
    found: tuple[Planted, ...]  # those of them that the judge flagged
    false_alarms: int  # flagged claims without a planted error


def run(app: str, judge: Judge) -> DemoResult:
    """Verifies the answer of one app."""
    if app == RECORDED:
        saved = (files("trail_callbacks.demo") / "run.json").read_text(encoding="utf-8")
        report = verify(ProvenanceGraph.from_json(saved), judge)
    else:
        made = list(entry_points(group="trail_callbacks.demos", name=app))
        if app not in APPS or not made:
            raise InputError(f"there is no demo app {app!r}, expected one of {', '.join(APPS)}")
        report = made[0].load()(RecordedChat(), APPS[app][1], judge)
    answer = report.graph.answer.text if report.graph.answer else ""
    places = {each: answer.find(each.quote) for each in planted() if each.quote in answer}
    met = {
        claim.id: [each for each, at in places.items() if at < claim.end and claim.start < at + len(each.quote)]
        for claim in report.unsupported
    }
    found = tuple(each for each in places if any(each in some for some in met.values()))
    return DemoResult(report, tuple(places), found, sum(not some for some in met.values()))
