"""The custom event `trail.report`: the result of a verification, for whoever watches a run."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langchain_core.runnables import RunnableConfig

__all__ = ["EVENT", "adispatch", "dispatch"]

EVENT = "trail.report"


def dispatch(summary: dict[str, Any], config: RunnableConfig) -> None:
    """Sends a summary to the callback handlers of a run and to `astream_events`; outside a run it sends nothing."""
    with suppress(RuntimeError):  # there is no run around this code
        dispatch_custom_event(EVENT, summary, config=config)


async def adispatch(summary: dict[str, Any], config: RunnableConfig) -> None:
    """As `dispatch`."""
    with suppress(RuntimeError):
        await adispatch_custom_event(EVENT, summary, config=config)
