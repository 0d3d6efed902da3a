"""Which conversation a run is a turn of, by the memory that the app hands to each of its turns."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from itertools import count
from typing import Any

from llama_index_trail.families import is_kind
from llama_index_trail.messages import message_text

__all__ = ["conversation_of", "memory_of", "session_of", "summaries"]

_numbers = count(1)
_UNNAMED = "chat_history"  # the key of a memory to which the app gave none
_known: dict[int, tuple[weakref.ref[Any], int]] = {}  # by identity; `id` alone is used again after an object is gone


def memory_of(instance: object, arguments: Mapping[str, Any]) -> Any:
    """Returns the memory of the chat engine or agent that is asked, or None.

    Args:
        instance: The chat engine or agent.
        arguments: What it is asked with.
    """
    if is_kind(instance, "BaseChatEngine"):
        return getattr(instance, "_memory", None)
    if not is_kind(instance, "Workflow"):
        return None
    given = {**arguments, **(arguments.get("kwargs") or {})}
    memory = given.get("memory")
    return getattr(given.get("start_event"), "memory", None) if memory is None else memory


def summaries(memory: Any) -> frozenset[str]:
    """Returns what a model wrote in place of earlier messages, as far as that is kept in this process."""
    if not is_kind(memory, "ChatSummaryMemoryBuffer"):
        return frozenset()
    kept = getattr(memory.chat_store, "store", None) or {}
    return frozenset(
        message_text(each).strip() for each in kept.get(memory.chat_store_key, ()) if each.role == "system"
    )


def conversation_of(memory: Any) -> str | None:
    """Returns a name for the conversation of a memory, the same in all its turns; None if there is none."""
    if memory is None:
        return None
    session = getattr(memory, "session_id", None)
    if isinstance(session, str):
        return f"session {session}"
    store = getattr(memory, "chat_store", None)
    if store is None:
        return _of_object(memory)
    known = _of_object(store)  # apps make a new memory for each request, over the same store
    return known and f"{known} {getattr(memory, 'chat_store_key', '')}"


def session_of(memory: Any) -> str | None:
    """Returns the name of a conversation: the session of its memory, or its key in a store of chats.

    Some memories make one up if the app gives none: then it is the same in all turns, and unlike any other.
    """
    named = getattr(memory, "session_id", None), getattr(memory, "chat_store_key", None)
    return next((name for name in named if isinstance(name, str) and name != _UNNAMED), None)


def _of_object(value: object) -> str | None:
    known = _known.get(id(value))
    if known is None or known[0]() is not value:
        place = id(value)
        number = next(_numbers)
        try:
            _known[place] = weakref.ref(value, lambda ref: _forget(place, ref)), number
        except TypeError:  # not every object can be referenced weakly
            return None
        return f"object {number}"
    return f"object {known[1]}"


def _forget(place: int, ref: weakref.ref[Any]) -> None:
    if (known := _known.get(place)) is not None and known[0] is ref:
        del _known[place]
