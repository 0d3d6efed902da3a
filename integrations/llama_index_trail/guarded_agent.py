"""`guard_agent(agent)`: the same agent, which gives only answers that its sources support."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar, Unpack

from llama_index.core.agent.workflow import AgentInput, AgentOutput, AgentWorkflow, ToolCall
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.workflow import Context, StopEvent, step

from llama_index_trail.chat_drafts import DraftMemory
from llama_index_trail.drafts import guarded_run_here, run_here
from llama_index_trail.responses import from_messages, sources_of, writer_of
from llama_index_trail.results import KEY, note_decision, untraced
from llama_index_trail.spans import HANDOFF
from llama_index_trail.turns import EventBuffer, Notes, answer_of, answer_text, clear_store, judged_only, unjudged
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import (
    Guard,
    GuardKeywords,
    GuardOutcome,
    GuardSettings,
    GuardSteps,
    Stream,
    acarry_out,
    ended_at,
    guard_answer,
    reject,
)
from trail_callbacks.guard.withheld import Withheld
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.session import Session
from trail_callbacks.signatures import shows_settings

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


_REJECTED = "trail_rejected"
_UNJUDGED = "trail_unjudged"
_RESULTS = "current_tool_calls"
_early_stop: ContextVar[list[GuardOutcome[Any]] | None] = ContextVar("llama_index_trail_reply", default=None)


@dataclass(frozen=True, slots=True)
class _Request:
    """What a step is given, and feedback for the agent's own notes; an agent without notes has it in the messages."""

    messages: list[ChatMessage]
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class _Draft:
    output: AgentOutput
    text: str | None


class GuardedStop:
    """Mixed into the classes of agents and of `AgentWorkflow`: an agent that runs out of steps is asked to end."""

    _trail_guard: Guard

    async def _generate_early_stopping_response(self, *args: Any) -> Any:
        of_class: Any = super()
        token = _early_stop.set([])
        try:
            stop = await of_class._generate_early_stopping_response(*args)  # noqa: SLF001 - as the class inside
            for outcome in _early_stop.get() or ():
                _marked(stop.result, outcome)
            return stop
        finally:
            _early_stop.reset(token)

    async def _get_llm_response(self, ctx: Any, llm_input: list[ChatMessage], *args: Any) -> Any:
        guard, events = self._trail_guard, EventBuffer(ctx, hide=self._trail_guard.settings.hides_drafts)
        results, here, run = await ctx.store.get(_RESULTS, default=[]), run_here(), guarded_run_here()
        of_class: Any = super()

        async def write(messages: list[ChatMessage]) -> Any:
            events.next()
            return await of_class._get_llm_response(events, messages, *args)  # noqa: SLF001 - as the class inside

        def graph_of(messages: list[ChatMessage], reply: Any) -> Callable[[], ProvenanceGraph]:
            return lambda: _grounds(here, messages, results, answer_text(reply.message))

        def revised(messages: list[ChatMessage], reply: Any, feedback: str) -> list[ChatMessage]:
            return [*messages, reply.message, ChatMessage(role="user", content=feedback)]

        def texts_of(reply: Any) -> list[str]:
            return [answer_text(reply.message)]

        steps: GuardSteps[Any] = guard_answer(
            guard.settings, llm_input, graph_of=graph_of, texts_of=texts_of, revised=revised, run=lambda _: run
        )
        outcome = await acarry_out(steps, write, guard.checker)
        if (kept := _early_stop.get()) is not None:
            kept.append(outcome)
        if outcome.action == "raise":
            reject(outcome)
        if (shown := guard.instead(outcome)) is None:
            events.release()
            return outcome.draft
        events.instead(shown, getattr(args[0] if args else self, "name", ""))
        return ChatResponse(message=ChatMessage(role="assistant", content=shown))

    @step
    async def parse_agent_output(self, ctx: Context, ev: AgentOutput) -> StopEvent | AgentInput | ToolCall | None:
        """Ends the run, or goes on. No structured output is made of an answer that was withheld."""
        unstructured = _unstructured(self) if (ev.get(KEY) or {}).get("blocked") else self
        of_class: Any = super(GuardedStop, unstructured)
        following: StopEvent | AgentInput | ToolCall | None = await of_class.parse_agent_output(ctx, ev)
        return following


