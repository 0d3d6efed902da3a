"""`guard_agent(agent)`: the same agent, which gives only answers that its sources support."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, TypeVar, Unpack

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent

from llama_index_trail.guarded_steps import GuardedStep, GuardedStop
from llama_index_trail.scope import untraced
from trail_callbacks.errors import InputError
from trail_callbacks.guard import Guard, GuardKeywords, GuardSettings, Stream
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.signatures import shows_settings

__all__ = ["guard_agent"]

Agent = TypeVar("Agent", bound=BaseWorkflowAgent | AgentWorkflow)


@cache
def _guarded(kind: Any, mixin: Any) -> Any:
    """The class of a guarded agent. It has the name of the class inside, which LlamaIndex shows."""
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind)(kind.__name__, (mixin, kind), names)


@shows_settings(GuardSettings, GuardKeywords)
def guard_agent(
    agent: Agent, judge: JudgeLike = None, *, stream: Stream | None = None, **settings: Unpack[GuardKeywords]
) -> Agent:
    """Returns an agent that judges each of its answers before the user gets it.

        agent = guard_agent(FunctionAgent(tools=tools, llm=llm), judge=as_model(llm), on_fail="retry")
        output = await agent.run(question)
        output["trail"]["passed"]

    The agent is of the same class and has the same settings; the one that was given is not changed. In an
    `AgentWorkflow` every agent is guarded; a hand-off is not an answer and is not judged.

    A step that calls tools is not an answer and is not judged; neither are reasoning, citations, and what a tool other
    than a query engine returns directly. The output names them in `unjudged` of its summary, and with
    `on_undecided="fail"` they are left out. An answer is checked against the recorded run if
    `instrument()` or `trail()` is on; else against the system prompt, the user's messages and what tools returned, and
    in the case of a query engine's tool against its sources. Rejected drafts and feedback are kept in no memory, and
    `stream_events()` does not show them, except with `stream="pass"`. What a tool returns directly is judged if it is
    the answer of a query engine; as nothing can be asked again, `retry` does what `exhausted` says. The events of tools
    are shown as they come.

    Args:
        agent: A `FunctionAgent`, `ReActAgent`, `CodeActAgent`, one of your own, or an `AgentWorkflow`.
        judge: Who decides; it must be given. A string such as `"openai/gpt-5-mini"` is a model through instructor;
            `as_model(llm)` is the app's own model; `"local"` is the offline judge.
        stream: `buffer`: nothing of a step is shown before it is accepted, then its events follow; `pass`: events are
            shown as they come, which only `annotate` allows and does by default.
        **settings: `max_score`, `on_fail`, `max_retries` and more; see `trail_callbacks.guard.GuardSettings`. The
            `max_retries` count for one run.

    Raises:
        InputError: If a value is out of range, or `agent` is not an agent.
        JudgeError: If there is no judge, or it is unknown.
    """
    if not isinstance(agent, BaseWorkflowAgent | AgentWorkflow):
        raise InputError(f"guard_agent() takes an agent of llama_index.core.agent.workflow, got {type(agent).__name__}")
    guarded: Agent = _copied(agent, Guard(GuardSettings(judge=judge, stream=stream, **settings), around=untraced))
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
