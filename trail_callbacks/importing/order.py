"""The order in which the steps of a tree began and ended: clocks are coarse, and some steps have no times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from trail_callbacks.importing.steps import Step

__all__ = ["moments"]

Moment = tuple[Literal["start", "end"], Step]


def moments(root: Step, steps: Sequence[Step]) -> Iterator[Moment]:
    """Yields the start and end of each step in the order of time.

    A step begins after the one around it and ends before that does, whatever the clocks say: a stream outlives the
    span that returned it. Steps without times follow their elder sibling. Of steps at one time those given first come
    first, and what was open before ends before they begin.

    Args:
        root: The root.
        steps: All steps, with the root.
    """
    children: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        if step is not root:
            children[step.parent or ""].append(step)
    began: dict[str, float] = {}
    place: dict[str, int] = {}
    depth: dict[str, int] = {root.id: 0}
    todo = [root]
    first = min((step.started for step in steps if step.started is not None), default=0.0)
    ordered: list[Step] = []
    while todo:
        step = todo.pop()
        place[step.id] = len(ordered)
        ordered.append(step)
        around = began.get(step.parent or "", first)
        began[step.id] = max(around, around if step.started is None else step.started)
        inside = sorted(children[step.id], key=lambda each: (each.started is None, each.started or 0.0))
        for each in inside:
            depth[each.id] = depth[step.id] + 1
        todo += reversed(inside)
    ended: dict[str, float] = {}
    for step in reversed(ordered):
        inside_ends = [ended[each.id] for each in children[step.id]]
        own = began[step.id] if step.ended is None else step.ended
        ended[step.id] = max(began[step.id], own, *inside_ends) if inside_ends else max(began[step.id], own)
    starting: dict[float, list[Step]] = defaultdict(list)
    ending: dict[float, list[Step]] = defaultdict(list)
    for step in ordered:
        starting[began[step.id]].append(step)
        ending[ended[step.id]].append(step)
    for time in sorted({*starting, *ending}):
        yield from _at(time, starting[time], ending[time], began, ended, depth)


def _at(  # noqa: PLR0917 - what is known of all steps
    time: float,
    starting: Sequence[Step],
    ending: Sequence[Step],
    began: dict[str, float],
    ended: dict[str, float],
    depth: dict[str, int],
) -> Iterator[Moment]:
    """The moments of one time. Steps are given parents first."""
    awaited = {step.parent for step in starting}
    late: list[Step] = []
    for step in sorted((each for each in ending if began[each.id] < time), key=lambda each: -depth[each.id]):
        if step.id in awaited:
            awaited.add(step.parent)
            late.append(step)
        else:
            yield "end", step
    short: list[Step] = []  # steps that begin and end now, outermost first
    for step in starting:
        while short and short[-1].id != step.parent:
            yield "end", short.pop()
        yield "start", step
        if ended[step.id] == time:
            short.append(step)
        else:
            while short and short[-1].id != step.parent:
                yield "end", short.pop()
    while short:
        yield "end", short.pop()
    for step in late:
        yield "end", step
