"""The steps of a trace as one tree: without duplicates, twins and what only encloses others, under one root."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from trail_callbacks.capture.events import Piece
from trail_callbacks.importing.pieces import Step

__all__ = ["moments", "rooted", "tidied"]


def tidied(steps: Iterable[Step]) -> list[Step]:
    """Returns the steps that did something, each once, with the nearest of these around it as parent.

    A span that was exported twice is one step. A model call inside a model call, and a method of a class inside
    another method of it (`query` and `_query` of LlamaIndex), are one step: the outer, with what only the inner shows.
    """
    known: dict[str, Step] = {}
    for step in steps:
        held = known.get(step.id)
        known[step.id] = step if held is None else _fuller(held, step)
    _break_circles(known)
    into: dict[str, str] = {}  # a step that is left out, and the one in whose place it stands
    for step in _parents_first(known):
        parent = _kept(step.parent, into)
        around = known.get(parent or "")
        if step.kind is None:
            into[step.id] = parent or ""
        elif around is not None and around.kind is not None and _is_twin(step, around):
            into[step.id] = around.id
    for step in reversed(_parents_first(known)):  # the innermost first: what it shows goes outwards
        if step.kind is not None and step.id in into:
            _absorb(known[_kept(into[step.id], into) or ""], step)
    for step in known.values():
        step.parent = _kept(step.parent, into)
    return [step for step in known.values() if step.id not in into]


def rooted(steps: Sequence[Step], trace_id: str) -> tuple[Step, list[str]]:
    """Returns the root of a trace, which is made if the file lacks it, and what that means.

    Args:
        steps: The tidied steps, one or more. Their parents are changed where a root is made.
        trace_id: Id of a root that is made.
    """
    ids = {step.id for step in steps}
    roots = [step for step in steps if step.parent not in ids]
    orphans = [step for step in roots if step.parent]
    if len(roots) == 1:
        lost = ["the step around all others is not in the file"] if orphans else []
        return roots[0], lost
    first = min(roots, key=lambda step: step.started if step.started is not None else 0.0)
    root = Step(
        id=f"{trace_id}:root",
        parent=None,
        kind="chain",
        name=trace_id,
        inputs=_asked(first),
        started=first.started,
        metadata=first.metadata,
        tags=first.tags,
    )
    ends = [step.ended for step in roots if step.ended is not None]
    root.ended = max(ends, default=None)
    for step in roots:
        step.parent = root.id
    lost = [f"{len(orphans)} steps are in the file without the step around them"] if orphans else []
    return root, lost


def _asked(step: Step) -> tuple[Piece, ...]:
    """What a first step was given, as the question of a root that has none of its own."""
    if step.kind == "model":
        users = [piece for piece in step.inputs if piece.role == "user"]
        return tuple(replace(piece, path=("messages", 0), origin=None) for piece in users[-1:])
    return tuple(replace(piece, path=("question",)) for piece in step.inputs if piece.form == "text")[:1]


def _fuller(one: Step, other: Step) -> Step:
    """Of two records of one step, the one that ended, or shows more."""
    weigh = [(each.ended is not None, len(each.outputs), len(each.inputs)) for each in (one, other)]
    return other if weigh[1] > weigh[0] else one


def _is_twin(step: Step, around: Step) -> bool:
    if step.kind == around.kind == "model":
        return True
    own, _, method = step.name.rpartition(".")
    its = around.name.rpartition(".")[0]
    return bool(own) and method.isidentifier() and own == its and step.kind == around.kind and step.kind != "tool"


def _absorb(outer: Step, inner: Step) -> None:
    """Adds to a step what only a part of it shows."""
    if inner.kind == "model":  # the inner one shows the prompt as it was sent, and what was streamed
        outer.inputs = inner.inputs or outer.inputs
    else:
        outer.inputs = outer.inputs or inner.inputs
    outer.outputs = outer.outputs if any(piece.text.strip() for piece in outer.outputs) else inner.outputs
    outer.model = outer.model or inner.model
    if inner.ended is not None and outer.ended is not None:
        outer.ended = max(outer.ended, inner.ended)


def _kept(step_id: str | None, into: dict[str, str]) -> str | None:
    while step_id and step_id in into:
        step_id = into[step_id]
    return step_id or None


def _parents_first(known: dict[str, Step]) -> list[Step]:
    children: dict[str | None, list[Step]] = defaultdict(list)
    for step in known.values():
        children[step.parent if step.parent in known else None].append(step)
    ordered: list[Step] = []
    todo = list(reversed(children[None]))
    while todo:
        step = todo.pop()
        ordered.append(step)
        todo += reversed(children[step.id])
    return ordered


def _break_circles(known: dict[str, Step]) -> None:
    """Makes a root of one step of every circle of parents, which only a broken file has."""
    fine: set[str] = set()
    for step in known.values():
        path: dict[str, Step] = {}
        here: Step | None = step
        while here is not None and here.id not in fine and here.id not in path:
            path[here.id] = here
            here = known.get(here.parent or "")
        if here is not None and here.id in path:
            here.parent = None
        fine |= path.keys()


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
