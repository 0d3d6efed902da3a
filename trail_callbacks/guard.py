"""A guard's decisions, without a framework: which answers pass, which are asked for again, which are withheld.

`guarding` is a generator, like the pipelines of verification: it yields what is to be done (write a draft, judge one)
and receives what came of it, so that `carry_out` and `acarry_out` are all that knows of threads and event loops.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, NoReturn, TypeAlias, TypeVar, get_args

from trail_callbacks.errors import AnswerRejectedError, InputError
from trail_callbacks.feedback import feedback
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import averify, judging, verify

__all__ = [
    "BLOCKED",
    "Action",
    "Checker",
    "Examine",
    "Guarding",
    "LastResort",
    "OnFail",
    "Outcome",
    "Policy",
    "Review",
    "Write",
    "acarry_out",
    "answered",
    "carry_out",
    "guarding",
    "refused",
]

OnFail = Literal["retry", "block", "annotate", "raise"]
LastResort = Literal["block", "annotate", "raise"]
Action = Literal["pass", "retry", "annotate", "block", "raise", "skip"]
"""`skip` is no answer at all: the model calls tools."""

BLOCKED = "I could not find enough support in the sources to answer this."
"""What the user reads in place of an answer that is withheld, by default."""

Request = TypeVar("Request")
Draft = TypeVar("Draft")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What becomes of an answer.

    Attributes:
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        on_fail: What is done with one above: ask again with feedback, withhold it, let it through with its report, or
            raise.
        max_retries: Further drafts asked for, 0 or more.
        exhausted: What is done with the last draft of `retry`.
        on_error: What is done when the judge fails, also on a part of the claims: `open` lets the answer through with
            the failure noted, `closed` treats it as one that failed for the last time; asking the app again would not
            mend the judge.
        no_evidence: What is done with claims when nothing was read that could support them. `fail`, the default,
            because an answer out of a model's memory is the very thing to guard against, and because the feedback sends
            a model to its tools; `pass` for apps that may answer from memory.

    Raises:
        InputError: If a value is out of range.
    """

    max_score: float = 0.0
    on_fail: OnFail = "retry"
    max_retries: int = 2
    exhausted: LastResort = "block"
    on_error: Literal["open", "closed"] = "open"
    no_evidence: Literal["pass", "fail"] = "fail"

    def __post_init__(self) -> None:
        """Checks ranges."""
        if not 0.0 <= self.max_score <= 1.0:
            raise InputError(f"max_score is {self.max_score}, expected 0.0 to 1.0")
        if self.max_retries < 0:
            raise InputError(f"max_retries is {self.max_retries}, expected 0 or more")
        for name, allowed in (
            ("on_fail", get_args(OnFail)),
            ("exhausted", get_args(LastResort)),
            ("on_error", ("open", "closed")),
            ("no_evidence", ("pass", "fail")),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {', '.join(allowed)}")

    def decide(self, report: Report, rejected: int) -> Action:
        """Says what to do with a draft.

        Args:
            report: What the judge says about it.
            rejected: Drafts rejected before it.
        """
        score, state = report.hallucination_score, report.state
        if score is not None and score > self.max_score:
            failed = True
        elif state == "no_evidence":
            failed = self.no_evidence == "fail"
        elif state in {"error", "partial"}:
            return "annotate" if self.on_error == "open" else self._last()
        else:
            failed = False
        if not failed:
            return "pass"
        if self.on_fail != "retry":
            return self.on_fail
        return "retry" if rejected < self.max_retries else self.exhausted

    def options(self) -> VerifyOptions:
        """Returns the settings of a verification whose report nobody but this policy reads, if that is so.

        Where a claim came in is not worth asking about a draft that is thrown away.
        """
        return VerifyOptions(localize=self.on_fail in {"annotate", "raise"})

    def _last(self) -> LastResort:
        return self.exhausted if self.on_fail == "retry" else self.on_fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Draft]):
    """What came of guarding one answer.

    Attributes:
        draft: The last draft, as the app wrote it.
        action: What is to be done with it; never `retry`.
        report: What the judge says about it; None for `skip`.
        rejected: Drafts rejected, this one included if it was.
        attempts: Drafts written.
        usage: What judging all drafts cost.
    """

    draft: Draft
    action: Action
    report: Report | None = None
    rejected: int = 0
    attempts: int = 1
    usage: Usage = field(default_factory=Usage)

    def summary(self) -> dict[str, Any]:
        """Returns what is attached to the answer: small, JSON-safe, and silent on what a withheld answer says."""
        report = self.report
        if report is None:
            return {}
        shown = report.summary()
        blocked = self.action in {"block", "raise"}
        if blocked:  # claims, quotes and warnings repeat what nobody is to read
            shown = {key: value for key, value in shown.items() if key in _SILENT}
        cost = {name: getattr(self.usage, name) for name in ("calls", "prompt_tokens", "completion_tokens")}
        return {**shown, "passed": self.action == "pass", "blocked": blocked, "attempts": self.attempts, "usage": cost}


_SILENT = frozenset({"state", "hallucination_score", "interval", "claims", "class_counts", "error_counts", "judge"})


@dataclass(frozen=True, slots=True)
class Write(Generic[Request]):
    """To be done: let the app write a draft."""

    request: Request


