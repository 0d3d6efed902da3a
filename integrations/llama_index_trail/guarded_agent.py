"""`guard_agent(agent)`: the same agent, of which only those answers come out that its sources support."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from llama_index.core.agent.workflow import AgentInput, AgentOutput, AgentWorkflow, ToolCall
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.workflow import Context, StopEvent, step

from llama_index_trail.drafts import hides, run_here
from llama_index_trail.grounds import HANDOFF, from_messages, sources_of, without_handoffs, writer_of
from llama_index_trail.results import KEY, Decision
from llama_index_trail.scope import untraced
from llama_index_trail.turns import Notes, Onlooker, answer_of
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    BLOCKED,
    Checker,
    Guarding,
    LastResort,
    OnFail,
    Outcome,
    Policy,
    acarry_out,
    answered,
    guarding,
    refused,
)
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["guard_agent"]

_REJECTED = "trail_rejected"
_RESULTS = "current_tool_calls"
_last_reply: ContextVar[list[Outcome[Any]] | None] = ContextVar("llama_index_trail_reply", default=None)

Agent = TypeVar("Agent", bound=BaseWorkflowAgent | AgentWorkflow)


@dataclass(frozen=True, slots=True)
class _Guard:
    policy: Policy
    checker: Checker
    message: str
    hide: bool


@dataclass(frozen=True, slots=True)
class _Draft:
    output: AgentOutput
    text: str | None


class _GuardedStop:
    """Mixed into the classes of agents and of `AgentWorkflow`: an agent that runs out of steps is asked to end."""

    _trail_guard: _Guard

    async def _generate_early_stopping_response(self, *args: Any) -> Any:
        of_class: Any = super()
        token = _last_reply.set([])
        try:
            stop = await of_class._generate_early_stopping_response(*args)  # noqa: SLF001 - as the class inside
            for outcome in _last_reply.get() or ():
                _marked(stop.result, outcome)
            return stop
        finally:
            _last_reply.reset(token)

    async def _get_llm_response(self, ctx: Any, llm_input: list[ChatMessage], *args: Any) -> Any:
        guard, seen = self._trail_guard, Onlooker(ctx, hide=self._trail_guard.hide)
        results, here = await ctx.store.get(_RESULTS, default=[]), run_here()
        of_class: Any = super()

        async def write(messages: list[ChatMessage]) -> Any:
            seen.next()
            return await of_class._get_llm_response(seen, messages, *args)  # noqa: SLF001 - as the class inside

        def graph_of(messages: list[ChatMessage], reply: Any) -> Callable[[], ProvenanceGraph]:
            return lambda: _grounds(here, messages, results, reply.message.content or "")

        def revised(messages: list[ChatMessage], reply: Any, told: str) -> list[ChatMessage]:
            return [*messages, reply.message, ChatMessage(role="user", content=told)]

        steps: Guarding[Any] = guarding(guard.policy, llm_input, graph_of=graph_of, revised=revised)
        outcome = await acarry_out(steps, write, guard.checker)
        if (kept := _last_reply.get()) is not None:
            kept.append(outcome)
        if outcome.action == "raise":
            refused(outcome)
        if outcome.action != "block":
            seen.release()
            return outcome.draft
        seen.instead(guard.message, getattr(args[0] if args else self, "name", ""))
        return ChatResponse(message=ChatMessage(role="assistant", content=guard.message))

    @step
    async def parse_agent_output(self, ctx: Context, ev: AgentOutput) -> StopEvent | AgentInput | ToolCall | None:
        """Ends the run, or goes on. No structured output is made in place of an answer that was withheld."""
        unstructured = _unstructured(self) if (ev.get(KEY) or {}).get("blocked") else self
        of_class: Any = super(_GuardedStop, unstructured)
        following: StopEvent | AgentInput | ToolCall | None = await of_class.parse_agent_output(ctx, ev)
        return following


def _unstructured(agent: Any) -> Any:
    """A copy that makes nothing of an answer; other runs go on with the agent itself."""
    plain = copy.copy(agent)
    plain.output_cls = plain.structured_output_fn = None
    if isinstance(plain, AgentWorkflow):
        plain.agents = {name: _unstructured(each) for name, each in plain.agents.items()}
    return plain


class _GuardedStep(_GuardedStop):
    """Mixed into the classes of agents."""

    async def take_step(self, ctx: Any, llm_input: list[ChatMessage], tools: Any, memory: Any) -> AgentOutput:
        """Takes steps until an answer passes, or does what the policy says."""
        guard, seen, notes = self._trail_guard, Onlooker(ctx, hide=self._trail_guard.hide), Notes(self, ctx)
        start = len(await notes.mark())
        results, here = await ctx.store.get(_RESULTS, default=[]), run_here()
        rejected = await ctx.store.get(_REJECTED, default=0)
        of_class: Any = super()

        async def write(told: str) -> _Draft:
            nonlocal start
            if told:
                await notes.reject(told)
                start = len(await notes.read())
            seen.next()
            output = await of_class.take_step(seen, llm_input, tools, memory)
            return _Draft(output, answer_of(output, await notes.read()))

        def graph_of(_: str, draft: _Draft) -> Callable[[], ProvenanceGraph] | None:
            text = draft.text
            return None if text is None else lambda: _grounds(here, llm_input, results, text)

        steps = guarding(guard.policy, "", graph_of=graph_of, revised=_only_told, rejected=rejected)
        outcome = await acarry_out(steps, write, guard.checker)
        await notes.keep_last(start)
        after = outcome.rejected if outcome.action == "skip" else 0
        if after != rejected:
            await ctx.store.set(_REJECTED, after)
        output = outcome.draft.output
        if outcome.action == "raise":
            refused(outcome)
        if outcome.action == "block":
            seen.instead(guard.message, output.current_agent_name)
            await notes.replace(guard.message)
            output = _withheld(output, guard.message)
        else:
            seen.release()
        return _marked(output, outcome)

    async def finalize(self, ctx: Any, output: AgentOutput, memory: Any) -> AgentOutput:
        """Judges what a tool returned directly; all other answers are judged already."""
        of_class: Any = super()
        results = await ctx.store.get(_RESULTS, default=[])
        if not _is_written(output, results):
            ended: AgentOutput = await of_class.finalize(ctx, output, memory)
            return ended
        guard, here, text = self._trail_guard, run_here(), output.response.content or ""

        async def write(_: str) -> _Draft:
            return _Draft(output, text)

        def graph_of(_: str, __: _Draft) -> Callable[[], ProvenanceGraph]:
            return lambda: _grounds(here, [], results, text)

        steps = guarding(_once(guard.policy), "", graph_of=graph_of, revised=_only_told)
        outcome = await acarry_out(steps, write, guard.checker)
        if outcome.action == "raise":
            refused(outcome)
        if outcome.action == "block":
            await Notes(self, ctx).replace(guard.message, frozenset({text}))
            output = _withheld(output, guard.message)
        return _marked(await of_class.finalize(ctx, output, memory), outcome)


def _only_told(_: str, __: _Draft, told: str) -> str:
    """What a draft is asked for is the feedback alone: all else stands in the agent's context."""
    return told


