"""One step of an agent, taken until its answer passes: drafts leave no trace in its memory, its prompts or its stream.

LlamaIndex's agents keep what they did in this turn in the context's store: messages, or the reasoning of a ReAct agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.react.types import ObservationReasoningStep, ResponseReasoningStep
from llama_index.core.agent.workflow import AgentInput, AgentOutput, AgentStream
from llama_index.core.base.llms.types import ChatMessage

__all__ = ["Notes", "Onlooker", "answer_of"]


class Onlooker:
    """Stands for a step's context; holds back what the step shows until it may be seen.

    Args:
        context: The agent's context.
        hide: False shows all at once.
    """

    def __init__(self, context: Any, *, hide: bool) -> None:
        self._context = context
        self._hide = hide
        self._asked: list[Any] = []
        self._shown: list[Any] = []
        self._drafts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def next(self) -> None:
        """Forgets what the last draft showed: another one is written."""
        self._drafts += 1
        self._shown.clear()

    def write_event_to_stream(self, event: Any) -> None:
        """Keeps an event for later. What later drafts were asked holds the rejected ones, so the first is shown."""
        if not self._hide:
            self._context.write_event_to_stream(event)
        elif not isinstance(event, AgentInput):
            self._shown.append(event)
        elif self._drafts <= 1:
            self._asked.append(event)

    def release(self) -> None:
        """Shows the last draft: it is accepted."""
        for event in [*self._asked, *self._shown]:
            self._context.write_event_to_stream(event)
        self._asked, self._shown = [], []

    def instead(self, message: str, name: str) -> None:
        """Shows a message in place of the drafts."""
        for event in self._asked:
            self._context.write_event_to_stream(event)
        if self._hide and any(isinstance(event, AgentStream) for event in self._shown):
            self._context.write_event_to_stream(AgentStream(delta=message, response=message, current_agent_name=name))
        self._asked, self._shown = [], []


class Notes:
    """What an agent has done in this turn, as it stands in the store of its context.

    Args:
        agent: The agent.
        context: Its context.
    """

    def __init__(self, agent: Any, context: Any) -> None:
        self._store = context.store
        self._reasons = hasattr(agent, "reasoning_key")
        self._key = agent.reasoning_key if self._reasons else getattr(agent, "scratchpad_key", None)
        self._before: list[Any] = []

    @property
    def exist(self) -> bool:
        """False for an agent that keeps none, or where nobody knows."""
        return self._key is not None

    async def read(self) -> list[Any]:
        """Returns them."""
        return list(await self._store.get(self._key, default=[])) if self._key else []

    async def mark(self) -> list[Any]:
        """Remembers them as they are, before any draft; returns them."""
        self._before = await self.read()
        return self._before

    async def reject(self, told: str) -> None:
        """Adds feedback behind the draft that a model just wrote."""
        if self._key:
            said = (
                ObservationReasoningStep(observation=told) if self._reasons else ChatMessage(role="user", content=told)
            )
            await self._store.set(self._key, [*await self.read(), said])

    async def keep_last(self, since: int) -> None:
        """Drops rejected drafts and feedback: only what came after them stays."""
        if self._key:
            await self._store.set(self._key, [*self._before, *(await self.read())[since:]])

    async def replace(self, message: str, texts: frozenset[str] = frozenset()) -> None:
        """Puts a message in place of the last answer, and of what says one of these texts."""
        if not self._key:
            return
        notes = await self.read()
        *rest, last = notes or [None]
        kept = [self._blank(each, message, texts) for each in rest]
        if self._reasons:
            kept.append(ResponseReasoningStep(thought="The sources do not support an answer.", response=message))
        elif last is not None:
            kept.append(ChatMessage(role="assistant", content=message, additional_kwargs=_ids(last)))
        await self._store.set(self._key, kept)

    def _blank(self, note: Any, message: str, texts: frozenset[str]) -> Any:
        if self._reasons:
            said = getattr(note, "observation", None)
            return note.model_copy(update={"observation": message}) if said in texts else note
        if note.role == "tool" and note.content in texts:
            return ChatMessage(role="tool", content=message, additional_kwargs=_ids(note))
        return note


def answer_of(output: AgentOutput, notes: Sequence[Any]) -> str | None:
    """Returns what an agent answers, or None while it calls tools or repairs what could not be read.

    Args:
        output: What a step brought.
        notes: What stands in the agent's store after it.
    """
    if output.tool_calls or output.retry_messages:
        return None
    if notes and isinstance(notes[-1], ResponseReasoningStep):
        return notes[-1].response
    return output.response.content or ""


def _ids(message: ChatMessage) -> dict[str, Any]:
    """What ties a message to a tool's call."""
    return {key: value for key, value in message.additional_kwargs.items() if key == "tool_call_id"}
