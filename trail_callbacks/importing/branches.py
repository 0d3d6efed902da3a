"""Which step made which part of an object: what its key is, where the file shows the text alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trail_callbacks.importing.steps import Step

__all__ = ["matched"]

_WORKING = frozenset({"model", "retriever", "tool"})
_KEYS = re.compile(r"<(.*)>$")
"""The keys in the name of a step: in the order in which its branches were started."""
_PARALLEL = ("RunnableParallel", "RunnableAssign", "RunnableMap")


def matched(steps: Sequence[Step]) -> list[str]:
    """Sets the places of steps in a sequence, the keys of those side by side, and the channels of a graph's state.

    OpenInference writes none of these, and an object with a single text as that text. What is beside a step tells it;
    of equal outputs those of the steps that began first are the first, because they are started in that order.

    Returns:
        What cannot be told, a sentence each: threads may begin in another order.
    """
    lost: list[str] = []
    _answer_calls(steps)
    children: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        children[step.parent or ""].append(step)
    for step in steps:
        if step.name.startswith(_PARALLEL):
            inside = sorted(children[step.id], key=lambda each: each.started or 0.0)
            if not any(each.hints.branch for each in inside):
                lost += _assign(step, inside, children)
        if step.name.startswith("RunnableSequence"):
            _chain(sorted(children[step.id], key=lambda each: each.started or 0.0))
        written = [each for each in children[step.id] if each.hints.channels and _is_bare(each)]
        if written:
            _name(written, [step, *children[step.id]])
    return lost


def _answer_calls(steps: Sequence[Step]) -> None:
    """Gives tools the id of the call that they answer, by the message with their result that a model read later."""
    calls: dict[str, list[str]] = defaultdict(list)
    for step in steps:
        for piece in step.inputs if step.kind == "model" else ():
            if piece.role == "tool" and piece.call_id and piece.call_id not in calls[piece.text.strip()]:
                calls[piece.text.strip()].append(piece.call_id)
    for step in steps:
        if step.kind == "tool" and step.hints.call_id is None:
            found = next((ids for piece in step.outputs if (ids := calls.get(piece.text.strip()))), None)
            if found:
                step.hints = replace(step.hints, call_id=found.pop(0) if len(found) > 1 else found[0])


def _chain(inside: Sequence[Step]) -> None:
    """Numbers the steps of a sequence; those whose input is not the output before leave a gap."""
    if any(each.hints.sequence is not None for each in inside):
        return
    place, before = 0, None
    for step in inside:
        texts = [piece.text for piece in step.inputs]
        place += 1 if before is None or [piece.text for piece in before.outputs] == texts else 2
        step.hints, before = replace(step.hints, sequence=place), step


def _is_bare(step: Step) -> bool:
    return len(step.outputs) == 1 and step.outputs[0].form == "text" and not step.outputs[0].path


def _name(written: Sequence[Step], around: Sequence[Step]) -> None:
    """Names the channels of a graph's state that its nodes wrote, by where their text is read later."""
    keys: dict[str, set[str | int]] = defaultdict(set)
    for step in around:
        for piece in (*step.inputs, *step.outputs):
            if piece.path:
                keys[piece.text].add(piece.path[0])
    for step in written:
        (piece,) = step.outputs
        if len(keys[piece.text]) == 1:
            step.outputs = (replace(piece, path=tuple(keys[piece.text])),)


def _assign(step: Step, inside: Sequence[Step], children: Mapping[str, Sequence[Step]]) -> Iterator[str]:
    parts: dict[str, list[str]] = defaultdict(list)
    for piece in step.outputs:
        if piece.path:
            parts[str(piece.path[0])].append(piece.text)
    named = _KEYS.search(step.name)
    keys = named[1].split(",") if named else []
    left = list(inside)
    for key in sorted(parts, key=lambda each: keys.index(each) if each in keys else len(keys)):
        same = [each for each in left if [piece.text for piece in each.outputs] == parts[key]]
        if sum(_did_work(each, children) for each in same) > 1:
            yield f"branches of {step.name} wrote the same text, and the file does not show which is which"
        if same:
            made = same[0]
            left.remove(made)
            made.hints = replace(made.hints, branch=key)


def _did_work(step: Step, children: Mapping[str, Sequence[Step]]) -> bool:
    """True if a model, a retriever or a tool is in a step, or is that step: its text rests on something then."""
    todo = [step]
    while todo:
        here = todo.pop()
        if here.kind in _WORKING:
            return True
        todo += children[here.id]
    return False
