"""Values of an app, made safe to keep: exact text, JSON-safe metadata, exceptions as text."""

from __future__ import annotations

import asyncio
import concurrent.futures
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["described", "exact_text", "is_cancellation", "scalars"]

_ERROR_TEXT = 2_000


def exact_text(value: object) -> str:
    """Returns an exact `str` that can be encoded: subclasses are unwrapped, lone surrogates replaced."""
    text = str.__str__(value) if isinstance(value, str) else str(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "replace").decode()
    return text


def scalars(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the JSON-safe part of metadata: source, page, score and the like."""
    return {
        exact_text(key): exact_text(value) if isinstance(value, str) else value
        for key, value in metadata.items()
        if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
    }


def described(error: BaseException | None) -> str:
    """Returns type and message of an exception; not the exception itself, whose traceback holds the app's frames."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the app's exception may be broken too
        message = "[unreadable message]"
    return exact_text(f"{type(error).__name__}: {message}"[:_ERROR_TEXT])


def is_cancellation(error: BaseException | None) -> bool:
    """True if the app stopped a run; any other exception is a failure."""
    return isinstance(error, asyncio.CancelledError | concurrent.futures.CancelledError | GeneratorExit)