@dataclass(frozen=True, slots=True)
class Examine:
    """To be done: judge a draft. Building its graph is work, and left to whoever does this."""

    graph: Callable[[], ProvenanceGraph]
    spent: Usage


@dataclass(frozen=True, slots=True)
class Review:
    """To be done: write the feedback on a draft. Finding what the sources say instead is work too."""

    report: Report


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


class Checker:
    """Judges drafts: within a time and a cost, hidden from the app's tracing, and never with an exception.

    Args:
        judge: Who decides; None is the offline judge. See `trail_callbacks.judges.resolve.resolve`.
        options: Settings of the verification; their limits hold for each draft.
        timeout: Seconds for one draft, above 0; None waits as long as it takes.
        max_calls: Model calls of the judge for all drafts of one answer, 0 or more; None is no limit.
        max_tokens: Tokens, likewise.
        on_report: Called with the report on every draft, also of those nobody else gets to see.
        around: Makes a context to judge in: an adapter hides the judge's own calls in it.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self,
        judge: JudgeLike = None,
        options: VerifyOptions | None = None,
        *,
        timeout: float | None = 60.0,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        on_report: Callable[[Report], None] | None = None,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        if timeout is not None and timeout <= 0:
            raise InputError(f"timeout is {timeout}, expected seconds above 0, or None for no limit")
        for name, value in (("max_calls", max_calls), ("max_tokens", max_tokens)):
            if value is not None and value < 0:
                raise InputError(f"{name} is {value}, expected 0 or more, or None for no limit")
        self._judge = judging(judge, options)
        self._options = options or VerifyOptions()
        self._timeout = timeout
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._on_report = on_report
        self._around = around

    def check(self, wanted: Examine) -> Report:
        """Judges a draft."""
        limited = self._limited(wanted.spent)

        def work() -> Report:
            with self._around():
                return verify(wanted.graph(), self._judge, limited)

        try:
            report = work() if self._timeout is None else _within(self._timeout, work)
        except Exception as error:  # noqa: BLE001 - the policy says what a failing judge means
            report = self._failed(error)
        return self._told(report)

    async def acheck(self, wanted: Examine) -> Report:
        """As `check`, without blocking the event loop. When cancelled, the judge's calls are cancelled."""
        limited = self._limited(wanted.spent)

        async def work() -> Report:
            with self._around():
                return await averify(await asyncio.to_thread(wanted.graph), self._judge, limited)

        try:
            # A task of its own: what it sets in its context stays there.
            report = await asyncio.wait_for(asyncio.ensure_future(work()), self._timeout)
        except Exception as error:  # noqa: BLE001 - as above
            report = self._failed(error)
        return self._told(report)

    def carry_out(self, step: Examine | Review) -> Report | str:
        """Does what is no business of the app's."""
        return feedback(step.report) if isinstance(step, Review) else self.check(step)

    async def acarry_out(self, step: Examine | Review) -> Report | str:
        """As `carry_out`."""
        if isinstance(step, Review):
            return await asyncio.to_thread(feedback, step.report)
        return await self.acheck(step)

    def _limited(self, spent: Usage) -> VerifyOptions:
        """The options, with what is left of the time and of the cost."""
        given = self._options
        tokens = spent.prompt_tokens + spent.completion_tokens
        return replace(
            given,
            max_calls=_least(given.max_calls, self._max_calls, spent.calls),
            max_tokens=_least(given.max_tokens, self._max_tokens, tokens),
            max_seconds=_least(given.max_seconds, self._timeout, 0),
        )

    def _failed(self, error: Exception) -> Report:
        late = isinstance(error, TimeoutError | asyncio.TimeoutError)
        why = f"the judge took longer than {self._timeout:g} s" if late and self._timeout else f"failed: {error!r}"
        return Report(
            state="error", graph=ProvenanceGraph(nodes=()), warnings=(f"not verified: {why}",), judge=self._judge.name
        )

    def _told(self, report: Report) -> Report:
        if self._on_report is not None:
            try:
                self._on_report(report)
            except Exception as error:  # noqa: BLE001 - the hook is the user's, the answer is not to suffer from it
                return replace(report, warnings=(*report.warnings, f"on_report raised {type(error).__name__}"))
        return report


def _least(per_draft: Any, total: Any, spent: float) -> Any:
    left = None if total is None else max(0, total - spent)
    limits = [limit for limit in (per_draft, left) if limit is not None]
    return min(limits, default=None)


def _within(seconds: float, work: Callable[[], Report]) -> Report:
    """Runs work on a thread that may be left behind: one that hangs must not hold up the app, nor its end."""
    future: Future[Report] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), name="trail-guard", daemon=True).start()
    if not wait([future], seconds).done:
        raise TimeoutError
    return future.result()


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


def refused(outcome: Outcome[Any]) -> NoReturn:
    """Raises for an answer that is not accepted.

    Raises:
        AnswerRejectedError: Always.
    """
    report = outcome.report
    score = report.hallucination_score if report else None
    why = f"its hallucination score is {score:.2f}" if score is not None else f"it is {report and report.state!r}"
    raise AnswerRejectedError(
        f"the answer was not accepted: {why}, attempt {outcome.attempts}; the error's .report says more",
        report,
        outcome.attempts,
    )


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
