"""Prompts that an endpoint cut: some local servers drop what exceeds their context window, and say nothing."""

from __future__ import annotations

from contextlib import closing
from typing import TypeVar

from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.models.drive import advance
from trail_callbacks.models.tokens import count

__all__ = ["watched"]

_CHECKED = 1500  # tokens from which a prompt is compared; shorter ones fit anywhere
_SMALLEST = 256  # tokens of a context window; a lower count is no window, but a server that does not count
_SHARE = 0.5  # of the estimated tokens; the estimate itself is within a quarter for nearly all texts

T = TypeVar("T")


def watched(pipeline: Pipeline[T], warnings: list[str]) -> Pipeline[T]:
    """Runs a pipeline and adds a warning if an endpoint counted far fewer tokens than it was sent.

    Args:
        pipeline: What asks.
        warnings: Gets at most one warning.
    """
    with closing(pipeline):
        calls, result = advance(pipeline, None)
        while calls is not None:
            replies = yield calls
            if not warnings:
                warnings += list(filter(None, map(_cut, calls, replies)))[:1]
            calls, result = advance(pipeline, replies)
        return result


def _cut(call: Call, reply: Reply) -> str:
    read = reply.usage.prompt_tokens // max(1, reply.usage.calls)
    if read < _SMALLEST:
        return ""
    sent = sum(count(message.content) for message in call.messages)
    if sent < _CHECKED or read >= sent * _SHARE:
        return ""
    return (
        f"the endpoint counted {read:,} tokens of a prompt of about {sent:,}: its context window may be too small, and "
        "what it did not read counts as absent; widen it, or lower VerifyOptions.read_tokens"
    )
