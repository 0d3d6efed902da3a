"""Guarding one answer: what all guards share, and the steps that they carry out.

`guard_answer` yields what is to be done, `carry_out` and `acarry_out` do it: as with the pipelines of verification,
only the latter know of threads and event loops.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from uuid import uuid4

from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.graph import Edge, Node, NodeKind, ProvenanceGraph
from trail_callbacks.guard.checker import Checker, JudgeDraft, KeepReport, StripAnswer, WriteFeedback
from trail_callbacks.guard.policy import GuardOutcome, decide
from trail_callbacks.guard.settings import GuardSettings
from trail_callbacks.guard.stripping import Stripped
from trail_callbacks.guard.withheld import Withheld, read_texts
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.unclaimed import unclaimed as unclaimed_in

Request = TypeVar("Request")
Draft = TypeVar("Draft")


class Guard:
    """How the answers of one app are guarded. An adapter adds how its framework asks, answers and remembers.

    Attributes:
        settings: As given.
        checker: Judges drafts.
        is_live: The user reads drafts while they are written.
        is_strict: What nobody judges is left out of what the user gets.
    """

    def __init__(
        self, settings: GuardSettings, *, around: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        self.settings = settings
        self.checker = Checker(settings, around=around)
        self.is_live = not settings.hides_drafts
        self.is_strict = settings.on_undecided == "fail" and settings.hides_drafts

    def instead(self, outcome: GuardOutcome[Draft]) -> str | None:
        """Returns what the user reads instead of a draft; None if it is the draft, or an error is raised."""
        return outcome.instead(self.settings.message)

    def withheld(
        self,
        outcome: GuardOutcome[Draft],
        texts: Sequence[str],
        known: Iterable[str],
    ) -> Withheld:
        """Returns what nobody is to read of a draft."""
        read = read_texts(outcome.report.graph) if outcome.report else []
        shown = self.instead(outcome)
        gone = outcome.taken or texts
        inside = _field_texts(gone)
        message = self.settings.message if shown is None else shown
        return Withheld([*gone, *inside], [*known, *read], message, is_object=bool(inside))

    def noted(
        self, outcome: GuardOutcome[Draft], names: Iterable[str], judged_only: Callable[[Draft], Draft]
    ) -> GuardOutcome[Draft]:
        """Returns an outcome that names what of its draft nobody judged; in the strict setting without it."""
        beside = tuple(names)
        draft = judged_only(outcome.draft) if beside and self.is_strict else outcome.draft
        return replace(outcome, draft=draft, unjudged=tuple(dict.fromkeys([*beside, *outcome.unjudged])))


def _field_texts(texts: Sequence[str]) -> list[str]:
    """The texts in an answer that is an object."""
    try:
        value = json.loads(texts[0]) if len(texts) == 1 else None
    except (ValueError, RecursionError):
        return []
    return [*_leaves(value)] if isinstance(value, dict) else []


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    elif value is not None:
        yield str(value)


def holds_text(value: object, words: int = 1) -> bool:
    """Tells whether something beside an answer holds a text; names and ids are texts too, for nobody can tell.

    Where those are usual, `words` says how many make a text: twice as many signs of scripts that need no blanks.
    """
    if isinstance(value, str):
        return len(value.split()) >= words or (not value.isascii() and len(value) >= 2 * words)
    if isinstance(value, Mapping | list | tuple):
        return any(holds_text(each, words) for each in (value.values() if isinstance(value, Mapping) else value))
    return words == 1 and value is not None and not isinstance(value, bool | int | float)


@dataclass(frozen=True, slots=True)
class WriteDraft(Generic[Request]):
    """A step: let the app write a draft."""

    request: Request


GuardSteps: TypeAlias = Generator[Any, Any, GuardOutcome[Draft]]
"""Yields a `WriteDraft` or a step of the checker; receives what each is named after."""


def guard_answer(
    settings: GuardSettings,
    request: Request,
    *,
    graph_of: Callable[[Request, Draft], Callable[[], ProvenanceGraph] | None],
    revised: Callable[[Request, Draft, str], Request],
    texts_of: Callable[[Draft], Sequence[str]],
    run: Callable[[Draft], Any] | None = None,
    rejected: int = 0,
    spent: Usage | None = None,
) -> GuardSteps[Draft]:
    """Guards one answer. `run` returns the run around it, a `session.storing.GuardedRun`, which stores the report."""
    usage = spent or Usage()
    attempts = rejected
    while True:
        draft = yield WriteDraft(request)
        attempts += 1
        graph = graph_of(request, draft)
        if graph is None:
            return GuardOutcome(draft=draft, action="skip", rejected=rejected, attempts=attempts, usage=usage)
        report: Report = yield JudgeDraft(graph, usage)
        usage += report.usage
        unclaimed: tuple[str, ...] = yield partial(unclaimed_in, report.graph)
        action = decide(settings, report, rejected, unclaimed=bool(unclaimed))
        remaining: Stripped | None = None
        if action == "strip" and (remaining := (yield StripAnswer(report, texts_of(draft)))) is None:
            action = settings.exhausted
        if action != "pass":
            rejected += 1
        if action != "retry":
            if settings.store is not None:
                keep = _alone if run is None else run(draft).keep
                yield KeepReport(partial(keep, settings.store, report, action))
            return GuardOutcome(
                draft=draft,
                action=action,
                report=report,
                rejected=rejected,
                attempts=attempts,
                usage=usage,
                remaining=remaining,
                unjudged=unclaimed,
            )
        request = revised(request, draft, (yield WriteFeedback(report, unclaimed)))


def _alone(store: Any, report: Report, action: str) -> None:
    store.add(replace(report, run_id=uuid4().hex), guard=action)


def carry_out(steps: GuardSteps[Draft], write: Callable[[Any], Draft], checker: Checker) -> GuardOutcome[Draft]:
    """Guards an answer. What the app raises passes through."""
    step = next(steps)
    while True:
        result = write(step.request) if isinstance(step, WriteDraft) else checker.carry_out(step)
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # what the generator returns


async def acarry_out(
    steps: GuardSteps[Draft], write: Callable[[Any], Awaitable[Draft]], checker: Checker
) -> GuardOutcome[Draft]:
    """As `carry_out`."""
    step = next(steps)
    while True:
        result = await write(step.request) if isinstance(step, WriteDraft) else await checker.acarry_out(step)
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # as above


_KINDS: dict[str, NodeKind] = {"tool": "tool_result", "system": "instruction", "user": "question"}


class ReadMessage(NamedTuple):
    """A message that a model read.

    Attributes:
        role: `user`, `system`, `tool` or `assistant`.
        text: What it says.
        name: The tool or the author, if known.
    """

    role: str
    text: str
    name: str | None = None


def message_nodes(messages: Iterable[ReadMessage]) -> list[Node]:
    """Returns a node for each message that is evidence: what models wrote, and feedback of a guard, is not.

    The user's last message comes first: it is the question.
    """
    nodes: list[Node] = []
    for i, (role, whole, name) in enumerate(messages):
        kind, text = _KINDS.get(role), without_feedback(whole).strip()
        if kind is not None and text:
            step = "user" if kind == "question" else name or kind
            nodes.append(Node(id=f"message-{i}", kind=kind, text=text, step=step))
    question = max((i for i, node in enumerate(nodes) if node.kind == "question"), default=None)
    if question is not None:
        nodes.insert(0, nodes.pop(question))
    return nodes


def ended_at(graph: ProvenanceGraph, node_id: str, text: str) -> ProvenanceGraph:
    """Returns the graph of an unfinished run as if it had ended with the text of a node, or one made of it."""
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
        writer = graph.node(node_id)
        nodes.append(Node(id="answer", kind="answer", text=text, step=writer.step, run_id=writer.run_id))
        edges.append(Edge(source=node_id, target="answer"))
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