def _unstructured(agent: Any) -> Any:
    """A copy without structured output; other runs go on with the agent itself."""
    plain = copy.copy(agent)
    plain.output_cls = plain.structured_output_fn = None
    if isinstance(plain, AgentWorkflow):
        plain.agents = {name: _unstructured(each) for name, each in plain.agents.items()}
    return plain


class GuardedStep(GuardedStop):
    """Mixed into the classes of agents."""

    async def take_step(self, ctx: Any, llm_input: list[ChatMessage], tools: Any, memory: Any) -> AgentOutput:
        """Takes steps until an answer passes, or does what the settings say."""
        guard, events, notes = (
            self._trail_guard,
            EventBuffer(ctx, hide=self._trail_guard.settings.hides_drafts),
            Notes(self, ctx),
        )
        start = len(await notes.mark())
        results, here, run = await ctx.store.get(_RESULTS, default=[]), run_here(), guarded_run_here()
        rejected = await ctx.store.get(_REJECTED, default=0)
        of_class: Any = super()
        held = DraftMemory(memory)

        async def write(request: _Request) -> _Draft:
            nonlocal start, held
            if request.feedback:
                await notes.reject(request.feedback)
                start = len(await notes.read())
            events.next()
            held = DraftMemory(memory)  # what a rejected draft remembered is forgotten
            output = await of_class.take_step(events, request.messages, tools, held)
            return _Draft(output, answer_of(output, await notes.read()))

        def graph_of(_: _Request, draft: _Draft) -> Callable[[], ProvenanceGraph] | None:
            text = draft.text
            return None if text is None else lambda: _grounds(here, llm_input, results, text)

        def revised(request: _Request, draft: _Draft, feedback: str) -> _Request:
            if notes.exist:
                return replace(request, feedback=feedback)
            review = [draft.output.response, ChatMessage(role="user", content=feedback)]
            return replace(request, messages=[*request.messages, *review])

        request = _Request(llm_input)
        steps = guard_answer(
            guard.settings,
            request,
            graph_of=graph_of,
            texts_of=_texts,
            revised=revised,
            rejected=rejected,
            run=lambda _: run,
        )
        outcome = await acarry_out(steps, write, guard.checker)
        await notes.keep_last(start)
        after = outcome.rejected if outcome.action == "skip" else 0
        if after != rejected:
            await ctx.store.set(_REJECTED, after)
        output = outcome.draft.output
        beside = unjudged(output.response, calls=bool(output.tool_calls))
        outcome = await _named(ctx, outcome, beside)
        if outcome.action == "raise":
            reject(outcome)
        if (shown := guard.instead(outcome)) is not None:
            events.instead(shown, output.current_agent_name)
            text = await asyncio.to_thread(_text, guard, outcome, llm_input)
            await notes.replace(text)
            await clear_store(ctx.store, text)
            await held.akeep_added(text.cleared)
            return await asyncio.to_thread(_marked, _withheld(output, text), outcome)
        await held.akeep_added(_same)
        if beside and guard.is_strict:
            events.drop()
            output = _judged_only(output)
        else:
            events.release()
        return await asyncio.to_thread(_marked, output, outcome)

    async def finalize(self, ctx: Any, output: AgentOutput, memory: Any) -> AgentOutput:
        """Judges what a tool returned directly; all other answers are judged already."""
        of_class: Any = super()
        results = await ctx.store.get(_RESULTS, default=[])
        guard, here, run, text = self._trail_guard, run_here(), guarded_run_here(), answer_text(output.response)
        if not _is_written(output, results):
            names, strict = _given_directly(output, results), guard.settings.on_undecided == "fail"
            if names and strict:
                withheld = Withheld([text], [], guard.settings.message)
                await Notes(self, ctx).replace(withheld)
                output = _withheld(output, withheld)
            ended: AgentOutput = await of_class.finalize(ctx, output, memory)
            return _unjudged(ended, (*await ctx.store.get(_UNJUDGED, default=[]), *names), blocked=strict)

        async def write(_: None) -> _Draft:
            return _Draft(output, text)

        def graph_of(_: None, __: _Draft) -> Callable[[], ProvenanceGraph]:
            return lambda: _grounds(here, [], results, text)

        steps = guard_answer(
            _once(guard.settings), None, graph_of=graph_of, texts_of=_texts, revised=_never, run=lambda _: run
        )
        outcome = await _named(ctx, await acarry_out(steps, write, guard.checker), ())
        if outcome.action == "raise":
            reject(outcome)
        if guard.instead(outcome) is not None:
            withheld = await asyncio.to_thread(_text, guard, outcome, [])
            await Notes(self, ctx).replace(withheld)
            output = _withheld(output, withheld)
        return _marked(await of_class.finalize(ctx, output, memory), outcome)


