"""The steps of a trace as one tree: without duplicates, twins and what only encloses others, under one root."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trail_callbacks.capture.events import Piece
from trail_callbacks.importing.steps import Step

__all__ = ["rooted", "tidied"]


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
