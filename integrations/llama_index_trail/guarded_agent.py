"""`guard_agent(agent)`: the same agent, of which only those answers come out that its sources support."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent

from llama_index_trail.drafts import hides
from llama_index_trail.guarded_steps import Guard, GuardedStep, GuardedStop
from llama_index_trail.scope import untraced
from trail_callbacks.errors import InputError
from trail_callbacks.guard import BLOCKED, Checker, LastResort, OnFail, Policy
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from trail_callbacks.judges.resolve import JudgeLike

__all__ = ["guard_agent"]

Agent = TypeVar("Agent", bound=BaseWorkflowAgent | AgentWorkflow)


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
    guarded: Agent = _copied(agent, Guard(policy, checker, message, hides(stream, on_fail)))
    return guarded


def _copied(agent: Any, guard: Guard) -> Any:
    copied = copy.copy(agent)
    # What LlamaIndex has prepared to run the other one.
    copied.__dict__.update(_broker_config=None, _validation_result=None, _runtime_locked=False, _trail_guard=guard)
    mixin: Any = GuardedStep
    if isinstance(agent, AgentWorkflow):
        copied.agents, mixin = {name: _copied(each, guard) for name, each in agent.agents.items()}, GuardedStop
    kind: Any = type(agent)
    copied.__class__ = _guarded(kind, mixin)
    return copied