def _once(policy: Policy) -> Policy:
    """The policy where there is nobody to ask again."""
    return replace(policy, on_fail=policy.exhausted) if policy.on_fail == "retry" else policy


def _grounds(here: Any, messages: list[ChatMessage], results: list[Any], text: str) -> ProvenanceGraph:
    """What an answer rests on: the recorded run if it is one, else what the agent was told and its tools returned."""
    if here is not None:
        session, run_id = here
        with suppress(InputError):  # given up as too old
            graph = without_handoffs(session.graph_under(run_id))
            if (wrote := writer_of(graph, text)) is not None:
                return answered(graph, wrote.id, text.strip())
            written = [node for node in graph.nodes if node.kind == "completion"]
            if session.redacts and written:  # what is to be kept from the record is to be kept from the judge
                return answered(graph, written[-1].id, written[-1].text)
    return from_messages(messages, results, text)


def _is_written(output: AgentOutput, results: list[Any]) -> bool:
    """True for an answer that a tool returned and a model wrote: a query engine's. Other tools are sources."""
    if not output.tool_calls:
        return False
    for result in results:
        if result.return_direct and result.tool_output.content == output.response.content:
            return result.tool_name != HANDOFF and bool(sources_of(result.tool_output))
    return False


def _withheld(output: AgentOutput, message: str) -> AgentOutput:
    """An output that keeps nothing of an answer; the model's raw reply, for one, holds it."""
    return output.model_copy(
        update={"response": ChatMessage(role="assistant", content=message), "raw": None, "structured_response": None}
    )


