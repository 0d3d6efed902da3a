"""What no span shows, so that methods are wrapped: events sent or collected by hand, and the reading of a chat."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["follow", "unwatch", "watch"]

OnEvent = Callable[[Any], None]
_wrapped: list[tuple[type, str, Any, Any]] = []  # class, method, the original, ours


def watch(context: type, on_send: OnEvent, on_collect: OnEvent) -> None:
    """Watches a class of contexts, once.

    Args:
        context: The class of the `ctx` that a step was given.
        on_send: Called with each event that a step sends; must not raise.
        on_collect: Called with each event of a collection that is complete; must not raise.
    """
    if any(each[0] is context for each in _wrapped):
        return

    def sent(arguments: tuple[Any, ...], keywords: dict[str, Any], _: object) -> None:
        on_send(arguments[0] if arguments else keywords.get("message"))

    def collected(_: tuple[Any, ...], __: dict[str, Any], events: Any) -> None:
        for event in events or ():
            on_collect(event)

    _wrap(context, "send_event", sent, first=True)
    _wrap(context, "collect_events", collected, first=False)


def follow(response: type, read: Callable[[Any, Any], Any]) -> None:
    """Follows the streams that a class of chat responses gives its readers, once.

    Args:
        response: The class.
        read: Called with a response and a stream of it; returns the stream to read in its place. Must not raise.
    """
    for name in ("response_gen", "async_response_gen"):
        owner = next((each for each in response.__mro__ if name in vars(each)), None)
        if owner is None or any(each[:2] == (owner, name) for each in _wrapped):
            continue
        original: Any = vars(owner)[name]
        get: Any = original.fget if isinstance(original, property) else original

        @wraps(get)
        def given(self: Any, get: Callable[[Any], Any] = get) -> Any:
            return read(self, get(self))

        ours = property(given) if isinstance(original, property) else given
        setattr(owner, name, ours)
        _wrapped.append((owner, name, original, ours))


def unwatch() -> None:
    """Restores the methods of the classes, unless other code has wrapped ours meanwhile: then ours stays."""
    while _wrapped:
        context, name, original, ours = _wrapped.pop()
        if vars(context).get(name) is ours:
            setattr(context, name, original)


def _wrap(
    context: type, name: str, report: Callable[[tuple[Any, ...], dict[str, Any], Any], None], *, first: bool
) -> None:
    original = vars(context).get(name)
    if original is None:
        return

    @wraps(original)
    def ours(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if first:  # the receiver may be at work before the call returns
            report(arguments, keywords, None)
        result = original(self, *arguments, **keywords)
        if not first:
            report(arguments, keywords, result)
        return result

    setattr(context, name, ours)
    _wrapped.append((context, name, original, ours))
