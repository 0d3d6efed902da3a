"""Several pipelines run side by side: what they ask at one time is one batch."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import TypeVar

from trail_callbacks.models.call import Call, Pipeline
from trail_callbacks.models.drive import advance

__all__ = ["together"]

T = TypeVar("T")


def together(pipelines: Sequence[Pipeline[T]]) -> Pipeline[list[T]]:
    """Runs pipelines in step, so that their calls can overlap; one that ends early waits for the others.

    Returns:
        Their results, in order.
    """
    with ExitStack() as stack:
        for pipeline in pipelines:
            stack.enter_context(closing(pipeline))
        states: list[tuple[Sequence[Call] | None, T]] = [advance(pipeline, None) for pipeline in pipelines]
        while any(calls is not None for calls, _ in states):
            replies = iter((yield [call for calls, _ in states for call in calls or ()]))
            for i, (calls, _) in enumerate(states):
                if calls is not None:
                    states[i] = advance(pipelines[i], [next(replies) for _ in calls])
        return [result for _, result in states]
