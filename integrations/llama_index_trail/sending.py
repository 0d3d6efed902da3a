"""Events that a workflow's step sends or collects by hand: no span shows them, so the two methods are listened to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["hear", "unhear"]

Heard = Callable[[Any], None]
_heard: list[tuple[type, str, Any, Any]] = []  # class, method, the original, ours


def hear(context: type, on_send: Heard, on_collect: Heard) -> None:
    """Listens to a class of contexts, once.

    Args:
        context: The class of the `ctx` that a step was given.
        on_send: Called with each event that a step sends; must not raise.
        on_collect: Called with each event of a collection that is complete; must not raise.
    """
    if any(each[0] is context for each in _heard):
        return

    def sent(arguments: tuple[Any, ...], keywords: dict[str, Any], _: object) -> None:
        on_send(arguments[0] if arguments else keywords.get("message"))

    def collected(_: tuple[Any, ...], __: dict[str, Any], events: Any) -> None:
        for event in events or ():
            on_collect(event)

    _wrap(context, "send_event", sent, first=True)
    _wrap(context, "collect_events", collected, first=False)


def unhear() -> None:
    """Gives the classes their methods back, unless somebody else has wrapped ours meanwhile; then it stays, mute."""
    while _heard:
        context, name, original, ours = _heard.pop()
        if vars(context).get(name) is ours:
            setattr(context, name, original)


def _wrap(
    context: type, name: str, told: Callable[[tuple[Any, ...], dict[str, Any], Any], None], *, first: bool
) -> None:
    original = vars(context).get(name)
    if original is None:
        return

    @wraps(original)
    def ours(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if first:  # the receiver may be at work before the call is back
            told(arguments, keywords, None)
        result = original(self, *arguments, **keywords)
        if not first:
            told(arguments, keywords, result)
        return result

    setattr(context, name, ours)
    _heard.append((context, name, original, ours))
