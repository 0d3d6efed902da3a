"""The guards, each around a real app whose model gives one answer, and the ways in which each can be called."""

from __future__ import annotations

import apps_langchain as lc
import apps_llama_index as li

APPS = {
    "guarded": lc.chain,
    "TrailGuard": lc.agent,
    "GuardedQueryEngine": li.query_engine,
    "GuardedChatEngine": li.chat_engine,
    "guard_agent": li.workflow,
}
"""By name; each takes the model's answer, a source, a way and the guard's settings, and returns what the user gets."""
WAYS = {
    "guarded": lc.CHAIN_WAYS,
    "TrailGuard": lc.AGENT_WAYS,
    "GuardedQueryEngine": li.ENGINE_WAYS,
    "GuardedChatEngine": li.CHAT_WAYS,
    "guard_agent": li.AGENT_WAYS,
}
"""Sync, async, streamed, structured, and what else a guard has. All know `ainvoke`."""
