"""How long a reply of an endpoint may be: it is cut off while it is read, before it fills the memory."""

from __future__ import annotations

from typing import Any

__all__ = ["ReplyTooLongError", "bound"]

_LONGEST = 16 * 1024 * 1024  # bytes, unpacked; the longest answers of models are a hundredth of that


class ReplyTooLongError(Exception):
    """An endpoint sent more than any answer has. Asking again would bring as much."""


def bound(http: Any, longest: int = _LONGEST) -> None:
    """Makes a client of httpx, or of what is built like it, stop reading a reply at a number of bytes.

    The bytes are counted as they come, unpacked, so that a small packed reply cannot become a large one. Clients
    without hooks are left as they are.

    Args:
        http: The asynchronous client; only pass one of our own.
        longest: Bytes, 1 or more.
    """
    hooks = getattr(http, "event_hooks", None)
    if not isinstance(hooks, dict):
        return

    async def read(response: Any) -> None:
        parts, size = [], 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > longest:
                raise ReplyTooLongError(f"the endpoint's reply is longer than {longest} bytes, and was not read")
            parts.append(part)
        response._content = b"".join(parts)  # noqa: SLF001 - as `aread` does, which comes next and finds it

    http.event_hooks = {**hooks, "response": [*hooks.get("response", ()), read]}