def _marked(output: AgentOutput, outcome: Outcome[Any]) -> AgentOutput:
    if summary := outcome.summary():
        output[KEY] = Decision(summary, output)
    return output


@cache
def _guarded(kind: Any, mixin: Any) -> Any:
    """The class of a guarded agent: it bears the name of the one inside, by which it is shown."""
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind)(kind.__name__, (mixin, kind), names)


def guard_agent(
    agent: Agent,
    judge: JudgeLike = None,
    max_score: float = 0.0,
    on_fail: OnFail = "retry",
    max_retries: int = 2,
    *,
    exhausted: LastResort = "block",
    on_error: Literal["open", "closed"] = "open",
    no_evidence: Literal["pass", "fail"] = "fail",
    timeout: float | None = 60.0,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    options: VerifyOptions | None = None,
    message: str = BLOCKED,
    stream: Literal["buffer", "pass"] | None = None,
    on_report: Callable[[Report], None] | None = None,
) -> Agent:
    """Returns an agent that judges each of its answers before the user gets it.

        agent = guard_agent(FunctionAgent(tools=tools, llm=llm), on_fail="retry")
        output = await agent.run(question)
        output["trail"]["passed"]

    The agent is of the same class and has the same settings; the one that was given is not changed. Of an
    `AgentWorkflow` every agent is guarded; a hand-off is no answer, and passes.

    A step that calls tools is no answer and passes. An answer is held against the recorded run where `instrument()` or
    `trail()` is on; else against the system prompt, the user's messages and what tools returned, of a query engine's
    tool its sources. Rejected drafts and feedback stand in no memory, and in nothing that `stream_events()` shows,
    except with `stream="pass"`. What a tool returns directly is judged if it is the answer of a query engine; as there
    is nobody to ask again, `retry` does what `exhausted` says. The events of tools are shown as they come.

    Args:
        agent: A `FunctionAgent`, `ReActAgent`, `CodeActAgent`, one of your own, or an `AgentWorkflow`.
        judge: See `GuardedQueryEngine`, as for all other arguments.
        max_score: Likewise.
        on_fail: Likewise.
        max_retries: Further drafts asked for in one run, 0 or more.
        exhausted: Likewise.
        on_error: Likewise.
        no_evidence: Likewise.
        timeout: Likewise.
        max_calls: Likewise.
        max_tokens: Likewise.
        options: Likewise.
        message: Likewise.
        stream: `buffer`: nothing of a step is shown before it is accepted, then its events follow; `pass`: events are
            shown as they come, which only `annotate` allows and does by default.
        on_report: Likewise.

    Raises:
        InputError: If a value is out of range, or `agent` is none.
        JudgeError: If the judge is unknown.
    """
    if not isinstance(agent, BaseWorkflowAgent | AgentWorkflow):
        raise InputError(f"guard_agent() takes an agent of llama_index.core.agent.workflow, got {type(agent).__name__}")
    policy = Policy(
        max_score=max_score,
        on_fail=on_fail,
        max_retries=max_retries,
        exhausted=exhausted,
        on_error=on_error,
        no_evidence=no_evidence,
    )
    checker = Checker(
        judge,
        options or policy.options(),
        timeout=timeout,
        max_calls=max_calls,
        max_tokens=max_tokens,
        on_report=on_report,
        around=untraced,
    )
    guarded: Agent = _copied(agent, _Guard(policy, checker, message, hides(stream, on_fail)))
    return guarded


def _copied(agent: Any, guard: _Guard) -> Any:
    copied = copy.copy(agent)
    # What LlamaIndex has prepared to run the other one.
    copied.__dict__.update(_broker_config=None, _validation_result=None, _runtime_locked=False, _trail_guard=guard)
    mixin: Any = _GuardedStep
    if isinstance(agent, AgentWorkflow):
        copied.agents, mixin = {name: _copied(each, guard) for name, each in agent.agents.items()}, _GuardedStop
    kind: Any = type(agent)
    copied.__class__ = _guarded(kind, mixin)
    return copied
