"""The checkpoints of a graph while a draft is written."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel

from langchain_trail.memory import Held, Scrub


def has_checkpoints(runnable: Runnable[Any, Any]) -> bool:
    """True for a graph with a checkpointer of its own."""
    return isinstance(runnable, Pregel) and isinstance(runnable.checkpointer, BaseCheckpointSaver)


class HeldCheckpoints(Held):
    """A graph with a checkpointer; it is not changed."""

    def __init__(self, graph: Any) -> None:
        self._saver = graph.checkpointer
        self._draft = _DraftSaver(graph.checkpointer)
        super().__init__(copy.copy(graph))
        self.runnable.checkpointer = self._draft  # type: ignore[attr-defined]  # it is a graph

    def keep(self, scrub: Scrub) -> None:
        """As `Held`."""
        for method, arguments in self._draft.calls:
            getattr(self._saver, method)(*_scrubbed(arguments, scrub))

    async def akeep(self, scrub: Scrub) -> None:
        """As `keep`."""
        for method, arguments in self._draft.calls:
            await getattr(self._saver, f"a{method}")(*await asyncio.to_thread(_scrubbed, arguments, scrub))


def _scrubbed(arguments: tuple[Any, ...], scrub: Scrub) -> tuple[Any, ...]:
    """The arguments of a write: the second is a checkpoint, or the list of what the steps after one wrote."""
    config, written, *others = arguments
    if isinstance(written, list):
        return config, [(channel, scrub(value)) for channel, value in written], *others
    return config, {**written, "channel_values": scrub(dict(written["channel_values"]))}, *others


class _DraftSaver(InMemorySaver):
    """Reads through to another checkpointer, and holds back what is written."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self.calls: list[tuple[str, tuple[Any, ...]]] = []  # method and arguments

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._saver.get_next_version(current, channel)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return super().get_tuple(config) or self._saver.get_tuple(config)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return super().get_tuple(config) or await self._saver.aget_tuple(config)

    def put(self, config: RunnableConfig, checkpoint: Any, metadata: Any, new_versions: Any) -> RunnableConfig:
        self.calls.append(("put", (config, checkpoint.copy(), metadata, new_versions)))
        # All channels: what did not change since the other checkpointer's last one is not here.
        return super().put(config, checkpoint, metadata, checkpoint["channel_versions"])

    async def aput(self, config: RunnableConfig, checkpoint: Any, metadata: Any, new_versions: Any) -> RunnableConfig:
        return self.put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self.calls.append(("put_writes", (config, list(writes), task_id, task_path)))
        super().put_writes(config, writes, task_id, task_path)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Any:
        # That of the base class, which goes from checkpoint to checkpoint by `get_tuple`.
        return BaseCheckpointSaver.get_delta_channel_history(self, config=config, channels=channels)

    async def aget_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Any:
        return await BaseCheckpointSaver.aget_delta_channel_history(self, config=config, channels=channels)
