"""Hooks that an event loop awaits: a run that is verified before the app gets its answer must not hold up other runs.

LangChain calls a hook on the event loop's own thread, unless it is a coroutine function. Whether one is wanted depends
on who calls, so these are decided when they are looked up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import iscoroutinefunction
from types import MethodType
from typing import Any

__all__ = ["awaited_ends"]

Hook = Callable[..., None]
_ENDS = tuple(f"on_{kind}_{end}" for kind in ("chain", "llm", "tool", "retriever") for end in ("end", "error"))


class _End:
    """A hook that is a plain method for threads, and a coroutine for event loops."""

    def __init__(self, hook: Hook) -> None:
        async def awaited(handler: Any, *args: Any, **details: Any) -> None:
            hook(handler, *args, **details)
            await handler._session.settled(str(details.get("run_id")))  # noqa: SLF001 - a method of the handler, by way of a class that is made later

        self._hook, self._awaited = hook, awaited

    def __get__(self, handler: object | None, kind: type | None = None) -> Any:
        if handler is None:
            return self._hook
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return MethodType(self._hook, handler)
        return MethodType(self._awaited, handler)


def awaited_ends(kind: type) -> dict[str, Any]:
    """Returns the hooks for the ends of runs, by name, for a class that verifies before the app goes on.

    Args:
        kind: The class of handlers whose hooks they are; those that are coroutine functions already are left out.
    """
    return {name: _End(hook) for name in _ENDS if not iscoroutinefunction(hook := getattr(kind, name))}
