"""Guarding one answer, as steps: `guarding` yields what is to be done, `carry_out` and `acarry_out` do it.

As with the pipelines of verification, only the latter know of threads and event loops.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.guard.checker import Checker, Examine, Review
from trail_callbacks.guard.policy import Outcome, Policy
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report

__all__ = ["Guarding", "Write", "acarry_out", "answered", "carry_out", "guarding"]

Request = TypeVar("Request")
Draft = TypeVar("Draft")


@dataclass(frozen=True, slots=True)
class Write(Generic[Request]):
    """To be done: let the app write a draft."""

    request: Request


Guarding: TypeAlias = Generator[Any, Any, Outcome[Draft]]
"""Yields `Write`, `Examine` and `Review`; receives a draft, a report and a text."""


def guarding(
    policy: Policy,
    request: Request,
    *,
    graph_of: Callable[[Request, Draft], Callable[[], ProvenanceGraph] | None],
    revised: Callable[[Request, Draft, str], Request],
    rejected: int = 0,
    spent: Usage | None = None,
) -> Guarding[Draft]:
    """Guards one answer.

    Args:
        policy: What passes, and what is done otherwise.
        request: What the app is asked.
        graph_of: Returns how to get the provenance graph of a draft, or None for a draft that is no answer.
        revised: Makes a new request of the last one, the draft it brought, and feedback on that.
        rejected: Drafts rejected earlier, for an app that does other things between one and the next.
        spent: What judging them cost.
    """
    usage = spent or Usage()
    attempts = rejected
    while True:
        draft = yield Write(request)
        attempts += 1
        graph = graph_of(request, draft)
        if graph is None:
            return Outcome(draft=draft, action="skip", rejected=rejected, attempts=attempts, usage=usage)
        report: Report = yield Examine(graph, usage)
        usage += report.usage
        action = policy.decide(report, rejected)
        if action != "pass":
            rejected += 1
        if action != "retry":
            return Outcome(draft=draft, action=action, report=report, rejected=rejected, attempts=attempts, usage=usage)
        request = revised(request, draft, (yield Review(report)))


def carry_out(steps: Guarding[Draft], write: Callable[[Any], Draft], checker: Checker) -> Outcome[Draft]:
    """Guards an answer. What the app raises passes through."""
    step = next(steps)
    while True:
        result = write(step.request) if isinstance(step, Write) else checker.carry_out(step)
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # what the generator returns


async def acarry_out(
    steps: Guarding[Draft], write: Callable[[Any], Awaitable[Draft]], checker: Checker
) -> Outcome[Draft]:
    """As `carry_out`."""
    step = next(steps)
    while True:
        result = await write(step.request) if isinstance(step, Write) else await checker.acarry_out(step)
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # as above


def answered(graph: ProvenanceGraph, node_id: str, text: str) -> ProvenanceGraph:
    """Returns the graph of an unfinished run as if it had ended with the text of a node, or one made of it.

    Args:
        graph: A graph without an answer.
        node_id: The completion that gave the answer.
        text: The answer. If it differs from the node's text, e.g. structured output, it becomes a node of its own.
    """
    before = {node.id for node in graph.upstream(node_id)} | {node_id}
    question = graph.question
    if question is not None:
        before.add(question.id)
    whole = graph.node(node_id).text.strip() == text.strip()
    nodes = [
        replace(node, kind="answer") if whole and node.id == node_id else node
        for node in graph.nodes
        if node.id in before
    ]
    edges = [edge for edge in graph.edges if edge.source in before and edge.target in before]
    if not whole:
        wrote = graph.node(node_id)
        nodes.append(Node(id="answer", kind="answer", text=text, step=wrote.step, run_id=wrote.run_id))
        edges.append(Edge(source=node_id, target="answer"))
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
