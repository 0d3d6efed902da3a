"""Building instructor's client from a model string, an endpoint and a key, and bounding what it reads and logs."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from trail_callbacks.errors import JudgeError, MissingExtraError
from trail_callbacks.models.provider_error import redact

if TYPE_CHECKING:
    from instructor import AsyncInstructor, Mode

_LONGEST = 16 * 1024 * 1024  # bytes of a reply, unpacked; the longest answers of models are a hundredth of that
_NO_KEY = "none"  # openai's client wants some key; a local server ignores it, and the user's real one stays here


def connect(model: str, base_url: str | None, api_key: str | None, mode: Mode | str | None) -> AsyncInstructor:
    """Builds a client; see `InstructorModel` for the arguments. Nothing is sent yet."""
    provider, _, name = model.partition("/")
    if not provider or not name:
        raise JudgeError(f'model is {model!r}, expected "provider/name", e.g. "openai/gpt-5-mini"')
    try:
        import instructor  # noqa: PLC0415 - optional and heavy
    except ImportError as error:
        raise MissingExtraError("LLMJudge", "llm") from error
    options: dict[str, Any] = {"api_key": api_key} if api_key is not None else {}
    if base_url is not None:
        options = {"api_key": api_key or _NO_KEY, "base_url": base_url}
        mode = mode or instructor.Mode.JSON_SCHEMA
    try:
        client = instructor.from_provider(model, async_client=True, mode=_mode(mode), **options)
    except JudgeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a provider raises while it is set up
        raise JudgeError(redact(f"the model {model!r} cannot be used: {error}", [api_key or ""])) from None
    if base_url is not None and not _leads_to(client, base_url):
        raise JudgeError(
            f"this instructor ignores base_url for {provider!r}: for an endpoint that speaks OpenAI's protocol, "
            f'write "openai/{name}"'
        )
    return client


def _mode(mode: Mode | str | None) -> Mode | None:
    import instructor  # noqa: PLC0415 - as above

    if mode is None or isinstance(mode, instructor.Mode):
        return mode
    by_name = {member.name.lower(): member for member in instructor.Mode}
    if mode.lower() not in by_name:
        raise JudgeError(f"mode is {mode!r}, expected one of {', '.join(sorted(by_name))}")
    return by_name[mode.lower()]


def _leads_to(client: Any, base_url: str) -> bool:
    """Checks where requests will go: not every provider of instructor heeds a base_url, and text would leak."""
    actual = str(getattr(getattr(client, "client", None), "base_url", ""))
    return actual.rstrip("/").casefold() == base_url.rstrip("/").casefold()


def configure(client: Any, timeout: float, longest: int = _LONGEST) -> None:
    """Sets the time and the size of a reply on the provider's client, and that it repeats no request by itself."""
    inner: Any = getattr(client, "client", None)
    if hasattr(inner, "max_retries"):
        inner.max_retries = 0
    if hasattr(inner, "timeout"):
        inner.timeout = timeout
    _bound(getattr(inner, "_client", None), longest)


class ReplyTooLongError(Exception):
    """An endpoint sent more than any answer has. Asking again would bring as much."""


def _bound(http: Any, longest: int) -> None:
    """Makes a client of httpx, or of what is built like it, stop reading a reply at a number of bytes.

    The bytes are counted as they come, unpacked, so that a small packed reply cannot become a large one. Clients
    without hooks are left as they are.
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


def closer(client: Any) -> Callable[[], Coroutine[Any, Any, None]]:
    """Returns what closes the connections of a client."""
    inner = getattr(client, "client", None)

    async def close() -> None:
        closing = getattr(inner, "close", None) or getattr(inner, "aclose", None)
        done = closing() if callable(closing) else None
        if inspect.isawaitable(done):
            await done

    return close


_asking: ContextVar[bool] = ContextVar("trail_asking", default=False)


class _Reported(logging.Filter):
    def filter(self, _: logging.LogRecord) -> bool:
        return not _asking.get()


_reported = _Reported()


@contextmanager
def unlogged() -> Iterator[None]:
    """Keeps instructor from logging the failures of our requests: they are replies, and its lines may show a key.

    What it logs for the app's own requests stays.
    """
    for name in ("instructor", "instructor.retry", "instructor.v2.retry"):
        logging.getLogger(name).addFilter(_reported)  # does nothing the second time
    token = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(token)