async def _named(ctx: Any, outcome: GuardOutcome[_Draft], names: Sequence[str]) -> GuardOutcome[_Draft]:
    """An outcome that names what was not judged: that of an answer speaks for the turn, earlier messages too."""
    before = await ctx.store.get(_UNJUDGED, default=[])
    named = [*dict.fromkeys([*before, *names])]
    kept = named if outcome.action == "skip" else []
    if kept != before:
        await ctx.store.set(_UNJUDGED, kept)
    return replace(outcome, unjudged=tuple(dict.fromkeys([*named, *outcome.unjudged])))


def _same(message: ChatMessage) -> ChatMessage:
    return message


def _texts(draft: _Draft) -> list[str]:
    return [] if draft.text is None else [draft.text]


def _never(_: None, __: _Draft, ___: str) -> None:
    """There is no second request."""


def _once(settings: GuardSettings) -> GuardSettings:
    """The settings for an answer that nothing can be asked for again."""
    return replace(settings, on_fail=settings.exhausted) if settings.on_fail == "retry" else settings


def _grounds(here: Any, messages: list[ChatMessage], results: list[Any], text: str) -> ProvenanceGraph:
    """What an answer rests on: the recorded run if there is one, else the agent's messages and its tools' results."""
    if here is not None:
        session: Session = here[0]
        run_id: str = here[1]
        with suppress(InputError):  # given up as too old
            graph = session.recorder.graph_under(run_id)
            stored = session.redacted(text)
            if (wrote := writer_of(graph, stored)) is not None:
                return ended_at(graph, wrote.id, stored.strip())
        return session.redacted_graph(from_messages(messages, results, text))  # what is redacted reaches no judge
    return from_messages(messages, results, text)


def _is_written(output: AgentOutput, results: list[Any]) -> bool:
    """True for an answer that a tool returned and a model wrote: a query engine's. Other tools are sources."""
    if not output.tool_calls:
        return False
    for result in results:
        if result.return_direct and result.tool_output.content == output.response.content:
            return result.tool_name != HANDOFF and bool(sources_of(result.tool_output))
    return False


def _given_directly(output: AgentOutput, results: list[Any]) -> tuple[str, ...]:
    """Names the tool whose result is the answer as it is: it was not judged."""
    if not output.tool_calls:
        return ()
    given = (each for each in results if each.return_direct and each.tool_name != HANDOFF)
    return tuple(f"result of the tool {each.tool_name}" for each in given)[:1]


def _text(guard: Guard, outcome: GuardOutcome[_Draft], messages: list[ChatMessage]) -> Withheld:
    """What is withheld of a draft."""
    asked = [each.content or "" for each in messages if each.role in {"user", "system"}]
    return guard.withheld(outcome, [outcome.draft.text or ""], asked)


def _withheld(output: AgentOutput, text: Withheld) -> AgentOutput:
    """An output without anything of the answer, which the model's raw reply, for one, contains."""
    return output.model_copy(
        update={
            "response": ChatMessage(role="assistant", content=text.message),
            "raw": None,
            "structured_response": None,
            "tool_calls": [each for each in text.cleared(list(output.tool_calls)) if each is not None],
        }
    )


def _judged_only(output: AgentOutput) -> AgentOutput:
    """An output without what nobody judged, which the model's raw reply repeats."""
    response = judged_only(output.response, calls=bool(output.tool_calls))
    return output.model_copy(update={"response": response, "raw": None})


def _unjudged(output: AgentOutput, names: tuple[str, ...], *, blocked: bool) -> AgentOutput:
    """An output that says that its answer was not judged."""
    if names:
        output[KEY] = {"unjudged": list(names), "passed": False, "blocked": blocked}
        note_decision(output)
    return output


def _marked(output: AgentOutput, outcome: GuardOutcome[Any]) -> AgentOutput:
    if summary := outcome.summary():
        output[KEY] = summary
        note_decision(output)
    return output
