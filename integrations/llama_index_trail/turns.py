"""One step of an agent, taken until its answer passes: rejected drafts leave no trace in its memory, prompts or stream.

LlamaIndex's agents keep what they did in this turn in the context's store: messages, or the reasoning of a ReAct agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from llama_index.core.agent.react.types import ObservationReasoningStep, ResponseReasoningStep
from llama_index.core.agent.workflow import AgentInput, AgentOutput, AgentStream
from llama_index.core.base.llms.types import ChatMessage

from llama_index_trail.messages import refusal
from trail_callbacks.guard import holds_text
from trail_callbacks.guard.withheld import Withheld

_LLAMA_INDEX = frozenset(
    {"agents", "can_handoff_to", "current_agent_name", "current_tool_calls", "early_stopping_method"}
    | {"formatted_input_with_state", "handoff_output_prompt", "max_iterations", "memory", "next_agent"}
    | {"num_iterations", "num_tool_calls", "user_msg_str"}
)
"""Keys of the state that hold no answer: LlamaIndex runs the agent by them."""


class EventBuffer:
    """A step's context that holds back the events that the step shows, until its draft is accepted."""

    def __init__(self, context: Any, *, hide: bool) -> None:
        self._context = context
        self._hide = hide
        self._inputs: list[Any] = []
        self._events: list[Any] = []
        self._drafts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def next(self) -> None:
        """Drops the events of the last draft: another one is written."""
        self._drafts += 1
        self._events.clear()

    def write_event_to_stream(self, event: Any) -> None:
        """Keeps an event for later. Inputs of later drafts contain the rejected ones, so the first input is shown."""
        if not self._hide:
            self._context.write_event_to_stream(event)
        elif not isinstance(event, AgentInput):
            self._events.append(event)
        elif self._drafts <= 1:
            self._inputs.append(event)

    def release(self) -> None:
        """Shows the events of the last draft: it is accepted."""
        for event in [*self._inputs, *self._events]:
            self._context.write_event_to_stream(event)
        self._inputs, self._events = [], []

    def drop(self) -> None:
        """Shows the inputs alone: what the step showed was not judged."""
        self._events = [event for event in self._events if not isinstance(event, AgentStream | AgentOutput)]
        self.release()

    def instead(self, message: str, name: str) -> None:
        """Shows a message in place of the drafts."""
        for event in self._inputs:
            self._context.write_event_to_stream(event)
        if self._hide and any(isinstance(event, AgentStream) for event in self._events):
            self._context.write_event_to_stream(AgentStream(delta=message, response=message, current_agent_name=name))
        self._inputs, self._events = [], []


class Notes:
    """What an agent has done in this turn, as it is kept in the store of its context."""

    def __init__(self, agent: Any, context: Any) -> None:
        self._store = context.store
        self._reasons = hasattr(agent, "reasoning_key")
        self._key = agent.reasoning_key if self._reasons else getattr(agent, "scratchpad_key", None)
        self._before: list[Any] = []

    @property
    def exist(self) -> bool:
        """False for an agent that keeps none, or keeps them in an unknown place."""
        return self._key is not None

    async def read(self) -> list[Any]:
        """Returns the notes."""
        return list(await self._store.get(self._key, default=[])) if self._key else []

    async def mark(self) -> list[Any]:
        """Returns the notes, and remembers them as those before any draft."""
        self._before = await self.read()
        return self._before

    async def reject(self, feedback: str) -> None:
        """Adds feedback after the draft that a model just wrote."""
        if self._key:
            note = (
                ObservationReasoningStep(observation=feedback)
                if self._reasons
                else ChatMessage(role="user", content=feedback)
            )
            await self._store.set(self._key, [*await self.read(), note])

    async def keep_last(self, since: int) -> None:
        """Drops rejected drafts and feedback: only what came after them stays."""
        if self._key:
            await self._store.set(self._key, [*self._before, *(await self.read())[since:]])

    async def replace(self, withheld: Withheld) -> None:
        """Replaces the last answer by a message, and whatever else in the notes carries what is withheld."""
        if not self._key:
            return
        message, notes = withheld.message, await self.read()
        *rest, last = notes or [None]
        kept = [await asyncio.to_thread(withheld.cleared, each) for each in rest]
        if self._reasons:
            kept.append(ResponseReasoningStep(thought="The sources do not support an answer.", response=message))
        elif last is not None:
            kept.append(ChatMessage(role="assistant", content=message, additional_kwargs=_ids(last)))
        await self._store.set(self._key, [each for each in kept if each is not None])


async def clear_store(store: Any, withheld: Withheld) -> None:
    """Takes what is withheld out of the state of a run, where a tool or an agent of one's own may have put it."""
    state = await store.get_state()
    if not hasattr(state, "items"):  # of a class of the app's own, whose fields may take no other value
        return
    for key, value in dict(state.items()).items():
        if key in _LLAMA_INDEX:
            continue
        cleared = await asyncio.to_thread(withheld.cleared, value, numbers=False)
        if cleared is not value:
            await store.set(key, cleared)


def answer_of(output: AgentOutput, notes: Sequence[Any]) -> str | None:
    """Returns what an agent answers, or None while it calls tools or repairs what could not be read."""
    if output.tool_calls or output.retry_messages:
        return None
    if notes and isinstance(notes[-1], ResponseReasoningStep):
        return notes[-1].response
    return answer_text(output.response)


def _ids(message: ChatMessage) -> dict[str, Any]:
    """The ids that link a message to a tool call."""
    return {key: value for key, value in message.additional_kwargs.items() if key == "tool_call_id"}


_KEPT = frozenset({"tool_calls", "tool_call_id", "refusal"})
_REASONING = frozenset({"reasoning", "reasoning_content", "thinking", "thinking_delta"})


def answer_text(message: Any) -> str:
    """Returns the text of a message that answers; a refusal is text, which apps show in place of an answer."""
    return "\n".join(text for text in (message.content, refusal(message)) if text)


def unjudged(message: Any, *, calls: bool = False) -> tuple[str, ...]:
    """Returns the names of what a message says that is not judged: empty if all is, or nothing is said."""
    beside = ["text beside tool calls"] if calls and answer_text(message).strip() else []
    return tuple(dict.fromkeys([*_beside(message), *beside]))


def judged_only(message: Any, *, calls: bool = False) -> Any:
    """Returns a message without what is not judged; tool calls stay."""
    if not unjudged(message, calls=calls):
        return message
    kept = {"tool_call"} if calls else {"text", "tool_call"}
    made = message.model_copy()
    made.blocks = [block for block in message.blocks if getattr(block, "block_type", "text") in kept]
    made.additional_kwargs = {key: value for key, value in message.additional_kwargs.items() if key in _KEPT}
    return made


def _beside(message: Any) -> Iterator[str]:
    for block in message.blocks:
        kind = getattr(block, "block_type", "text")
        if kind not in {"text", "tool_call"}:
            yield "reasoning" if kind == "thinking" else kind
    for key, value in (message.additional_kwargs or {}).items():
        if key not in _KEPT and holds_text(value):
            yield "reasoning" if key in _REASONING else str(key)
